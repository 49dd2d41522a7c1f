"""A body that is too large is told as every other error is."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http import problems


class TooLargeAsProblem:
    """ASGI middleware around Starlette's limit of a body.

    Of a body that is too large by its Content-Length that replaces whatever reply there is by plain
    text (`starlette.middleware.body_limit`), which is replaced again here.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and problem details back where its body is too large."""
        is_replaced = False

        async def send_problem(message: Message) -> None:
            nonlocal is_replaced
            if message["type"] == "http.response.start" and _is_plain_refusal(message):
                is_replaced = True
                error = HTTPException(413, "the body is too large; shorten it")
                await problems.explain_http(Request(scope), error)(scope, receive, send)
            elif not is_replaced:
                await send(message)

        await self._app(scope, receive, send_problem)


def _is_plain_refusal(message: Message) -> bool:
    kind: bytes = dict(message["headers"]).get(b"content-type", b"")
    return message["status"] == 413 and kind.startswith(b"text/plain")
