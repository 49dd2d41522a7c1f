"""The check of the index: every damage is named, and the command that it names mends it."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingest import __main__ as program
from ingest import doctor, pipeline
from ingest.findings import Check
from retrieval import generations, hnsw
from retrieval.rulebook import open_rulebook
from retrieval.settings import Settings
from retrieval.store import live
from tests.conftest import RULES, new_database, write_vault

TORCHES = "1. Light/Torches.md"
CHUNK = f"(SELECT id FROM chunk WHERE path = '{TORCHES}')"
ONE = f"chunk_id = {CHUNK} AND ordinal = 0"
INVALID = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{}'::regclass"
NAMES = [
    "database", "generations", "models", "fingerprint", "files", "contents", "entries", "vectors",
    "vector index", "token vectors", "full text",
]  # fmt: skip


@pytest.fixture(scope="module")
def sound(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a database with an index of the small vault, for copies of it."""
    vault = write_vault(tmp_path_factory.mktemp("sound"), RULES)
    with new_database(server) as url:
        settings = Settings.model_validate({"database_url": url, "vault": vault})
        with open_rulebook(settings) as rules:
            pipeline.run(rules, vault)
        yield url


@pytest.fixture
def settings(
    server: str,
    sound: str,
    database: str,
    vault: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Settings:
    """Settings, in the environment too, of a copy of the index and the vault that it is of."""
    copy, original = (
        sql.Identifier(str(conninfo_to_dict(url)["dbname"])) for url in (database, sound)
    )
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE {}").format(copy))
        conn.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(copy, original))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setenv("VAULT", str(vault))
    return Settings.model_validate({"database_url": database, "vault": vault})


def run(settings: Settings, *statements: str) -> None:
    """Do something to the database that no program of ours does."""
    assert settings.database_url
    with psycopg.connect(settings.database_url.get_secret_value(), autocommit=True) as conn:
        for statement in statements:
            conn.execute(statement.encode())


def odd(settings: Settings) -> dict[str, Check]:
    """The checks that found something, by name."""
    checks = doctor.examine(settings, settings.vault)
    assert [one.name for one in checks] == NAMES
    return {one.name: one for one in checks if one.findings}


