"""What of a section a card shows: small tables whole, the amount asked for, a sentence's beginning.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import card_reply
from api.answer.cards import render
from api.answer.cards.card import Card
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

LONG = "The keeper of the gate writes down who comes and who goes in a book. " * 8
VAULT = {
    "Bees.md": (
        "# Bees\n\n## Driving bees off\n\n"
        "Whoever is chased by bees may drop a thing on the path, and the bees stop for it.\n\n"
        "| Dropped | Bees stop |\n|---|---|\n| Honey | half an hour |\n| A cut pear | a minute |\n"
        "| A smoking torch | as long as it smokes |\n\n" + LONG + "\n"
    ),
    "Prayer.md": (
        "# Prayer\n\n## The great prayer of a priest\n\n"
        "A priest who says the great prayer kneels, and the priest is answered.\n\n" + LONG + "\n\n"
        "It is said once every nine days, and by one priest alone.\n"
    ),
    "Club.md": (
        "# Club\n\n## Duties of a guest\n\nA guest must\n\n- sign the book,\n- take shoes off,\n"
        "- greet the steward.\n\nA guest may not\n\n- smoke in the hall,\n- bring a horse,\n"
        "- sing after ten.\n\n" + LONG + "\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def first(context: SearchContext, question: str) -> Card:
    return card_reply(context, question).cards[0]


def test_of_a_table_of_a_few_rows_none_is_left_out(context: SearchContext) -> None:
    shown = render.text(first(context, "what can we drop for bees that chase us, a cut pear?"))
    assert all(row in shown for row in ("| Honey |", "| A cut pear |", "| A smoking torch |"))


def test_the_line_with_the_amount_that_is_asked_for_is_marked(context: SearchContext) -> None:
    card = first(context, "how often can a priest say the great prayer")
    assert "once every nine days" in card.best.quote


@pytest.mark.parametrize(
    ("question", "lead", "item", "other"),
    [
        ("what do i have to do as a guest", "A guest must", "sign the book", "smoke in the hall"),
        ("what must guests do", "A guest must", "sign the book", "smoke in the hall"),
        ("what may a guest not do", "A guest may not", "smoke in the hall", "sign the book"),
        ("what can't i do as a guest", "A guest may not", "smoke in the hall", "sign the book"),
    ],
)
def test_a_list_keeps_the_beginning_of_its_sentence_and_the_one_asked_for_is_first(
    context: SearchContext, question: str, lead: str, item: str, other: str
) -> None:
    shown = render.text(first(context, question))
    assert lead in shown
    assert item in shown.split(lead, 1)[1]
    if other in shown:  # a section that is shown whole has both, each behind its own beginning
        must, may = shown.index("A guest must"), shown.index("A guest may not")
        assert must < shown.index("sign the book") < may < shown.index("smoke in the hall")
