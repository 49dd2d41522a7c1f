"""Late interaction: what is stored, what is compared, and what happens where nothing is stored."""

import math
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Literal

import hypothesis
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pgvector.psycopg import register_vector

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import Embedder
from retrieval.encoder.chosen_models import encoder_files
from retrieval.errors import IndexMismatchError
from retrieval.index import corpus, known_vectors
from retrieval.models import Vectors
from retrieval.ranking import late_interaction
from retrieval.ranking.late_interaction import QuestionTokens
from retrieval.search import search
from retrieval.settings import Settings

QUESTION = "How long does a torch burn?"


def tokens(*rows: list[float]) -> Vectors:
    return np.array(rows, np.float32)


def matrices(rows: int, columns: int, width: Literal[16, 32]) -> st.SearchStrategy[Vectors]:
    """Vectors of numbers from -1 to 1, as many and as long as given at most."""
    shape = st.tuples(st.integers(1, rows), st.integers(1, columns))
    return arrays.arrays(np.float32, shape, elements=st.floats(-1, 1, width=width))


@example(np.array([[1e-45]], np.float32))
@example(np.zeros((2, 3), np.float32))
@given(matrices(9, 9, width=32))
def test_a_byte_is_wrong_by_half_a_step_at_most(vectors: Vectors) -> None:
    stored = late_interaction.quantise(vectors)
    back = late_interaction.unpacked(late_interaction.packed(stored), stored.scale)
    assert back.values.shape == vectors.shape
    assert np.abs(back.values * back.scale - vectors).max() <= stored.scale * 0.5001


def test_each_piece_of_the_question_finds_its_nearest() -> None:
    question = QuestionTokens(tokens([1, 0], [0, 1]), np.array([0.75, 0.25], np.float32))
    both = late_interaction.quantise(tokens([1, 0], [0, 1]))
    first = late_interaction.quantise(tokens([1, 0]))
    neither = late_interaction.quantise(tokens([-1, 0]))
    found = late_interaction.scores(question, [both, first, neither])
    assert found == pytest.approx([1.0, 0.75, -0.75], abs=0.01)


def test_an_entrys_score_is_the_same_whatever_stands_beside_it() -> None:
    draw = np.random.default_rng(0)
    rows = draw.standard_normal((400, 96)).astype(np.float32)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cuts = [0, *sorted(draw.choice(np.arange(1, 380), 40, replace=False)), 380]
    entries = [late_interaction.quantise(unit[a:b]) for a, b in pairwise(cuts)]
    question = QuestionTokens(unit[380:], np.full(20, 1 / 20, np.float32))
    together = late_interaction.scores(question, entries)
    alone = [late_interaction.scores(question, [entry])[0] for entry in entries]
    reversed_ = late_interaction.scores(question, entries[::-1])
    assert together.tolist() == alone == reversed_[::-1].tolist()
    exact = [(unit[380:] @ unit[a:b].T).max(axis=1).mean() for a, b in pairwise(cuts)]
    assert together == pytest.approx(exact, abs=0.005)


def test_an_entry_without_pieces_is_an_error() -> None:
    question = QuestionTokens(tokens([1, 0]), np.ones(1, np.float32))
    empty = late_interaction.TokenVectors(np.zeros((0, 2), np.int8), 1.0)
    with pytest.raises(ValueError, match="entry 1 of 2 has no vectors"):
        late_interaction.scores(question, [late_interaction.quantise(tokens([1, 0])), empty])
    assert late_interaction.scores(question, []).shape == (0,)


@example(np.zeros((4, 2), np.float32))
@hypothesis.settings(deadline=None)  # the first call loads SciPy
@given(matrices(40, 4, width=16))
def test_a_third_of_the_vectors_stays(vectors: Vectors) -> None:
    joined = late_interaction.pooled(vectors, 3)
    assert (
        len(joined) == late_interaction.pooled_count(len(vectors), 3) == math.ceil(len(vectors) / 3)
    )
    if len(vectors) > 1:
        lengths = np.linalg.norm(joined, axis=1)
        assert (np.isclose(lengths, 1, atol=1e-3) | np.isclose(lengths, 0)).all()


