"""Spans of a question's stages, named as OpenTelemetry (GenAI) and OpenInference name them.

Without a provider, which `api.observability.traces` sets where the environment asks for one, a
span is nothing and costs microseconds. No stage says what was asked: only the span around a whole
question does, where OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is on.
"""

from functools import partial

from opentelemetry import trace

TRACER = trace.get_tracer("rules-oracle")
# The message of an exception may hold what somebody wrote, so it is not recorded.
stage = partial(TRACER.start_as_current_span, record_exception=False, set_status_on_exception=False)

KIND = "openinference.span.kind"
OPERATION = "gen_ai.operation.name"
MODEL = "gen_ai.request.model"
