"""`python -m ingest --watch`: a process that follows a folder, whatever happens to it."""

import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from retrieval.index import generations
from retrieval.index.store import Connection
from tests.conftest import RULES, new_database, write_vault
from tests.support.index import embedded
from tests.support.source.promises_table import Runs

ROOT = Path(__file__).parents[3]
TORCHES, WEAPONS = "1. Light/Torches.md", "2. Arms/Weapons.md"
FIRST_SECONDS = 300.0  # until a process has imported torch and loaded the models, at most
_OURS = re.compile(r"\d\d:\d\d:\d\d |ingest: ")
RUN_SECONDS = 120.0  # for a run, at most


@dataclass
class Watcher:
    """A running `python -m ingest --watch` with the lines that it prints."""

    process: subprocess.Popen[str]
    vault: Path
    database: str
    lines: queue.Queue[str] = field(default_factory=queue.Queue)

    def line(self, seconds: float = RUN_SECONDS) -> str:
        """Return the next line without its time."""
        found = self.lines.get(timeout=seconds)
        return found.rstrip("\n").partition(" ")[2]

    def rest(self, seconds: float = 1.5) -> None:
        """Fail if it prints anything meanwhile."""
        time.sleep(seconds)
        assert self.lines.empty(), self.lines.get()

    def read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            if _OURS.match(line):  # and no warning of a library, as on a machine under load
                self.lines.put(line)

    def hashes(self) -> int:
        """How many files the index holds."""
        with psycopg.connect(self.database) as conn:
            return len(conn.execute("SELECT path FROM file").fetchall())


@pytest.fixture(scope="module")
def watcher(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watcher]:
    """One process for all tests of this file: each leaves the folder in step and readable."""
    folder = tmp_path_factory.mktemp("watched")
    vault = write_vault(folder / "vault", RULES)
    with new_database(server) as url, following(vault, {"DATABASE_URL": url}, url) as made:
        first = made.line(FIRST_SECONDS)
        assert first.startswith("3 added (1. Light/Torches.md, 2. Arms/Hazards.md, 2. Arms/Weap")
        yield made


@contextmanager
def following(vault: Path, environment: dict[str, str], database: str) -> Iterator[Watcher]:
    """Start it and read its lines; it is gone afterwards."""
    with started(vault, environment) as process:
        made = Watcher(process, vault, database)
        reader = threading.Thread(target=made.read)
        reader.start()
        try:
            yield made
        finally:
            process.kill()
            reader.join()


