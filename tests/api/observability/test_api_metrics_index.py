"""GET /metrics: the index as it is, or nothing of it where it cannot be read."""

import socket
import time

import httpx2
import psycopg
import pytest

from api.main import create_app
from api.observability import metrics
from api.state import AppState
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.database import pool
from retrieval.settings import Settings
from tests.support.servers.scraped import series, shown
from tests.support.servers.serving import serving


def test_the_index_is_shown_as_it_is(empty: SearchContext) -> None:
    settings = empty.settings
    with serving(settings, create_app(AppState(empty, None))) as client:
        assert series(client, "rag_index_chunks") == {}
        parts = "\n\n".join(f"## Part {n}\n\n{'A rule of many words. ' * 40}" for n in range(5))
        (settings.vault / "long.md").write_text(f"# Long\n\n{parts}\n", "utf-8")
        pipeline.run(empty, settings.vault)
        assert settings.database_url
        with psycopg.connect(settings.database_url.get_secret_value()) as conn:
            (chunks,) = conn.execute("SELECT count(*) FROM chunk").fetchone() or ()
        assert chunks > len(list(settings.vault.rglob("*.md")))
        assert series(client, "rag_index_chunks") == {(): chunks}
        assert series(client, "rag_index_stale_files") == {(): 0}
        (settings.vault / "1. Light/Torches.md").write_text("# Torches\n", "utf-8")
        (settings.vault / "new.md").write_text("# New\n", "utf-8")
        assert series(client, "rag_index_stale_files") == {(): 2}
        settings.vault.rename(settings.vault.with_name("gone"))
        assert series(client, "rag_index_stale_files") == {}
        assert series(client, "rag_index_chunks") == {(): chunks}


def lost(indexed: Settings, server: socket.socket) -> Settings:
    """Settings of the index, whose database is now said to be at `server`."""
    dsn = f"postgresql://rules@127.0.0.1:{server.getsockname()[1]}/rules"
    return Settings.model_validate({**indexed.model_dump(), "database_url": dsn})


def seconds_to_counts_alone(client: httpx2.Client) -> float:
    """Ask in vain, and return how long it took to show that count and nothing of the index."""
    assert client.post("/ask", json={"question": "torch?"}).status_code == 503
    started = time.monotonic()
    text = shown(client)
    taken = time.monotonic() - started
    error = 'rag_answers_total{outcome="error",reason="DatabaseUnreachableError"} 1.0'
    assert error in text.splitlines()
    assert "rag_index" not in text
    return taken


def test_a_database_that_is_down_takes_only_the_index_away(
    indexed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_WAIT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings = lost(indexed, server)
    with serving(settings) as client:
        assert seconds_to_counts_alone(client) < metrics._INDEX_SECONDS  # it was told of it


def test_a_database_that_answers_nothing_is_not_waited_for(
    indexed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "_INDEX_SECONDS", 0.5)
    monkeypatch.setattr(pool, "_WAIT", 3.0)
    monkeypatch.setattr(pool, "_READ", 3.0)
    silent = socket.create_server(("127.0.0.1", 0))
    with silent, serving(lost(indexed, silent)) as client:
        assert seconds_to_counts_alone(client) < pool._WAIT
