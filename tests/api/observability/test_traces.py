"""One trace a question, over a real socket: its stages, who it comes from, what it does not say."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from api.main import create_app
from api.observability.logs import AsJson
from api.state import AppState, open_app_state
from retrieval.encoder.weights import RERANKER_NAME
from retrieval.settings import Settings
from tests.support.llm.fake_llm import USAGE, FakeLlm
from tests.support.servers.serving import events, serving

TORCH = "How long does a torch burn?"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
KIND = "openinference.span.kind"
_GIVE_UP = 30.0  # seconds


@pytest.fixture(scope="module")
def exporter() -> Iterator[InMemorySpanExporter]:
    """What was exported; there is one provider a process, so it stays and is shut down."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    yield kept
    provider.shutdown()


@pytest.fixture(scope="module")
def opened(with_model: Settings, exporter: InMemorySpanExporter) -> Iterator[AppState]:
    """What is behind the API, which asks the fake model."""
    with open_app_state(with_model.model_copy(update={"llm_timeout": 30.0})) as state:
        yield state


@pytest.fixture(scope="module")
def api(opened: AppState) -> Iterator[httpx2.Client]:
    """A client of it."""
    with serving(opened.rules.settings, create_app(opened)) as client:
        yield client


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    """The exporter, which has seen nothing yet."""
    exporter.clear()
    return exporter


def tree(exporter: InMemorySpanExporter) -> dict[str, list[str]]:
    """The names of the children of each span, in the order of their beginnings."""
    finished = sorted(exporter.get_finished_spans(), key=lambda span: span.start_time or 0)
    names = {span.context.span_id: span.name for span in finished}
    found: dict[str, list[str]] = {}
    for span in finished:
        above = names.get(span.parent.span_id, "outside") if span.parent else "none"
        found.setdefault(above, []).append(span.name)
    return found


def one(exporter: InMemorySpanExporter, kind: str) -> ReadableSpan:
    """The only span of that kind."""
    (span,) = [s for s in exporter.get_finished_spans() if (s.attributes or {}).get(KIND) == kind]
    return span


def said(exporter: InMemorySpanExporter) -> str:
    """Everything that the spans hold, as text."""
    return "\n".join(span.to_json() for span in exporter.get_finished_spans())


def wait_until(done: Callable[[], bool]) -> None:
    """Wait for what a server does behind the last byte of its reply: its span, its line."""
    give_up = time.monotonic() + _GIVE_UP
    while not done():
        assert time.monotonic() < give_up
        time.sleep(0.01)


def ended(exporter: InMemorySpanExporter, name: str) -> None:
    """Wait for the span of a request."""
    wait_until(lambda: any(span.name == name for span in exporter.get_finished_spans()))


@pytest.mark.parametrize("streamed", [False, True])
def test_a_question_is_one_trace_from_its_caller_to_the_models_server(
    api: httpx2.Client,
    opened: AppState,
    llm: FakeLlm,
    spans: InMemorySpanExporter,
    streamed: bool,
) -> None:
    api.headers["traceparent"] = TRACEPARENT
    if streamed:
        assert events(api, {"question": TORCH, "stream": True})[-1][0] == "final_answer"
    else:
        assert api.post("/ask", json={"question": TORCH}).status_code == 200
    del api.headers["traceparent"]
    ended(spans, "POST /ask")
    finished = spans.get_finished_spans()
    assert {f"{span.context.trace_id:032x}" for span in finished} == {TRACE}
    encoder = opened.rules.embedder.files.name
    workflow = "invoke_workflow rules-oracle"
    assert tree(spans) == {
        "outside": ["POST /ask"],
        "POST /ask": [workflow],
        workflow: [f"embeddings {encoder}", "retrieval", "chat fake", "guard"],
    }
    chat = one(spans, "LLM")
    assert llm.traceparents == [f"00-{TRACE}-{chat.context.span_id:016x}-01"]
    attributes = dict(chat.attributes or {})
    assert attributes["gen_ai.operation.name"] == "chat"
    assert attributes["gen_ai.request.model"] == attributes["llm.model_name"] == "fake"
    for side, name in (("input", "prompt"), ("output", "completion")):
        tokens = USAGE[f"{name}_tokens"]
        assert attributes[f"gen_ai.usage.{side}_tokens"] == tokens
        assert attributes[f"llm.token_count.{name}"] == tokens
    found = one(spans, "RETRIEVER").attributes or {}
    assert str(found["retrieval.documents.0.document.id"]).startswith("1. Light/Torches.md:")
    assert (one(spans, "CHAIN").attributes or {})["rag.certainty"] == "answered"
    assert "torch burn" not in said(spans)


