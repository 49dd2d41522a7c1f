"""Rows by third values, lesser marks, values behind a column's name, and columns of a legend.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.cards.blocks import blocks
from api.answer.cards.lists.rows import chosen_rows
from retrieval.ranking.lines import QuestionWords
from tests.support.index.indexed_text import indexed_file, terms_of

STALLS = """# Stalls

## Animals in the stalls

| Stall | Dogs | Hay | Guided |
|---|---|---|---|
| North | yes | no | no |
| South | on a lead | no | yes |
| Loft | no | yes¹ | no |
| Yard | yes | no | yes |
| Pen | no | yes | no |
"""
GEAR = """# Gear

## Gear at the benches

**M** mask, **B** boots, **V** visor. ● = required, ○ = recommended, blank = not needed.

| Bench | M | B | V |
|---|:-:|:-:|:-:|
| Lathe | ● | ○ | ● |
| Press | ○ | ● | |
| Loom | | | |
| Oven | ● | ● | ○ |
"""
RODS = """# Rods

## Rods of the guild

| Rod | Who | Charges |
|---|---|---|
| Brass | singer | 4 |
| Iron | digger | 6 |
| Glass | any | 2 |
| Horn | singer, digger | 3 |
| Bone | singer | 4 |
| Ash | any digger of rank | 1 |
"""


HIRE = """# Hire

## Gear for hire

| Gear | Price | Deposit | Check needed | Dry-free |
|---|---|---|---|---|
| Rope | £6 | £50 | knot | yes |
| Shoes | £4 | none | not needed | no |
| Helmet | free | none | - | yes |
| Harness | £2 | £20 | buckle | no |
"""


def rows(text: str, asked: str) -> list[str]:
    file = indexed_file(text)
    words = QuestionWords.of(asked, terms_of({file.path: text}))
    table = next(one for one in blocks(file) if one.kind == "table")
    found = chosen_rows.chosen(file, table, words)
    lines = text.split("\n")
    return [lines[one.first_line - 1].split("|")[1].strip() for one in found.parts] if found else []


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("which stalls allow dogs", ["North", "South", "Yard"]),  # on a lead: the reader sees it
        ("which stalls do not allow dogs", ["Loft", "Pen"]),
        ("which stalls have hay", ["Loft", "Pen"]),  # a footnote is part of no mark
        ("stalls where guided is yes", ["South", "Yard"]),
        ("stalls with guided no", ["North", "Loft", "Pen"]),
        ("which stalls have only hay", []),
    ],
)
def test_third_values_footnotes_and_values_behind_a_name(asked: str, shown: list[str]) -> None:
    assert rows(STALLS, asked) == shown


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("which benches need a mask", ["Lathe", "Oven"]),  # for the press it is recommended
        ("which benches do not need a mask", ["Loom"]),
        ("which benches need boots", ["Press", "Oven"]),
    ],
)
def test_a_legend_without_a_sign_names_columns(asked: str, shown: list[str]) -> None:
    assert rows(GEAR, asked) == shown


TIMES = """# Times

## Days of the museum

| Day | Galleries | Workshops | Guests |
|---|---|---|---|
| Monday | closed | closed | no |
| Tuesday | 10-17 | closed | yes |
| Sunday | 11-16 | 11-15 | |
| Friday | 10-17 | 11-15 | not allowed |
"""
WORK = """# Work

## Work in the yard

