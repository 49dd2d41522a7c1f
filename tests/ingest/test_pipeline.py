"""Ingest from a folder to answers, with the real database and the real encoder."""

import threading
from pathlib import Path

import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.index import generations
from tests.conftest import RULES, write_vault
from tests.support.index.index_state import content, counts, found, generation, revision


def test_a_first_ingest_makes_every_file_searchable(empty: SearchContext, vault: Path) -> None:
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


def test_a_dry_run_tells_the_plan_and_writes_nothing(
    search_context: SearchContext, vault: Path
) -> None:
    before = (revision(search_context), content(search_context))
    write_vault(vault, {"new.md": "# New\n\nA rule.\n", "2. Arms/Weapons.md": "# None\n"})
    (vault / "1. Light/Torches.md").unlink()
    report = pipeline.run(search_context, vault, dry_run=True)
    assert report.plan.added == ("new.md",)
    assert report.plan.changed == ("2. Arms/Weapons.md",)
    assert report.plan.removed == ("1. Light/Torches.md",)
    assert report.plan.unchanged == ("2. Arms/Hazards.md",)
    assert (revision(search_context), content(search_context)) == before


def test_a_run_waits_for_the_end_of_the_one_before_in_this_process(
    search_context: SearchContext, vault: Path
) -> None:
    with search_context.store.connect(autocommit=True) as conn:
        generations.lock(conn)
        ending = threading.Timer(0.2, conn.close)  # as a server that is late to see it closed
        ending.start()
        pipeline.run(search_context, vault)
        ending.join()


@pytest.mark.proves("promise 6", "row 5")
def test_what_a_writer_should_know_of_a_file_is_noted(empty: SearchContext, vault: Path) -> None:
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


def test_odd_files_go_in_whole(empty: SearchContext, vault: Path) -> None:
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
    search_context: SearchContext, vault: Path
) -> None:
    with search_context.store.connect(autocommit=True) as conn:
        conn.execute("""UPDATE generation SET fingerprint = fingerprint || '{"chunker": 0}'""")
    before = content(search_context)
    report = pipeline.run(search_context, vault)
    assert report.plan.rebuild
    assert report.embedded == 0
    assert content(search_context) == before
    assert counts(search_context)["generation"] == 2  # the one before is kept


def test_a_temporary_generation_is_invisible_and_gone_when_dropped(
    search_context: SearchContext, tmp_path: Path
) -> None:
    other = write_vault(tmp_path / "other", {"Griffins.md": "# Griffins\n\nA griffin has 7 HD.\n"})
    before = (revision(search_context), counts(search_context))
    with search_context.store.connect(autocommit=True) as conn:
        report = pipeline.run_temporary(search_context, conn, other)
        assert report.files == 1
        assert found(search_context, "griffin", generation_id=report.generation_id) == [
            "Griffins.md"
        ]
        assert "Griffins.md" not in found(search_context, "griffin", top_k=50)
        assert revision(search_context) == before[0]
        generations.drop(conn, report.generation_id)
    assert (revision(search_context), counts(search_context)) == before


def test_an_ingest_drops_abandoned_generations_and_leaves_those_in_use(
    search_context: SearchContext, vault: Path
) -> None:
    before = counts(search_context)
    with search_context.store.connect(autocommit=True) as conn:
        report = pipeline.run_temporary(search_context, conn, vault)
        pipeline.run(search_context, vault)
        assert generation(search_context, report) == (report.files, report.chunks)
    pipeline.run(search_context, vault)
    assert counts(search_context) == before
