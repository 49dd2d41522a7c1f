"""Ingest from a folder to answers, with the real database and the real encoder."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from ingest import __main__ as program
from ingest import pipeline
from ingest.pipeline import Report
from retrieval import generations
from retrieval.errors import IngestRunningError, VaultError
from retrieval.rulebook import Rulebook
from retrieval.search import search
from retrieval.settings import Settings
from retrieval.store import live
from tests.conftest import RULES, write_vault

Open = Callable[[Settings], Rulebook]
TABLES = ("generation", "file", "chunk", "entry", "posting")


@pytest.fixture
def empty(settings: Settings, open_rules: Open) -> Rulebook:
    """A rulebook whose database holds nothing yet."""
    return open_rules(settings)


def found(
    rules: Rulebook, question: str, *, top_k: int | None = None, generation_id: int | None = None
) -> list[str]:
    """The paths of the passages found for a question."""
    return [
        hit.chunk.path
        for hit in search(rules, question, top_k=top_k, generation_id=generation_id).hits
    ]


def counts(rules: Rulebook) -> dict[str, int]:
    """How many rows each table holds."""
    with rules.store.connect(autocommit=True) as conn:
        return {name: len(conn.execute(f"SELECT 1 FROM {name}").fetchall()) for name in TABLES}


def content(rules: Rulebook) -> list[tuple[object, ...]]:
    """All that an index holds of its files, without row numbers."""
    with rules.store.connect(autocommit=True) as conn:
        return conn.execute(
            "SELECT f.path, f.sha256, c.first_line, c.piece, c.text, c.length, e.ordinal, e.quote, "
            "e.text_sha256, e.embedding::text FROM file AS f "
            "LEFT JOIN chunk AS c USING (generation_id, path) "
            "LEFT JOIN entry AS e ON e.chunk_id = c.id ORDER BY 1, 3, 4, 7"
        ).fetchall()


def revision(rules: Rulebook) -> str:
    return rules.store.read(lambda conn: live(conn).name)


def generation(rules: Rulebook, report: Report) -> tuple[int, int]:
    with rules.store.connect(autocommit=True) as conn:
        return generations.size(conn, report.generation_id)


def test_a_first_ingest_makes_every_file_searchable(empty: Rulebook, vault: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    report = pipeline.run(empty, vault, progress=lambda *step: steps.append(step))
    assert report.plan.rebuild
    assert report.plan.added == tuple(sorted(RULES))
    assert (report.files, report.rejected, report.ignored, report.notes) == (3, (), (), ())
    assert generation(empty, report) == (report.files, report.chunks)
    assert report.embedded == counts(empty)["entry"]
    assert steps[-1] == ("embedding", report.embedded, report.embedded)
    assert found(empty, "How long does a torch burn?")[0] == "1. Light/Torches.md"
    assert found(empty, "What does a battle axe cost?")[0] == "2. Arms/Weapons.md"


def test_an_unchanged_vault_embeds_and_writes_nothing(rulebook: Rulebook, vault: Path) -> None:
    before = (revision(rulebook), content(rulebook))
    report = pipeline.run(rulebook, vault)
    assert report.embedded == 0
    assert report.plan.unchanged == tuple(sorted(RULES))
    assert not report.plan.rebuild
    assert (revision(rulebook), content(rulebook)) == before


def test_a_touched_file_is_unchanged(rulebook: Rulebook, vault: Path) -> None:
    (vault / "1. Light/Torches.md").write_text(RULES["1. Light/Torches.md"], "utf-8")
    os.utime(vault / "2. Arms/Weapons.md", (1, 1))
    assert pipeline.run(rulebook, vault).plan.unchanged == tuple(sorted(RULES))


def test_an_edited_paragraph_embeds_only_the_texts_that_changed(
    rulebook: Rulebook, vault: Path
) -> None:
    path = "2. Arms/Hazards.md"
    before = revision(rulebook)
    write_vault(vault, {path: RULES[path].replace("1d6 for each", "2d6 for each")})
    report = pipeline.run(rulebook, vault)
    assert report.plan.changed == (path,)
    assert report.embedded == 2  # the sentence, and the whole chunk that it stands in
    assert revision(rulebook) != before
    hits = search(rulebook, "How much damage does a fall deal?").hits
    assert "2d6" in hits[0].chunk.text
    assert all("A fall deals 1d6" not in hit.chunk.text for hit in hits)


def test_after_edits_the_index_is_the_same_as_a_fresh_one(
    rulebook: Rulebook, vault: Path, server: str, settings: Settings, open_rules: Open
) -> None:
    write_vault(vault, {"3. New/Rope.md": "# Rope\n\nA rope holds 3 people.\n"})
    pipeline.run(rulebook, vault)
    write_vault(vault, {"2. Arms/Weapons.md": "# Weapons\n\nAll cost 3 gp.\n"})
    (vault / "1. Light/Torches.md").rename(vault / "1. Light/Torch.md")
    pipeline.run(rulebook, vault)
    edited = content(rulebook)
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute("CREATE DATABASE fresh")
    try:
        url = psycopg.conninfo.make_conninfo(server, dbname="fresh")
        other = open_rules(Settings.model_validate({"database_url": url, "vault": vault}))
        pipeline.run(other, vault)
        # The last column is the vector, whose last bits depend on the other texts of its batch.
        same = [row[:-1] for row in edited] == [row[:-1] for row in content(other)]
    finally:
        with psycopg.connect(server, autocommit=True) as conn:
            conn.execute("DROP DATABASE fresh WITH (FORCE)")
    assert same


def test_a_file_that_moves_unchanged_within_its_words_embeds_nothing(
    rulebook: Rulebook, vault: Path
) -> None:
    (vault / "1. Light").rename(vault / "7. Light")  # numbers of folders are no words
    report = pipeline.run(rulebook, vault)
    assert report.plan.added == ("7. Light/Torches.md",)
    assert report.plan.removed == ("1. Light/Torches.md",)
    assert report.embedded == 0
    assert found(rulebook, "How long does a torch burn?")[0] == "7. Light/Torches.md"


def test_a_deleted_file_is_found_no_more(rulebook: Rulebook, vault: Path) -> None:
    (vault / "1. Light/Torches.md").unlink()
    report = pipeline.run(rulebook, vault)
    assert report.plan.removed == ("1. Light/Torches.md",)
    assert (report.files, report.embedded) == (2, 0)
    for question in ("How long does a torch burn?", "torch", "water"):
        assert "1. Light/Torches.md" not in found(rulebook, question, top_k=50)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"A torch burns for two hours.\xff", "not UTF-8"),
        (b"---\ntitle: *x\n---\nA torch burns for two hours.", "aliases"),
        (b"a" * 5_000_001, "5,000,000 bytes"),
    ],
)
def test_a_rejected_file_keeps_what_the_index_has_and_the_others_go_in(
    rulebook: Rulebook, vault: Path, data: bytes, reason: str
) -> None:
    (vault / "1. Light/Torches.md").write_bytes(data)
    (vault / "1. Light/Broken.md").write_bytes(data)
    write_vault(vault, {"1. Light/Lamps.md": "# Lamps\n\nA lamp burns for four hours.\n"})
    report = pipeline.run(rulebook, vault)
    assert [e.path for e in report.rejected] == ["1. Light/Broken.md", "1. Light/Torches.md"]
    assert all(reason in error.reason for error in report.rejected)
    assert report.files == 4
    (hit,) = search(rulebook, "How long does a torch burn?", top_k=1).hits
    assert "A torch burns for one hour." in hit.chunk.text
    assert found(rulebook, "How long does a lamp burn?")[0] == "1. Light/Lamps.md"


def test_a_folder_that_cannot_be_entered_keeps_what_the_index_has(
    rulebook: Rulebook, vault: Path
) -> None:
    (vault / "2. Arms").rename(vault.parent / "moved")
    (vault / "2. Arms").symlink_to(vault.parent / "moved")
    report = pipeline.run(rulebook, vault)
    assert [error.path for error in report.rejected] == ["2. Arms"]
    assert report.plan.removed == ()
    assert report.files == 3


def test_a_mended_file_goes_in_with_the_next_ingest(rulebook: Rulebook, vault: Path) -> None:
    (vault / "1. Light/Torches.md").write_bytes(b"\xff")
    pipeline.run(rulebook, vault)
    write_vault(vault, {"1. Light/Torches.md": "# Torches\n\nA torch burns for two hours.\n"})
    report = pipeline.run(rulebook, vault)
    assert (report.rejected, report.plan.changed) == ((), ("1. Light/Torches.md",))


def test_an_empty_folder_removes_nothing(rulebook: Rulebook, tmp_path: Path) -> None:
    before = content(rulebook)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(VaultError, match="--allow-mass-delete"):
        pipeline.run(rulebook, tmp_path / "nothing")
    assert content(rulebook) == before
    with pytest.raises(VaultError, match="no folder"):
        pipeline.run(rulebook, tmp_path / "unmounted")
    assert content(rulebook) == before


def test_a_mass_delete_must_be_meant(rulebook: Rulebook, vault: Path) -> None:
    many = {f"4. Many/{n}.md": f"# Rule {n}\n\nA rule.\n" for n in range(12)}
    write_vault(vault, many)
    pipeline.run(rulebook, vault)
    before = counts(rulebook)
    for path in many:
        (vault / path).unlink()
    with pytest.raises(VaultError, match="12 of the index's 15 files"):
        pipeline.run(rulebook, vault)
    assert counts(rulebook) == before
    report = pipeline.run(rulebook, vault, allow_mass_delete=True)
    assert (len(report.plan.removed), report.files) == (12, 3)
    assert generation(rulebook, report) == (3, report.chunks)


def test_a_dry_run_tells_the_plan_and_writes_nothing(rulebook: Rulebook, vault: Path) -> None:
    before = (revision(rulebook), content(rulebook))
    write_vault(vault, {"new.md": "# New\n\nA rule.\n", "2. Arms/Weapons.md": "# None\n"})
    (vault / "1. Light/Torches.md").unlink()
    report = pipeline.run(rulebook, vault, dry_run=True)
    assert report.plan.added == ("new.md",)
    assert report.plan.changed == ("2. Arms/Weapons.md",)
    assert report.plan.removed == ("1. Light/Torches.md",)
    assert report.plan.unchanged == ("2. Arms/Hazards.md",)
    assert (revision(rulebook), content(rulebook)) == before


def test_a_second_ingest_at_the_same_time_names_the_first(rulebook: Rulebook, vault: Path) -> None:
    with rulebook.store.connect(autocommit=True) as conn:
        generations.lock(conn)
        with pytest.raises(IngestRunningError) as caught:
            pipeline.run(rulebook, vault)
    assert f"process {os.getpid()} on {socket.gethostname()}" in str(caught.value)
    assert "since 20" in str(caught.value)
    pipeline.run(rulebook, vault)  # the lock went with its connection


def test_what_a_writer_should_know_of_a_file_is_noted(empty: Rulebook, vault: Path) -> None:
    (vault / "nul.md").write_bytes(b"# Nul\n\nA\x00 rule\x00.\n")
    write_vault(
        vault,
        {
            "blank.md": "---\ntitle: x\n---\n\n",
            "wide.md": f"| {'wide ' * 420}| b |\n|---|---|\n| c | d |\n",
        },
    )
    report = pipeline.run(empty, vault)
    assert "nul.md: 2 NUL characters left out" in report.notes
    assert "blank.md: holds no text" in report.notes
    assert any(note.startswith("wide.md:") and "over 400" in note for note in report.notes)
    assert report.rejected == ()


def test_odd_files_go_in_whole(empty: Rulebook, vault: Path) -> None:
    odd = {
        "word.md": "a" * 1_200_000,
        "bidi.md": "# \u202eBidi\u200b\n\n\ud7ff\ufeff 🐉 e\u0301 \x07\x1b[31m \u2028\n",
        "marks.md": "***\n\n---\n\n***\n",
        "spaces.md": "A long rule.  Two spaces   or three. " * 60,
        "cells.md": "| a | b |\n|---|---|\n| - " + "|   " * 500 + "| x |\n",
    }
    write_vault(vault, odd)
    report = pipeline.run(empty, vault)
    assert report.rejected == ()
    assert report.files == len(RULES) + len(odd)


def test_another_fingerprint_builds_anew_and_embeds_nothing_again(
    rulebook: Rulebook, vault: Path
) -> None:
    with rulebook.store.connect(autocommit=True) as conn:
        conn.execute("""UPDATE generation SET fingerprint = fingerprint || '{"chunker": 0}'""")
    before = content(rulebook)
    report = pipeline.run(rulebook, vault)
    assert report.plan.rebuild
    assert report.embedded == 0
    assert content(rulebook) == before
    assert counts(rulebook)["generation"] == 1


def test_a_temporary_generation_is_invisible_and_gone_when_dropped(
    rulebook: Rulebook, tmp_path: Path
) -> None:
    other = write_vault(tmp_path / "other", {"Griffins.md": "# Griffins\n\nA griffin has 7 HD.\n"})
    before = (revision(rulebook), counts(rulebook))
    with rulebook.store.connect(autocommit=True) as conn:
        report = pipeline.run_temporary(rulebook, conn, other)
        assert report.files == 1
        assert found(rulebook, "griffin", generation_id=report.generation_id) == ["Griffins.md"]
        assert "Griffins.md" not in found(rulebook, "griffin", top_k=50)
        assert revision(rulebook) == before[0]
        generations.drop(conn, report.generation_id)
    assert (revision(rulebook), counts(rulebook)) == before


def test_an_ingest_drops_abandoned_generations_and_leaves_those_in_use(
    rulebook: Rulebook, vault: Path
) -> None:
    before = counts(rulebook)
    with rulebook.store.connect(autocommit=True) as conn:
        report = pipeline.run_temporary(rulebook, conn, vault)
        pipeline.run(rulebook, vault)
        assert generation(rulebook, report) == (report.files, report.chunks)
    pipeline.run(rulebook, vault)
    assert counts(rulebook) == before


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


def test_the_program_ends_with_75_where_another_ingest_runs(
    command: Callable[..., int], database: str, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database, autocommit=True) as conn:
        generations.lock(conn)
        assert command(str(vault)) == 75
    assert f"process {os.getpid()} on " in capsys.readouterr().err
