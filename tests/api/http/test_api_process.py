"""`python -m api` as a process: how it ends, and what its log says."""

import logging
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from api.__main__ import _bound
from api.observability import logs
from retrieval.settings import Settings
from tests.support.servers.served import api_process

ANYWHERE = Settings(host="127.0.0.1").model_copy(update={"port": 0})


def test_a_failed_request_stands_in_the_log_and_a_signal_ends_by_way_of_what_is_to_be_closed(
    indexed: Settings, tmp_path: Path
) -> None:
    assert indexed.database_url
    environment = {
        "DATABASE_URL": indexed.database_url.get_secret_value(), "VAULT": str(indexed.vault),
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_MODEL": "none", "LOG_LEVEL": "INFO",
        "OPENAI_API_KEY": "sk-secret",
    }  # fmt: skip
    path = tmp_path / "log"
    with path.open("wb") as log, api_process(environment, log) as (client, process):
        asked = {"question": "How long does a torch burn?"}
        reply = client.post("/ask", json=asked, headers={"X-Request-ID": "night-7"})
        assert reply.status_code == 200  # with cards
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    written = path.read_text("utf-8")
    line = (
        r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} WARNING api: request night-7: LlmUnreachableError: "
    )
    assert re.search(line, written, re.MULTILINE), written
    assert "INFO uvicorn" in written
    assert "sk-secret" not in written
    asked_line = r" INFO api\.access: POST /ask 200 \d+ ms, request night-7$"
    assert len(re.findall(asked_line, written, re.MULTILINE)) == 1, written
    assert "torch" not in written
    assert "/readyz" not in written, "probes would fill the log"


def test_a_port_in_use_ends_it_before_models_are_loaded(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = {"PORT": str(port), "EMBEDDING_MODEL": "/no/such/model"}  # else this is said
        paths = {"PYTHONPATH": str(Path(__file__).parents[3])}
        done = subprocess.run(
            [sys.executable, "-m", "api"], cwd=tmp_path, env={**os.environ, **paths, **settings},
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"api: HOST 127.0.0.1, PORT {port}: "), done.stderr
    assert "in use" in done.stderr.lower()


def test_what_a_pool_says_again_and_again_is_written_once_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(logs, "monotonic", lambda: now)
    once = logs.OncePerMinute()

    def record(text: str, number: int) -> logging.LogRecord:
        return logging.LogRecord("psycopg.pool", logging.WARNING, "", 0, text, (number,), None)

    assert [once.filter(record("no connection in try %d", n)) for n in range(3)] == [
        True, False, False,
    ]  # fmt: skip
    assert once.filter(record("another text %d", 1))
    now += 60
    assert once.filter(record("no connection in try %d", 4))


def test_no_reply_waits_for_the_client_to_acknowledge_its_head() -> None:
    with _bound(ANYWHERE) as bound:
        bound.listen()
        with socket.create_connection(bound.getsockname()), bound.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_client_that_asks_while_the_api_starts_is_refused_and_never_reset() -> None:
    with _bound(ANYWHERE) as bound, pytest.raises(ConnectionRefusedError):
        socket.create_connection(bound.getsockname())
