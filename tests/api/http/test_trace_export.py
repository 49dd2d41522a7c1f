"""Where spans go: to the collector that OTEL_… names, and else nowhere."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from opentelemetry import trace

from api.http import traces
from retrieval.errors import ConfigurationError


def test_traces_need_a_collector_of_a_known_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    before = trace.get_tracer_provider()
    traces.configure(tmp_path / ".env")
    dotenv = tmp_path / ".env"
    for line, wrong in (
        ("OTEL_TRACES_EXPORTER=zipkin", "OTEL_TRACES_EXPORTER is 'zipkin'"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317", "PROTOCOL is 'grpc'"),
    ):
        dotenv.write_text(f"{line}\nOTEL_EXPORTER_OTLP_PROTOCOL=grpc\n")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "environ", dict(os.environ))
            with pytest.raises(ConfigurationError, match=wrong):
                traces.configure(dotenv)
    assert trace.get_tracer_provider() is before


EXPORT = """
from api.http import traces
from retrieval.tracing import stage
traces.configure()
with stage("a stage"):
    pass
"""


class _Collector(BaseHTTPRequestHandler):
    got: ClassVar[list[tuple[str, bytes]]] = []

    def do_POST(self) -> None:
        self.got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""


def test_spans_reach_the_collector_that_dotenv_names(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Collector) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        (tmp_path / ".env").write_text(f"OTEL_EXPORTER_OTLP_ENDPOINT={url}\n")
        kept = {name: v for name, v in os.environ.items() if not name.startswith("OTEL_")}
        environment = {**kept, "PYTHONPATH": str(Path(__file__).parents[3])}
        try:
            subprocess.run(
                [sys.executable, "-c", EXPORT], cwd=tmp_path, env=environment, check=True
            )
        finally:
            server.shutdown()
            thread.join()
    ((path, sent),) = _Collector.got
    assert path == "/v1/traces"
    assert b"a stage" in sent
    assert b"rules-oracle" in sent  # the service's name
