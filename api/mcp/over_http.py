"""POST /mcp: the MCP server on the API, by streamable HTTP, without sessions.

Each request is answered whole, as JSON. Without sessions nothing is kept for clients that never
come back, and any process of several can answer.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from api.keys import authorization, limits
from api.mcp.server import REQUEST, RulesServer
from api.state import AppState

PATH = "/mcp"


@asynccontextmanager
async def running(opened: AppState, most_bytes: int) -> AsyncIterator[StreamableHTTPSessionManager]:
    """Yield what answers at PATH, while the app runs; a body has at most `most_bytes`."""
    manager = StreamableHTTPSessionManager(
        RulesServer(opened).lowlevel,
        json_response=True,
        stateless=True,
        max_request_body_size=most_bytes,
    )
    async with manager.run():
        yield manager


class Endpoint:
    """ASGI app of PATH: hands the request to what the lifespan opened."""

    path = PATH

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one message. Raises what `authorization.check` and `limits` raise."""
        scope["route"] = self  # where FastAPI's routes say their path, which the metrics read
        request = Request(scope)
        await authorization.check(request, "ask")
        await limits.check(request)  # tokens are those of the tool `ask` alone
        manager: StreamableHTTPSessionManager = scope["state"]["mcp"]
        token = REQUEST.set(request)
        try:
            await manager.handle_request(scope, receive, send)
        finally:
            REQUEST.reset(token)
