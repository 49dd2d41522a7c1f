"""`python -m ingest`: its exit status and what it prints."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from ingest import __main__ as program
from retrieval.index import generations, hnsw, store
from tests.conftest import write_vault

# `python -m ingest` with an unexpected error.
BROKEN = """
import runpy
from ingest import arguments
def parse(*_):
    raise {}
arguments.parse = parse
runpy.run_module("ingest", run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def command(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """`python -m ingest` in a folder without a .env, with the database in the environment."""
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: program.main([*arguments])


def test_the_program_ends_with_0_where_all_went_in(
    command: Callable[..., int], vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_vault(vault, {"map.png": "x"})
    assert command("--dry-run") == 0
    plan = capsys.readouterr().out
    assert "plan: added 1. Light/Torches.md" in plan
    assert "nothing was written" in plan
    assert command() == 0  # VAULT's default is vault/ in this folder
    report = capsys.readouterr().out
    assert "3 files, " in report
    assert "3 added, 0 changed, 0 removed, 0 unchanged, 0 rejected" in report
    assert "ignored, not Markdown or hidden: map.png" in report
    assert command(str(vault)) == 0
    assert "3 unchanged, 0 rejected; 0 texts embedded" in capsys.readouterr().out


def test_the_facts_of_a_files_tables_are_printed_without_a_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ships.md"
    file.write_text("# Ships\nHl = hull points\n\n| Hull | Hl |\n|---|---|\n| Liner | 60 |\n")
    assert program.main(["--facts", str(file)]) == 0
    assert capsys.readouterr().out == "ships.md:4 Ships: 1 rows\n  6: Liner: hull points (Hl) 60\n"
    file.write_text("No table.")
    assert program.main(["--facts", str(file)]) == 0
    assert capsys.readouterr().out == "ships.md: no table\n"
    assert program.main(["--facts", str(tmp_path / "none.md")]) == 2
    assert "none.md'; name one that is there" in capsys.readouterr().err


@pytest.mark.proves("promise 6")
def test_the_program_ends_with_1_and_names_a_rejected_file(
    command: Callable[..., int], vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (vault / "1. Light/Torches.md").write_bytes(b"one\n\xff")
    assert command(str(vault)) == 1
    printed = capsys.readouterr().out
    assert "REJECTED 1. Light/Torches.md: is not UTF-8: byte 0xff in line 2" in printed
    assert "2 files" in printed


def test_the_program_ends_with_2_where_nothing_was_done(
    command: Callable[..., int],
    vault: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert command("missing") == 2
    assert "no folder 'missing'" in capsys.readouterr().err
    assert command(str(vault)) == 0
    (vault.parent / "nothing").mkdir()
    assert command("nothing") == 2
    assert "--allow-mass-delete" in capsys.readouterr().err
    assert command("nothing", "--allow-mass-delete") == 0
    assert "0 files, 0 chunks: 0 added, 0 changed, 3 removed" in capsys.readouterr().out
    other = write_vault(vault.parent / "other", {"Leave.md": "# Leave\n\nLeave is 25 days.\n"})
    assert command(str(vault)) == 0
    assert command(str(other), "--allow-mass-delete") == 2
    assert "it is another vault" in capsys.readouterr().err
    assert command(str(other), "--replace") == 0
    assert "1 files, 1 chunks: 1 added, 0 changed, 3 removed" in capsys.readouterr().out
    monkeypatch.setenv("RAG_TOP_K", "many")
    assert command(str(vault)) == 2
    assert "RAG_TOP_K" in capsys.readouterr().err


def test_the_program_ends_with_2_where_no_database_answers(
    command: Callable[..., int],
    vault: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://rules:canary-9@127.0.0.1:9/rules")
    assert command(str(vault)) == 2
    printed = capsys.readouterr().err
    assert "DATABASE_URL" in printed
    assert "canary-9" not in printed


@pytest.mark.proves("row 10")
def test_the_program_ends_with_75_where_another_ingest_runs(
    command: Callable[..., int], database: str, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database, autocommit=True) as conn:
        generations.lock(conn)
        assert command(str(vault)) == 75
    assert f"process {os.getpid()} on " in capsys.readouterr().err


def test_the_program_tells_of_the_index_of_vectors(
    command: Callable[..., int],
    database: str,
    vault: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    defaults = hnsw.build_if_large.__kwdefaults__ or {}
    monkeypatch.setitem(defaults, "limit", 3)
    for arguments in ([str(vault)], ["--reindex"], [str(vault), "--rebuild"]):
        assert command(*arguments) == 0
        first, last = [line for line in capsys.readouterr().err.splitlines() if "index" in line]
        assert first.startswith("indexing ")
        assert first.endswith(" vectors")
        assert last.startswith("indexed ")
        assert last.endswith(" s")
    with psycopg.connect(database, autocommit=True) as conn:  # as a version before left it
        hnsw.drop(conn, store.live(conn).id)
    assert command(str(vault)) == 0
    assert "indexing " in capsys.readouterr().err
    write_vault(vault, {"3. More/More.md": "# More\n\nAn oak is tall.\n"})
    monkeypatch.setattr(hnsw, "warnings", lambda _: ["an old pgvector"])
    assert command(str(vault)) == 0
    assert "an old pgvector" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status"),
    [("ZeroDivisionError('oh')", program._BUG), ("KeyboardInterrupt", -signal.SIGINT)],
)
def test_a_bug_has_a_status_of_its_own(tmp_path: Path, error: str, status: int) -> None:
    root = str(Path(__file__).parents[2])
    ended = subprocess.run(
        [sys.executable, "-c", BROKEN.format(error)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == status, ended.stderr
    assert status not in {0, 1, 2, 3, 75}
    assert ended.stderr.startswith("Traceback")
    assert ended.stderr.rstrip().endswith(error.replace("('oh')", ": oh"))
