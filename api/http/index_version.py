"""Which state of the index a caller has seen, from request to request, where a replica is read.

X-Index-Version, in the reply and in the request, or the cookie of the same number, which a browser
sends back by itself.
"""

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from retrieval.database.replica import CALLER, CallerView

HEADER = "X-Index-Version"
COOKIE = "rules_oracle_index"
_LONGEST = 18  # digits; a bigint has 19


class IndexVersions:
    """ASGI middleware that tells the replica what the caller has seen, and the caller what it saw.

    What is no index version says nothing: an old or foreign cookie must not take an answer away.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add what was read for it to its reply."""
        if scope["type"] != "http" or scope["state"]["app_state"].rules.replica is None:
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        cookie = request.cookies.get(COOKIE, "")
        caller = CallerView(max(_number(request.headers.get(HEADER, "")), _number(cookie)))

        async def send_with_version(message: Message) -> None:
            # A stream's reply begins when its first event is there: it was searched then.
            if message["type"] == "http.response.start" and caller.shown is not None:
                headers, shown = MutableHeaders(scope=message), str(caller.shown)
                headers[HEADER] = shown
                if shown != cookie:
                    secure = "; Secure" if scope["scheme"] == "https" else ""
                    kept = f"{COOKIE}={shown}; Path=/; HttpOnly; SameSite=Lax{secure}"
                    headers.append("Set-Cookie", kept)
            await send(message)

        token = CALLER.set(caller)
        try:
            await self._app(scope, receive, send_with_version)
        finally:
            CALLER.reset(token)


def _number(sent: str) -> int:
    is_number = sent.isascii() and sent.isdecimal() and len(sent) <= _LONGEST
    return int(sent) if is_number else 0
