"""Full text scores are BM25's, by the published formula in plain Python over the same words.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with the idf of Lucene, ln(1 + (N - n + 0.5) / (n + 0.5)), divided by the most that the words of a
question could give. The library bm25s gives the same (docs/experiments.md, E60).
"""

import math
from collections import Counter
from pathlib import Path

import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.index.store import Connection, live
from retrieval.index.text_search import CONFIGURATION
from retrieval.ranking import bm25
from tests.conftest import write_vault

FILES = {
    "light.md": "# Torches\n\nA torch burns for one hour. Torches burn out in water.\n",
    "oil.md": "# Oil\n\nOil burns twice as long as any torch, and a flask of it can be thrown.\n",
    "rope.md": "# Ropes\n\nFifty feet of rope hold three people. A rope burns.\n",
    "sword.md": "# Swords\n\n" + "A sword is sharp and long. " * 12 + "It never burns.\n",
    "camp.md": "# Camping\n\nWho camps without a torch is found by wolves.\n",
}
QUESTIONS = ("Which torches are burning in the water?", "long ropes", "sharp swords for camping")
K1, B = 1.2, 0.75


def reference(conn: Connection, generation: int, question: str) -> dict[str, float]:
    """BM25 of every file that has a word of the question, by its path."""
    docs: dict[str, Counter[str]] = {}
    for path, words in conn.execute(
        "SELECT c.path, string_agg(c.place || ' ' || e.trail || e.words, ' ') FROM chunk AS c "
        "JOIN entry AS e ON e.chunk_id = c.id AND kind = 'whole' "
        "WHERE c.generation_id = %s GROUP BY c.path",
        [generation],
    ):
        docs[path] = Counter(stems(conn, words))
    asked = sorted(set(stems(conn, question)))
    mean = sum(doc.total() for doc in docs.values()) / len(docs)
    found = {word: sum(word in doc for doc in docs.values()) for word in asked}
    idf = {w: math.log(1 + (len(docs) - n + 0.5) / (n + 0.5)) for w, n in found.items()}
    scores = {}
    for path, doc in docs.items():
        norm = K1 * (1 - B + B * doc.total() / mean)
        total = sum(idf[w] * doc[w] * (K1 + 1) / (doc[w] + norm) for w in asked)
        if total:
            scores[path] = total / ((K1 + 1) * sum(idf.values()))
    return scores


def stems(conn: Connection, text: str) -> list[str]:
    """Every word by the Snowball stemmer alone, stop words left out."""
    rows = conn.execute(
        "SELECT unnest(ts_lexize('english_stem', word)) FROM "
        "unnest(regexp_split_to_array(lower(%s), '[^a-z0-9]+')) AS word WHERE word <> ''",
        [text],
    )
    return [row[0] for row in rows]


@pytest.fixture
def context(empty: SearchContext, tmp_path: Path) -> SearchContext:
    pipeline.run(empty, write_vault(tmp_path / "burning", FILES))
    return empty


def compared(context: SearchContext) -> None:
    def scored(conn: Connection) -> None:
        generation = live(conn).id
        for question in QUESTIONS:
            ours = {row.chunk.path: row.score for row in
                    bm25.full_text(conn, generation, question, 50)}  # fmt: skip
            assert ours == pytest.approx(reference(conn, generation, question), abs=1e-9)

    context.store.read(scored)


def test_scores_are_those_of_the_formula(context: SearchContext) -> None:
    compared(context)


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("_WORDS", "::float8 AS idf", "::float8 * 0 + 1 AS idf"),  # no idf
        ("_WORDS", CONFIGURATION, "'simple'"),  # no stems
        ("_SCORED", "c.length / %(length)s", "1"),  # no lengths
        ("_SCORED", "p.count * (%(k1)s + 1)", "p.count * -(%(k1)s + 1)"),  # negative
    ],
)
def test_a_part_of_the_formula_that_is_left_out_is_seen(
    context: SearchContext, monkeypatch: pytest.MonkeyPatch, query: str, right: str, wrong: str
) -> None:
    text = getattr(bm25, query)
    assert right in text
    monkeypatch.setattr(bm25, query, text.replace(right, wrong))
    with pytest.raises(AssertionError):
        compared(context)
