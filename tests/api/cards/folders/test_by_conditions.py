"""Files of a folder by several conditions, by an amount, and the ones with most of a field."""

from collections.abc import Collection

import pytest

from api.answer.cards.folders import by_query
from api.answer.cards.folders.folders import Folder
from tests.support.index.indexed_text import reader_of, terms_of

FILES = {
    "carts/Ash.md": "# Ash\n**Length:** 3.5 m\n**Seats:** 4\n**Brake:** none\n**Horses:** yes\n"
    "**Half day:** 10 EUR\n**Whole day:** 18 EUR\n**Depth:** 5 feet\n",
    "carts/Bay.md": "# Bay\n**Length:** 5 m\n**Seats:** 2–6\n**Brake:** iron\n**Horses:** no\n"
    "**Half day:** 30 EUR\n**Whole day:** 70 EUR\n**Depth:** -1 feet\n",
    "carts/Elm.md": "# Elm\n**Length:** 8 m\n**Seats:** 12\n**Brake:** none\n**Horses:** yes\n"
    "**Half day:** 40 EUR\n**Whole day:** 60 EUR\n**Depth:** 2 feet\n",
    "carts/Yew.md": "# Yew\n**Length:** 2 m\n**Seats:** 1\n**Brake:** wood\n**Horses:** yes, two\n"
    "**Half day:** 8 EUR\n**Whole day:** 15 EUR\n**Depth:** 1 feet\n",
    "carts/Rules.md": "# Rules of hire\n\nWho hires a cart pays at once.\n",
    "beasts/Ox.md": "# Ox\n**Load:** 900 kg\n**Fee:** 9 EUR\n",
    "beasts/Ass.md": "# Ass\n**Load:** 120 kg\n**Fee:** none\n",
    "beasts/Horse.md": "# Horse\n\n| | Light | Heavy |\n|---|---|---|\n"
    "| Load | 200 kg | 1,000 kg |\n",
    "beasts/Rat.md": "# Rat\n\nIt carries nothing.\n\n**Fee:** 1 EUR\n",
    "beasts/Dog.md": "# Dog\n\n**Fee:** 3 EUR\n",
}
TERMS = terms_of(FILES)
read = reader_of(FILES)


def titles(found: Collection[Folder]) -> list[str]:
    return [file.title for folder in found for file in folder.files]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("carts under 50 eur a whole day that have no brake", ["Ash"]),
        ("which carts allow horses and have no brake", ["Ash", "Elm"]),
        ("carts shorter than 6 m that allow horses", ["Ash", "Yew"]),
        ("carts that have a brake and allow horses and are shorter than 3 m", ["Yew"]),
        ("carts without a brake", ["Ash", "Elm"]),
        ("carts with a brake", []),  # one condition, and no comparison
        ("carts that allow horses and have wings", []),  # one that no field says
        ("carts that allow horses or have no brake", []),
        ("red carts that allow horses and have no brake", []),  # red?
        ("how do carts brake and turn", []),
    ],
)
def test_every_condition_is_met_by_a_field(asked: str, names: list[str]) -> None:
    assert titles(by_query.chosen(asked, TERMS, read, dict)) == names


def test_the_conditions_are_told() -> None:
    (found,) = by_query.chosen("carts with a brake that allow horses?", TERMS, read, dict)
    assert " ".join(found.words) == "with a brake that allow horses?"


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("which cart is the longest", ["Elm"]),
        ("the cart with the fewest seats", ["Yew"]),
        ("which cart is cheapest for a whole day", ["Yew"]),
        ("most expensive cart for a whole day", ["Bay"]),
        ("cheapest cart", ["Yew"]),  # for however long
        ("dearest cart", []),  # for how long?
        ("which beast can carry the highest load", ["Horse"]),  # in a row of several
        ("strongest beast with the highest load", []),  # "strongest" is not understood
        ("the cart with the lowest depth", []),  # its sign is not read
        ("beast with the lowest fee", ["Ass"]),  # nothing is paid for it
        ("longest rope", []),  # no folder
        ("which cart is long", []),
    ],
)
def test_the_most_of_a_field_chooses_a_file(asked: str, names: list[str]) -> None:
    assert titles(by_query.chosen(asked, TERMS, read, dict)) == names


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("carts shorter than 5 m", ["Ash", "Yew"]),
        ("carts longer than 4 m", ["Bay", "Elm"]),
        ("carts heavier than 4 kg", []),
        ("beasts with a fee under 3 euros", ["Ass", "Rat"]),
        ("which carts have a whole day under 50 eur", ["Ash", "Yew"]),
    ],
)
def test_more_of_something_is_of_the_field_that_is_called_so(asked: str, names: list[str]) -> None:
    assert titles(by_query.chosen(asked, TERMS, read, dict)) == names
