"""A query that waits for a lock, or runs without end: the request ends in time and says so."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import psycopg
import pytest

from retrieval.context import SearchContext
from retrieval.database import pool as database
from retrieval.errors import DatabaseUnreachableError
from retrieval.settings import Settings
from tests.support.servers.serving import serving
from tests.support.source.promises_table import Runs

QUESTION = {"question": "How long does a torch burn?"}
LIMIT = 1.0  # seconds for a statement; users have ten
ASKERS = 12  # more than the pool has connections


@pytest.fixture(autouse=True)
def _short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_STATEMENT_MS", int(1_000 * LIMIT))
    monkeypatch.setattr(database, "_LOCK_MS", int(1_000 * LIMIT))


def ask(client: httpx2.Client) -> tuple[httpx2.Response, float]:
    """Ask and return how many seconds that took."""
    started = time.monotonic()
    return client.post("/ask", json=QUESTION), time.monotonic() - started


@pytest.mark.proves("row 24", "promise 8")
def test_questions_end_while_a_lock_is_held_and_are_answered_after_it(
    search_context: SearchContext, settings: Settings, runs: Runs
) -> None:
    lenient = settings.model_copy(update={"rag_threshold": -9.0})
    assert settings.database_url
    url = settings.database_url.get_secret_value()
    with serving(lenient) as client, ThreadPoolExecutor(ASKERS) as pool:
        assert ask(client)[0].status_code == 200
        with psycopg.connect(url) as other:
            for table in ("entry", "generation"):
                other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                for reply, seconds in pool.map(ask, [client] * ASKERS):
                    assert reply.status_code == 503
                    assert reply.headers["Retry-After"] == "5"
                    assert "the database is busy" in reply.json()["detail"]
                    assert seconds < database._READ + 1
                    runs(1)
                assert client.get("/livez").status_code == 200
            assert client.post("/ask", json={**QUESTION, "stream": True}).status_code == 503
        assert [reply.status_code for reply, _ in pool.map(ask, [client] * ASKERS)] == [
            200
        ] * ASKERS


@pytest.mark.proves("row 24", "promise 8")
def test_every_connection_of_a_reader_ends_statements_that_run_without_end(
    search_context: SearchContext,
) -> None:
    started = time.monotonic()
    with pytest.raises(DatabaseUnreachableError, match="the database is busy"):
        search_context.store.read(lambda conn: conn.execute("SELECT pg_sleep(60)"))
    assert time.monotonic() - started < LIMIT + 2
    limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
    query = "SELECT setting::int FROM pg_settings WHERE name = ANY(%s)"
    found = search_context.store.read(lambda conn: conn.execute(query, [limits]).fetchall())
    assert len(found) == 3
    assert all(0 < milliseconds <= 60_000 for (milliseconds,) in found)
