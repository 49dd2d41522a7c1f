"""One id a request: the caller's X-Request-ID or a new one, in every reply's header."""

import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADER = "X-Request-ID"
_LONGEST = 128  # characters


class RequestIds:
    """ASGI middleware that puts the id into `request.state.request_id` and into the reply."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its id."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(_HEADER, "")
        plain = 0 < len(given) <= _LONGEST and given.isascii() and given.isprintable()
        request_id = given if plain else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[_HEADER] = request_id
            await send(message)

        await self._app(scope, receive, send_with_id)
