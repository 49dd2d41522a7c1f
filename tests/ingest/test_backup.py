"""Backup and restore: every ranking is the same afterwards, and nothing is overwritten."""

import os
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingest import backup, pipeline
from ingest import restore as restore_program
from retrieval.context import SearchContext
from retrieval.index import generations, migrate
from retrieval.settings import Settings
from tests.conftest import new_database
from tests.support.index import index_state
from tests.support.index.index_state import rankings


def empty_again(server: str, url: str) -> None:
    """Drop the database at `url` with all connections to it, and make it empty."""
    name = sql.Identifier(str(conninfo_to_dict(url)["dbname"]))
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        conn.execute(sql.SQL("CREATE DATABASE {}").format(name))


@pytest.mark.proves("row 26")
def test_a_restored_index_ranks_as_the_one_that_was_dropped(
    search_context: SearchContext,
    environment: Path,
    database: str,
    server: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before, content = rankings(search_context), index_state.content(search_context)
    assert backup.main(["index.dump"]) == 0
    file = environment / "index.dump"
    assert f"index.dump: {file.stat().st_size:,} bytes" in capsys.readouterr().out
    assert file.stat().st_mode & 0o777 == 0o600
    empty_again(server, database)
    assert restore_program.main(["index.dump"]) == 0
    assert ": 3 files, 3 chunks\n" in capsys.readouterr().out
    assert (
        rankings(search_context) == before
    )  # the pool of the open search context finds the new database
    assert index_state.content(search_context) == content
    assert [path.name for path in environment.iterdir() if path.is_file()] == ["index.dump"]


@pytest.mark.proves("row 26")
def test_a_restored_index_goes_on_where_it_was(
    search_context: SearchContext, environment: Path, database: str, server: str
) -> None:
    assert backup.main(["index.dump"]) == 0
    empty_again(server, database)
    assert restore_program.main(["index.dump"]) == 0
    settings = search_context.settings
    assert pipeline.run(search_context, settings.vault).embedded == 0
    (settings.vault / "new.md").write_text("# Rope\n\nA rope holds three men.\n", "utf-8")
    assert pipeline.run(search_context, settings.vault).plan.added == ("new.md",)
    assert index_state.found(search_context, "How many men does a rope hold?")[0] == "new.md"


def test_a_backup_is_one_state_while_an_ingest_writes(
    search_context: SearchContext, environment: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = index_state.content(search_context)
    with search_context.store.connect() as writing:
        generations.lock(writing)
        writing.execute("DELETE FROM file WHERE path LIKE '2.%'")  # as an ingest before its commit
        assert backup.main(["index.dump"]) == 0
        writing.rollback()
    with new_database(server) as other:
        monkeypatch.setenv("DATABASE_URL", other)
        assert restore_program.main(["index.dump"]) == 0
        with psycopg.connect(other) as conn:
            rows = conn.execute("SELECT DISTINCT path FROM chunk ORDER BY 1").fetchall()
    assert [path for (path,) in rows] == sorted({str(row[0]) for row in before})


def test_neither_program_overwrites_anything(
    search_context: SearchContext, environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = environment / "index.dump"
    file.write_text("mine")
    assert backup.main(["index.dump"]) == 2
    assert "index.dump is there already" in capsys.readouterr().err
    assert file.read_text() == "mine"
    file.unlink()
    assert backup.main(["index.dump"]) == 0
    before = rankings(search_context)
    assert restore_program.main(["index.dump"]) == 2
    assert "the database is not empty, it has " in capsys.readouterr().err
    assert rankings(search_context) == before


def test_a_restore_waits_for_no_ingest(
    search_context: SearchContext,
    environment: Path,
    server: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert backup.main(["index.dump"]) == 0
    with new_database(server) as other, psycopg.connect(other, autocommit=True) as conn:
        generations.lock(conn)
        monkeypatch.setenv("DATABASE_URL", other)
        assert restore_program.main(["index.dump"]) == 75
        assert f"process {os.getpid()} on " in capsys.readouterr().err


@pytest.mark.proves("row 26")
def test_a_dump_of_a_newer_program_is_refused_before_anything_is_changed(
    search_context: SearchContext,
    environment: Path,
    server: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert backup.main(["index.dump"]) == 0
    newest = migrate.known()[-1].number
    monkeypatch.setattr("retrieval.index.migrate.known", lambda: migrate_until(newest - 1))
    with new_database(server) as other:
        monkeypatch.setenv("DATABASE_URL", other)
        assert restore_program.main(["index.dump"]) == 2
        printed = capsys.readouterr().err
        assert f"at migration {newest}, and this program knows migrations up to {newest - 1}" in (
            printed
        )
        assert "update the program" in printed
        assert tables(other) == []


def migrate_until(last: int) -> tuple[migrate.Migration, ...]:
    return tuple(migrate.Migration(number, f"{number:04}_x.sql") for number in range(1, last + 1))


def tables(url: str) -> list[str]:
    with psycopg.connect(url) as conn:
        rows = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return [name for (name,) in rows]


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def other_words(file: Path) -> None:
    file.write_text("# Torches\n")


@pytest.mark.parametrize("spoil", [cut_in_half, other_words, Path.unlink])
def test_a_file_that_is_no_whole_backup_leaves_the_database_empty(
    search_context: SearchContext,
    environment: Path,
    server: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[Path], None],
) -> None:
    assert backup.main(["index.dump"]) == 0
    spoil(environment / "index.dump")
    with new_database(server) as other:
        monkeypatch.setenv("DATABASE_URL", other)
        assert restore_program.main(["index.dump"]) == 2
        assert "restore: " in capsys.readouterr().err
        assert tables(other) == []


def test_a_backup_that_fails_leaves_nothing_and_shows_no_password(
    database: str,
    environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    missing = make_conninfo(database, dbname="nothing", password="canary-26b")
    monkeypatch.setenv("DATABASE_URL", missing)
    assert backup.main(["index.dump"]) == 2
    assert backup.main(["nowhere/index.dump"]) == 2
    printed = capsys.readouterr().err
    assert "pg_dump exited with 1" in printed
    assert "nowhere/index.dump cannot be written: No such file" in printed
    assert "canary-26b" not in printed
    assert [path.name for path in environment.iterdir() if path.is_file()] == []


def test_a_backup_makes_no_database(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert backup.main(["index.dump"]) == 2
    assert "no database in '.data'; run: python -m ingest" in capsys.readouterr().err
    assert not (tmp_path / ".data").exists()
