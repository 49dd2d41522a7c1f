"""What a person is shown of a question's gold lines, in the first card or in any."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.answer.card_reply import CardReply
from api.answer.cards.card import Card
from evals.labels.dataset import Gold, Question
from evals.measure.shown import Shown, reached, shown
from tests.support.made.made import found, question
from tests.support.made.made_replies import PATH, card, reply

FIVE = 5  # words of a line: "Line number 1 of light."
NOTHING = Shown(False, False, False, 0)
FOLDED = card(3, 4, folded=True)
EITHER = question(places=((2, 3), (5,)), kind="prose")


def golden(quote: str) -> Question:
    """A question whose only gold is this quote."""
    return replace(question(1), places=((Gold(PATH, quote),),))


@pytest.mark.parametrize(
    ("asked", "said", "expected"),
    [
        # Shown before anything else; behind the words of the cards above; not at all.
        (question(2), reply(card(1, 2), card(4)), Shown(True, True, True, 3 * FIVE)),
        (
            question(4),
            reply(card(1, 2), card(3), card(4, 5)),
            Shown(False, True, True, 5 * FIVE),
        ),
        (question(6), reply(card(1, 2)), Shown(False, False, False, 2 * FIVE)),
        (question(6), reply(), NOTHING),
        (question(1), reply(card(1), certainty="refused"), NOTHING),
        (question(1), reply(card(1), certainty="nearest"), Shown(True, True, True, FIVE)),
        # A folded card shows its best line alone and counts no words.
        (question(3), reply(card(1), FOLDED), Shown(False, True, True, FIVE)),
        (question(4), reply(card(1), FOLDED), Shown(False, False, False, FIVE)),
        # Of one place all golds are needed; of places that are equally good one is enough.
        (question(2, 5), reply(card(1, 2)), Shown(True, True, False, 2 * FIVE)),
        (question(2, 5), reply(card(1, 2), card(5)), Shown(True, True, True, 3 * FIVE)),
        (EITHER, reply(card(5)), Shown(True, True, True, FIVE)),
        (EITHER, reply(card(3)), Shown(True, True, False, FIVE)),
    ],
)
def test_what_a_reply_shows_of_a_question(
    asked: Question, said: CardReply, expected: Shown
) -> None:
    assert shown(asked, said) == expected


def test_a_line_of_another_file_is_not_the_gold() -> None:
    other = card(path="b/light.md", texts={2: "Line number 2 of light."})
    assert not shown(question(2), reply(other)).anywhere
    assert not shown(question(2), reply(other, card(2))).first


def test_one_line_of_a_gold_is_enough_but_its_heading_is_not() -> None:
    asked = golden("## Light\nOne hour.\nTwo.")
    assert shown(asked, reply(card(texts={7: "Two."}))).first
    assert not shown(asked, reply(card(texts={5: "## Light"}))).anywhere
    assert shown(golden("## Light"), reply(card(texts={5: "## Light"}))).first


def test_rows_are_compared_without_their_bars_and_padding() -> None:
    asked = golden("| Axe | 7 |")
    assert shown(asked, reply(card(texts={3: "|  Axe   |7|"}))).first


def test_a_gold_without_quote_is_the_whole_file() -> None:
    asked = golden("")
    assert shown(asked, reply(card(1))).first
    assert not shown(asked, reply(card(path="b.md", texts={1: "x"}))).anywhere


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ((3, 1), (True, True)),
        ((1, 3), (False, True)),
        ((1, 2, 3), (False, False)),  # not among those that were returned
        ((), (False, False)),
    ],
)
def test_what_search_returned_could_have_been_shown(
    order: tuple[int, ...], expected: tuple[bool, bool]
) -> None:
    assert reached(question(3), found(*order)) == expected


@given(
    st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True), max_size=4),
    st.lists(st.integers(1, 6), min_size=1, max_size=2, unique=True),
)
def test_what_is_first_is_anywhere_and_what_is_complete_too(
    numbers: list[list[int]], golds: list[int]
) -> None:
    cards: list[Card] = [card(*lines) for lines in numbers]
    found = shown(question(*golds), reply(*cards))
    assert found.anywhere >= max(found.first, found.complete)
    assert found.words == FIVE * sum(map(len, numbers))
    held = {line for lines in numbers for line in lines}
    assert found.complete == (held >= set(golds))
