"""What rules seldom hold: a question about it is nearer to it than to the rules."""

from pathlib import Path
from statistics import fmean

import pytest

from api import refusal
from evals import dataset
from evals.retrieval import RULES
from retrieval import elsewhere, sketch
from retrieval.errors import ModelUnavailableError
from retrieval.fold import searchable
from retrieval.rulebook import Rulebook
from retrieval.search import search
from retrieval.store import Generation, live, some_vectors


@pytest.mark.parametrize(
    ("question", "off_topic"),
    [
        ("Why does my car not start in the cold?", True),
        ("How do I undo my last git commit?", True),
        ("How long does a torch burn?", False),
        ("What does a battle axe cost?", False),
    ],
)
def test_a_question_is_nearer_to_what_it_is_about(
    rulebook: Rulebook, question: str, off_topic: bool
) -> None:
    found = search(rulebook, question)
    nearest = max(row.dense_score for row in found.trace)
    assert (nearest - found.elsewhere < refusal.NEARER) == off_topic


@pytest.mark.parametrize(("name", "least"), [("topics", 200), ("everyday", 1_000)])
def test_the_lists_are_long_and_their_lines_short_and_different(name: str, least: int) -> None:
    lines = elsewhere.lines(name)
    assert len(lines) == len({line.casefold() for line in lines}) >= least
    assert all(2 <= len(line.split()) <= 30 for line in lines)


@pytest.mark.parametrize(
    "file", [RULES, RULES.with_name("handbook.jsonl")], ids=lambda one: one.stem
)
def test_no_line_is_a_question_that_refusals_are_measured_with(file: Path) -> None:
    lines = {line.casefold() for name in ("topics", "everyday") for line in elsewhere.lines(name)}
    asked = {searchable(question.question).casefold() for question in dataset.load(file)}
    assert not lines & asked


def test_the_stored_vectors_are_those_of_the_bundled_encoder(rulebook: Rulebook) -> None:
    stored = elsewhere.read(elsewhere._STORED, rulebook.embedder)
    assert stored is not None, "run: python -m retrieval.elsewhere"
    for name, vectors in zip(("topics", "everyday"), stored, strict=True):
        lines = elsewhere.lines(name)
        assert len(vectors) == len(lines)
        some = range(0, len(lines), 97)
        made = rulebook.embedder.embed([lines[row] for row in some])
        cosines = (vectors[list(some)] * made).sum(axis=1)
        assert cosines.min() > 0.999


def test_vectors_of_another_encoder_or_of_other_lines_are_not_taken(
    rulebook: Rulebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "_HERE", tmp_path)
    (tmp_path / "topics.txt").write_text("the weather forecast\n", "utf-8")
    (tmp_path / "everyday.txt").write_text("Will it rain?\nIs it late?\n", "utf-8")
    stored = tmp_path / "elsewhere.safetensors"
    elsewhere.write(stored, rulebook.embedder)
    found = elsewhere.read(stored, rulebook.embedder)
    assert found is not None
    assert [len(vectors) for vectors in found] == [1, 2]
    (tmp_path / "everyday.txt").write_text("Will it snow?\nIs it late?\n", "utf-8")
    assert elsewhere.read(stored, rulebook.embedder) is None
    stored.write_bytes(b"no tensors")
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        elsewhere.read(stored, rulebook.embedder)


def test_the_rules_own_nearness_is_that_of_their_entries_and_follows_the_index(
    rulebook: Rulebook,
) -> None:
    def now(background: elsewhere.Background) -> elsewhere.Own:
        return rulebook.store.read(lambda conn: background.of(conn, live(conn), rulebook.embedder))

    known = elsewhere.Background()
    digests, vectors = rulebook.store.read(lambda conn: some_vectors(conn, live(conn).id, 500))
    expected = fmean(elsewhere.nearest(rulebook.embedder, vector) for vector in vectors)
    assert now(known).near == pytest.approx(expected, abs=1e-5)
    assert now(known).vault == sketch.of(digests)
    assert now(known) == now(elsewhere.Background())
    nothing = Generation(0, 1, {})
    empty = rulebook.store.read(lambda conn: known.of(conn, nothing, rulebook.embedder))
    assert empty == elsewhere.Own(0.0, ())
    assert now(known).near == pytest.approx(expected, abs=1e-5)
