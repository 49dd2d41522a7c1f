"""What is asked for as a whole is marked as one: steps, cases, rows of which none is meant alone.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

_LONG = " It is done in the presence of two others, who write it into the book of the house." * 4
VAULT = {
    "Joining.md": (
        "# Joining the guild\n\nTake a quill and go through it in order.\n\n"
        + "".join(
            f"{n}. {step}.\n   - Note {n}:{_LONG}\n"
            for n, step in enumerate(("Write a letter", "Find a sponsor", "Pay the fee"), 1)
        )
    ),
    "Watch.md": (
        "# The watch\n\n## The alarm roll\n\nRoll two dice against nerve.\n\n"
        "Roll when:\n\n"
        "- the bell has rung twice;\n- a lantern goes out.\n\nNobody rolls twice.\n"
    ),
    "Halls.md": (
        "# Halls\n\n## Room and size\n\n| Hall | Floor | Most guests |\n|---|---|---|\n"
        "| Oak | first | 40 |\n| Birch | second | 25 |\n| Elm | first | 12 |\n"
    ),
    "Board.md": (
        "# Board\n\n## What is paid\n\n| | Town | Country |\n|---|---|---|\n"
        "| **Dinners a day** | | |\n| Soup | 3 | 2 |\n| Roast | 9 | 7 |\n"
        "| **Beds a night** | 20 | 15 |\n"
    ),
    "Blunders.md": (
        "# Blunders\n\n## Blunders with a blade\n\n| d6 | What happens |\n|---|---|\n"
        "| 1-2 | The blade breaks |\n| 3-4 | It is dropped |\n| 5-6 | Nothing |\n\n"
        "A master of the blade makes no blunder.\n"
    ),
    "Returns.md": (
        "# Returns\n\nThis page tells when wares are taken back.\n\n"
        "| Ware | Taken back |\n|---|---|\n| Cloth | within a week |\n| Glass | never |\n"
    ),
    "Spells/Veil.md": (
        "# Veil\n\n| Duration | until dawn |\n|---|---|\n| Range | 30 feet |\n\nHides a house.\n"
    ),
    "Spells/Gust.md": (
        "# Gust\n\n| Duration | a blink |\n|---|---|\n| Range | 90 feet |\n\nIt blows.\n"
    ),
    "Water.md": (
        "# In deep water\n\n## Rowing and sinking\n\nEverybody is able to row.\n\n"
        "A boat that is sinking goes under in 4 rounds.\n"
    ),
    "Hoards.md": (
        "# Hoard kinds\n\nEach letter is one row of what a beast hoards.\n\n"
        "| Kind | Coins | Gems |\n|---|---|---|\n| A | 300 | 4 |\n| B | 90 | 1 |\n| C | 12 | - |\n"
    ),
    "Gate.md": (
        "# Gate\n\n## What is brought\n\nThe following shall not be brought through the gate:\n\n"
        "- burning lamps,\n- drawn blades,\n- beasts without a rope.\n"
    ),
    "Proving.md": (
        "# Proving a coin\n\nNo coin shows what it is. There are three ways, the best last.\n\n"
        "| Way | Cost |\n|---|---|\n| Bite it | none |\n| Ask a smith | 2 marks |\n"
        "| Weigh it | 9 marks |\n\n## Fines\n\nWhoever proves false coins pays two sorts of fine."
        "\n\n"
        "- Of the town.\n- Of the guild.\n- Of the smith.\n"
    ),
    "Dues.md": (
        "# Dues\n\n## Lower dues\n\nThe dues are lowered for the persons named below, who show a "
        "paper.\n\n- Apprentices: by half.\n- Widows: by a third.\n- Carters over 60: by a tenth.\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def marked(context: SearchContext, question: str) -> list[str]:
    first = card_reply(context, question).cards[0]
    return [first.lines[number] for part in first.marked for number in part.numbers]


def test_of_long_steps_each_is_shown_without_its_notes(context: SearchContext) -> None:
    steps = ["1. Write a letter.", "2. Find a sponsor.", "3. Pay the fee."]
    assert marked(context, "how do i join the guild") == steps
    assert marked(context, "sequence of joining the guild") == steps


def test_when_something_is_done_is_told_by_its_cases(context: SearchContext) -> None:
    cases = ["- the bell has rung twice;", "- a lantern goes out."]
    assert marked(context, "alarm roll when") == cases
    assert marked(context, "how is the alarm roll made") != cases


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("how many guests go into each hall", ["| Oak", "| Birch", "| Elm"]),
        ("how many guests go into the birch hall", ["| Birch"]),
        ("dinners a day", ["| **Dinners", "| Soup", "| Roast"]),
        ("table of blunders with a blade", ["| 1-2", "| 3-4", "| 5-6"]),
        ("returns", ["| Cloth", "| Glass"]),
        ("are cloth wares taken back", ["| Cloth"]),
        ("duration of the veil spell", ["| Duration"]),
        ("range of the veil spell", ["| Range"]),
        ("veil", ["Hides a house."]),
        ("sinking", ["A boat"]),
        ("hoard kind B", ["| B"]),
        ("list all that must not be brought through the gate", ["- burn", "- drawn", "- beasts"]),
        ("no coin shows what it is, how then", ["No coin", "| Bite", "| Ask", "| Weigh"]),
        ("whoever proves false coins pays what", ["Whoever"]),  # of two there are three
        ("whose dues are lowered", ["The dues", "- Apprentices", "- Widows", "- Carters"]),
    ],
)
def test_rows_are_marked_as_far_as_they_are_asked_for(
    context: SearchContext, question: str, lines: list[str]
) -> None:
    found = marked(context, question)
    assert [line[: len(start)] for line, start in zip(found, lines, strict=True)] == lines
