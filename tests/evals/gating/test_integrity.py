"""What integrity sees without labels: an index of another vault, passages that are no lines."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.gating.integrity import index_faults, on_disk, passage_faults, stage_faults
from evals.measure.outcome import Outcome
from retrieval.models import Chunk, Entry, Evidence, Hit, SourceNote
from tests.conftest import write_vault
from tests.support.made.made_misses import CHUNKS, asked, candidate, found

TEXT = "# Light\n\nA torch burns.\nIt goes out in water.\n"
WHOLE = Chunk("light.md", "Light", 1, 4, TEXT.rstrip())


@pytest.mark.parametrize(
    ("chunks", "said"),
    [
        ([WHOLE], None),
        ([replace(WHOLE, first_line=2, last_line=5)], "light.md:2: the chunk is not what stands"),
        ([replace(WHOLE, text="# Light", last_line=1)], "light.md:3: 2 lines are in no chunk"),
        ([WHOLE, replace(WHOLE, piece=1)], "light.md:1.1: the chunk is in the index twice"),
    ],
)
def test_chunks_that_are_not_their_lines_are_named(
    tmp_path: Path, chunks: list[Chunk], said: str | None
) -> None:
    vault = write_vault(tmp_path, {"light.md": TEXT})
    hashes = {"light.md": hashlib.sha256(TEXT.encode()).hexdigest()}
    found = index_faults(vault, hashes, {"light.md": chunks})
    assert any(what.startswith(said) for what in found) if said else found == []


def test_an_index_of_another_state_is_named_file_by_file(tmp_path: Path) -> None:
    vault = write_vault(tmp_path, {"a.md": "# A\n", "b.md": "# B\n", ".hidden/c.md": "# C\n"})
    (vault / "d.md").write_bytes(b"# D\n\xff")
    assert set(on_disk(vault)) == {"a.md", "b.md", "d.md"}
    assert index_faults(vault, {"a.md": "0", "gone.md": "1"}, {}) == [
        "b.md: is not in the index",
        "d.md: is not in the index",
        "gone.md: is in the index and not in the vault",
        "a.md: the index holds another state of it",
        "d.md: is not UTF-8 (byte 4), so ingest leaves it out",
    ]


def outcome(hits: list[Hit]) -> Outcome:
    """One search that returned these, with a trace that says so."""
    trace = [candidate(hit.chunk, fate="returned") for hit in hits]
    return Outcome(asked(), replace(found(None), hits=tuple(hits), trace=tuple(trace)), None)


def entry(heading: str = "Light", words: str = "A torch burns") -> Entry:
    return Entry("sentences", heading, 3, 3, "A torch burns.", "", "Light: ", words)


SOUND = Hit(WHOLE, 0.9, (Evidence(entry(), 0.8), Evidence(entry(), 0.7)))


@pytest.mark.parametrize(
    ("hits", "said"),
    [
        ([SOUND], None),
        ([replace(SOUND, chunk=CHUNKS["cut.md"][0])], "cut.md:1: is not what stands there"),
        ([SOUND, SOUND], "1 different passages in 2, 2 asked for"),
        ([replace(SOUND, evidence=SOUND.evidence[::-1])], "is not in the order of its scores"),
        ([replace(SOUND, evidence=(Evidence(entry("Dark"), 0.8),))], 'without its heading "Dark"'),
        ([replace(SOUND, score=0.1), SOUND], "a passage stands behind one with a lower score"),
    ],
)
def test_passages_that_are_not_lines_of_the_vault_are_named(
    hits: list[Hit], said: str | None
) -> None:
    wrong = passage_faults(outcome(hits), {"light.md": TEXT}, top_k=2)
    assert any(said in what for what in wrong) if said else wrong == []


def test_a_row_without_its_columns_names_is_named() -> None:
    bare = Entry("row", "Light", 3, 3, "| Axe | 7 |", "|Item|Cost|\n|-|-|", "Light: ", "")
    lines = "# Light\n\n| Axe | 7 |\n"
    whole = Chunk("light.md", "Light", 1, 3, lines.rstrip())
    for words, clean in (("Axe: 7", False), ("Axe: Cost 7", True)):
        hit = Hit(whole, 0.9, (Evidence(replace(bare, words=words), 0.8),))
        assert (passage_faults(outcome([hit]), {"light.md": lines}, top_k=1) == []) is clean


def test_a_superseded_file_before_one_in_force_is_named() -> None:
    old = replace(SOUND, chunk=replace(WHOLE, path="old.md"))
    notes = {"old.md": SourceNote("old.md", "superseded")}
    files = {"light.md": TEXT, "old.md": TEXT}
    for hits, clean in (([SOUND, old], True), ([old, SOUND], False)):
        search = outcome(hits)
        search = replace(search, found=replace(search.found, notes=notes))
        assert (passage_faults(search, files, top_k=2) == []) is clean


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({}, None),
        ({"dense_rank": None}, "vectors found nothing in 10 questions"),
        ({"text_rank": None}, "full text found nothing in 10 questions"),
        ({"text_score": -0.1}, "10 scores of full text are below 0"),
        ({"late_score": 0.5}, "late interaction tells no two of 10 candidates apart"),
    ],
)
def test_a_stage_that_does_nothing_in_a_whole_run_is_named(
    columns: dict[str, Any], said: str | None
) -> None:
    sound = [candidate(WHOLE, late_score=n / 10, text_rank=1, text_score=0.1) for n in range(10)]
    outcomes = [
        Outcome(
            asked(), replace(found(None), late="stored", trace=(replace(row, **columns),)), None
        )
        for row in sound
    ]
    wrong = stage_faults(outcomes)
    assert any(what.startswith(said) for what in wrong) if said else wrong == []
    assert stage_faults(outcomes[:9]) == []
