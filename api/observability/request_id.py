"""One id a request: the caller's X-Request-ID or a new one, in every reply's header and in the log.

A request is one line of the log, with the name of its key and without its query: what was asked is
nobody's but the asker's. Traces hold no query either.
"""

import logging
import uuid
from time import perf_counter
from urllib.parse import quote

from opentelemetry import trace
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.observability.logs import REQUEST_ID

_HEADER = "X-Request-ID"
_LONGEST = 128  # characters
PROBES = {"/livez", "/readyz", "/metrics"}  # asked every few seconds: only at DEBUG
LOGGED = "logged"  # of a request's state: what the line of a JSON log says of its answer
_NONE = 0  # the status of a request whose client left before a reply began

log = logging.getLogger("api.access")


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
        REQUEST_ID.set(request_id)
        if scope["query_string"]:
            trace.get_current_span().set_attribute("url.query", "REDACTED")

        status, started = _NONE, perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.update(scope["state"].get("reply_headers", {}))
                headers[_HEADER] = request_id
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            _tell(scope, request_id, status, 1000 * (perf_counter() - started))


def _tell(scope: Scope, request_id: str, status: int, milliseconds: float) -> None:
    level = logging.DEBUG if scope["path"] in PROBES else logging.INFO
    key = scope["state"].get("key")
    fields = {
        **scope["state"].get(LOGGED, {}),
        "method": scope["method"], "path": scope["path"], "status": status,
        "total_ms": round(milliseconds, 1), "key": key.name if key else None,
    }  # fmt: skip
    log.log(
        level, "%s %s %d %d ms, request %s%s",
        scope["method"], quote(scope["path"]), status, round(milliseconds), quote(request_id),
        f", key {key.name}" if key else "", extra={"fields": fields},
    )  # fmt: skip