def test_alike_pieces_are_joined_and_others_are_not() -> None:
    east, north, west = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
    near = [0.999, 0.0447]
    joined = late_interaction.pooled(tokens(east, near, north, west, east, near, west), 3)
    found = joined[np.argsort(joined[:, 0])]
    assert found == pytest.approx(tokens(west, north, [1, 0.02]), abs=0.01)


def test_what_was_stored_with_another_pooling_is_not_taken_over(
    settings: Settings, search_context: SearchContext
) -> None:
    with search_context.store.connect(autocommit=True) as conn:
        register_vector(conn)
        (text,) = conn.execute("SELECT trail || words FROM entry LIMIT 1").fetchone() or ("",)
        known = partial(known_vectors.find, conn, search_context.embedder.files.digest, [text])
        assert known(pooling=1)
        assert not known(pooling=3)
        assert known(pooling=None)
        before = corpus.token_bytes(conn)
        pooling = replace(search_context, embedder=_pooling(search_context, settings, 3))
        report = pipeline.run(pooling, settings.vault)
        assert report.embedded > 0
        assert known(pooling=3)
        stored = "SELECT sum(octet_length(token_vectors)) FROM entry WHERE generation_id = %s"
        (now,) = conn.execute(stored, [report.generation_id]).fetchone() or (0,)
        assert now < before / 2
    assert search(pooling, QUESTION).late == "stored"
    with pytest.raises(IndexMismatchError, match="token_pooling 3 and this process has 1"):
        search(search_context, QUESTION)


def _pooling(context: SearchContext, settings: Settings, count: int) -> Embedder:
    return Embedder(encoder_files(settings), context.embedder.thread, count)


def test_search_reads_the_stored_vectors(search_context: SearchContext) -> None:
    found = search(search_context, QUESTION)
    assert found.late == "stored"
    assert found.hits[0].chunk.path == "1. Light/Torches.md"
    assert all(row.late_score is not None for row in found.trace)
    with search_context.store.connect() as conn:
        assert corpus.token_bytes(conn) > 0


def test_stored_and_encoded_anew_say_nearly_the_same(
    settings: Settings, search_context: SearchContext
) -> None:
    stored = search(search_context, QUESTION)
    with search_context.store.connect(autocommit=True) as conn:
        conn.execute("UPDATE entry SET token_vectors = NULL, token_scale = NULL")
    encoded = search(search_context, QUESTION)
    assert encoded.late == "encoded"
    best = stored.trace[0].late_score
    assert best
    assert encoded.trace[0].chunk_id == stored.trace[0].chunk_id
    assert encoded.trace[0].late_score == pytest.approx(best, abs=0.1)


def test_late_interaction_can_be_off(search_context: SearchContext) -> None:
    off = search_context.settings.model_copy(update={"rag_late_interaction": False})
    found = search(replace(search_context, settings=off), QUESTION)
    assert found.late == "off"
    assert {row.late_score for row in found.trace} == {None}


def test_over_the_limit_nothing_is_stored_and_the_operator_is_told(
    settings: Settings, search_context: SearchContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = corpus.token_bytes
    monkeypatch.setattr(corpus, "token_bytes", lambda conn: kept(conn) + 2_000_000_000)
    path = settings.vault / "1. Light" / "Torches.md"
    path.write_text(path.read_text("utf-8") + "\nA candle burns for two hours.\n", "utf-8")
    report = pipeline.run(search_context, settings.vault)
    assert any("RAG_TOKEN_STORAGE_MB (2,000)" in note for note in report.notes)
    assert search(search_context, "How long does a candle burn?").late == "encoded"
