"""A database that restarts, dies or falls silent while the API is asked over HTTP."""

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import psycopg
import pytest

from ingest import pipeline
from retrieval.context import open_context
from retrieval.database import pool
from retrieval.settings import Settings
from tests.conftest import RULES, write_vault
from tests.support.servers.faulty_server import (
    Asked,
    Server,
    asking,
    end_others,
    faulty_server,
    seconds_to_recover,
)
from tests.support.servers.serving import serving

DEADLINE = 12.0  # seconds: what retrieval.database.pool gives one read
RECOVERY = 3.0  # seconds after the database is back


@pytest.fixture(scope="module")
def server(made: Path) -> Iterator[Server]:
    with faulty_server(made) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A client of an API that reaches its database through the proxy."""
    vault = write_vault(tmp_path_factory.mktemp("faults"), RULES)
    settings = Settings.model_validate(
        {"database_url": server.url, "vault": vault, "rag_threshold": -9.0}
    )
    with open_context(settings) as context:
        pipeline.run(context, vault)
    behind = Settings.model_validate({**settings.model_dump(), "database_url": server.proxied})
    with serving(behind) as client:
        seconds_to_recover(client)  # the model is loaded
        yield client


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> float:
    """Give a read 3 s instead of 12, so that the test of a dead network takes seconds."""
    monkeypatch.setattr(pool, "_READ", 3.0)
    monkeypatch.setattr(pool, "_WAIT", 2.0)
    return 3.0


def check(asked: Asked, deadline: float) -> None:
    """Every question got an answer or a 503 that says so, in time."""
    assert asked.failed == []
    for reply in asked.replies:
        told = reply.response
        assert told.status_code in {200, 503}, told.text
        if told.status_code == 503:
            assert told.headers["content-type"] == "application/problem+json"
            assert int(told.headers["Retry-After"]) > 0
            assert told.json()["title"] == "DatabaseUnreachableError"
        else:
            assert told.json()["passages"]
    assert asked.slowest() < deadline + 3, asked.slowest()  # a busy machine is slow besides


def check_whole_again(client: httpx2.Client, server: Server) -> None:
    """Eight questions at once are answered, and no connection more than the pool's is left."""
    with ThreadPoolExecutor(8) as threads:
        replies = list(
            threads.map(lambda _: client.post("/search", json={"question": "torch"}), range(8))
        )
    assert [reply.status_code for reply in replies] == [200] * 8
    give_up = time.monotonic() + 60
    while not 1 <= (left := server.backends()) <= pool._POOL_SIZE:
        assert time.monotonic() < give_up, f"{left} backends"
        time.sleep(0.05)


def restart(server: Server) -> None:
    server.stop(signal.SIGINT)
    server.start()


def kill(server: Server) -> None:
    server.stop(signal.SIGKILL)
    server.start()


def terminate(server: Server) -> None:
    server.terminate()


def cut(server: Server) -> None:
    server.proxy.cut()


def cut_in_a_row(server: Server) -> None:
    server.proxy.cut_within_replies(700)


@pytest.mark.proves("row 23", "promise 8")
@pytest.mark.parametrize("fault", [restart, kill, terminate, cut, cut_in_a_row])
def test_a_short_fault_of_the_database_is_seen_by_nobody(
    server: Server, client: httpx2.Client, fault: Callable[[Server], None]
) -> None:
    with asking(client) as asked:
        time.sleep(0.4)
        started = time.monotonic()
        fault(server)
        gone = time.monotonic() - started
        recovery = seconds_to_recover(client)
        time.sleep(0.8)
    check(asked, DEADLINE)
    assert recovery < RECOVERY
    assert gone > 2 or set(asked.statuses()) == {200}
    check_whole_again(client, server)


@pytest.mark.proves("row 23", "promise 8")
@pytest.mark.parametrize("silent", ["swallowing", "frozen"])
def test_a_silent_database_is_a_503_in_time(
    server: Server, client: httpx2.Client, hasty: float, silent: str
) -> None:
    with asking(client) as asked:
        time.sleep(0.4)
        with getattr(server.proxy, silent)():
            time.sleep(hasty + 1)
        recovery = seconds_to_recover(client)
    check(asked, hasty)
    assert 503 in asked.statuses()
    assert recovery < RECOVERY
    check_whole_again(client, server)


@pytest.mark.proves("row 23", "promise 8")
def test_a_database_without_a_free_connection_is_a_503_in_time(
    server: Server, client: httpx2.Client, hasty: float
) -> None:
    with ExitStack() as held, asking(client) as asked:
        exhaust(server, held)
        time.sleep(hasty + 1)
        until = time.monotonic() + 60  # who asks may not have come to it on a busy machine
        while 503 not in asked.statuses() and time.monotonic() < until:
            time.sleep(0.1)
        held.close()
        recovery = seconds_to_recover(client)
    check(asked, hasty)
    assert 503 in asked.statuses()
    assert recovery < RECOVERY
    check_whole_again(client, server)


def exhaust(server: Server, held: ExitStack) -> None:
    """Take all connections that the server has, also those of the API, and hold them."""
    first = held.enter_context(psycopg.connect(server.url, autocommit=True))
    ours = [first.info.backend_pid]
    while True:
        try:
            one = held.enter_context(psycopg.connect(server.url, autocommit=True))
            ours.append(one.info.backend_pid)
        except psycopg.OperationalError:
            if not end_others(first, tuple(ours)):
                return
