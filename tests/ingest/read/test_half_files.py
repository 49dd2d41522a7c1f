"""Files that are rewritten in place while they are read: whole, or left out by name."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from ingest import __main__ as program
from ingest import pipeline
from ingest.read import stable_read
from ingest.read import vault as vaults
from retrieval import context
from retrieval.context import SearchContext
from retrieval.search import search
from retrieval.settings import Settings
from tests.conftest import RULES, new_database, write_vault
from tests.support.faults.crash_child import INGEST, HashingEmbedder
from tests.support.index.vault_root import reasons, texts
from tests.support.source.promises_table import Runs
from tests.support.vaults.many_files import cheap_rules

ROOT = Path(__file__).parents[3]
TORCHES = "1. Light/Torches.md"
LEFT_OUT = "was being written while it was read; run python -m ingest again"

# Truncates and rewrites argv[1] in pieces, as often as argv[2] says, and rests after every tenth
# for argv[3] seconds. Prints each version in which the machine held it up longer than is promised.
WRITER = """
import sys, time
path, count, rest, promised = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
for number in range(1, count + 1):
    longest, last = 0.0, time.monotonic()
    with open(path, "w", buffering=1) as file:
        pieces = ["# Torches", f"The torch begins version x{number}x."]
        pieces += [f"The torch of line {line} burns." for line in range(4)]
        for piece in [*pieces, f"The torch ends version y{number}y."]:
            file.write(piece + "\\n\\n")
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
            time.sleep(0.006)
    if max(longest, time.monotonic() - last) > promised:
        print(number, flush=True)
    time.sleep(rest if number % 10 == 0 else 0.01)
"""


@pytest.fixture(autouse=True)
def careful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were just written are read twice, as outside of the tests (tests/conftest.py)."""
    monkeypatch.setattr(stable_read, "YOUNG", 2 * stable_read.WAIT)


@contextmanager
def writer(file: Path, count: int, rest: float) -> Iterator[subprocess.Popen[str]]:
    """A process that rewrites a file all the time; it is gone afterwards."""
    arguments = [str(file), str(count), str(rest), str(stable_read.WAIT * 0.8)]
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, *arguments], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def watcher(vault: Path, database: str, log: Path) -> Iterator[None]:
    """`python -m ingest --watch` in a process, once it has done its first run."""
    environment = {**os.environ, "DATABASE_URL": database, "PYTHONPATH": str(ROOT)}
    with (
        log.open("w") as printed,
        subprocess.Popen(
            [sys.executable, "-c", INGEST, "--watch", str(vault)],
            cwd=log.parent, env=environment, stdout=printed, stderr=subprocess.STDOUT,
        ) as process,
    ):  # fmt: skip
        try:
            give_up = time.monotonic() + 120
            while "3 added" not in log.read_text("utf-8"):
                assert process.poll() is None, log.read_text("utf-8")
                assert time.monotonic() < give_up, log.read_text("utf-8")
                time.sleep(0.05)
            yield
        finally:
            process.kill()


def stored(conn: psycopg.Connection) -> tuple[str, ...]:
    """The marks of the version of the file that the live generation holds."""
    rows = conn.execute(
        "SELECT c.text FROM chunk AS c JOIN generation AS g ON g.id = c.generation_id "
        "WHERE g.state = 'live' AND c.path = %s",
        [TORCHES],
    ).fetchall()
    return marks(" ".join(text for (text,) in rows))


def marks(text: str) -> tuple[str, ...]:
    return tuple(sorted(set(re.findall(r"[xy]\d+(?=[xy])", text))))


def served(rules: SearchContext) -> tuple[str, ...]:
    found = search(rules, "torch version", top_k=50).hits
    return marks(" ".join(hit.chunk.text for hit in found if hit.chunk.path == TORCHES))


def halves(seen: set[tuple[str, ...]], slow: set[str]) -> list[tuple[str, ...]]:
    """What is not exactly one version, without those in which the writer itself was held up.

    A file that was stored empty names no version; it may be one of those where there are any.
    """
    excused = {(), *((f"{mark}{number}",) for mark in "xy" for number in slow)}
    torn = [one for one in seen if len(one) != 2 or one[0][1:] != one[1][1:]]
    return [one for one in torn if not (slow and one in excused)]


@pytest.fixture
def hashed(settings: Settings) -> Iterator[SearchContext]:
    """A search context whose encoder is a hash; its index holds version 0 of the file."""
    first = "# Torches\n\nThe torch begins version x0x.\n\nThe torch ends version y0y.\n"
    write_vault(settings.vault, {TORCHES: first})
    with cheap_rules(settings.model_copy(update={"rag_threshold": -9.0})) as rules:
        pipeline.run(rules, settings.vault)
        yield rules