| Work | Price (EUR) | Time | Floor | Note |
|---|---|---|---|---|
| Mast | 30 | 30 min | second | allowed |
| Wash | 45 | up to 1 h | first and second | not allowed |
| Paint | 200 | 2 h | first | allowed |
"""


@pytest.mark.parametrize(
    ("text", "asked", "shown"),
    [
        (TIMES, "which days are the workshops closed", ["Monday", "Tuesday"]),
        (TIMES, "which days are the workshops closed but the galleries open", []),
        (TIMES, "which days have no guests", ["Monday", "Friday"]),  # a blank beside a no
        (WORK, "which work takes less than 40 minutes", ["Mast"]),  # up to an hour may be more
        (WORK, "which work with note allowed", ["Mast", "Paint"]),
        (WORK, "which work is on the second floor", ["Mast", "Wash"]),
        (WORK, "which work is on the second floor only", []),
        (WORK, "work under 50 eur except mast", []),
        (WORK, "work under 50 eur but longer than an hour", []),
    ],
)
def test_what_is_not_understood_chooses_no_row(text: str, asked: str, shown: list[str]) -> None:
    assert rows(text, asked) == shown


def test_a_cell_may_say_either() -> None:
    breath = (
        "# Drakes\n\n## Breath of drakes\n\n| Colour | Breath | Shape |\n|---|---|---|\n"
        "| Red | Fire | Cone |\n| Gold | Fire *or* gas, as it likes | Line |\n"
        "| Blue | Ice | Line |\n"
    )
    assert rows(breath, "which drakes breathe fire") == ["Red", "Gold"]


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("gear without a deposit", ["Shoes", "Helmet"]),
        ("which gear has no deposit", ["Shoes", "Helmet"]),
        ("gear with a deposit", ["Rope", "Harness"]),
        ("gear that needs a check", ["Rope", "Harness"]),
        ("gear that doesn't need a knot", ["Shoes", "Helmet", "Harness"]),
        ("dry free gear without a deposit", ["Helmet"]),
        ("gear with a deposit that is not dry free", ["Harness"]),
        ("gear that is not dry free and with a deposit", []),  # what does "not" end with?
        ("gear for under £5 with no deposit", ["Shoes", "Helmet"]),
        ("gear for under £5 without a guide", []),  # of which nothing is said
        ("deposits of the gear", []),  # all of them
    ],
)
def test_none_beside_values_is_a_no(asked: str, shown: list[str]) -> None:
    assert rows(HIRE, asked) == shown


def test_any_is_everybody_and_any_of_a_kind_only_these() -> None:
    assert rows(RODS, "which rods can a singer use") == ["Brass", "Glass", "Horn", "Bone"]


def test_any_is_everybody_where_the_rest_is_met_as_well() -> None:
    assert rows(RODS, "which 4 charge rods can a singer use") == ["Brass", "Bone"]


ATTIC = """# Attic

## Tools of the attic

| Tool | Minimum age | Course | Charge (EUR) | Shelf |
|---|---|---|---|---|
| Awl | 8 | no | 2 | late |
| Plane | 12 | yes | | late |
| Saw | 16 | yes | 5 | to take down |
| Drum | 14 | no | 4 | to take down |
"""
BLANK = "\nA blank charge means that nothing is paid.\n"


@pytest.mark.parametrize(
    ("asked", "tools"),
    [
        ("which tools can a 12 year old use", ["Awl", "Plane"]),
        ("which tools can't a 12 year old use", ["Saw", "Drum"]),
        ("which tools can a 12 year old use without help", []),  # not what he may not use
        ("tools a 16 year old can use that dont need a course", []),
        ("tools a 12 year old can use alone at night", []),  # is not understood
        ("tools under 5 euros", ["Awl", "Drum"]),
        ("tools under 5 euros on friday", []),  # no row says a day
        ("which tools stay on the late shelf", ["Awl", "Plane"]),
        ("which tools can i take", []),  # which a row says by chance
    ],
)
def test_no_row_is_chosen_where_more_is_asked_than_it_is_chosen_by(
    asked: str, tools: list[str]
) -> None:
    assert rows(ATTIC, asked) == tools


def test_where_a_blank_is_said_to_be_an_amount_none_is_compared() -> None:
    assert rows(ATTIC, "tools under 5 euros")
    assert rows(ATTIC + BLANK, "tools under 5 euros") == []
