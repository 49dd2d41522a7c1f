"""What rules seldom hold: a question about it is nearer to it than to the rules."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from hypothesis.strategies import floats

from evals.labels import dataset
from evals.labels.options import RULES
from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import Embedder
from retrieval.errors import ModelUnavailableError
from retrieval.index.store import Generation, live, some_vectors
from retrieval.models import Vectors
from retrieval.ranking import candidate_lists, fusion, late_interaction
from retrieval.refusal import off_topic, topic_scores
from retrieval.search import search
from retrieval.text.normalize import searchable


@pytest.mark.parametrize(
    ("question", "is_off"),
    [
        ("Why does my car not start in the cold?", True),
        ("How do I undo my last git commit?", True),
        ("How long does a torch burn?", False),
        ("What does a battle axe cost?", False),
    ],
)
def test_a_question_is_nearer_to_what_it_is_about(
    search_context: SearchContext, question: str, is_off: bool
) -> None:
    found = search(search_context, question)
    assert found.covered is not None
    given = off_topic.signals(found)
    assert given
    for read in (given, replace(given, covered=None)):  # by its words, and by its vector alone
        assert (off_topic.over_limit(read, off_topic.FOR_ALL) < 0) == is_off


def test_words_are_compared_only_where_each_piece_of_the_candidates_has_its_vector(
    search_context: SearchContext,
) -> None:
    embedder, question = search_context.embedder, "How long does a torch burn?"
    asked = embedder.question(searchable(question))
    lists = search_context.store.read(
        lambda conn: candidate_lists.collect(conn, search_context, live(conn), question, asked)
    )
    found = fusion.fused(search_context, question, asked, lists).pieces
    assert found is not None
    tokens = [entry.tokens for entry in lists.entries if entry.tokens]
    assert len(tokens) == len(lists.entries)
    expected = [
        max(float((one.values @ piece).max()) * one.scale for one in tokens)
        for piece in asked.tokens.vectors
    ]
    assert found == pytest.approx(expected, abs=1e-4)
    result = search(search_context, question)
    away = topic_scores.scores(embedder, asked).pieces
    assert result.covered == pytest.approx(float(asked.tokens.weights @ (found - away)), abs=1e-4)
    cut = replace(lists, entries=[replace(one, tokens=None) for one in lists.entries])
    assert fusion.fused(search_context, question, asked, cut).pieces is None
    joined = Embedder(embedder.files, embedder.thread, pooling=3)
    assert (
        fusion.fused(replace(search_context, embedder=joined), question, asked, lists).pieces
        is None
    )
    off = search_context.settings.model_copy(update={"rag_late_interaction": False})
    assert (
        fusion.fused(replace(search_context, settings=off), question, asked, lists).pieces is None
    )


def test_words_are_compared_with_those_of_the_nearest_lines(search_context: SearchContext) -> None:
    asked = search_context.embedder.question("how do i undo my last git commit")
    stored = topic_scores.read(topic_scores._STORED, search_context.embedder)
    assert stored
    lines = [line for name in ("topics", "everyday") for line in topic_scores.lines(name)]
    order = np.argsort(-np.concatenate([one @ asked.vector for one in stored.lists]))
    nearest = search_context.embedder.encode([lines[row] for row in order[:100]]).tokens
    expected = late_interaction.similarities(asked.tokens, nearest).max(axis=1)
    found = topic_scores.scores(search_context.embedder, asked).pieces
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 0.12  # what two bits a dimension take away
    assert found.mean() == pytest.approx(expected.mean(), abs=0.08)


@pytest.mark.parametrize(("name", "least"), [("topics", 200), ("everyday", 1_000)])
def test_the_lists_are_long_and_their_lines_short_and_different(name: str, least: int) -> None:
    lines = topic_scores.lines(name)
    assert len(lines) == len({line.casefold() for line in lines}) >= least
    assert all(2 <= len(line.split()) <= 30 for line in lines)


@pytest.mark.parametrize(
    "file",
    [
        RULES,
        RULES.with_name("handbook.jsonl"),
        *sorted(RULES.with_name("subjects").glob("*.jsonl")),
    ],
    ids=lambda one: one.stem,
)
def test_no_line_is_a_question_that_refusals_are_measured_with(file: Path) -> None:
    lines = {
        line.casefold() for name in ("topics", "everyday") for line in topic_scores.lines(name)
    }
    asked = {searchable(question.question).casefold() for question in dataset.load(file)}
    assert not lines & asked


def test_the_stored_vectors_are_those_of_the_bundled_encoder(search_context: SearchContext) -> None:
    stored = topic_scores.read(topic_scores._STORED, search_context.embedder)
    assert stored is not None, "run: python -m retrieval.refusal.topic_scores"
    for name, vectors in zip(("topics", "everyday"), stored.lists, strict=True):
        lines = topic_scores.lines(name)
        assert len(vectors) == len(lines)
        some = range(0, len(lines), 97)
        made = search_context.embedder.embed([lines[row] for row in some])
        cosines = (vectors[list(some)] * made).sum(axis=1)
        assert cosines.min() > 0.999
    lines = [line for name in ("topics", "everyday") for line in topic_scores.lines(name)]
    assert len(stored.ends) == len(lines)
    assert stored.ends[-1] == len(stored.pieces)
    for row in range(1, len(lines), 997):
        pieces = topic_scores.unpacked(stored.pieces[stored.ends[row - 1] : stored.ends[row]], 128)
        (made_pieces,) = search_context.embedder.encode([lines[row]]).tokens
        cosines = (pieces * (made_pieces.values * made_pieces.scale)).sum(axis=1)
        assert cosines.min() > 0.75


@given(arrays(np.float32, (3, 128), elements=floats(-1, 1, width=32)))
def test_two_bits_keep_the_direction(values: Vectors) -> None:
    values += 0.01  # none of zeros alone
    back = topic_scores.unpacked(topic_scores.packed(values), values.shape[1])
    assert np.linalg.norm(back, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    signs = np.sign(back) * np.where(values > 0, 1, -1)
    assert (signs == 1).all()
    odd = topic_scores.unpacked(topic_scores.packed(values[:, :127]), 127)
    assert odd.shape == (3, 127)
    assert ((odd > 0) == (values[:, :127] > 0)).all()


def test_vectors_of_another_encoder_or_of_other_lines_are_not_taken(
    search_context: SearchContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_scores, "_HERE", tmp_path)
    (tmp_path / "off_topic_subjects.txt").write_text("the weather forecast\n", "utf-8")
    (tmp_path / "off_topic_questions.txt").write_text("Will it rain?\nIs it late?\n", "utf-8")
    stored = tmp_path / "elsewhere.safetensors"
    topic_scores.write(stored, search_context.embedder)
    found = topic_scores.read(stored, search_context.embedder)
    assert found is not None
    assert [len(vectors) for vectors in found.lists] == [1, 2]
    assert found.ends[-1] == len(found.pieces)
    (tmp_path / "off_topic_questions.txt").write_text("Will it snow?\nIs it late?\n", "utf-8")
    assert topic_scores.read(stored, search_context.embedder) is None
    stored.write_bytes(b"no tensors")
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        topic_scores.read(stored, search_context.embedder)


def test_the_rules_own_nearness_is_that_of_their_entries_and_follows_the_index(
    search_context: SearchContext,
) -> None:
    def now(baseline: topic_scores.BaselineCache) -> float:
        return search_context.store.read(
            lambda conn: baseline.of(conn, live(conn), search_context.embedder)
        )

    known = topic_scores.BaselineCache()
    vectors = search_context.store.read(lambda conn: some_vectors(conn, live(conn).id, 500))
    stored = topic_scores.read(topic_scores._STORED, search_context.embedder)
    assert stored
    expected = fmean(
        fmean(float((one @ vector).max()) for one in stored.lists) for vector in vectors
    )
    assert now(known) == pytest.approx(expected, abs=1e-5)
    assert now(known) == now(topic_scores.BaselineCache())
    nothing = Generation(0, 1, {})
    empty = search_context.store.read(lambda conn: known.of(conn, nothing, search_context.embedder))
    assert empty == 0.0
    assert now(known) == pytest.approx(expected, abs=1e-5)