def test_a_sound_index_is_all_right_and_stays_as_it_is(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["--check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"OK    {name}" for name in NAMES]
    assert "3 on disk, 3 in the index" in lines[4]
    assert program.main(["--check", "--json", str(settings.vault)]) == 0
    assert [one["status"] for one in json.loads(capsys.readouterr().out)] == ["OK"] * len(NAMES)


# What is done to the index, which check finds it, and words of what it says.
DAMAGE = {
    "a chunk is gone": (
        f"DELETE FROM chunk WHERE id = {CHUNK}",
        "contents", f"chunk {TORCHES}:1 is missing",
    ),
    "a chunk has no entries": (
        f"DELETE FROM entry WHERE chunk_id = {CHUNK}",
        "contents", f"chunk {TORCHES}:1 has 0 entries, not ",
    ),
    "a chunk lost an entry": (
        f"DELETE FROM entry WHERE {ONE}",
        "contents", f"chunk {TORCHES}:1 has ",
    ),
    "a chunk has another text": (
        f"UPDATE chunk SET text = replace(text, 'one', 'two') WHERE id = {CHUNK}",
        "contents", f"chunk {TORCHES}:1 is not the one that is made of the file",
    ),
    "a chunk is of no file's lines": (
        "INSERT INTO chunk (generation_id, path, heading, first_line, last_line, text, context, "
        "piece, length) SELECT generation_id, path, heading, 90, 91, text, context, piece, 0 "
        f"FROM chunk WHERE id = {CHUNK}",
        "contents", f"chunk {TORCHES}:90 is of nothing in the file",
    ),
    "an entry is of another generation": (
        f"UPDATE entry SET generation_id = 77 WHERE {ONE}",
        "entries", "1 entries are of another generation than their chunk: 1. Light/Torches.md:",
    ),
    "an entry has another text": (
        f"UPDATE entry SET words = words || ' not' WHERE {ONE}",
        "entries", "1 entries have another text than was embedded: 1. Light/Torches.md:",
    ),
    "a vector is missing": (
        "ALTER TABLE entry ALTER COLUMN embedding DROP NOT NULL; "
        f"UPDATE entry SET embedding = NULL WHERE {ONE}",
        "vectors", "has no vector",
    ),
    "a vector is zero": (
        f"UPDATE entry SET embedding = array_fill(0, ARRAY[384])::vector WHERE {ONE}",
        "vectors", "has length 0",
    ),
    "a vector is not of length 1": (
        f"UPDATE entry SET embedding = array_fill(0.06, ARRAY[384])::vector WHERE {ONE}",
        "vectors", "has length 1.17",
    ),
    "a vector is of another model": (
        f"UPDATE entry SET embedding = '[1, 0, 0]' WHERE {ONE}",
        "vectors", "has 3 numbers, not 384",
    ),
    "all vectors are zero": (
        "UPDATE entry SET embedding = array_fill(0, ARRAY[384])::vector",
        "vectors", "more",
    ),
    "token vectors are one byte": (
        f"UPDATE entry SET token_vectors = 'x' WHERE {ONE}",
        "token vectors", "has 1 bytes and scale 0.0",
    ),
    "token vectors are cut short": (
        "UPDATE entry SET token_vectors = substring(token_vectors for "
        f"octet_length(token_vectors) - 1) WHERE {ONE}",
        "token vectors", "1 entries have broken token vectors: 1. Light/Torches.md:",
    ),
    "token vectors have no scale": (
        f"UPDATE entry SET token_scale = NULL WHERE {ONE}",
        "token vectors", "scale none",
    ),
    "token vectors have a scale that is no number": (
        f"UPDATE entry SET token_scale = 'NaN' WHERE {ONE}",
        "token vectors", "scale NaN",
    ),
    "some token vectors are missing": (
        f"UPDATE entry SET token_vectors = NULL, token_scale = NULL WHERE {ONE}",
        "token vectors", "1 of ",
    ),
    "full text lacks a chunk": (
        f"DELETE FROM posting WHERE chunk_id = {CHUNK}",
        "full text", f"1 chunks are out of step with full text search: {TORCHES}:1 has ",
    ),
    "full text counts a word twice": (
        f"UPDATE posting SET count = count + 1 WHERE chunk_id = {CHUNK} AND lexeme = 'torch'",
        "full text", f"{TORCHES}:1 has 1 wrong words",
    ),
    "full text has a word too many": (
        "INSERT INTO posting SELECT generation_id, 'dragon', id, 1 FROM chunk "
        f"WHERE id = {CHUNK}",
        "full text", f"{TORCHES}:1 has 1 wrong words",
    ),
    "a chunk's length is wrong": (
        f"UPDATE chunk SET length = 99 WHERE id = {CHUNK}",
        "full text", f"{TORCHES}:1 has 0 wrong words and length 99 of ",
    ),
    "no generation is live any more": (
        "UPDATE generation SET state = 'previous'",
        "generations", "no generation is live",
    ),
    "an ingest died": (
        "INSERT INTO generation (state, fingerprint) VALUES ('building', '{}')",
        "generations", "was left half built by an ingest that died",
    ),
    "the live generation is empty": (
        "DELETE FROM file",
        "generations", "holds no file",
    ),
    "another encoder made the index": (
        "UPDATE generation SET fingerprint = jsonb_set(fingerprint, '{model_digest}', '\"x\"')",
        "fingerprint", "the index was made with model_digest 'x', and this process has '",
    ),
    "another chunker made the index": (
        "UPDATE generation SET fingerprint = jsonb_set(fingerprint, '{chunker}', '1')",
        "fingerprint", "the index was made with chunker 1, and this process has ",
    ),
}  # fmt: skip


@pytest.mark.proves("promise 6")
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_named(settings: Settings, damage: str) -> None:
    statement, name, words = DAMAGE[damage]
    run(settings, statement)
    checks = {one.name: one for one in doctor.examine(settings, settings.vault)}
    assert checks[name].status in ("WARN", "ERROR")
    assert [one for one in checks[name].findings if words in one.what], checks[name]


HAZARDS = "path = '2. Arms/Hazards.md'"
REBUILT = [  # damage that a rebuild must not take over, each in rows that the others leave alone
    DAMAGE["an entry is of another generation"][0],
    DAMAGE["some token vectors are missing"][0].replace("ordinal = 0", "ordinal = 1"),
    DAMAGE["full text lacks a chunk"][0],
    DAMAGE["a chunk has another text"][0],
    f"UPDATE entry SET words = 'none' FROM chunk AS c WHERE c.id = chunk_id AND c.{HAZARDS} "
    "AND ordinal = 0",
    "UPDATE entry SET embedding = array_fill(0, ARRAY[384])::vector FROM chunk AS c "
    f"WHERE c.id = chunk_id AND c.{HAZARDS} AND ordinal = 1",
    "UPDATE entry SET token_vectors = 'x' FROM chunk AS c "
    f"WHERE c.id = chunk_id AND c.{HAZARDS} AND ordinal = 2",
    "UPDATE entry SET token_scale = 'NaN' FROM chunk AS c "
    f"WHERE c.id = chunk_id AND c.{HAZARDS} AND ordinal = 3",
    "DELETE FROM chunk WHERE path = '2. Arms/Weapons.md'",
]


@pytest.mark.parametrize(
    "damage",
    [
        REBUILT,
        ["DELETE FROM file"],
        ["UPDATE generation SET state = 'previous'"],
        [DAMAGE["an ingest died"][0], DAMAGE["another encoder made the index"][0]],
    ],
    ids=["rows", "no file", "none live", "another encoder"],
)
def test_the_command_that_a_finding_names_mends_it(
    settings: Settings, damage: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(settings, *damage)
    assert doctor.main([]) == 1
    mends = set(re.findall("; mend it: (python -m ingest[- a-z]*)", capsys.readouterr().out))
    command = max(mends, key=len)  # --rebuild, where one finding asks for it, does the other too
    assert program.main(shlex.split(command)[3:]) == 0
    assert odd(settings) == {}


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
    monkeypatch.setattr("retrieval.hnsw.LIMIT", 5)
    (finding,) = odd(settings)["vector index"].findings
    assert "has no approximate index" in finding.what
    assert (finding.level, finding.mend) == ("warning", "python -m ingest --reindex")
    with open_rulebook(settings) as rules, rules.store.connect(autocommit=True) as conn:
        assert hnsw.build_if_large(conn, live(conn).id, limit=5)
        assert odd(settings) == {}
        monkeypatch.setattr("retrieval.hnsw.LIMIT", 20_000)
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
    with open_rulebook(settings) as rules, rules.store.connect() as writing:
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
