"""A read ends when its time is over, whatever it is waiting for."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from retrieval.database import pool
from retrieval.database.keepalive import keep_alive
from retrieval.database.pool import Store
from retrieval.errors import DatabaseUnreachableError
from retrieval.index.store import Connection
from tests.support.servers.faulty_server import Server, faulty_server

READ, WAIT = 2.0, 0.5  # seconds for a read, and of them for a connection of the pool
SLACK = 0.5  # seconds that a busy machine may add


@pytest.fixture(scope="module")
def server(made: Path) -> Iterator[Server]:
    with faulty_server(made) as running:
        yield running


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_READ", READ)
    monkeypatch.setattr(pool, "_WAIT", WAIT)
    monkeypatch.setattr(pool, "_POOL_SIZE", 1)


def seconds_to_refusal(store: Store) -> tuple[float, str]:
    """How long a read took to be refused, and why."""
    started = time.monotonic()
    with pytest.raises(DatabaseUnreachableError) as refused:
        store.read(one)
    return time.monotonic() - started, str(refused.value)


def one(conn: Connection) -> object:
    return conn.execute("SELECT 1").fetchone()


@pytest.mark.proves("row 23", "promise 8")
@pytest.mark.parametrize("silent", ["swallowing", "frozen"])
@pytest.mark.parametrize("addresses", [1, 2])
def test_a_read_ends_in_time_where_the_pool_and_a_new_connection_wait(
    server: Server, silent: str, addresses: int
) -> None:
    url = make_conninfo(
        server.proxied,
        host=",".join(["127.0.0.1"] * addresses),
        port=",".join([str(server.proxy.port)] * addresses),
    )
    with closing(Store(url)) as store, ThreadPoolExecutor(2) as readers:
        store.open()
        assert store.read(one) == (1,)
        with getattr(server.proxy, silent)():
            # The first has the pool's one connection; the other tries to make one of its own.
            found = list(readers.map(seconds_to_refusal, [store, store]))
    for seconds, why in found:
        assert seconds < READ + SLACK, why
        assert "it answers nothing" in why


@pytest.mark.proves("row 23", "promise 8")
def test_a_read_ends_in_time_where_the_server_takes_long_to_start() -> None:
    done = threading.Event()

    def revive(seconds: float) -> None:
        assert seconds <= READ
        done.wait(60)

    with closing(Store("postgresql://127.0.0.1:1/none", revive)) as store:
        store.open()
        seconds, why = seconds_to_refusal(store)
        done.set()
    assert seconds < READ + SLACK
    assert "it answers nothing" in why


@pytest.mark.proves("row 23")
def test_a_writer_waits_no_longer_for_its_first_statement(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as silence:

        def freeze(conn: Connection) -> None:
            silence.enter_context(server.proxy.frozen())
            keep_alive(conn)

        monkeypatch.setattr(pool, "keep_alive", freeze)
        started = time.monotonic()
        with pytest.raises(DatabaseUnreachableError) as refused, Store(server.proxied).connect():
            pass
        assert time.monotonic() - started < READ + SLACK
    assert "it answers nothing" in str(refused.value)
