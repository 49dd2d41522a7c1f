"""/livez and /readyz, and what questions get where the index or its database is missing."""

import logging
import os
import re
import socket
import time
from collections.abc import Callable

import httpx2
import psycopg
import pytest

from api.state import open_app_state
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError
from retrieval.settings import Settings
from tests.support.servers.serving import serving

QUESTION = {"question": "How long does a torch burn?"}
PASSWORD = "canary-5d0e"


def url(settings: Settings) -> str:
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


def not_ready(client: httpx2.Client) -> str:
    """Return why the app is not ready; a question gets the same answer."""
    replies = [client.get("/readyz"), client.post("/ask", json=QUESTION)]
    for reply in replies:
        assert reply.status_code == 503, reply.text
        assert reply.headers["content-type"] == "application/problem+json"
        assert reply.headers["Retry-After"] == "5"
    ready, asked = (reply.json() for reply in replies)
    assert (ready["title"], ready["detail"]) == (asked["title"], asked["detail"])
    assert client.get("/livez").json() == {"status": "alive"}
    for path in ("/livez", "/readyz"):
        head, got = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert head.headers["Content-Length"] == got.headers["Content-Length"]
    return f"{ready['title']}: {ready['detail']}"


def test_a_ready_app_says_what_answers(client: httpx2.Client, model_client: httpx2.Client) -> None:
    ready = client.get("/readyz")
    assert ready.status_code == 200
    assert ready.json() == {
        "status": "ready",
        "generation": ready.json()["generation"],
        "embedding": "rules-oracle/encoder (all-MiniLM-L6-v2, trained further)",
        "rerank": "off",
        "answers": "quotes",
        "files": "as indexed",
    }
    assert model_client.get("/readyz").json()["answers"] == "model"


def test_an_app_without_an_index_says_so_and_is_ready_after_an_ingest(
    settings: Settings, open_rules: Callable[[Settings], SearchContext]
) -> None:
    with serving(settings) as client:
        assert not_ready(client).startswith("IndexMissingError: ")
        assert "python -m ingest" in not_ready(client)
        pipeline.run(open_rules(settings), settings.vault)
        assert client.get("/readyz").status_code == 200
        assert client.post("/ask", json=QUESTION).status_code == 200


@pytest.mark.proves("promise 5")
def test_files_that_the_index_does_not_hold_are_named_and_no_503(
    settings: Settings, open_rules: Callable[[Settings], SearchContext]
) -> None:
    vault, rules = settings.vault, open_rules(settings)
    pipeline.run(rules, vault)
    with serving(settings) as client:

        def files() -> str:
            ready = client.get("/readyz")
            assert (ready.status_code, ready.json()["status"]) == (200, "ready")
            told: str = ready.json()["files"]
            return told

        assert files() == "as indexed"
        (vault / ".hidden.md").write_text("# Hidden\n", "utf-8")
        (vault / "map.png").write_text("x", "utf-8")
        (vault / "link.md").symlink_to("/etc/hostname")
        os.utime(vault / "2. Arms/Weapons.md", (1, 1))
        assert files() == "as indexed"
        torches = vault / "1. Light/Torches.md"
        torches.write_text(torches.read_text("utf-8").replace("one hour", "two hours"), "utf-8")
        only = "1 not as indexed (1. Light/Torches.md); run: python -m ingest"
        assert files() == only
        assert client.post("/ask", json=QUESTION).status_code == 200
        (vault / "2. Arms/Hazards.md").rename(vault / "2. Arms/Dangers.md")
        (vault / "3. Cafe\u0301.md").write_text("# Food\n\nBread.\n", "utf-8")
        shown = "1. Light/Torches.md, 2. Arms/Dangers.md, 2. Arms/Hazards.md and 1 more"
        assert files() == f"4 not as indexed ({shown}); run: python -m ingest"
        pipeline.run(rules, vault)
        assert files() == "as indexed"
        vault.rename(vault.with_name("gone"))
        assert files().startswith("not compared: ")


@pytest.mark.proves("promise 7", "row 15")
@pytest.mark.parametrize(
    ("name", "value"),
    [("model_digest", "0" * 64), ("dimension", 768), ("folding", 0), ("encoding", 0)],
)
def test_an_index_of_another_model_is_a_503_that_names_the_command(
    client: httpx2.Client, indexed: Settings, name: str, value: str | int
) -> None:
    change = "UPDATE generation SET fingerprint = jsonb_set(fingerprint, %s, %s)"
    with psycopg.connect(url(indexed), autocommit=True) as conn:
        (before,) = conn.execute("SELECT fingerprint->%s FROM generation", [name]).fetchone() or ()
        try:
            conn.execute(change, [[name], psycopg.types.json.Jsonb(value)])
            reason = not_ready(client)
        finally:
            conn.execute(change, [[name], psycopg.types.json.Jsonb(before)])
    assert reason.startswith("IndexMismatchError: ")
    assert name in reason
    assert "python -m ingest" in reason
    assert client.get("/readyz").status_code == 200


@pytest.mark.proves("promise 8", "row 23")
def test_an_app_whose_database_is_down_stays_up_and_says_what_to_do(
    indexed: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    dsn = f"postgresql://rules:{PASSWORD}@127.0.0.1:{port}/rules"
    settings = Settings.model_validate({**indexed.model_dump(), "database_url": dsn})
    with caplog.at_level(logging.DEBUG), serving(settings) as client:
        started = time.monotonic()
        reply = client.get("/readyz")
        assert time.monotonic() - started < 7
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
        assert reply.json()["title"] == "DatabaseUnreachableError"
        for private in (str(port), "127.0.0.1", PASSWORD):
            assert private not in reply.text
        assert re.search(rf"request {reply.json()['request_id']}: .*{port}", caplog.text)
        assert client.get("/livez").status_code == 200
    assert PASSWORD not in caplog.text


@pytest.mark.proves("row 23")
def test_an_app_whose_connections_were_cut_answers_the_next_question(
    settings: Settings, open_rules: Callable[[Settings], SearchContext]
) -> None:
    pipeline.run(open_rules(settings), settings.vault)
    with serving(settings) as client:
        assert client.post("/ask", json=QUESTION).status_code == 200
        with psycopg.connect(url(settings), autocommit=True) as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid != pg_backend_pid()"
            )
        assert client.post("/ask", json=QUESTION).status_code == 200


def test_an_app_that_nothing_was_fitted_for_does_not_start(settings: Settings) -> None:
    other = settings.model_copy(update={"rag_late_interaction": False})
    wanted = r"evals\.calibrate, or set RAG_THRESHOLD"
    with pytest.raises(ConfigurationError, match=wanted), open_app_state(other):
        pass
    with open_app_state(other.model_copy(update={"rag_threshold": 0.2})) as opened:
        assert opened.rules.threshold == 0.2
