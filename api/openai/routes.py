"""OpenAI's chat completions over the Oracle, so that its clients and chat front ends work as is.

A streamed answer is finished before its first piece leaves: what is sent has been checked. Errors
have OpenAI's shape on these paths only. A body that POST /ask refuses with 422 gets 400 here, as
OpenAI's clients expect.
"""

import json
import time
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from openai.types import Model
from openai.types.chat import ChatCompletion
from openai.types.shared import ErrorObject
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from api.admission.concurrency_limit import admitted
from api.http import answering
from api.http.client_disconnect import ClientDisconnect, until_gone
from api.http.json_body import JsonRoute, fault_of
from api.keys.authorization import ASK
from api.keys.limits import ASKING
from api.observability import metrics
from api.openai.completion import completion, events
from api.openai.request import MODEL, ChatRequest, RequestFaultError, asked, check, parameter
from api.schema.answer import Answer
from api.schema.problem import MEANING
from retrieval.errors import FilterError, QuestionError, RulesError

CHAT = "/v1/chat/completions"  # the path
_PARAMETERS: dict[type[RulesError], str] = {QuestionError: "messages", FilterError: "filters"}
_STARTED = int(time.time())


class _Route(JsonRoute):
    """A route that tells its errors as OpenAI does; their statuses are the app's own."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_or_explain(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestFaultError as error:
                metrics.failed(request, "RequestError")
                return _error(error.status, str(error), error.param, error.code)
            except RequestValidationError as error:
                metrics.failed(request, "RequestError")
                first = error.errors()[0]
                param = parameter(first["loc"][1:]) if first["type"] != "json_invalid" else None
                said = f"{param}: {first['msg']}" if param else fault_of(request, first)
                return _error(400, said, param, None)
            except RulesError as error:
                return explain(request, error)
            except HTTPException as error:
                told = request.app.exception_handlers[HTTPException](request, error)
                return _retold(told, None, "invalid_api_key" if error.status_code == 401 else None)

        return handle_or_explain


class ErrorReply(BaseModel):
    """Every error of the paths below /v1."""

    error: ErrorObject


class Models(BaseModel):
    """The reply of GET /v1/models."""

    object: Literal["list"] = "list"
    data: list[Model]


def _described(*statuses: int | str) -> dict[int | str, dict[str, Any]]:
    """Errors as the API's description lists them; "4XX": those that are not listed."""
    return {
        one: {"model": ErrorReply, "description": MEANING.get(one, "the request is wrong")}
        for one in statuses
    }


router = APIRouter(
    route_class=_Route,
    tags=["OpenAI"],
    responses=_described("4XX", 401, 403, 429),
    dependencies=[ASK],
)


@router.post(
    CHAT,
    response_model=ChatCompletion,
    response_model_exclude_unset=True,  # what OpenAI has and the Oracle does not
    responses={200: {"content": {"text/event-stream": {}}}, **_described(413, 502, 503)},
    dependencies=[Depends(admitted), ASKING],
)
async def complete(body: ChatRequest, request: Request) -> ChatCompletion | StreamingResponse:
    """Answer the last user message from the rules; earlier ones of the user are its history.

    System, developer and assistant messages are accepted and not obeyed, and fields that tune
    which words a model chooses are accepted and without effect.
    """
    check(body)
    question, history = asked(body.messages)

    def ask(disconnect: ClientDisconnect) -> Answer:
        options = answering.options(request, disconnect, history, filters=body.filters)
        return answering.answer(request, question, options)

    given = await until_gone(request, ask)
    reply = completion(given, str(request.base_url))
    if not body.stream:
        return reply
    with_usage = bool(body.stream_options and body.stream_options.include_usage)
    return StreamingResponse(
        events(reply, with_usage=with_usage),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@router.get("/v1/models", response_model_exclude_unset=True)
def models() -> Models:
    """List the one model that there is."""
    return Models(object="list", data=[_model()])


@router.get("/v1/models/{model}", response_model_exclude_unset=True, responses=_described(404))
def model(model: str) -> Model:
    """Describe the one model that there is."""
    if model != MODEL:
        message = f"there is no model {model[:80]!r} here, only {MODEL!r}"
        raise RequestFaultError(message, "model", "model_not_found", 404)
    return _model()


@router.api_route(
    "/v1/{path:path}",
    methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
    include_in_schema=False,
)
def unknown(path: str, request: Request) -> None:
    """Say in OpenAI's shape that this part of its API is not here."""
    message = (
        f"there is no {request.method} /v1/{ascii(path[:80])[1:-1]}; "
        "there are POST /v1/chat/completions and GET /v1/models"
    )
    raise RequestFaultError(message, None, "unknown_url", 404)


def _model() -> Model:
    return Model(id=MODEL, object="model", created=_STARTED, owned_by=MODEL)


def explain(request: Request, error: RulesError) -> JSONResponse:
    """Turn an error into OpenAI's shape."""
    told = request.app.exception_handlers[RulesError](request, error)
    return _retold(told, _PARAMETERS.get(type(error)), type(error).__name__)


def _retold(told: JSONResponse, param: str | None, code: str | None) -> JSONResponse:
    """Return an error as the app's own handler tells it, in OpenAI's shape."""
    status = 400 if told.status_code == 422 else told.status_code
    reply = _error(status, json.loads(bytes(told.body))["detail"], param, code)
    for name in ("Retry-After", "WWW-Authenticate"):
        if name in told.headers:
            reply.headers[name] = told.headers[name]
    return reply


def _error(status: int, message: str, param: str | None, code: str | None) -> JSONResponse:
    # A message may quote half a character of the request, which JSON cannot carry.
    readable = message.encode("utf-8", "backslashreplace").decode()
    kind = "server_error" if status >= 500 else "invalid_request_error"
    if status == 429:
        kind = "rate_limit_error"
    fault = ErrorObject(message=readable, type=kind, param=param, code=code)
    return JSONResponse({"error": fault.model_dump(exclude_unset=True)}, status)