def test_a_reranker_is_a_span_of_the_search(
    with_model: Settings, llm: FakeLlm, spans: InMemorySpanExporter
) -> None:
    settings = with_model.model_copy(update={"reranker_model": "bundled", "llm_timeout": 30.0})
    with open_app_state(settings) as state, serving(settings, create_app(state)) as client:
        spans.clear()  # the question that it asked itself to be warm
        assert client.post("/ask", json={"question": TORCH}).status_code == 200
        ended(spans, "POST /ask")
    attributes = dict(one(spans, "RERANKER").attributes or {})
    assert attributes == {KIND: "RERANKER", "reranker.model_name": RERANKER_NAME}
    assert tree(spans)["retrieval"] == [f"rerank {RERANKER_NAME}"]
    assert one(spans, "RETRIEVER").name == "retrieval"
    assert "torch burn" not in said(spans)


def test_a_model_that_fails_is_an_error_of_its_span(
    api: httpx2.Client, llm: FakeLlm, spans: InMemorySpanExporter
) -> None:
    llm.mode = "500"
    assert api.post("/ask", json={"question": TORCH}).status_code == 502
    ended(spans, "POST /ask")
    attributes = one(spans, "LLM").attributes or {}
    assert attributes["error.type"] == "failed"
    assert len(llm.traceparents) == 2  # one span, both tries


def test_mcp_continues_the_trace_of_its_client(
    api: httpx2.Client, llm: FakeLlm, spans: InMemorySpanExporter
) -> None:
    async def ask() -> None:
        with trace.use_span(trace.NonRecordingSpan(_parent())):
            async with Client(f"{str(api.base_url).rstrip('/')}/mcp") as server:
                assert not (await server.call_tool("ask", {"question": TORCH})).is_error

    anyio.run(ask)
    workflow = one(spans, "CHAIN")
    assert f"{workflow.context.trace_id:032x}" == TRACE
    (tool,) = [s for s in spans.get_finished_spans() if workflow.parent == s.context]
    assert (tool.name, tool.kind.name) == ("tools/call ask", "SERVER")
    assert llm.traceparents[0].startswith(f"00-{TRACE}-")
    assert "torch burn" not in said(spans)


def _parent() -> trace.SpanContext:
    return trace.SpanContext(int(TRACE, 16), int(PARENT, 16), True, trace.TraceFlags(1))


def test_the_pages_address_is_told_without_its_question_and_texts_only_by_choice(
    api: httpx2.Client, opened: AppState, llm: FakeLlm, spans: InMemorySpanExporter
) -> None:
    assert api.get("/", params={"q": TORCH}).status_code == 200
    assert api.get("/readyz").status_code == 200
    ended(spans, "GET /")
    roots = set(tree(spans)["none"]) - {"POST /mcp"}  # which may be the test's before
    assert roots == {"GET /"}  # probes are in no trace
    assert "REDACTED" in said(spans)
    assert "torch" not in said(spans).replace("1. Light/Torches.md", "").lower()
    spans.clear()
    chosen = "otel_instrumentation_genai_capture_message_content"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(opened.rules.settings.__dict__, chosen, True)
        assert api.post("/ask", json={"question": TORCH}).status_code == 200
    attributes = one(spans, "CHAIN").attributes or {}
    assert attributes["input.value"] == TORCH
    assert "one hour" in str(attributes["output.value"])


def test_a_line_of_the_json_log_has_what_became_of_a_question_and_not_the_question(
    api: httpx2.Client, llm: FakeLlm, spans: InMemorySpanExporter
) -> None:
    written = StringIO()

    def of(request_id: str) -> list[dict[str, Any]]:
        """The lines of a request; one of an earlier test's may still come."""
        lines = [json.loads(line) for line in written.getvalue().split("\n")[:-1]]
        return [line for line in lines if line["request_id"] == request_id]

    handler = logging.StreamHandler(written)
    handler.setFormatter(AsJson())
    log = logging.getLogger("api")
    log.addHandler(handler)
    before = log.level
    log.setLevel(logging.INFO)
    try:
        api.post("/ask", json={"question": TORCH}, headers={"X-Request-ID": "r-1"})
        llm.mode = "500"
        api.get("/", params={"q": TORCH}, headers={"X-Request-ID": "r-2"})
        wait_until(lambda: [line["logger"] for line in of("r-2")] == ["api", "api.access"])
        wait_until(lambda: len(of("r-1")) == 1)
    finally:
        log.setLevel(before)
        log.removeHandler(handler)
    (first,) = of("r-1")
    assert (first["request_id"], first["path"], first["status"]) == ("r-1", "/ask", 200)
    assert (first["certainty"], first["guard"]) == ("answered", "pass")
    assert first["total_ms"] >= first["generate_ms"] > 0
    assert len(first["trace_id"]) == 32
    assert "torch" not in written.getvalue().lower()
