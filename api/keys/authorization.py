"""Who may call what: a route declares a scope as a dependency, and the caller's key must have it.

The key comes as `Authorization: Bearer`, or in the cookie that the page's sign-in sets. Without
API_KEYS there are no keys, and everybody who reaches the server may call everything.
"""

import logging
from hashlib import sha256
from hmac import compare_digest
from typing import Annotated

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes

from api.keys import limits
from api.keys.key_file import Key
from api.state import app_state
from retrieval.errors import ConfigurationError

COOKIE = "rules_oracle_key"
OWN_PAGE_COOKIE = "rules_oracle_own_page"  # beside it, but on no link of another site
_BEARER = HTTPBearer(auto_error=False, description="A key, as python -m api.keys add prints it.")

log = logging.getLogger("api")


async def check(request: Request, scope: str) -> None:
    """Let a request pass whose key has `scope`, and keep the key's name for the log.

    Raises HTTPException: 401 without a known key, 403 where it lacks the scope, and 429 for wrong
    keys beyond what the address may ask.
    """
    if app_state(request).keys is None:
        return
    key, is_given = await _caller(request)
    if key is None:
        raise await unknown(request) if is_given else denied("a key is needed")
    if scope not in key.scopes:
        has = ", ".join(key.scopes) or "none"
        raise HTTPException(403, f"the key {key.name!r} has not the scope {scope!r}; it has: {has}")


def denied(reason: str) -> HTTPException:
    """Return what is raised where nobody is known to ask."""
    detail = f"{reason}; send one as Authorization: Bearer, or sign in on the page"
    return HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})


async def unknown(request: Request) -> HTTPException:
    """Count a wrong key for its address, and return what is raised. Raises HTTPException, 429."""
    await limits.check(request)
    return denied("this key is not known, or was revoked")


async def has_scope(request: Request, scope: str) -> bool:
    """Tell whether the caller may see what `scope` is needed for."""
    if app_state(request).keys is None:
        return True
    key, _ = await _caller(request)
    return key is not None and scope in key.scopes


def known(request: Request, token: str) -> Key | None:
    """Return the key of a token. Raises ConfigurationError where the keys cannot be read now."""
    keys = app_state(request).keys
    try:
        return keys.holder(token) if keys else None
    except ConfigurationError as error:
        log.error("%s", error)  # it names paths of this machine
        raise ConfigurationError(
            "this server cannot read its keys; its log says what its operator can do"
        ) from error


async def _caller(request: Request) -> tuple[Key | None, bool]:
    """The key that a request came with, and whether one was given."""
    sent = await _BEARER(request)
    token = sent.credentials if sent else request.cookies.get(COOKIE, "")
    key = known(request, token) if token else None
    if key is not None:
        request.state.key = key
        request.state.is_signed_in = sent is None
    return key, bool(token)


def is_signed_in(request: Request) -> bool:
    """Tell whether a request was let in by the page's cookie."""
    return getattr(request.state, "is_signed_in", False)


def is_led_here(request: Request) -> bool:
    """Tell whether a page of elsewhere led a browser here that is signed in.

    Browsers send `Sec-Fetch-Site` over https and to localhost alone. Without it the cookie tells
    that comes with no link of another site; another port of the same name is the same site to it.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in {"cross-site", "same-site"}
    if not is_signed_in(request):
        return False
    given = request.cookies.get(OWN_PAGE_COOKIE, "").encode()
    return not compare_digest(given, own_page(request.cookies[COOKIE]).encode())


def own_page(token: str) -> str:
    """Return what the second cookie of a key holds; another page of this host cannot make it up."""
    return sha256(b"own page " + token.encode()).hexdigest()


async def _authorized(
    request: Request,
    scopes: SecurityScopes,
    _: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],  # for the description
) -> None:
    for scope in scopes.scopes:
        await check(request, scope)


ASK = Security(_authorized, scopes=["ask"])
FEEDBACK = Security(_authorized, scopes=["feedback"])
METRICS = Security(_authorized, scopes=["metrics"])
ADMIN = Security(_authorized, scopes=["admin"])
