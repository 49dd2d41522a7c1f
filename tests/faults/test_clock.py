"""Clocks that jump: the index depends on what stands in the files, never on when."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from retrieval.database.embedded.postgres import serve
from tests.conftest import RULES, write_vault
from tests.support.faults.crash_state import content
from tests.support.index.embedded import clean, open_folder

ROOT = Path(__file__).parents[2]
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
EDITS = (
    {"2. Arms/Weapons.md": "# Weapons\n\nAll cost 3 gp.\n"},
    {"3. New/Rope.md": "# Rope\n\nA rope holds 3 people.\n"},
    {"2. Arms/Weapons.md": RULES["2. Arms/Weapons.md"]},
)
WALL_CLOCKS = {"datetime", "datetime.datetime", "time.time", "time.time_ns", "time.localtime"}
CLOCKS = ("-1d", "+1y", "+0", "-2y")

# The server is given false time by libfaketime, which Python's own sleep() does not survive; that
# Python asks for none is the subject of the second test.
INGEST = """
import sys
from ingest.__main__ import main
from retrieval import context
from retrieval.database.embedded import place
from tests.support.faults.crash_child import HashingEmbedder
library, clock, *arguments = sys.argv[1:]
if clock:
    faked = {"LD_PRELOAD": library, "FAKETIME": clock, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    place.ENVIRONMENT.update(faked)
context.Embedder = HashingEmbedder
sys.exit(main(arguments))
"""


@pytest.fixture
def two_data_dirs(made: Path) -> Iterator[list[Path]]:
    """Data directories with an empty database each."""
    with open_folder() as folder, ExitStack() as stack:
        paths = [folder / name for name in ("moved", "still")]
        for path in paths:
            subprocess.run(["cp", "-a", made, path], check=True)
            stack.callback(clean, path)
        yield paths


def ingest(vault: Path, data_dir: Path, clock: str, *arguments: str) -> None:
    """Run an ingest; the embedded server that it starts and stops has this clock; "": ours."""
    done = subprocess.run(
        [sys.executable, "-c", INGEST, str(FAKETIME), clock, str(vault), *arguments],
        cwd=ROOT,
        env={**os.environ, "RAG_DATA_DIR": str(data_dir)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def digest(data_dir: Path) -> str | None:
    with serve(data_dir) as url, psycopg.connect(url) as conn:
        return content(conn)


def days_since_it_was_made(data_dir: Path) -> float:
    with serve(data_dir) as url, psycopg.connect(url) as conn:
        row = conn.execute(
            "SELECT extract(epoch FROM now() - min(applied_at)) / 86400 FROM migration"
        ).fetchone()
    assert row is not None
    return float(row[0])


@pytest.mark.proves("row 17", "promise 2")
@pytest.mark.skipif(FAKETIME is None, reason="libfaketime is not installed")
def test_an_index_made_while_the_clock_jumps_is_the_same(
    two_data_dirs: list[Path], tmp_path: Path
) -> None:
    moved, still = two_data_dirs
    vault = write_vault(tmp_path / "vault", RULES)
    for number, clock in enumerate(CLOCKS):
        rebuild = ["--rebuild"] if clock == "+0" else []
        ingest(vault, moved, clock, *rebuild)
        for path in vault.rglob("*.md"):
            os.utime(path, (10**9 * number, 10**9 * (3 - number)))
        if number < len(EDITS):
            write_vault(vault, EDITS[number])
    (vault / "1. Light/Torches.md").rename(vault / "1. Light/Torch.md")
    ingest(vault, moved, "-3y")
    ingest(vault, still, "")
    assert abs(days_since_it_was_made(moved) - 1) < 0.1  # the clock did jump
    assert digest(moved) == digest(still) is not None


@pytest.mark.proves("row 17")
def test_nothing_that_makes_the_index_asks_for_the_time_of_day() -> None:
    asked = []
    for file in sorted([*ROOT.glob("ingest/**/*.py"), *ROOT.glob("retrieval/*.py")]):
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = set()
            if isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{one.name}" for one in node.names}
            elif isinstance(node, ast.Import):
                names = {one.name for one in node.names}
            elif isinstance(node, ast.Attribute):
                names = {ast.unparse(node)}
            asked += [f"{file.name}: {name}" for name in sorted(names & WALL_CLOCKS)]
    # It decides whether a file that was written just now is read twice, not what is made of it.
    assert asked == ["stable_read.py: time.time_ns"]
