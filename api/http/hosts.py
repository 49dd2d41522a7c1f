"""By which names this server may be called, and from which pages.

A page of elsewhere can make its own name lead to this machine (DNS rebinding) and then read what a
browser gets from it: so a name must be one of ours. It can send what a form can send without asking
(cross-site request forgery): so what a browser sends must come from a page of this server.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.schema.problem import Problem
from retrieval.settings import Settings

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_ANY_ADDRESS = {"0.0.0.0", "::", ""}  # noqa: S104  # compared with, not bound to
_READING = {"GET", "HEAD", "OPTIONS"}
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LONGEST = 100  # characters of a header that are shown again


class Hosts:
    """ASGI middleware that lets through what is meant for this server and comes from its pages."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it: 400 for a foreign Host, 403 for a foreign Origin."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = refusal(scope, self._settings)
        if refused is None:
            await self._app(scope, receive, send)
            return
        status, detail = refused
        told = Problem(
            title="HostError" if status == 400 else "OriginError",
            status=status,
            detail=detail,
            request_id=scope["state"].get("request_id", ""),
        )
        reply = JSONResponse(told.model_dump(), status, media_type="application/problem+json")
        await reply(scope, receive, send)


def refusal(scope: Scope, settings: Settings) -> tuple[int, str] | None:
    """Return the status and the reason why a request is refused; None where it is served."""
    headers = Headers(scope=scope)
    hosts = headers.getlist("host")
    if len(hosts) > 1:
        return 400, "a request names one Host, and this one names several"
    host = hosts[0] if hosts else ""
    known = (*_own_names(scope, settings), *settings.allowed_hosts)
    # Without a Host it is no browser: these send one since 1997.
    if hosts and not _is_named(host, known):
        return 400, (
            f"Host {host[:_LONGEST]!a} is not a name of this server; call it by localhost, or add "
            "the name to ALLOWED_HOSTS"
        )
    reads = scope["method"] in _READING and not _asks_unseen(scope, headers)
    origin = headers.get("origin", "")
    is_listed = origin.lower() in settings.cors_origins
    if reads or is_listed or _is_own_page(headers, host, settings.allowed_hosts):
        return None
    return 403, (
        f"a page of another origin ({origin[:_LONGEST]!a}) may not send this; if it is yours, "
        "add its host to ALLOWED_HOSTS, or the origin to CORS_ORIGINS if it is another program's"
    )


def _asks_unseen(scope: Scope, headers: Headers) -> bool:
    """Whether a page asks a question by an address that nobody is led to: `<img src="/?q=…">`."""
    asks = scope["path"] == "/" and b"q=" in scope.get("query_string", b"")
    return asks and headers.get("sec-fetch-mode", "navigate") != "navigate"


def _own_names(scope: Scope, settings: Settings) -> tuple[str, ...]:
    """Loopback names, HOST, and the address that this connection came to, which is a number."""
    arrived = (scope.get("server") or ("", None))[0]
    bound = {settings.host.lower(), str(arrived).lower()} - _ANY_ADDRESS
    return (*_LOOPBACK, *bound)


def _is_named(host: str, names: Sequence[str]) -> bool:
    """Whether `host`, with or without a port, is one of `names`; "*.example.org" is any below."""
    whole = host.lower()
    name = _hostname(whole)
    if name is None:
        return False
    return any(
        known in {"*", whole, name} or (known[:2] == "*." and name.endswith(known[1:]))
        for known in names
    )


def _hostname(host: str) -> str | None:
    """The name of "name:8000" or "[::1]:8000"; None for what is no such thing."""
    if not host or any(one in host for one in "/\\@?# \t"):
        return None
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises for what is no number
    except ValueError:
        return None
    return parts.hostname


def _is_own_page(headers: Headers, host: str, allowed: Sequence[str]) -> bool:
    """Whether no browser sent it, or one did for a page of this server."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if site in {"same-origin", "none"}:  # a page cannot set it
        return True
    if origin is None:
        return site is None
    parts = urlsplit(origin) if _is_origin(origin) else None
    if parts is None:
        return False
    if site is None and _same(parts.netloc, host, parts.scheme):
        return True
    return "*" not in allowed and _is_named(parts.netloc, allowed)


def _is_origin(origin: str) -> bool:
    return origin.startswith(("http://", "https://")) and bool(_hostname(origin.partition("//")[2]))


def _same(netloc: str, host: str, scheme: str) -> bool:
    port = f":{_DEFAULT_PORTS[scheme]}"
    return netloc.lower().removesuffix(port) == host.lower().removesuffix(port)
