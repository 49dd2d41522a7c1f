"""Errors become replies: the only file that knows their statuses. JSON, or a page for a browser."""

import logging

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from api.http.json_body import fault_of
from api.observability import metrics
from api.page import html
from api.schema.problem import Problem
from api.state import request_id
from retrieval.errors import (
    BackupError,
    ConfigurationError,
    DatabaseUnreachableError,
    DatasetError,
    FileRejectedError,
    FilterError,
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
    RetrieverError,
    RulesError,
    SchemaNewerError,
    VaultError,
)

STATUS: dict[type[RulesError], int] = {
    QuestionError: 422,
    FilterError: 422,
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
    RetrieverError: 500,
    SchemaNewerError: 503,
    VaultError: 500,
}

_PAGES = {
    "",
    "/",
    "/sign-in",
    "/status",
    "/vault",
    "/vault/",
    "/vault/{path:path}",
}  # "": no such path

_NOT_ASKED = {401, 403, 429}  # no question of ours that failed: whoever has no key can cause them

log = logging.getLogger("api")


def explain(request: Request, error: RulesError) -> Response:
    """Turn an error into RFC 9457 problem details."""
    return _reply(request, told(request, error))


def explain_body(request: Request, error: RequestValidationError) -> Response:
    """Name the field of a body that is wrong and why; its value is not echoed."""
    reason = "; ".join(fault_of(request, fault) for fault in error.errors())
    return _refused(request, 422, "RequestError", reason)


def explain_http(request: Request, error: HTTPException) -> Response:
    """Give the framework's own refusals (no such path, body too large) the same shape."""
    if error.status_code in {400, 422}:  # 400: a form that cannot be read
        return _refused(request, 422, "RequestError", str(error.detail))
    reply = _refused(request, error.status_code, "HttpError", str(error.detail))
    reply.headers.update(error.headers or {})
    return reply


def explain_bug(request: Request, error: Exception) -> Response:
    """Say no more than where it stands: the server writes the traceback behind this line."""
    log.error("request %s: unexpected error %s", request_id(request), type(error).__name__)
    reason = "an unexpected error; the server's log tells more under this request's id"
    reply = _refused(request, 500, "InternalError", reason)
    reply.headers["X-Request-ID"] = request_id(request)  # outside of the middleware
    return reply


def told(request: Request, error: RulesError) -> Problem:
    """Return what is said of an error, also in the middle of a stream; the log has grave ones."""
    status = STATUS[type(error)]
    if status >= 500:
        log.warning("request %s: %s: %s", request_id(request), type(error).__name__, error)
    return _problem(request, status, type(error).__name__, error.public or str(error))


def _problem(request: Request, status: int, title: str, detail: str) -> Problem:
    if status not in _NOT_ASKED:
        metrics.failed(request, title)
    # A message may quote half a character of the question, which JSON cannot carry.
    readable = detail.encode("utf-8", "backslashreplace").decode()
    return Problem(title=title, status=status, detail=readable, request_id=request_id(request))


def _refused(request: Request, status: int, title: str, detail: str) -> Response:
    return _reply(request, _problem(request, status, title, detail))


def _reply(request: Request, problem: Problem) -> Response:
    headers = {"Retry-After": "5"} if problem.status == 503 else {}
    if _is_for_people(request):
        question = request.query_params.get("q", "")
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        shown = html.page(
            "error.html",
            problem.status,
            problem=problem,
            draft=question,
            before=[],
            to=getattr(request.state, "sign_in_to", path),
        )
        shown.headers.update(headers)
        return shown
    return JSONResponse(
        problem.model_dump(), problem.status, headers, media_type="application/problem+json"
    )


def _is_for_people(request: Request) -> bool:
    """Whether a browser asks for a page; scripts, and programs that take anything, get JSON."""
    route = getattr(request.scope.get("route"), "path", "")
    is_page = route in _PAGES and "text/html" in request.headers.get("accept", "")
    return is_page and (request.method == "GET" or route == "/sign-in")
