"""Migrations: applied once, in order, all or none; an older database is taken over."""

import json
import shutil
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from evals import retrieval as evals
from ingest import __main__ as program
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.errors import DatabaseUnreachableError, SchemaNewerError
from retrieval.index import migrate
from retrieval.index.store import Connection
from tests.support.index.index_state import content, counts, found, written

NEWER = "INSERT INTO migration (number, name) VALUES (99, '0099_later.sql')"


@pytest.fixture
def conn(database: str) -> Iterator[Connection]:
    """A connection to an empty database."""
    with Store(database).connect(autocommit=True) as conn:
        yield conn


def next_migration(folder: Path, sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `folder` hold the migrations of this program and one more."""
    shutil.copytree(Path(migrate.__file__).with_name("migrations"), folder)
    (folder / "0099_next.sql").write_text(sql, "utf-8")
    monkeypatch.setattr(migrate, "_FOLDER", folder)


def tables(conn: Connection) -> set[str]:
    return {
        row[0]
        for row in conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    }


def test_the_files_are_numbered_without_a_gap_and_each_is_applied_once(conn: Connection) -> None:
    numbers = [one.number for one in migrate.known()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert migrate.applied(conn) == ()
    assert migrate.check(conn) == migrate.known()
    migrate.install(conn)
    assert migrate.applied(conn) == migrate.known()
    assert migrate.check(conn) == ()
    before = conn.execute("SELECT xmin, * FROM migration").fetchall()
    migrate.install(conn)
    assert conn.execute("SELECT xmin, * FROM migration").fetchall() == before


def test_an_install_of_what_is_installed_writes_no_row(search_context: SearchContext) -> None:
    before = written(search_context)
    with search_context.store.connect(autocommit=True) as conn:
        migrate.install(conn)
    assert written(search_context) == before


def test_installs_at_the_same_time_wait_for_each_other(database: str) -> None:
    def install(_: int) -> None:
        with Store(database).connect(autocommit=True) as conn:
            migrate.install(conn)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(install, range(6)))
    with Store(database).connect() as conn:
        assert migrate.applied(conn) == migrate.known()


def test_a_migration_that_fails_leaves_nothing_of_itself_and_of_those_before_it(
    conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrate.__file__).with_name("migrations"), folder)
    broken = folder / "0099_broken.sql"
    broken.write_text("CREATE TABLE half (id integer);\nCREATE TABLE half (id integer);\n", "utf-8")
    monkeypatch.setattr(migrate, "_FOLDER", folder)
    with pytest.raises(DatabaseUnreachableError, match='relation "half" already exists'):
        migrate.install(conn)
    assert tables(conn) == set()
    broken.write_text("CREATE TABLE whole (id integer);\n", "utf-8")
    migrate.install(conn)
    assert migrate.applied(conn)[-1] == (99, "0099_broken.sql")
    assert "whole" in tables(conn)


def without_count(conn: Connection) -> None:
    """Make an index what it was before migrations were counted."""
    conn.execute(
        "DROP TABLE migration, feedback, rate_window, telemetry, given_answer, word, corpus, "
        "chunk_bits"
    )
    conn.execute("ALTER TABLE chunk DROP COLUMN place")
    conn.execute("ALTER TABLE generation DROP COLUMN off_topic")
    conn.execute("DROP INDEX generation_one_previous")
    conn.execute("ALTER TABLE generation DROP CONSTRAINT generation_state_check")
    conn.execute(
        "ALTER TABLE generation ADD CHECK (state IN ('live', 'temporary'))"
    )  # gets the same name


@pytest.mark.proves("promise 2")
def test_a_database_from_before_the_migrations_is_taken_over_with_its_rows(
    search_context: SearchContext, vault: Path
) -> None:
    before = content(search_context)
    with search_context.store.connect(autocommit=True) as conn:
        without_count(conn)
    report = pipeline.run(search_context, vault)
    assert (report.embedded, len(report.plan.unchanged), report.plan.rebuild) == (0, 3, False)
    assert content(search_context) == before
    with search_context.store.connect(autocommit=True) as conn:
        assert migrate.applied(conn) == migrate.known()
    assert pipeline.run(search_context, vault, rebuild=True).embedded == 0
    assert content(search_context) == before


def test_a_database_of_a_newer_program_is_refused_and_left_alone(
    environment: Path,
    search_context: SearchContext,
    vault: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with search_context.store.connect(autocommit=True) as conn:
        conn.execute(NEWER)
    before = (written(search_context), counts(search_context))
    (vault / "new.md").write_text("# New\n\nA rule.\n", "utf-8")
    ours = migrate.known()[-1].number
    for arguments in ([], ["--dry-run"], ["--rebuild"], ["--rollback"]):
        assert program.main(arguments) == 2
        told = capsys.readouterr().err
        assert "migration 99 (0099_later.sql)" in told
        assert f"up to {ours};" in told
        assert "newer program" in told
    questions = environment / "q.jsonl"
    asked = {"id": "a", "question": "b", "kind": "prose"}
    gold = [{"path": "new.md", "quote": "A rule."}]
    questions.write_text(json.dumps({**asked, "gold": gold}) + "\n", "utf-8")
    assert evals.main(["--vault", str(vault), "--dataset", str(questions)]) == 2
    assert "migration 99" in capsys.readouterr().err
    assert (written(search_context), counts(search_context)) == before


def test_a_database_of_another_line_of_the_program_is_refused(conn: Connection) -> None:
    migrate.install(conn)
    conn.execute("UPDATE migration SET name = '0002_other.sql' WHERE number = 2")
    with pytest.raises(SchemaNewerError, match=r"0002_other\.sql"):
        migrate.install(conn)


def test_a_program_goes_on_answering_while_a_newer_one_brings_the_tables_forward(
    search_context: SearchContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (
        "ALTER TABLE file ADD COLUMN next jsonb;\nALTER TABLE chunk ADD COLUMN next text NOT NULL "
        "DEFAULT '';\nCREATE TABLE next (id integer);\nSELECT pg_sleep(0.3);\n"
    )
    next_migration(tmp_path / "migrations", steps, monkeypatch)
    answers: list[str] = []
    done = Event()

    def ask() -> None:
        while not done.is_set():
            answers.append(found(search_context, "How long does a torch burn?")[0])

    with ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(ask) for _ in range(2)]
        try:
            with search_context.store.connect(autocommit=True) as conn:
                migrate.install(conn)
            at_swap = len(answers)
            while len(answers) < at_swap + 4 and not any(one.done() for one in asking):
                done.wait(0.01)
        finally:
            done.set()
        for one in asking:
            one.result()
    assert set(answers) == {"1. Light/Torches.md"}
    assert len(answers) >= at_swap + 4


def test_a_reader_and_a_migration_that_wait_for_each_other_both_come_to_their_end(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(database).connect(autocommit=True) as conn:
        migrate.install(conn)
        steps = "ALTER TABLE file ADD next int; ALTER TABLE chunk ADD next int;"
        next_migration(tmp_path / "migrations", steps, monkeypatch)
        with ThreadPoolExecutor(1) as pool, Store(database).connect() as reader:
            reader.execute("SELECT FROM chunk")
            installing = pool.submit(migrate.install, conn)
            held = "SELECT FROM pg_locks WHERE relation = 'file'::regclass AND mode LIKE 'AccessE%'"
            while not reader.execute(held).fetchall():
                assert not installing.done()
            reader.execute("SELECT FROM file")  # the migration has it, and waits for ours
            reader.rollback()
            installing.result()
            columns = "SELECT next FROM file NATURAL JOIN chunk"
            assert reader.execute(columns).fetchall() == []


def test_a_transaction_that_does_not_end_is_named_as_what_keeps_a_migration(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "_TRIES", 2)
    with Store(database).connect(autocommit=True) as conn, Store(database).connect() as reader:
        migrate.install(conn)
        next_migration(tmp_path / "migrations", "ALTER TABLE file ADD next int;", monkeypatch)
        reader.execute("SELECT FROM file")
        with pytest.raises(DatabaseUnreachableError, match=r"2 tries.*end its transaction"):
            migrate.install(conn)
        assert len(migrate.check(conn)) == 1


def test_the_migrations_are_in_the_package() -> None:
    root = Path(migrate.__file__).parents[2]
    data = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    packed = {
        path
        for pattern in data["package-data"]["retrieval"]
        for path in (root / "retrieval").glob(pattern)
    }
    assert {
        Path(migrate.__file__).with_name("migrations") / m.name for m in migrate.known()
    } <= packed
    for folder in ("encoder/bundled", "reranker"):
        assert set((root / "retrieval" / folder).iterdir()) <= packed
