"""Sign in on the page with a key, into a cookie that no script reads; and sign out."""

from functools import partial
from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from api.keys import authorization

_SECONDS = 30 * 24 * 3600
_MOST_BYTES = 64 * 1024  # of the form: an address with the longest question, in escapes

router = APIRouter(include_in_schema=False)


@router.post("/sign-in", max_body_size=_MOST_BYTES)
async def sign_in(
    request: Request, key: Annotated[str, Form()], to: Annotated[str, Form()]
) -> Response:
    """Keep a key in this browser and go on to `to`, a page of this server; 401 for no key of ours.

    A wrong key counts for its address. A link from elsewhere brings the key's cookie along
    (SameSite=Lax), a form or script of elsewhere does not; and the second cookie comes with no
    link of elsewhere (SameSite=Strict).
    """
    to = _own(to)
    request.state.sign_in_to = to
    token = key.strip()
    found = authorization.known(request, token)
    if found is None:
        raise await authorization.unknown(request)
    request.state.key = found
    reply = RedirectResponse(_unasked(to), 303)
    secure = request.url.scheme == "https"
    put = partial(reply.set_cookie, max_age=_SECONDS, httponly=True, secure=secure)
    put(authorization.COOKIE, token, samesite="lax")
    put(authorization.OWN_PAGE_COOKIE, authorization.own_page(token), samesite="strict")
    return reply


def _own(to: str) -> str:
    """The address where it is a path here, and not the name of another server."""
    is_path = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if is_path else "/"


def _unasked(to: str) -> str:
    """The address, its question only filled in: it may have come by a link of elsewhere."""
    path, _, query = to.partition("?")
    named = parse_qsl(query, keep_blank_values=True)
    fields = [("draft" if name == "q" else name, value) for name, value in named]
    return f"{path}?{urlencode(fields)}" if fields else path


@router.post("/sign-out")
def sign_out() -> Response:
    """Forget the key in this browser, and the answers that it keeps."""
    reply = RedirectResponse("/", 303, headers={"Clear-Site-Data": '"cache", "storage"'})
    reply.delete_cookie(authorization.COOKIE, httponly=True, samesite="lax")
    reply.delete_cookie(authorization.OWN_PAGE_COOKIE, httponly=True, samesite="strict")
    return reply
