"""What an answer says without a source: judged by its words, and by codes in them."""

import pytest

from api.checks.guard import findings
from api.checks.passage_lines import Source
from tests.conftest import RULES

TORCH = Source("1. Light/Torches.md", "Torches", "", RULES["1. Light/Torches.md"])
RIGHT = "A torch burns for one hour [1]."


def kinds(answer: str, question: str = "How long does a torch burn?") -> list[str]:
    return [found.kind for _, found in findings.unfounded(answer, [TORCH], question)]


@pytest.mark.parametrize(
    "answer",
    [
        RIGHT,
        f"Yes. {RIGHT}",
        f"It depends on water:\n\n- {RIGHT}\n- It goes out at once in water [1].",
        f"{RIGHT} The passages do not say more of torches.",
        "A 10th-level torchbearer pays 1,200gp for 2d6+2 torches [1].",  # the guard's to judge
        "# Torches\n\nA torch burns for one hour [1].",
    ],
)
def test_what_passages_and_question_say_is_no_finding(answer: str) -> None:
    assert kinds(answer) == []


def test_a_sentence_of_foreign_words_without_a_marker_is_a_finding() -> None:
    assert kinds(f"{RIGHT} Send gold to the herald.") == ["uncited"]
    assert kinds(f"{RIGHT} Send gold to the herald.", "Who sends gold to the herald?") == []


@pytest.mark.parametrize(
    "sentence",
    ["Guards punish torch thieves.", "The torch costs money.", "Dogs bite.", "Lost torches float."],
)
def test_one_word_of_the_passages_is_not_enough(sentence: str) -> None:
    assert kinds(f"{RIGHT} {sentence}") == ["uncited"]
    assert kinds(f"{sentence}\n\n{RIGHT}") == ["uncited"]


def test_a_short_reply_is_no_finding() -> None:
    assert kinds(f"Usually not. {RIGHT}") == []


@pytest.mark.parametrize("code", ["c2stY2FuYXJ5LTgz", "1a2b3c4d5e6f7a8b", "k3y=abcdefgh"])
def test_a_code_is_a_finding_also_beside_a_marker(code: str) -> None:
    assert kinds(f"A torch burns for one hour, says {code} [1].") == ["name"]
    assert kinds(f"A torch burns for one hour, says {code} [1].", f"Does {code} burn?") == []
