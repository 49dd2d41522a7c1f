"""Where spans go: nowhere, unless OTEL_… names a collector (docs/operations.md)."""

import os
from pathlib import Path

from dotenv import dotenv_values
from opentelemetry import trace

from retrieval.errors import ConfigurationError

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_HTTP = "http/protobuf"


def configure(dotenv: Path = Path(".env")) -> None:
    """Send spans to the collector that the environment or `dotenv` names; without one do nothing.

    The SDK reads the other OTEL_… variables itself, so those of `dotenv` join the environment.
    Raises ConfigurationError where the SDK is not installed and for what is not supported.
    """
    for name, value in dotenv_values(dotenv).items():
        if name.startswith("OTEL_") and value:
            os.environ.setdefault(name, value)
    if not _wanted():
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigurationError(
            "OTEL_… variables ask for traces, and the library that sends them is not installed: "
            "pip install '.[otel]' in the project's folder, or set OTEL_SDK_DISABLED=true"
        ) from error
    if "service.name" not in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", ""):
        os.environ.setdefault("OTEL_SERVICE_NAME", "rules-oracle")
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def _wanted() -> bool:
    """Whether a collector is named. Raises ConfigurationError for another kind of it than ours."""
    said = os.environ.get
    if said("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    exporter = said("OTEL_TRACES_EXPORTER") or ("otlp" if any(map(said, _ENDPOINTS)) else "none")
    if exporter == "none":
        return False
    if exporter != "otlp":
        raise ConfigurationError(f"OTEL_TRACES_EXPORTER is {exporter!r}; it can be otlp or none")
    protocol = next(filter(None, map(said, _PROTOCOLS)), _HTTP)
    if protocol != _HTTP:
        raise ConfigurationError(f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol!r}; it can be {_HTTP}")
    return True
