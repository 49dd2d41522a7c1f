"""Which pages of elsewhere may call this server and read its replies: those of CORS_ORIGINS."""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.index_version import HEADER
from api.state import AppState

_BOTH_WAYS = ("X-Request-ID", HEADER)


class Cors:
    """ASGI middleware around Starlette's own, made when the settings are known.

    No cookie is let through: such a page sends a key of its own.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._by_list: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers that let a listed page read the reply."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._by_list is None:
            self._by_list = self._made(scope["state"]["app_state"])
        await self._by_list(scope, receive, send)

    def _made(self, opened: AppState) -> ASGIApp:
        origins = opened.rules.settings.cors_origins
        if not origins:
            return self._app
        return CORSMiddleware(
            self._app,
            allow_origins=origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "MCP-Protocol-Version", *_BOTH_WAYS],
            expose_headers=["RateLimit", "RateLimit-Policy", "Retry-After", *_BOTH_WAYS],
        )
