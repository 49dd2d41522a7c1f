"""Ingests and database servers killed at moments that nobody chose.

The moments come from a seed, which is printed. Half of the kills come at any moment of an ingest's
life, half within the moments after it began to write.
"""

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from ingest import pipeline
from retrieval.context import SearchContext, open_context
from retrieval.database.embedded.postgres import serve
from retrieval.index.store import Connection
from retrieval.settings import Settings
from tests.conftest import new_database, write_vault
from tests.support.faults import crashes
from tests.support.faults.crash_state import locks
from tests.support.faults.crashes import Index, Laboratory, Turn
from tests.support.index import embedded, index_state
from tests.support.source.promises_table import Runs

_ROOT = Path(__file__).parents[2]
_WRITING = 0.1  # seconds that an ingest of the small vault writes
_WRITES = (
    "SELECT 1 FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid() "
    "AND datname = current_database()"
)


@pytest.fixture
def moments() -> random.Random:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.mark.proves("promise 1", "promise 2", "promise 3", "row 9")
@pytest.mark.parametrize("kills", [12, pytest.param(50, marks=pytest.mark.soak)])
def test_ingests_killed_with_all_their_children(
    lab: Laboratory, moments: random.Random, kills: int, runs: Runs
) -> None:
    runs(_kill_ingests(lab, moments, kills))


@pytest.mark.proves("promise 1", "promise 2", "promise 3", "row 9", "row 25")
@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.soak)])
def test_servers_killed_under_an_ingest(
    lab: Laboratory, data_dir: Path, moments: random.Random, kills: int, runs: Runs
) -> None:
    runs(_kill_servers(lab, data_dir, moments, kills))


@pytest.mark.proves("promise 1", "promise 2", "promise 3", "row 9")
def test_the_program_with_the_real_encoder_killed_as_it_writes(
    search_context: SearchContext,
    settings: Settings,
    moments: random.Random,
    server: str,
    tmp_path: Path,
) -> None:
    old = index_state.content(search_context)
    write_vault(settings.vault, crashes.NEW)
    with search_context.store.connect(autocommit=True) as conn:
        with _program(settings, tmp_path) as process:
            _wait(conn, moments, 0.02, writing=True)
            os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        embedded.until(lambda: not locks(conn))
    seen = index_state.content(search_context)
    pipeline.run(search_context, settings.vault)
    new = index_state.content(search_context)
    assert seen in (old, new)
    assert pipeline.run(search_context, settings.vault).embedded == 0
    with new_database(server) as url:
        elsewhere = settings.model_copy(update={"database_url": SecretStr(url)})
        with open_context(elsewhere) as other:
            pipeline.run(other, settings.vault)
            fresh = index_state.content(other)
    # The last column is the vector, whose last bits depend on the other texts of its batch.
    assert [row[:-1] for row in new] == [row[:-1] for row in fresh]


def _program(settings: Settings, folder: Path) -> subprocess.Popen[bytes]:
    """Start `python -m ingest` in a process group of its own."""
    assert settings.database_url
    place = {"DATABASE_URL": settings.database_url.get_secret_value(), "PYTHONPATH": str(_ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "ingest", str(settings.vault)],
        cwd=folder,
        env=os.environ | place,
        start_new_session=True,
    )


def _kill_ingests(lab: Laboratory, moments: random.Random, kills: int) -> int:
    """Kill ingests with their process groups until so many were hit before their end."""
    turns = _turns(lab)
    with lab.index(turns[-1].then) as index:
        started = time.monotonic()
        lab.done(index, turns[-1].then)
        usual = time.monotonic() - started
        hit = 0
        for n, turn in zip(range(20 * kills), itertools.cycle(turns), strict=False):
            group = lab.ingests.start(index.place, turn.job)
            _wait(index.conn, moments, usual, writing=n % 2 == 1)
            with suppress(ProcessLookupError):  # it was quicker
                os.killpg(group, signal.SIGKILL)
            ended = lab.ingests.end()
            lab.look(index, turn, ended)
            lab.converge(index, turn)
            hit += ended.status == -signal.SIGKILL
            if hit == kills:
                return hit
    return pytest.fail(f"{hit} of {kills} ingests were killed before their end")


def _kill_servers(lab: Laboratory, data_dir: Path, moments: random.Random, kills: int) -> int:
    """Kill the server under an ingest; every other time the ingest's process group as well."""
    turns = _turns(lab)
    place = {"RAG_DATA_DIR": str(data_dir)}
    assert lab.ingests.run(place, turns[-1].then).status == 0
    for n, turn in zip(range(kills), itertools.cycle(turns), strict=False):
        with serve(data_dir) as url, psycopg.connect(url, autocommit=True) as conn:
            group = lab.ingests.start(place, turn.job)
            _wait(conn, moments, _WRITING, writing=True)
            os.kill(embedded.server(data_dir), signal.SIGKILL)
            if n % 2:
                with suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
            ended = lab.ingests.end()
            assert ended.status in (0, 2, -signal.SIGKILL), ended  # no traceback
        with serve(data_dir) as url, psycopg.connect(url, autocommit=True) as conn:
            index = Index(place, conn)
            lab.look(index, turn, ended)
            lab.converge(index, turn)
    return kills


def _turns(lab: Laboratory) -> list[Turn]:
    """Edits of the vault and changes of the model, in turn."""
    jobs = [lab.job(vault, model) for vault, model in (("old", "a"), ("new", "a"), ("old", "b"))]
    return [lab.turn(before, job) for before, job in itertools.pairwise([*jobs, jobs[0]])]


def _wait(conn: Connection, moments: random.Random, usual: float, *, writing: bool) -> None:
    """Wait for a moment of an ingest's life, `usual` seconds, or of the time when it writes."""
    give_up = time.monotonic() + max(3 * usual, 2.0)
    while writing and not conn.execute(_WRITES).fetchall() and time.monotonic() < give_up:
        time.sleep(0.001)
    time.sleep(moments.uniform(0, _WRITING if writing else usual))
