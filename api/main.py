"""The HTTP API: its endpoints and what stands around them."""

from collections.abc import AsyncIterator, Generator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from api import VERSION
from api.admission.body_limit import TooLargeAsProblem
from api.admission.concurrency_limit import ConcurrencyLimit, Questions, admitted
from api.admission.early_refusal import EarlyRefusal
from api.answer.card_reply import AskOptions
from api.answer.cards import over_http
from api.answer.question import follow_up
from api.http import answering, events, feedback, health, problems
from api.http.client_disconnect import ClientDisconnect, until_gone
from api.http.hosts import Hosts
from api.http.index_version import HEADER, IndexVersions
from api.http.json_body import JsonRoute
from api.http.sse import EventStream
from api.keys.authorization import ASK
from api.keys.limits import ASKING, LIMITED
from api.mcp import over_http as mcp
from api.observability import metrics
from api.observability.request_id import PROBES, RequestIds
from api.openai import routes
from api.page import llms, sign_in
from api.page import routes as page
from api.page.turns import Turns, WholeReplies
from api.schema.answer import Answer
from api.schema.problem import described
from api.schema.requests import AskRequest, SearchRequest
from api.schema.search import SearchReply
from api.state import AppState, Opened, RequestId, State, open_app_state
from api.telemetry import status
from api.telemetry.recorder import recording
from retrieval.errors import RulesError
from retrieval.settings import Settings

# Beside the JSON of an answer, in the API's description.
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/event-stream": {
                "itemSchema": {
                    "type": "object",
                    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
                    "required": ["event", "data"],
                }
            }
        }
    }
}
_BOTH_WAYS = ("X-Request-ID", HEADER)  # headers of requests and replies
# A span for each request, where api/observability/traces.py finds a collector, and no text of
# exceptions. The metrics are Prometheus's.
_TELEMETRY: TelemetryConfig = {
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
    "exclude": lambda scope: scope["path"] in PROBES,
}
_MOST_BYTES = 256 * 1024  # of a body: the longest question, in escapes, is under 50 KB


def create_app(opened: AppState | Settings) -> FastAPI:
    """Build the app over what is opened already, or opens itself by settings."""
    settings = opened.rules.settings if isinstance(opened, AppState) else opened

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[State]:
        with ExitStack() as stack:
            app_state = (
                opened
                if isinstance(opened, AppState)
                else stack.enter_context(open_app_state(opened))
            )
            recorder = stack.enter_context(recording(app_state.rules.store, settings))
            async with mcp.running(app_state, _MOST_BYTES) as manager:
                yield {"app_state": app_state, "mcp": manager, "recorder": recorder}

    app = FastAPI(
        title="rules-oracle",
        version=VERSION,
        lifespan=lifespan,
        docs_url=None,  # these load scripts from elsewhere: the page has its own /docs
        redoc_url=None,
        telemetry=_TELEMETRY,
    )
    app.router.route_class = JsonRoute
    app.state.questions = Questions()
    app.state.turns = Turns()
    app.state.whole_replies = WholeReplies()
    app.add_middleware(ConcurrencyLimit)
    told = dict.fromkeys(("/ask", "/search", "/page/ask"), problems.explain)
    app.add_middleware(EarlyRefusal, told={**told, routes.CHAT: routes.explain})
    metrics.install(app)
    feedback.install(app)
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=_MOST_BYTES)
    app.add_middleware(TooLargeAsProblem)
    app.add_middleware(IndexVersions)
    if settings.cors_origins:  # no cookie is let through: such a page sends a key of its own
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "MCP-Protocol-Version", *_BOTH_WAYS],
            expose_headers=["RateLimit", "RateLimit-Policy", "Retry-After", *_BOTH_WAYS],
        )
    app.add_middleware(Hosts, settings=settings)
    app.add_middleware(RequestIds)
    app.exception_handler(RulesError)(problems.explain)
    app.exception_handler(RequestValidationError)(problems.explain_body)
    app.exception_handler(HTTPException)(problems.explain_http)
    app.exception_handler(Exception)(problems.explain_bug)
    admitting = [ASK, Depends(admitted)]
    wrong = described(401, 403, 413, 422, 429, 503)
    asked = {**_STREAMED, **wrong, **described(502)}
    app.post("/ask", response_model=Answer, responses=asked, dependencies=[*admitting, ASKING])(ask)
    limited = [*admitting, LIMITED]
    app.post("/search", response_model=SearchReply, responses=wrong, dependencies=limited)(find)
    app.get("/livez")(health.livez)
    app.get("/readyz", responses=described(503))(health.readyz)
    for path, probe in (("/livez", health.livez), ("/readyz", health.readyz)):
        app.head(path, include_in_schema=False)(probe)  # the server leaves the body out
    app.router.routes.append(Route(mcp.PATH, mcp.Endpoint(), include_in_schema=False))
    app.include_router(routes.router)
    app.include_router(page.router)
    app.include_router(llms.router)
    app.include_router(sign_in.router)
    app.include_router(status.router)
    return app


async def ask(request: Request, body: AskRequest) -> Answer | Response:
    """Answer a question with cards of the rules, with the nearest ones, or refuse.

    With `stream`, as server-sent events: search_results, message (the draft, provisional),
    citation, and final_answer, the same answer as without, or error in its place.
    """

    def options(disconnect: ClientDisconnect) -> AskOptions:
        return answering.options(
            request,
            disconnect,
            body.history,
            top_k=body.top_k,
            filters=body.filters,
            streamed=body.stream,
        )

    def whole(disconnect: ClientDisconnect) -> Answer:
        return answering.answer(request, body.question, options(disconnect))

    def streamed(disconnect: ClientDisconnect) -> Generator[events.Event]:
        steps = answering.steps(request, body.question, options(disconnect))
        return events.events(steps, events.of_step, lambda error: problems.told(request, error))

    if body.stream:
        return await until_gone(request, lambda disconnect: EventStream(streamed, disconnect))
    return await until_gone(request, whole)


def find(
    body: SearchRequest, request: Request, opened: Opened, request_id: RequestId
) -> SearchReply:
    """Return the passages for a question; with `explain`, how each stage ranked them."""
    question = follow_up.self_contained(body.question, body.history)
    result = answering.passages(opened, request, question, top_k=body.top_k, filters=body.filters)
    return SearchReply(
        passages=over_http.passages(result.hits),
        rerank=result.rerank,
        threshold=result.threshold if result.threshold > float("-inf") else None,
        timings=result.timings,
        generation=result.generation,
        request_id=request_id,
        trace=list(result.trace) if body.explain else None,
    )