def started(vault: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ingest", "--watch", str(vault)],
        cwd=vault.parent,
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Where the tests themselves run in the background, Ctrl-C would be ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def test_a_burst_of_saves_is_one_run(watcher: Watcher) -> None:
    for number in range(20):
        (watcher.vault / TORCHES).write_text(f"# Torches\n\nA torch burns {number} hours.\n")
        time.sleep(0.05)
    runs = [watcher.line()]
    time.sleep(1.5)
    while not watcher.lines.empty():
        runs.append(watcher.line())
        time.sleep(1.5)
    assert len(runs) <= 3, runs  # on a busy machine whoever saves may pause, as if it had ended
    assert {run.split(";")[0] for run in runs} == {f"1 changed ({TORCHES})"}


def test_a_save_by_a_second_file_and_a_rename_is_one_run(watcher: Watcher) -> None:
    file = watcher.vault / TORCHES
    (file.parent / ".Torches.md.swp").write_text("what an editor keeps")
    (file.parent / "Torches.md~").write_text("the state before")
    (file.parent / "Torches.md.tmp").write_text("# Torches\n\nA torch burns two days.\n")
    (file.parent / "Torches.md.tmp").rename(file)
    assert watcher.line().startswith(f"1 changed ({TORCHES}); ")
    (file.parent / "Torches.md~").unlink()
    (file.parent / ".Torches.md.swp").unlink()
    watcher.rest()  # neither of them is a rule


def test_a_folder_with_files_and_its_removal_are_seen(watcher: Watcher) -> None:
    write_vault(watcher.vault, {"3. Far/away/Tents.md": "# Tents\n\nA tent holds four.\n"})
    assert watcher.line().startswith("1 added (3. Far/away/Tents.md); ")
    shutil.rmtree(watcher.vault / "3. Far")
    assert watcher.line().startswith("1 removed (3. Far/away/Tents.md); 0 texts embedded")


def test_a_rejected_file_is_named_and_watching_goes_on(watcher: Watcher) -> None:
    (watcher.vault / WEAPONS).write_bytes(b"# Weapons\n\xff")
    line = watcher.line()
    assert f"REJECTED {WEAPONS}: is not UTF-8: byte 0xff in line 2" in line
    assert "3 files" in line  # what the index has of it stays
    (watcher.vault / WEAPONS).write_text(RULES[WEAPONS], "utf-8")
    assert watcher.line().startswith("nothing changed; 0 texts embedded")


def test_a_name_that_is_not_utf_8_does_not_end_it(watcher: Watcher) -> None:
    odd = Path(os.fsdecode(os.fsencode(watcher.vault) + b"/odd\xff.md"))
    odd.write_text("# Odd\n")
    lines = [watcher.line(), watcher.line()]
    odd.unlink()
    assert watcher.line().startswith("nothing changed; 0 texts embedded")
    assert any("REJECTED odd\\udcff.md: its name is not valid UTF-8" in x for x in lines), lines
    assert any("looking every 2 s" in line for line in lines), lines


def lock_soon(conn: Connection) -> None:
    """Take the lock of writers; the server may take a moment to see that the last one has gone."""
    give_up = time.monotonic() + 60
    while generations.writer(conn) is not None:
        assert time.monotonic() < give_up, "the watcher still holds the lock"
        time.sleep(0.01)
    generations.lock(conn)


def test_another_ingest_is_waited_for(watcher: Watcher) -> None:
    with psycopg.connect(watcher.database, autocommit=True) as conn:
        lock_soon(conn)
        (watcher.vault / TORCHES).write_text("# Torches\n\nA torch burns a week.\n", "utf-8")
        line = watcher.line()
        assert line.startswith(
            f"not done: another ingest is running (ingest, process {os.getpid()}"
        )
        assert line.endswith("tried again after 2 s or a change")
    assert watcher.line().startswith(f"1 changed ({TORCHES}); ")  # with no change since


def test_a_database_that_went_away_is_waited_for(watcher: Watcher, server: str) -> None:
    name = sql.Identifier(str(conninfo_to_dict(watcher.database)["dbname"]))
    away = sql.Identifier(f"away_{os.urandom(6).hex()}")
    rename = sql.SQL("ALTER DATABASE {} RENAME TO {}")
    ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(ends, [str(conninfo_to_dict(watcher.database)["dbname"])])
        conn.execute(rename.format(name, away))
        (watcher.vault / TORCHES).write_text("# Torches\n\nA torch burns a month.\n", "utf-8")
        assert watcher.line().startswith("not done: no database at ")
        conn.execute(rename.format(away, name))
    assert watcher.line().startswith(f"1 changed ({TORCHES}); ")


@pytest.mark.proves("row 13")
def test_a_vault_that_vanishes_loses_nothing_and_is_followed_when_it_is_back(
    watcher: Watcher, runs: Runs
) -> None:
    away = watcher.vault.with_name("away")
    watcher.vault.rename(away)
    assert watcher.line().startswith("not done: no folder ")
    watcher.vault.mkdir()  # a mount point without its mount
    line = watcher.line()
    assert "3 of the index's 3 files are not in" in line
    assert "--allow-mass-delete" in line
    assert watcher.hashes() == 3
    runs(2)  # gone, and empty
    watcher.vault.rmdir()
    assert watcher.line().startswith("not done: no folder ")
    shutil.copytree(away, watcher.vault)  # another folder at the same place
    assert watcher.line().startswith("nothing changed; 0 texts embedded; 3 files")
    (watcher.vault / TORCHES).write_text("# Torches\n\nA torch burns a year.\n", "utf-8")
    assert watcher.line().startswith(f"1 changed ({TORCHES}); ")
    assert watcher.hashes() == 3


def test_sigterm_ends_it_with_143(watcher: Watcher) -> None:  # the last of the module's process
    watcher.process.send_signal(signal.SIGTERM)
    assert watcher.process.wait(RUN_SECONDS) == 143
    assert watcher.lines.get(timeout=1) == "ingest: no longer watching; the index is whole\n"


def test_ctrl_c_ends_it_with_130_and_a_killed_embedded_server_is_started_again(
    fresh: Path,
) -> None:
    vault = write_vault(fresh.parent / "vault", {TORCHES: RULES[TORCHES]})
    with following(vault, {"RAG_DATA_DIR": str(fresh)}, "") as made:
        assert made.line(FIRST_SECONDS).startswith("1 added")
        os.kill(embedded.server(fresh), signal.SIGKILL)
        (vault / TORCHES).write_text("# Torches\n\nA torch burns a year.\n", "utf-8")
        line = made.line()
        if line.startswith("not done"):  # its processes die one after another
            line = made.line()
        assert line.startswith(f"1 changed ({TORCHES}); ")
        made.process.send_signal(signal.SIGINT)
        assert made.process.wait(RUN_SECONDS) == 130