@pytest.mark.proves("promise 1")
@pytest.mark.parametrize("count", [100, pytest.param(1_000, marks=pytest.mark.soak)])
def test_no_half_of_a_file_is_stored_while_it_is_rewritten(
    hashed: SearchContext, server: str, tmp_path: Path, count: int, runs: Runs
) -> None:
    """It is rewritten under a loop of ingests and under a watcher, each with its own index."""
    log = tmp_path / "log"
    assert hashed.settings.database_url
    ours = hashed.settings.database_url.get_secret_value()
    seen: dict[str, set[tuple[str, ...]]] = {"ingest": set(), "search": set(), "watcher": set()}
    with (
        new_database(server) as theirs,
        psycopg.connect(theirs, autocommit=True) as watched,
        psycopg.connect(ours, autocommit=True) as ingested,
        watcher(hashed.settings.vault, theirs, log),
        writer(hashed.settings.vault / TORCHES, count, 0.7) as process,
    ):
        while process.poll() is None:
            report = pipeline.run(hashed, hashed.settings.vault)
            assert {error.reason for error in report.rejected} <= {LEFT_OUT}
            seen["ingest"].add(stored(ingested))
            seen["search"].add(served(hashed))
            seen["watcher"].add(stored(watched))
        assert process.stdout
        slow = set(process.stdout.read().split())
    assert {who: halves(found, slow) for who, found in seen.items()} == {who: [] for who in seen}
    assert len(seen["ingest"]) >= count // 20, seen  # versions did go in meanwhile
    assert len(seen["watcher"]) >= 2, log.read_text("utf-8")
    assert len(slow) < count / 2, "the machine is too busy to say anything"
    runs(count)


@pytest.mark.proves("promise 1", "promise 6")
def test_a_file_that_never_rests_is_left_out_by_name_and_its_old_version_is_served(
    search_context: SearchContext,
    environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(context, "Embedder", HashingEmbedder)
    vault = search_context.settings.vault
    write_vault(vault, {"3. New/Lamps.md": "# Lamps\n\nA lamp burns for four hours.\n"})
    with writer(vault / TORCHES, 100_000, 0.01):
        until_written(vault / TORCHES)
        assert program.main([str(vault)]) == 1
        assert program.main([str(vault), "--rebuild"]) == 1
    printed = capsys.readouterr().out
    assert printed.count(f"REJECTED {TORCHES}: {LEFT_OUT}") == 2
    assert "1 added, 0 changed, 0 removed, 2 unchanged, 1 rejected" in printed
    (hit,) = search(search_context, "How long does a torch burn?", top_k=1).hits
    assert "A torch burns for one hour." in hit.chunk.text
    write_vault(vault, {TORCHES: RULES[TORCHES]})
    assert program.main([str(vault)]) == 0  # it rests, and is as it was


def until_written(file: Path) -> None:
    """Wait until the writer has begun."""
    give_up = time.monotonic() + 20
    while "version" not in file.read_text("utf-8"):
        assert time.monotonic() < give_up
        time.sleep(0.002)


@pytest.mark.proves("promise 1")
def test_a_file_that_is_done_within_the_wait_is_read_whole(root: Path) -> None:
    with writer(root / "slow.md", 3, 0.0):
        while not (root / "slow.md").exists():
            time.sleep(0.002)
        found = vaults.read(root)
    assert (reasons(found), marks(texts(found)["slow.md"])) == ({}, ("x3", "y3"))


def test_nobody_waits_for_files_that_are_old(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sleep, waits = time.sleep, list[float]()
    write_vault(root, {f"{number}.md": "A rule.\n" for number in range(50)})
    monkeypatch.setattr(time, "sleep", waits.append)
    assert len(vaults.read(root).files) == 51
    assert waits == [stable_read.WAIT]  # one for all that were just written
    monkeypatch.setattr(time, "sleep", sleep)
    time.sleep(stable_read.YOUNG + 0.05)
    monkeypatch.setattr(time, "sleep", waits.append)
    assert len(vaults.read(root).files) == 51
    assert len(waits) == 1
    (root / "empty.md").touch()
    time_ns = time.time_ns() + 10**9
    monkeypatch.setattr(time, "time_ns", lambda: time_ns)
    assert len(vaults.read(root).files) == 52  # an empty file may have been emptied just now
    assert len(waits) == 2
    (root / "empty.md").unlink()
    monkeypatch.setattr(time, "time_ns", lambda: 0)  # a clock that was set back costs one wait
    assert len(vaults.read(root).files) == 51
    assert len(waits) == 3
