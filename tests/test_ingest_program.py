"""`python -m ingest`: its exit status and what it prints."""

import os
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from ingest import __main__ as program
from retrieval import generations
from tests.conftest import write_vault


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
    assert "ignored, not Markdown: map.png" in report
    assert command(str(vault)) == 0
    assert "3 unchanged, 0 rejected; 0 texts embedded" in capsys.readouterr().out


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
