"""Questions of a caller who has no place left are refused before anything of them is read.

By its route a refusal costs the body and all dependencies: of a hundred a second, that was most of
what the interpreter did (E115).
"""

from collections.abc import Callable, Mapping
from types import SimpleNamespace

from fastapi import Request
from fastapi.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.admission.concurrency_limit import check_place
from api.keys import authorization
from retrieval.errors import RulesError

SCOPE = "ask"  # of a key that may ask: others are told by the route that they may not


class EarlyRefusal:
    """ASGI middleware that tells who has no place so, by how each path tells errors."""

    def __init__(
        self, app: ASGIApp, told: Mapping[str, Callable[[Request, RulesError], Response]]
    ) -> None:
        self._app = app
        self._told = told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on where it may have a place."""
        path = scope["path"] if scope["type"] == "http" and scope["method"] == "POST" else ""
        if path not in self._told:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            if await authorization.has_scope(request, SCOPE):
                check_place(request)
        except RulesError as error:
            scope["route"] = SimpleNamespace(path=path)  # the metrics read it
            await self._told[path](request, error)(scope, receive, send)
            return
        await self._app(scope, receive, send)
