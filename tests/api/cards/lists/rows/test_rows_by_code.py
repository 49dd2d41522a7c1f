"""Rows that the signs of a legend choose, several of which may stand in one cell.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import PLAIN_ASK, card_reply
from api.answer.cards.card import Card
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

VAULT = {
    "Stall.md": (
        "# Stall of the fair\n\n*S* = sesame, *E* = egg, *M* = mustard.\n\n"
        "| Dish | Price (marks) | Holds | Hot |\n|---|---|---|---|\n"
        "| Flatbread | 2 | S, E | yes |\n| Egg-shaped sweet | 1 | – | no |\n"
        "| Sausage | 4 | M | yes |\n| Pancake | 3 | E | yes |\n| Salad | 6 | SM | no |\n"
        "| Apple | 1 | | no |\n"
    ),
    "Kit.md": (
        "# Kit of the boats\n\nKey: **R** required · **A** advised · blank: not needed\n\n"
        "| Item | Punt | Cutter |\n|---|---|---|\n| Pump | R | R |\n| Anchor | | A |\n"
        "| Flares | | R |\n| Whistle | R | A |\n"
    ),
    "Bread.md": "# Bread oven\n\nThe oven of the fair is lit at dawn.\n",
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def first(context: SearchContext, question: str) -> Card:
    return card_reply(context, question, PLAIN_ASK).cards[0]


def names(card: Card) -> list[str]:
    return [card.lines[part.first_line].strip("| ").split(" |")[0] for part in card.marked]


@pytest.mark.parametrize(
    ("asked", "rows", "said"),
    [
        ("which dishes hold egg", ["Flatbread", "Pancake"], "egg"),  # no name says it
        ("dishes with mustard", ["Sausage", "Salad"], "mustard"),  # one of two letters
        ("what has sesame in it", ["Flatbread", "Salad"], "sesame"),
        ("list all dishes with egg or sesame", ["Flatbread", "Pancake", "Salad"], "egg or sesame"),
        ("dishes with egg and sesame", ["Flatbread"], "egg and sesame"),
        (
            "which dishes have no egg",
            ["Egg-shaped sweet", "Sausage", "Salad", "Apple"],
            "without egg",
        ),
        ("dishes without egg or mustard", ["Egg-shaped sweet", "Apple"], "without egg or mustard"),
        ("which dishes are free of sesame", ["Egg-shaped sweet", "Sausage", "Pancake", "Apple"],
         "without sesame"),
        ("mustard free dishes", ["Flatbread", "Egg-shaped sweet", "Pancake", "Apple"],
         "without mustard"),
        ("dishes with egg under 3 marks", ["Flatbread"], "egg under 3 marks"),
        ("snacks without egg", ["Egg-shaped sweet", "Sausage", "Salad", "Apple"], "without egg"),
        ("which items are required on a punt", ["Pump", "Whistle"], "required punt"),
        ("which items are advised on a cutter", ["Anchor", "Whistle"], "advised cutter"),
        ("which hot dishes hold egg", ["Flatbread", "Pancake"], "egg"),  # of another column, too
    ],
)  # fmt: skip
def test_signs_choose_the_rows(
    context: SearchContext, asked: str, rows: list[str], said: str
) -> None:
    card = first(context, asked)
    assert names(card) == rows
    assert (card.by_signs, " ".join(card.said)) == (True, said)


@pytest.mark.parametrize(
    "asked",
    [
        "dishes with egg but no sesame",  # two things are said of them
        "dishes only with egg",
        "which dishes are safe with an egg allergy",
        "apple dishes with egg",  # a word of a row
        "which items are required on a boat",  # on which?
        "dishes with boiled egg",  # what stands before it may turn the sense
        "dishes without sesame, mustard and without price",
    ],
)
def test_where_that_is_not_plain_no_row_is_left_out(context: SearchContext, asked: str) -> None:
    cards = card_reply(context, asked, PLAIN_ASK).cards
    assert not any(card.by_signs or card.said for card in cards)
