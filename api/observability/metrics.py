"""GET /metrics: what became of questions and requests, counted, in Prometheus's text format.

Each app counts for itself, from 0 when it is made; the language model's faults are counted by its
client (`collectors`). No label holds anything that a client wrote.
"""

from collections.abc import Iterator
from time import perf_counter
from typing import get_args

from anyio import move_on_after, to_thread
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import PlainTextResponse
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.checks.guard.statements import FindingKind
from api.keys.authorization import METRICS
from api.observability import collectors
from api.schema.answer import Answer, RefusalReason
from api.schema.guard import Verdict
from api.schema.passages import CitationCounts
from api.schema.problem import described
from api.schema.usage import AnswerTimings, Usage
from api.state import Opened
from api.telemetry import recorder
from retrieval.errors import LlmAbandonedError

# Seconds. A search takes some 0.03; a model has LLM_TIMEOUT, 30, for each of two replies.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_INDEX_SECONDS = 5.0  # for the gauges of the index: Prometheus waits 10 for the whole
_ANSWERING = {"/ask", "/mcp", "/page/ask", "/v1/chat/completions"}
_COUNTED = "question_counted"  # of a request's state
_METHODS = {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}

router = APIRouter()


class Metrics:
    """The counts of one app. Values of labels that are known before are there from the start."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.answers = self._counter("rag_answers", "Questions by their end.", "outcome", "reason")
        self._violations = self._counter("rag_guard_violations", "What the guard found.", "guard")
        self._verdicts = self._counter("rag_guard_verdicts", "Answers by its verdict.", "verdict")
        self._readers = self._counter(
            "rag_guard_readers", "Answers that a model read, by reader.", "reader", "outcome"
        )
        self._read = self._counter(
            "rag_guard_read_claims", "Claims that a model read.", "reader", "verdict"
        )
        self._citations = self._counter("rag_citations", "Markers of answers by fate.", "status")
        self._tokens = self._counter("rag_tokens", "As the model's server counts.", "direction")
        self._stages = self._histogram("rag_stage_duration_seconds", "Of answers.", "stage")
        self.requests = self._histogram(
            "http_request_duration_seconds", "To the last byte.", "method", "path", "status"
        )
        self._begin()

    def answered(self, given: Answer) -> None:
        """Count an answer or a refusal, and what is known of it."""
        outcome = "refused" if given.refused else "answered"
        self.answers.labels(outcome, given.refusal_reason or "").inc()
        self._verdicts.labels(given.guard.verdict).inc()
        for finding in given.guard.findings:
            self._violations.labels(finding.kind).inc()
        for one in given.guard.readers:
            self._readers.labels(one.reader, one.outcome).inc()
            self._read.labels(one.reader, "unsupported").inc(one.denied)
            self._read.labels(one.reader, "supported").inc(one.claims - one.denied)
        for status, markers in given.citation_counts:
            self._citations.labels(status).inc(markers)
        for name, tokens in given.usage:
            self._tokens.labels(name.removesuffix("_tokens")).inc(tokens)
        for name, milliseconds in given.timings:
            self._stages.labels(name.removesuffix("_ms")).observe(milliseconds / 1000)

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self.registry)

    def _histogram(self, name: str, documentation: str, *labels: str) -> Histogram:
        return Histogram(name, documentation, labels, registry=self.registry, buckets=_BUCKETS)

    def _begin(self) -> None:
        """Make the series that are known: one that begins at 1 has no increase to alert on."""
        self.answers.labels("answered", "")
        self.answers.labels("abandoned", "")
        for reason in get_args(RefusalReason):
            self.answers.labels("refused", reason)
        for kind in get_args(FindingKind):
            self._violations.labels(kind)
        for verdict in get_args(Verdict):
            self._verdicts.labels(verdict)
        for status in CitationCounts.model_fields:
            self._citations.labels(status)
        for name in Usage.model_fields:
            self._tokens.labels(name.removesuffix("_tokens"))
        for name in AnswerTimings.model_fields:
            self._stages.labels(name.removesuffix("_ms"))


def install(app: FastAPI) -> None:
    """Let `app` count from now on, and show its counts at GET /metrics."""
    app.state.metrics = Metrics()
    inflight = Gauge("rag_inflight", "Questions now.", registry=app.state.metrics.registry)
    inflight.set_function(lambda: app.state.questions.count)
    app.add_middleware(_Timed)
    app.include_router(router)


def answered(request: Request, given: Answer) -> None:
    """Count the answer that a request gets."""
    setattr(request.state, _COUNTED, True)
    request.scope["state"][recorder.END] = given
    _of(request.scope).answered(given)


def abandoned(request: Request) -> None:
    """Count a question whose client left before its answer, which is nobody's error."""
    request.scope["state"][recorder.END] = LlmAbandonedError.__name__
    _of(request.scope).answers.labels("abandoned", "").inc()


def failed(request: Request, title: str) -> None:
    """Count the error that a request gets under its problem's title, where it asked a question.

    A question has one end: what fails behind its answer, as the page around it, is not counted.
    """
    if not _asks(request) or getattr(request.state, _COUNTED, False):
        return
    if title == LlmAbandonedError.__name__:
        abandoned(request)
        return
    request.scope["state"][recorder.END] = title
    _of(request.scope).answers.labels("error", title).inc()


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses=described(401, 403, 429),
    dependencies=[METRICS],
)
async def show(request: Request, opened: Opened) -> PlainTextResponse:
    """Show what was counted since the start, and the index; without it where it cannot be read."""
    read: list[Metric] = [collectors.llm_faults(opened)]
    with move_on_after(_INDEX_SECONDS):
        read += await to_thread.run_sync(collectors.index, opened, abandon_on_cancel=True)
    text = generate_latest(_Scrape(_of(request.scope).registry, read))
    return PlainTextResponse(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Scrape(Collector):
    """The counts and what was read now, without the times at which the library made a series."""

    def __init__(self, counts: CollectorRegistry, read: list[Metric]) -> None:
        self._counts = counts
        self._read = read

    def collect(self) -> Iterator[Metric]:
        for family in self._counts.collect():
            family.samples = [one for one in family.samples if not one.name.endswith("_created")]
            yield family
        yield from self._read


class _Timed:
    """ASGI middleware that counts requests and how long they took."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500  # what is sent outside of here where an error comes before any reply
        started = perf_counter()

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_see)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            seconds = perf_counter() - started
            counted = _of(scope).requests.labels(method, _template(scope), str(status))
            counted.observe(seconds)
            recorder.record(scope["state"], 1000 * seconds)


def _of(scope: Scope) -> Metrics:
    metrics: Metrics = scope["app"].state.metrics
    return metrics


def _asks(request: Request) -> bool:
    """Whether a request asks a question; the page at "/" is also shown without one."""
    if request.method == "GET" and _template(request.scope) == "/":
        return bool(request.query_params.get("q", "").strip())
    return request.method == "POST" and _template(request.scope) in _ANSWERING


def _template(scope: Scope) -> str:
    """The route's path as declared, "/vault/{path:path}"; "other" where none of ours is meant."""
    return getattr(scope.get("route"), "path", "other")
