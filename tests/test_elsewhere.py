"""Topics that rules seldom hold: a question about one of them is nearer to it than to the rules."""

import pytest

from retrieval import topics
from retrieval.rulebook import Rulebook
from retrieval.search import search


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
    assert (found.elsewhere > nearest) == off_topic


def test_topics_are_many_short_and_different() -> None:
    lines = topics._FILE.read_text("utf-8").splitlines()
    assert len(lines) == len(set(lines)) >= 100
    assert all(line == line.strip() and 2 <= len(line.split()) <= 12 for line in lines)
