"""Rows that a cell, a sign, dice or an amount chooses, in one table of a file or in several.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import AskOptions, card_reply
from api.answer.cards import render
from api.answer.cards.card import Card
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

VAULT = {
    "Crafts of the guild.md": (
        "# Crafts of the guild\n\nBy a stranger: **Y** = at half pay, **N** = not at all, "
        "**P** = with a permit of the warden.\n\n"
        "| Craft | Hall | By a stranger | Needs |\n|---|---|---|---|\n"
        "| Baker | South | Y | an oven |\n| Cooper | North | N | oak, no nails |\n"
        "| Dyer | South | P | a well |\n| Glazier | East | N | sand |\n"
        "| Potter | North | Y | clay, no nails |\n| Smith | East | Y | coal |\n"
    ),
    "Harbour goods.md": (
        "# Harbour goods\n\n| Goods | Bought cheap in | Sold dear in |\n|---|---|---|\n"
        "| Salt | marshes | towns |\n| Wool | hills | towns, islands |\n"
        "| Fish | islands | hills |\n| Amber | marshes | islands |\n"
    ),
    "Weapons of the watch.md": (
        "# Weapons of the watch\n\n## Blades\n\n| Weapon | Damage | Price |\n|---|---|---|\n"
        "| Bodkin | 1d4 | 30 |\n| Falchion | 1d8 | 220 |\n| Glaive | 2d6 | 340 |\n\n"
        "The watch sharpens all of them on the first of the month, in the yard behind the gate.\n\n"
        "## Slings and bows\n\n| Weapon | Damage | Price |\n|---|---|---|\n| Sling | 1d3 | 5 |\n"
        "| Yew bow | 1d8+1 | 260 |\n| Staff sling | 1d6 | 15 |\n"
    ),
    "Things on the shelf.md": (
        "# Things on the shelf\n\nWhat the shelf of the club holds:\n\n"
        "- **Candle** — 3 marks, burns an hour.\n- **Compass** — 90 marks.\n"
        "- **Flint** — 8 marks.\n- **Net** — 40 marks, 3 yards wide.\n- **Whistle** — 12 marks.\n"
    ),
    "Powders.md": (
        "# Powders\n\nF = fit for the sea, R = of the red jar.\n\n"
        "| Powder | Times a day | At most (days) | Hits | Jar | Told to the mayor |\n"
        "|---|---|---|---|---|---|\n| Ashroot | 4 | 10 | gulls | R | no |\n"
        "| Bitterfern | 1 | 3 | gulls, crabs, eels | R | yes |\n"
        "| Chalkweed | 2 | 7 | crabs | F | yes |\n| Dustmoss | 3 | 2 | crabs, seals | F | no |\n"
        "\n## Rebates\n\nWhoever buys powders gets\n\n"
        "- For 14 jars or more: 10 % off.\n- For old sailors: 30 % off.\n"
        "- For orphans: free for 5 weeks, then 50 % off.\n- For the mayor: 5 % off.\n\n"
        "## Age of a powder when sold\n\n"
        "- Ashroot: from 6 weeks.\n- Bitterfern: from 1 year.\n- Chalkweed: from 2 weeks.\n"
    ),
    "Baths.md": (
        "# Baths\n\n| Bath | Minimum age | Warm hour | Adults | Children | Sign |\n"
        "|---|---|---|---|---|---|\n| Mud bath | 16 | 9:00 | 30 marks | 18 marks | red |\n"
        "| Steam bath | 18 | - | 12 marks | - | red |\n"
        "| Foot bath | 6 * | 10:00 | 8 marks | 4 marks | green |\n"
        "| Great pool | 8 | - | 9 marks | 5 marks | blue |\n\n"
        "\\* under 10 only with a grown-up.\n"
    ),
    "Mending.md": (
        "# Mending\n\n## How a sail is mended\n\n"
        "1. Take the sail down and dry it for a day, or the thread rots and the sail is lost.\n"
        "2. Find the tear and mark both of its ends with chalk.\n"
        "3. Cut the cloth a hand larger than the tear of the sail, along the thread.\n"
        "4. Sew it with the round stitch; the mended sail is shown to the bosun.\n"
        "5. Pay the bosun his two marks.\n\n"
        "## Where it is mended\n\nY yes, S only with a bosun, – not at all.\n\n"
        "| Part | At sea | Ashore |\n|---|---|---|\n| Sail | S | Y |\n| Mast | – | Y |\n"
        "| Rope | Y | Y |\n| Keel | – | S |\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def first(context: SearchContext, question: str, *history: str) -> Card:
    return card_reply(context, question, AskOptions(history=history)).cards[0]


def names(card: Card) -> list[str]:
    lines = [card.lines[part.first_line] for part in card.marked]
    return [line.strip("|-* ").split("|")[0].split("*")[0].strip() for line in lines]


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("which crafts can't be done by a stranger", ["Cooper", "Glazier"]),
        ("which crafts cant you do by a stranger", ["Cooper", "Glazier"]),
        ("which crafts need a permit", ["Dyer"]),  # by what a sign stands for
        ("which crafts need no nails", ["Cooper", "Potter"]),
        ("crafts without nails", ["Cooper", "Potter"]),
        ("which goods are sold dear in towns", ["Salt", "Wool"]),
        ("which goods are sold dear in islands", ["Wool", "Amber"]),  # not what is bought there
        ("which goods are bought cheap in islands", ["Fish"]),
        ("weapons of the watch that do more than d6 damage", ["Falchion", "Glaive", "Yew bow"]),
        ("weapons of the watch that do d8 or more", ["Falchion", "Glaive", "Yew bow"]),
        ("weapons of the watch that do at least 1d8", ["Falchion", "Glaive", "Yew bow"]),
        ("weapons of the watch that do less than 1d4", ["Sling"]),
        ("which weapons of the watch cost more than 200 marks", ["Falchion", "Glaive", "Yew bow"]),
        ("which weapons of the watch cost under 20 marks", ["Sling", "Staff sling"]),
        ("everything on the shelf under 10 marks", ["Candle", "Flint"]),
        ("which parts cant be mended at sea", ["Mast", "Keel"]),
        ("powders that may be given at most 3 days", ["Bitterfern", "Dustmoss"]),
        ("which powders hit crabs", ["Bitterfern", "Chalkweed", "Dustmoss"]),  # in a list, too
        ("which red powders must be told to the mayor", ["Bitterfern"]),
        (
            "rebates on powders of at least 20 %",
            ["For old sailors: 30 % off.", "For orphans: free for 5 weeks, then 50 % off."],
        ),
        (
            "age of powders of at least 5 weeks",
            ["Ashroot: from 6 weeks.", "Bitterfern: from 1 year."],
        ),
        ("which baths are not red", ["Foot bath", "Great pool"]),
        ("which baths have a warm hour", ["Mud bath", "Foot bath"]),  # a dash is none
        ("which baths have no warm hour", ["Steam bath", "Great pool"]),
        ("which baths cost under 6 marks", ["Foot bath", "Great pool"]),  # for some
        ("which baths cost adults under 9 marks", ["Foot bath"]),
        ("which baths can a 16 year old use", ["Mud bath", "Foot bath", "Great pool"]),
        ("which baths can a 16 year old not use", ["Steam bath"]),
        ("which baths can't a 9 year old use", ["Mud bath", "Steam bath"]),
    ],
)
def test_the_rows_are_chosen(context: SearchContext, asked: str, rows: list[str]) -> None:
    card = first(context, asked)
    assert names(card) == rows
    assert card.said


@pytest.mark.parametrize(
    "asked",
    [
        "which goods are not sold dear in towns",  # denied: no cell says what is left
        "everything on the shelf under 500 marks",  # all of them
        "which weapons of the watch cost under 3 marks",  # none
        "which baths cost more in the warm hour",  # a comparison
        "which baths are open after 10:00",  # a time is compared, and no word
    ],
)
def test_what_no_cell_can_tell_shows_the_table_whole(context: SearchContext, asked: str) -> None:
    assert not first(context, asked).said


def test_rows_of_several_tables_are_counted_together(context: SearchContext) -> None:
    asked = "which weapons of the watch cost more than 200 marks"
    shown = render.markdown([first(context, asked)])
    assert "**[1] Weapons of the watch** (" in shown
    assert "**3 of 6 rows found by *more than 200 marks*:**" in shown
    assert shown.index("Blades") < shown.index("| Glaive |") < shown.index("**Slings and bows**")
    assert shown.index("**Slings and bows**") < shown.index("| Yew bow |")


def test_of_numbered_steps_none_is_left_out(context: SearchContext) -> None:
    shown = render.text(first(context, "how do i mend a torn sail"))
    assert all(f"{number}. " in shown for number in range(1, 6))


def test_the_signs_of_a_table_are_explained_without_an_equals_sign(context: SearchContext) -> None:
    shown = render.text(first(context, "can the keel be mended ashore"))
    assert "S only with a bosun" in shown


@pytest.mark.parametrize(
    ("asked", "before", "rows"),
    [
        ("and which cant?", "which crafts can be done by a stranger", ["Cooper", "Glazier"]),
        ("and those that dont?", "which crafts do need clay", []),
    ],
)
def test_the_others_are_asked_for(
    context: SearchContext, asked: str, before: str, rows: list[str]
) -> None:
    card = first(context, asked, before)
    assert (names(card) if card.said else []) == rows


def test_the_footnote_of_a_row_stands_below_it(context: SearchContext) -> None:
    assert "under 10 only with a grown-up" in render.text(first(context, "age for the foot bath"))
