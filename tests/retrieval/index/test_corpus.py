"""The counts of BM25 are those of the postings, whatever ingest did; without them it counts."""

from collections.abc import Callable
from pathlib import Path
from typing import LiteralString

import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.index import corpus, integrity
from retrieval.index.store import Connection, ScoredChunk, live
from retrieval.ranking import bm25
from tests.conftest import write_vault

QUESTION = "How long does a torch burn in the damp cave?"
FILES = {
    **{
        f"{n}.md": f"# Cave {n}\n\nThe cave is damp. Word{n % 7} burns {n} hours.\n"
        for n in range(40)
    },
    "torch.md": "# Torch\n\nA torch burns one hour, and not in a damp cave.\n",
}


@pytest.fixture
def caves(empty: SearchContext, tmp_path: Path) -> tuple[SearchContext, Path]:
    vault = write_vault(tmp_path / "caves", FILES)
    pipeline.run(empty, vault)
    return empty, vault


def sound(context: SearchContext) -> bool:
    def odd(conn: Connection) -> bool:
        found = integrity.odd(conn, integrity.ODD_COUNTS, generation=live(conn).id)
        stored = "SELECT sum(octet_length(token_vectors)) FROM entry"
        assert conn.execute(stored).fetchone() == (corpus.token_bytes(conn),)
        return not found.count and conn.execute("SELECT count(*) FROM word").fetchone() != (0,)

    return context.store.read(odd)


def ranked(context: SearchContext) -> list[ScoredChunk]:
    return context.store.read(lambda conn: bm25.full_text(conn, live(conn).id, QUESTION, 50))


def edit(vault: Path) -> None:
    (vault / "3.md").write_text("# Cave 3\n\nA torch lies in it.\n", "utf-8")


def remove(vault: Path) -> None:
    (vault / "torch.md").unlink()


def add(vault: Path) -> None:
    (vault / "new.md").write_text("# Bridge\n\nA torch hangs at the bridge.\n", "utf-8")


def empty_one(vault: Path) -> None:
    (vault / "torch.md").write_text("", "utf-8")


@pytest.mark.parametrize("rebuild", [False, True])
@pytest.mark.parametrize("change", [edit, remove, add, empty_one])
def test_the_counts_are_those_of_the_postings_after_a_change(
    caves: tuple[SearchContext, Path], change: Callable[[Path], None], rebuild: bool
) -> None:
    context, vault = caves
    assert sound(context)
    before = ranked(context)
    change(vault)
    pipeline.run(context, vault, rebuild=rebuild)
    assert sound(context)
    assert ranked(context) != before


def test_a_generation_that_took_files_over_has_their_counts(
    caves: tuple[SearchContext, Path],
) -> None:
    context, vault = caves
    with context.store.connect(autocommit=True) as conn:
        first = live(conn).id
        report = pipeline.run_temporary(context, conn, vault, like=first)
        found = integrity.odd(conn, integrity.ODD_COUNTS, generation=report.generation_id)
        assert (report.embedded, found.count) == (0, 0)
        assert bm25.full_text(conn, first, QUESTION, 9)[0].score == pytest.approx(
            bm25.full_text(conn, report.generation_id, QUESTION, 9)[0].score, abs=1e-12
        )


@pytest.mark.parametrize(
    "statement", ["DROP TABLE word, corpus", "DELETE FROM corpus"], ids=["no tables", "no counts"]
)
def test_without_counts_the_postings_are_counted(
    caves: tuple[SearchContext, Path], statement: LiteralString
) -> None:
    context, _ = caves
    before = ranked(context)
    with context.store.connect(autocommit=True) as conn:
        conn.execute(statement)
    after = ranked(context)
    assert [one.row_id for one in after] == [one.row_id for one in before]
    scores = [one.score for one in before]
    assert [one.score for one in after] == pytest.approx(scores, abs=1e-12)


def test_a_question_without_a_word_finds_nothing(caves: tuple[SearchContext, Path]) -> None:
    context, _ = caves
    found = context.store.read(lambda conn: bm25.full_text(conn, live(conn).id, "the of", 50))
    assert found == []


def test_the_rarer_words_choose_and_all_words_score(
    caves: tuple[SearchContext, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    context, _ = caves
    every = {one.row_id: one.score for one in ranked(context)}
    assert len(every) == 41
    monkeypatch.setattr(bm25, "MOST_POSTINGS", 10)
    monkeypatch.setattr(bm25, "rarest", lambda words, _: [w for w in words if w.chunks == 1])
    chosen = ranked(context)
    assert [one.chunk.path for one in chosen] == ["torch.md"]  # the one with "torch"
    assert chosen[0].score == pytest.approx(every[chosen[0].row_id], abs=1e-12)


@pytest.mark.parametrize(
    ("chunks", "kept"),
    [
        ([62, 62, 775, 15_810], 3),  # "1 pp = how many ep?" of 25,670 chunks
        ([3, 15_810], 2),  # three are too few
        ([500, 2_500, 5_000, 5_000], 3),
        ([15] * 10 + [8_000], 11),  # together 150, but perhaps the same fifteen
        ([9_000, 20_000], 1),  # there is none that stands in fewer
        ([62, 775], 2),
    ],
)
def test_the_words_that_choose_are_read_within_a_limit_unless_they_find_too_little(
    chunks: list[int], kept: int
) -> None:
    words = [bm25._Word(str(at), count, 80.0, 1.0) for at, count in enumerate(chunks)]
    assert bm25.rarest(words[::-1], 150) == words[:kept][::-1]
