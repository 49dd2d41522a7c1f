"""Two ingests at once: one runs, the others say who does, and nobody waits for a dead one."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from retrieval.database import keepalive
from retrieval.database.pool import Store
from retrieval.errors import ConfigurationError, DatabaseUnreachableError, IngestRunningError
from retrieval.index import generations, migrate
from retrieval.index.store import Connection
from tests.support.faults.crash_child import INGEST
from tests.support.servers.faulty_server import Server, faulty_server

ROOT = Path(__file__).parents[2]
Start = Callable[[str, Path], subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start an ingest of a vault into a database; whatever is left of it is killed."""
    with ExitStack() as stack:

        def started(url: str, vault: Path) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", INGEST, str(vault)],
                cwd=ROOT,
                env={**os.environ, "DATABASE_URL": url},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield started


def holder(conn: Connection, seconds: float = 60.0) -> int:
    """Wait until a process holds the lock of writers and return its id."""
    give_up = time.monotonic() + seconds
    while (named := generations.writer(conn)) is None:
        assert time.monotonic() < give_up, "nobody took the lock"
        time.sleep(0.001)
    found = re.search(r"process (\d+) on", named)
    assert found is not None, named
    return int(found[1])


def seconds_to_lock(url: str, limit: float) -> float:
    """Try until the lock of writers is ours, and return how long that took; then let go."""
    started = time.monotonic()
    with Store(url).connect(autocommit=True) as conn:
        while True:
            try:
                generations.lock(conn)
                return time.monotonic() - started
            except IngestRunningError:
                assert time.monotonic() < started + limit, "the lock was not free in time"
                time.sleep(0.02)


@pytest.mark.proves("row 10")
def test_of_eight_ingests_one_runs_and_the_others_name_it(
    database: str, vault: Path, start: Start
) -> None:
    with Store(database).connect(autocommit=True) as conn:
        writers = {process.pid: process for process in (start(database, vault) for _ in range(8))}
        one = holder(conn)
        os.kill(one, signal.SIGSTOP)  # so that it cannot end before the others begin
        running = writers.pop(one)
        for process in writers.values():
            printed, said = process.communicate(timeout=60)
            assert (process.returncode, printed) == (75, ""), said
            named = f"process {one} on {socket.gethostname()}, since "
            assert named in said
            assert re.search(r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", said)
        os.kill(one, signal.SIGCONT)
        printed, said = running.communicate(timeout=60)
        assert (running.returncode, said.count("Traceback")) == (0, 0), said
        assert conn.execute("SELECT count(*) FROM file").fetchone() == (3,)


@pytest.mark.proves("row 10", "row 9")
def test_the_lock_of_a_killed_ingest_is_free_at_once(
    database: str, vault: Path, start: Start
) -> None:
    with Store(database).connect(autocommit=True) as conn:
        process = start(database, vault)
        os.kill(holder(conn), signal.SIGKILL)
        assert seconds_to_lock(database, limit=10) < 2
        process.wait(timeout=10)
    next_one = start(database, vault)
    printed, said = next_one.communicate(timeout=60)
    assert next_one.returncode == 0, said
    assert "3 files" in printed


@pytest.fixture
def faulty(made: Path) -> Iterator[Server]:
    with faulty_server(made) as running:
        yield running


@pytest.mark.proves("row 10")
def test_a_writer_behind_a_dead_network_loses_its_lock(
    faulty: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = {"tcp_keepalives_idle": 1, "tcp_keepalives_interval": 1, "tcp_keepalives_count": 1}
    monkeypatch.setattr(keepalive, "_SERVER", {**quick, "tcp_user_timeout": 1500})
    client = {"keepalives_idle": 1, "keepalives_interval": 1, "keepalives_count": 1}
    monkeypatch.setattr(keepalive, "_CLIENT", {**client, "tcp_user_timeout": 1500})
    with Store(faulty.url).connect(autocommit=True) as conn:
        migrate.install(conn)
    lost = pytest.raises(DatabaseUnreachableError, match=r"database at .* failed: ")
    with lost, Store(faulty.proxied).connect(autocommit=True) as conn:
        generations.lock(conn)
        with faulty.proxy.swallowing():
            assert seconds_to_lock(faulty.url, limit=15) < 6
            conn.execute("SELECT 1")


@pytest.mark.proves("row 10")
def test_a_pooler_that_changes_sessions_is_refused(database: str) -> None:
    with Store(database).connect(autocommit=True) as conn:
        generations.lock(conn)
        migrate.install(conn)
        generations.require_lock(conn)
        conn.execute("DISCARD ALL")  # as if the next transaction were in another session
        with pytest.raises(ConfigurationError, match="pool_mode"):
            generations.promote(conn, 1)
        generations.lock(conn)
        with psycopg.connect(database) as other, pytest.raises(ConfigurationError):
            generations.require_lock(other)
