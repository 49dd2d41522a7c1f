"""`python -m api` as a process: how it ends, and what its log says."""

import re
import signal
from pathlib import Path

import pytest

from retrieval.settings import Settings
from tests.support.servers.served import api_process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_by_way_of_what_is_to_be_closed(
    indexed: Settings, number: signal.Signals
) -> None:
    assert indexed.database_url
    environment = {
        "DATABASE_URL": indexed.database_url.get_secret_value(), "VAULT": str(indexed.vault),
    }  # fmt: skip
    with api_process(environment) as (_, process):
        process.send_signal(number)
        assert process.wait(timeout=30) == 0


@pytest.mark.parametrize("level", ["INFO", "ERROR"])
def test_a_failed_request_stands_in_the_log_with_its_time_and_its_id(
    indexed: Settings, tmp_path: Path, level: str
) -> None:
    assert indexed.database_url
    environment = {
        "DATABASE_URL": indexed.database_url.get_secret_value(), "VAULT": str(indexed.vault),
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_MODEL": "none", "LOG_LEVEL": level,
        "OPENAI_API_KEY": "sk-secret",
    }  # fmt: skip
    path = tmp_path / "log"
    with path.open("wb") as log, api_process(environment, log) as (client, _):
        asked = {"question": "How long does a torch burn?"}
        reply = client.post("/ask", json=asked, headers={"X-Request-ID": "night-7"})
        assert reply.status_code == 503
    written = path.read_text("utf-8")
    line = (
        r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} WARNING api: request night-7: LlmUnreachableError: "
    )
    assert bool(re.search(line, written, re.MULTILINE)) == (level == "INFO"), written
    assert ("INFO uvicorn" in written) == (level == "INFO"), written
    assert "sk-secret" not in written
