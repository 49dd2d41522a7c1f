"""The HTTP API: the only file that knows statuses."""

import logging
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from api import events, health, metrics, openai_api, source
from api.admission import Admissions, admitted
from api.answer import follow_up, pipeline
from api.hangup import Hangup, until_gone
from api.http import feedback
from api.oracle import Opened, Oracle, RequestId, State, open_oracle, request_id
from api.request_id import RequestIds
from api.schema import (
    Answer,
    AskRequest,
    Problem,
    SearchReply,
    SearchRequest,
    SearchTimings,
    passages,
)
from api.sse import EventStream
from retrieval.errors import (
    BackupError,
    ConfigurationError,
    DatabaseUnreachableError,
    DatasetError,
    FileRejectedError,
    GateRefusedError,
    IndexMismatchError,
    IndexMissingError,
    IngestRunningError,
    LlmAbandonedError,
    LlmError,
    LlmReplyError,
    LlmUnreachableError,
    ModelUnavailableError,
    OverloadedError,
    QuestionError,
    RulesError,
    SchemaNewerError,
    VaultError,
)
from retrieval.search import search
from retrieval.settings import Settings, load

STATUS: dict[type[RulesError], int] = {
    QuestionError: 422,
    LlmReplyError: 502,
    LlmUnreachableError: 503,
    LlmAbandonedError: 503,
    DatabaseUnreachableError: 503,
    IndexMissingError: 503,
    IndexMismatchError: 503,
    ModelUnavailableError: 503,
    OverloadedError: 503,
    # Errors of the other programs, should one of them ever come this way.
    BackupError: 500,
    ConfigurationError: 500,
    DatasetError: 500,
    FileRejectedError: 500,
    GateRefusedError: 500,
    IngestRunningError: 503,
    LlmError: 502,
    SchemaNewerError: 503,
    VaultError: 500,
}

# Beside the JSON of an answer, in the API's description.
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}
_MOST_BYTES = 256 * 1024  # of a body: the longest question, in escapes, is under 50 KB

log = logging.getLogger("api")


def create_app(opened: Oracle | Settings | None = None) -> FastAPI:
    """Build the app over what is opened already, or opens itself by settings or the environment."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[State]:
        if isinstance(opened, Oracle):
            yield {"oracle": opened}
            return
        with open_oracle(opened or load()) as oracle:
            yield {"oracle": oracle}

    app = FastAPI(
        title="rules-oracle", version="0.1.0", lifespan=lifespan, max_body_size=_MOST_BYTES
    )
    app.state.questions = 0
    app.add_middleware(Admissions)
    metrics.install(app)
    feedback.install(app)
    app.add_middleware(RequestIds)
    app.exception_handler(RulesError)(explain)
    app.exception_handler(RequestValidationError)(explain_body)
    app.exception_handler(HTTPException)(explain_http)
    app.exception_handler(Exception)(explain_bug)
    limited = [Depends(admitted)]
    app.post("/ask", response_model=Answer, responses=_STREAMED, dependencies=limited)(ask)
    app.post("/search", response_model=SearchReply, dependencies=limited)(find)
    app.get("/livez")(health.livez)
    app.get("/readyz")(health.readyz)
    app.include_router(openai_api.router)
    app.include_router(source.router)
    return app


async def ask(
    request: Request, body: AskRequest, opened: Opened, request_id: RequestId
) -> Answer | Response:
    """Answer a question with cards of the rules, with the nearest ones, or refuse.

    With `stream`, as server-sent events: search_results, message (the draft, provisional),
    citation, and final_answer, the same answer as without, or error in its place.
    """

    def made(hangup: Hangup) -> Generator[events.Step]:
        steps = pipeline.steps(
            opened.rules,
            opened.model,
            body.question,
            history=body.history,
            top_k=body.top_k,
            request_id=request_id,
            hangup=hangup,
            streamed=body.stream,
            texts=opened.texts,
        )
        return feedback.remembered(request, metrics.counted(request, steps))

    def streamed(hangup: Hangup) -> Generator[events.Event]:
        return events.events(made(hangup), lambda error: _told(request, error))

    if body.stream:
        return await until_gone(request, lambda hangup: EventStream(streamed, hangup))
    return await until_gone(request, lambda hangup: pipeline.finished(made(hangup)))


def find(body: SearchRequest, opened: Opened, request_id: RequestId) -> SearchReply:
    """Return the passages for a question; with `explain`, how each stage ranked them."""
    question = follow_up.self_contained(body.question, body.history)
    found = search(opened.rules, question, top_k=body.top_k)
    return SearchReply(
        passages=passages(found),
        rerank=found.rerank,
        threshold=found.threshold if found.threshold > float("-inf") else None,
        timings=SearchTimings(
            embed_ms=found.timings.embed_ms,
            search_ms=found.timings.search_ms,
            rerank_ms=found.timings.rerank_ms,
        ),
        generation=found.generation,
        request_id=request_id,
        trace=list(found.trace) if body.explain else None,
    )


def explain(request: Request, error: RulesError) -> JSONResponse:
    """Turn an error into RFC 9457 problem details."""
    return _reply(_told(request, error))


def explain_body(request: Request, error: RequestValidationError) -> JSONResponse:
    """Name the field of a body that is wrong and why; its value is not echoed."""
    return _refused(request, 422, "RequestError", "; ".join(map(_fault, error.errors())))


def explain_http(request: Request, error: HTTPException) -> JSONResponse:
    """Give the framework's own refusals (no such path, body too large) the same shape."""
    if error.status_code == 400:  # what FastAPI says of a body that no JSON parser can read
        reason = "body: no JSON that can be read: nested too deeply, or not UTF-8"
        return _refused(request, 422, "RequestError", reason)
    reply = _refused(request, error.status_code, "HttpError", str(error.detail))
    reply.headers.update(error.headers or {})
    return reply


def explain_bug(request: Request, error: Exception) -> JSONResponse:
    """Say no more than where it stands: the server writes the traceback behind this line."""
    log.error("request %s: %s, which nobody foresaw", request_id(request), type(error).__name__)
    reason = "an error that nobody foresaw; the server's log tells more under this request's id"
    reply = _refused(request, 500, "InternalError", reason)
    reply.headers["X-Request-ID"] = request_id(request)  # outside of the middleware
    return reply


def _fault(fault: dict[str, Any]) -> str:
    if fault["type"] == "json_invalid":
        return f"body: no JSON at character {fault['loc'][-1]}: {fault['ctx']['error']}"
    return f"{'.'.join(str(part) for part in fault['loc'][1:]) or 'body'}: {fault['msg']}"


def _told(request: Request, error: RulesError) -> Problem:
    """What is said of an error, also in the middle of a stream; the log gets the grave ones."""
    status = STATUS[type(error)]
    if status >= 500:
        log.warning("request %s: %s: %s", request_id(request), type(error).__name__, error)
    return _problem(request, status, type(error).__name__, str(error))


def _problem(request: Request, status: int, title: str, detail: str) -> Problem:
    metrics.failed(request, title)
    # A message may quote half a character of the question, which JSON cannot carry.
    readable = detail.encode("utf-8", "backslashreplace").decode()
    return Problem(title=title, status=status, detail=readable, request_id=request_id(request))


def _refused(request: Request, status: int, title: str, detail: str) -> JSONResponse:
    return _reply(_problem(request, status, title, detail))


def _reply(told: Problem) -> JSONResponse:
    headers = {"Retry-After": "5"} if told.status == 503 else {}
    return JSONResponse(
        told.model_dump(), told.status, headers, media_type="application/problem+json"
    )
