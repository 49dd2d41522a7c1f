"""What is served on a connection of the reserve, while all others are taken: probes alone."""

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http import problems
from api.observability.request_id import RequestIds
from retrieval.errors import OverloadedError

_PROBES = ("/livez", "/readyz")


def only_probes(app: ASGIApp) -> ASGIApp:
    """Return an app that passes one probe on, answers 503 to all else, and then closes."""

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        async def closing(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"connection", b"close")]
            await send(message)

        await (app if scope["path"] in _PROBES else _refusing)(scope, receive, closing)

    return served


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    error = OverloadedError("all connections are taken; try again in some seconds")
    await problems.explain(Request(scope), error)(scope, receive, send)


_refusing = RequestIds(_refuse)
