"""Which rows and columns of a table a question asks for."""

import pytest

from api.answer.cards.asked_parts import asked_columns, asked_rows
from api.answer.cards.blocks import Part
from retrieval.models import Entry
from retrieval.ranking.lines import QuestionWords, RankedLine
from retrieval.vocabulary.terms import column_names
from tests.support.made.made_entries import learnt, row

HEADER = "| Level | XP | Hit Dice |"
LEVELS = [
    row(f"| {n} | {n * 100} | {n}d8 |", "Guard", header=HEADER, line=4 + n) for n in range(1, 5)
]
BY_NAME = "| Class | Level | Save |"
SAVES = [
    row("| Dwarf | 1–3 | 8 |", "Saves", header=BY_NAME, line=5),
    row("| Dwarf | 4–6 | 6 |", "Saves", header=BY_NAME, line=6),
    row("| Guard | 1–3 | 12 |", "Saves", header=BY_NAME, line=7),
]
ANIMALS = [
    row("| Horse, riding | 75 |", "Mounts", header="| Animal | Cost |", line=5),
    row("| Pony | 35 |", "Mounts", header="| Animal | Cost |", line=6),
]


def shown(question: str, rows: list[Entry], best: int) -> list[int]:
    """The lines of the rows that are shown where `best` is the place of the nearest one."""
    terms = learnt(*(("a.md", one) for one in [*LEVELS, *SAVES, *ANIMALS]))
    ordered = [rows[best], *(one for one in rows if one is not rows[best])]
    parts = [Part(one.first_line, one.last_line) for one in ordered]
    found = [RankedLine(one, 1.0 - n / 10) for n, one in enumerate(ordered)]
    return sorted(
        part.first_line
        for part in asked_rows("a.md", parts, found, QuestionWords.of(question, terms))
    )


@pytest.mark.parametrize(
    ("question", "rows", "best", "lines"),
    [
        ("How many hit dice has a guard of level 3?", LEVELS, 2, [7]),
        ("hit dice of a third level guard", LEVELS, 2, [7]),
        ("How many hit dice has a guard?", LEVELS, 0, [5, 6, 7, 8]),
        ("save of a level 5 dwarf", SAVES, 1, [6]),
        ("saves of a dwarf", SAVES, 0, [5, 6]),
        ("What does a pony cost?", ANIMALS, 1, [6]),
        ("animals for riding and their cost", ANIMALS, 0, [5, 6]),
    ],
)
def test_a_row_that_is_named_or_numbered_stands_without_its_neighbours(
    question: str, rows: list[Entry], best: int, lines: list[int]
) -> None:
    assert shown(question, rows, best) == lines


def test_who_goes_first_asks_for_no_row() -> None:
    assert shown("Who goes first in a guard?", LEVELS, 1) == [5, 6, 7, 8]


def test_the_columns_that_are_asked_for_are_named() -> None:
    terms = learnt(*(("a.md", one) for one in LEVELS))
    found = [RankedLine(one, 1.0) for one in LEVELS]
    assert asked_columns(found, QuestionWords.of("hit dice of a guard", terms)) == {"Hit Dice"}
    assert asked_columns(found, QuestionWords.of("Who is she?", terms)) == frozenset()


def test_two_header_rows_are_one_name_and_a_header_that_does_not_fit_is_none() -> None:
    lead = "| | Saves | |\n| Level | D | W |\n|---|---|---|"
    assert column_names(lead, 3) == ["Level", "Saves D", "Saves W"]
    assert column_names(lead, 2) == ["", ""]


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("a twenty-first level guard", {21}),
        ("first level guards", {1}),
        ("which party first level guards have", {1}),  # no ten, though it ends as one
        ("who goes first", set()),
        ("guards of level 4", {4}),
    ],
)
def test_ordinals_of_a_field_are_numbers(question: str, numbers: set[int]) -> None:
    terms = learnt(*(("a.md", one) for one in LEVELS))
    assert {value.number for value in QuestionWords.of(question, terms).values} == numbers
