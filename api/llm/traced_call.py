"""The span of one call of a language model; its server is told the trace (W3C `traceparent`)."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
from opentelemetry import propagate
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.util.types import AttributeValue

from api.llm.completion import Reply
from api.llm.faults import LlmFault
from retrieval.tracing import KIND, MODEL, OPERATION, stage


@contextmanager
def chat(model: str, server: httpx2.URL, tokens: int) -> Iterator[Span]:
    """Let what happens inside be one call, its second try too; an LlmFault ends it as an error."""
    attributes: dict[str, AttributeValue] = {
        KIND: "LLM", OPERATION: "chat", MODEL: model, "llm.model_name": model,
        "gen_ai.provider.name": "openai",  # whose protocol it is, whoever serves it
        "gen_ai.request.max_tokens": tokens, "gen_ai.request.temperature": 0.0,
        "server.address": server.host,
    }  # fmt: skip
    if server.port:
        attributes["server.port"] = server.port
    with stage(f"chat {model}", kind=SpanKind.CLIENT, attributes=attributes) as span:
        try:
            yield span
        except LlmFault as fault:
            span.set_attribute("error.type", fault.fault.value)
            span.set_status(StatusCode.ERROR)
            raise


def counted(span: Span, reply: Reply) -> None:
    """Note the tokens of a reply."""
    for side, theirs, tokens in (
        ("input", "prompt", reply.prompt_tokens),
        ("output", "completion", reply.completion_tokens),
    ):
        span.set_attribute(f"gen_ai.usage.{side}_tokens", tokens)
        span.set_attribute(f"llm.token_count.{theirs}", tokens)


def propagated(request: httpx2.Request) -> None:
    """Send the current span's `traceparent` along: a hook for an HTTP client."""
    propagate.inject(request.headers)
