"""JSON bodies, read strictly: what is odd about one is said in words."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

_LONGEST = 80  # characters of a header's value or a name, in a reason
_AS_IT_IS = {"", "identity"}


class JsonRoute(APIRoute):
    """A route whose body is a `JsonRequest`'s."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(JsonRequest(request.scope, request.receive))

        return handle_strictly


class JsonRequest(Request):
    """A request whose JSON has each name once, in UTF-8 and not packed."""

    async def json(self) -> Any:
        """Return the body. Raises HTTPException 422 with what is odd, and JSONDecodeError."""
        encoding = self.headers.get("content-encoding", "").strip().lower()
        if encoding not in _AS_IT_IS:
            raise _odd(f"Content-Encoding {encoding[:_LONGEST]!a} is not read; send it as it is")
        body = await self.body()
        try:
            return json.loads(body.decode("utf-8-sig"), object_pairs_hook=_once)
        except json.JSONDecodeError:
            raise
        except UnicodeDecodeError as error:
            raise _odd(f"byte {error.start} is not UTF-8; send it in UTF-8") from error
        except RecursionError as error:
            raise _odd("nested too deeply") from error
        except ValueError as error:  # Python reads no number of thousands of digits
            raise _odd("a number with too many digits") from error


def fault_of(request: Request, fault: dict[str, Any]) -> str:
    """Return what is wrong with a body in the words of its sender, without the value."""
    where = ".".join(str(part) for part in fault["loc"][1:]) or "body"
    if fault["type"] == "json_invalid":
        return f"body: no JSON at character {fault['loc'][-1]}: {fault['ctx']['error']}"
    if fault["type"] != "model_attributes_type":
        return f"{where}: {fault['msg']}"
    if where == "body" and isinstance(fault["input"], bytes):  # it was not read as JSON
        kind = request.headers.get("content-type", "")
        has = f"Content-Type is {kind[:_LONGEST]!a}" if kind else "there is no Content-Type"
        return f"body: {has}; send application/json"
    return f"{where}: Input should be a JSON object"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise _odd(f"the name {twice[:_LONGEST]!a} is there twice in one object")
    return found


def _odd(reason: str) -> HTTPException:
    return HTTPException(422, f"body: {reason}")
