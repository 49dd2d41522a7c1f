"""The check of the index: what it says of files, versions, models, settings and the database."""

import json
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from ingest import __main__ as program
from ingest.doctor import checks as doctor
from retrieval.context import open_context
from retrieval.index import generations, hnsw
from retrieval.index.store import live
from retrieval.settings import Settings
from tests.conftest import new_database
from tests.support.index.examined import NAMES, odd, run

pytestmark = pytest.mark.usefixtures("environment")

TORCHES = "1. Light/Torches.md"
INVALID = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{}'::regclass"


def test_a_sound_index_is_all_right_and_stays_as_it_is(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["--check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"OK    {name}" for name in NAMES]
    assert "3 on disk, 3 in the index" in lines[4]
    assert program.main(["--check", "--json", str(settings.vault)]) == 0
    assert [one["status"] for one in json.loads(capsys.readouterr().out)] == ["OK"] * len(NAMES)


def test_files_that_the_index_does_not_hold_as_they_are_now_are_named(settings: Settings) -> None:
    vault = settings.vault
    (vault / TORCHES).write_text("# Torches\n\nA torch burns for two hours.\n", "utf-8")
    (vault / "2. Arms/Hazards.md").rename(vault / "2. Arms/Dangers.md")
    (vault / "latin.md").write_bytes(b"caf\xe9")
    (vault / "header.md").write_text("---\na: [1\n---\n# A\n", "utf-8")
    found = odd(settings)
    assert list(found) == ["files"]
    said = {
        finding.what.split(":")[0] + ": " + finding.what.split(": ")[1]
        for finding in found["files"].findings
    }
    assert {one for one in said if "rejected" not in one} == {
        f"1 files changed since they were indexed: {TORCHES}",
        "1 files are not in the index: 2. Arms/Dangers.md",
        "1 files are in the index and gone from the folder: 2. Arms/Hazards.md",
    }
    assert {"rejected: latin.md", "rejected: header.md"} <= said
    assert program.main([]) == 1
    assert {f.mend for f in odd(settings)["files"].findings} == {
        "mend the file, then python -m ingest"
    }
    (vault / "latin.md").unlink()
    (vault / "header.md").unlink()
    assert odd(settings) == {}


def test_versions_that_lose_rows_are_named(settings: Settings) -> None:
    set_version = "UPDATE pg_extension SET extversion = '{}' WHERE extname = 'vector'"
    run(settings, set_version.format("0.8.2"))
    assert [f.level for f in odd(settings)["database"].findings] == ["warning"]
    run(settings, set_version.format("0.7.4"))
    (finding,) = odd(settings)["database"].findings
    assert (finding.level, "pgvector 0.7.4" in finding.what) == ("error", True)
    assert "ALTER EXTENSION vector UPDATE" in finding.mend


def test_tables_of_another_program_are_named(settings: Settings) -> None:
    run(settings, "INSERT INTO migration (number, name) VALUES (9999, '9999_later.sql')")
    (finding,) = odd(settings)["database"].findings
    assert "migration 9999" in finding.what
    run(settings, "DELETE FROM migration WHERE number > 1")
    (finding,) = odd(settings)["database"].findings
    assert (finding.level, finding.mend) == ("warning", "python -m ingest")
    assert "0002_" in finding.what


def test_an_index_that_queries_pass_by_is_named(settings: Settings) -> None:
    run(settings, INVALID.format("entry_text"))
    (finding,) = odd(settings)["database"].findings
    assert finding.what == "1 indexes are invalid: entry_text"


def test_an_approximate_index_is_there_where_it_should_be_and_is_used(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.index.hnsw.LIMIT", 5)
    (finding,) = odd(settings)["vector index"].findings
    assert "has no approximate index" in finding.what
    assert (finding.level, finding.mend) == ("warning", "python -m ingest --reindex")
    with open_context(settings) as context, context.store.connect(autocommit=True) as conn:
        assert hnsw.build_if_large(conn, live(conn).id, limit=5)
        assert odd(settings) == {}
        monkeypatch.setattr("retrieval.index.hnsw.LIMIT", 20_000)
        assert "has an approximate index" in odd(settings)["vector index"].findings[0].what
        run(settings, INVALID.format(hnsw.index_name(live(conn).id)))
        assert "entry_hnsw_" in odd(settings)["database"].findings[0].what


def test_settings_that_hide_rows_are_named(
    settings: Settings,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert settings.database_url
    url = make_conninfo(database, options="-c hnsw.iterative_scan=off")
    monkeypatch.setenv("DATABASE_URL", url)
    assert doctor.main([]) == 2
    assert "hnsw.iterative_scan = 'off'" in capsys.readouterr().err


def test_models_that_are_missing_or_unfitted_are_named(settings: Settings) -> None:
    broken = settings.model_copy(update={"embedding_model": "no-such-folder"})
    checks = {one.name: one for one in doctor.examine(broken, broken.vault)}
    assert checks["models"].status == "ERROR"
    assert "no-such-folder" in checks["models"].findings[0].what
    assert checks["contents"].status == "WARN"  # not checked is not all right
    assert checks["vectors"].status == "OK"  # the rest of the index is checked all the same
    unfitted = settings.model_copy(update={"rag_late_interaction": False})
    (finding,) = odd(unfitted)["models"].findings
    assert finding.mend == "python -m evals.calibrate"


def test_a_vault_that_is_gone_is_named(settings: Settings) -> None:
    checks = {one.name: one for one in doctor.examine(settings, Path("nowhere"))}
    assert "no folder 'nowhere'" in checks["files"].findings[0].what
    assert checks["contents"].status == "WARN"


def test_a_check_runs_beside_an_ingest_and_sees_none_of_what_it_writes(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_context(settings) as context, context.store.connect() as writing:
        generations.lock(writing)
        writing.execute("INSERT INTO generation (state, fingerprint) VALUES ('building', '{}')")
        writing.execute("DELETE FROM file")
        assert doctor.main([]) == 0
        assert "; an ingest is running (ingest, process " in capsys.readouterr().out
        writing.rollback()


def test_without_a_database_or_an_index_nothing_can_be_checked(
    server: str,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with new_database(server) as empty:
        monkeypatch.setenv("DATABASE_URL", empty)
        assert doctor.main([]) == 2
    assert "the database holds no rules; run: python -m ingest" in capsys.readouterr().err
    monkeypatch.setenv("DATABASE_URL", "postgresql://rules:canary-3@127.0.0.1:9/rules")
    assert doctor.main([]) == 2
    printed = capsys.readouterr().err
    assert "DATABASE_URL" in printed
    assert "canary-3" not in printed
    monkeypatch.delenv("DATABASE_URL")
    assert doctor.main([]) == 2
    assert "no database in '.data'; run: python -m ingest" in capsys.readouterr().err
    assert not (tmp_path / ".data").exists()


@pytest.mark.proves("row 35")
def test_a_name_with_control_characters_is_not_printed_raw(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    (settings.vault / "a\x1b]52;c;eA==\x07.md").write_text("# A\n", "utf-8")
    assert doctor.main([]) == 1
    printed = capsys.readouterr().out
    assert "its name holds a control character" in printed
    assert "\x1b" not in printed
