"""Searches read from a real streaming replica: what callers see while it is late, or away."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from api import ask as terminal
from api.http.index_version import COOKIE, HEADER
from api.openai.request import MODEL
from ingest import pipeline
from retrieval.database import replica as replica_module
from retrieval.database.embedded.postgres import serve
from retrieval.database.pool import Store
from retrieval.database.replica import Replica
from retrieval.errors import ConfigurationError
from retrieval.index import migrate
from tests.support.index.embedded import server, until
from tests.support.servers.replicated import (
    ASKED,
    QUESTION,
    VERSION,
    Pair,
    running_pair,
    shown,
)

READERS = 3
ACCEPT = "application/json, text/event-stream"  # MCP wants both
CALLS: dict[str, dict[str, Any]] = {
    "/ask": {**QUESTION, "stream": True},
    "/search": QUESTION,
    "/page/ask": {"question": ASKED},
    "/v1/chat/completions": {"model": MODEL, "messages": [{"role": "user", "content": ASKED}]},
    "/mcp": {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "ask", "arguments": {"question": ASKED}},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with running_pair(tmp_path_factory.mktemp("vault")) as running:
        yield running


@pytest.fixture
def primary_reads(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Grows with each read of the API from the primary."""
    counted: list[None] = []
    read = pair.opened.rules.store.read

    def counting(work: object) -> object:
        counted.append(None)
        return read(work)  # type: ignore[arg-type]

    monkeypatch.setattr(pair.opened.rules.store, "read", counting)
    return counted


@pytest.mark.proves("row 11", "promise 1")
def test_a_late_replica_answers_those_alone_who_saw_nothing_newer(
    pair: Pair, primary_reads: list[None]
) -> None:
    old, seen = pair.edition, pair.version()
    assert pair.ask() == ({old}, seen)
    with pair.standby.paused():
        new = pair.edit()
        newer = pair.version()
        assert newer > seen
        assert not primary_reads
        for known in (None, seen, 0):
            assert pair.ask(known) == ({old}, seen)
        assert not primary_reads
        assert pair.ask(newer) == ({new}, newer)
        assert primary_reads
    primary_reads.clear()
    assert pair.ask() == pair.ask(newer) == ({new}, newer)
    assert not primary_reads


def test_every_way_to_ask_carries_the_version(pair: Pair) -> None:
    old = pair.edition
    with pair.standby.paused():
        new = pair.edit()
        newer = pair.version()
        for cookie, edition in (("", old), (str(newer), new)):
            headers = {"Cookie": f"{COOKIE}={cookie}", "Accept": ACCEPT}
            for path in ("/", "/headings", "/vault/gear 0.md"):
                params = {"q": ASKED} if path in {"/", "/headings"} else {}
                pair.client.cookies.clear()
                reply = pair.client.get(path, params=params, headers=headers)
                editions_shown, version = shown(reply)
                assert path == "/vault/gear 0.md" or editions_shown == {edition}, path
                assert (version == newer) == (edition == new)
                kept = f"{COOKIE}={version}; Path=/; HttpOnly; SameSite=Lax"
                assert reply.headers.get("Set-Cookie") == (None if cookie else kept)
            for path, body in CALLS.items():
                pair.client.cookies.clear()
                assert shown(pair.client.post(path, json=body, headers=headers))[0] == {edition}


def test_the_terminal_asks_for_the_newest_index(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PORT", str(pair.client.base_url.port))
    with pair.standby.paused():
        new = pair.edit()
        assert terminal.main([ASKED]) == 0
    assert set(VERSION.findall(capsys.readouterr().out)) == {str(new)}


def test_a_rollback_is_newer_than_what_it_takes_back(pair: Pair) -> None:
    before = pair.edition
    after = pair.edit(rebuild=True)
    built, generation = pair.version(), pair.generation()
    pair.standby.catch_up()
    with pair.standby.paused():
        pipeline.roll_back(pair.context)
        assert pair.generation() < generation
        assert (rolled := pair.version()) > built
        assert pair.ask(built) == ({after}, built)
        assert pair.ask(rolled) == ({before}, rolled)
    assert pair.ask() == ({before}, rolled)
    pipeline.roll_back(pair.context)
    assert pair.version() > rolled


@pytest.mark.parametrize("sent", ["-1", "1.5", "seven", "²", "9" * 19, "9" * 5_000])
def test_what_is_no_version_says_nothing(pair: Pair, sent: str, primary_reads: list[None]) -> None:
    pair.standby.catch_up()
    headers = [(HEADER.encode(), sent.encode()), (b"Cookie", f"{COOKIE}={sent}".encode())]
    pair.client.cookies.clear()
    reply = pair.client.post("/search", json=QUESTION, headers=headers)
    assert shown(reply) == ({pair.edition}, pair.version())
    assert not primary_reads


def test_a_version_from_before_a_restore_gets_the_primarys_answer_and_its_version(
    pair: Pair,
) -> None:
    with pair.standby.paused():
        new = pair.edit()
        assert pair.ask(10**17) == ({new}, pair.version())


@pytest.mark.proves("row 11")
def test_no_caller_goes_back_while_edits_come_and_the_replica_stops_and_goes_on(
    pair: Pair, record_property: pytest.FixtureRequest
) -> None:
    done = threading.Event()

    def read(number: int) -> list[tuple[set[int], int]]:
        found = []
        url = pair.client.base_url
        with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
            while not done.is_set():
                found.append(shown(client.post("/ask", json=QUESTION)))
                if number == 0 and len(found) % 3 == 0:  # as one whom somebody told
                    client.cookies.set(COOKIE, str(pair.version()))
        return found

    with ThreadPoolExecutor(READERS) as threads:
        reading = [threads.submit(read, number) for number in range(READERS)]
        try:
            for number in range(6):
                with pair.standby.paused():
                    pair.edit(rebuild=number == 4)
                    pair.ask(pair.version())
        finally:
            done.set()
        callers = [one.result() for one in reading]
    for replies in callers:
        assert all(len(said) == 1 for said, _ in replies), replies
        for earlier, later in pairwise(replies):
            assert earlier[1] <= later[1]
            assert max(earlier[0]) <= min(later[0])


def test_a_replica_that_dies_is_left_out_and_comes_back(
    pair: Pair, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica_module, "_PAUSE", 0.2)
    assert pair.client.get("/readyz").json()["searches"] == "replica"
    with caplog.at_level(logging.WARNING):
        os.kill(server(pair.standby.data_dir), signal.SIGQUIT)
        new = pair.edit()
        for _ in range(6):
            assert pair.ask() == ({new}, pair.version())
        ready = pair.client.get("/readyz")
    assert ready.status_code == 200
    assert (ready.json()["status"], ready.json()["searches"]) == ("degraded", "primary")
    assert "/" not in ready.text.replace(pair.opened.rules.embedder.files.name, "")
    assert sum("is left out" in line for line in caplog.messages) == 1
    with serve(pair.standby.data_dir):
        until(lambda: pair.client.get("/readyz").json()["status"] == "ready")
        pair.standby.catch_up()
        assert pair.ask() == ({new}, pair.version())


def test_another_database_is_no_replica(pair: Pair) -> None:
    with psycopg.connect(pair.standby.primary, autocommit=True) as conn:
        conn.execute("CREATE DATABASE other")
    other = make_conninfo(pair.standby.primary, dbname="other")
    with Store(other).connect(autocommit=True) as conn:
        migrate.install(conn)
    with (
        closing(Replica(pair.context.store, other)) as replica,
        pytest.raises(ConfigurationError, match="no replica of DATABASE_URL"),
    ):
        replica.open()
