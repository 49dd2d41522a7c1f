"""Which lines are marked: what a lead-in introduces, two that are as near, a row of a whole list.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import AskOptions, card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

PLACES = ["Smithy", "Weaving loft", "Dye room", "Cold store", "Orchard", "Boat house"]
VAULT = {
    "Papers.md": (
        "# Papers\n\n## Which paper wins\n\n"
        "Sometimes two papers contradict each other. Then the order of the papers is:\n\n"
        "1. the statutes,\n2. what the meeting decided,\n3. house rules.\n"
    ),
    "Clothes.md": (
        "# Safety\n\n## What to wear\n\n| Where | Eyes | Feet |\n|---|---|---|\n"
        + "".join(f"| {place} | glasses | {n} hooks |\n" for n, place in enumerate(PLACES, 2))
    ),
    "Gates.md": (
        "# Gates\n\n## Hours\n\n- The north gate is opened at seven.\n"
        "- The south gate is opened at eight.\n- Dogs sleep in the tower.\n"
    ),
    "Extras.md": (
        "# Extras of the club\n\n## Extras\n\n| Extra | Price | Offered to |\n|---|---|---|\n"
        "| Towel | 2 | guests, members |\n| Locker | 9 | members |\n| Whistle | 3 | children |\n"
        "| Umbrella | 4 | members |\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def marked(context: SearchContext, question: str, *before: str) -> list[str]:
    card = card_reply(context, question, AskOptions(history=before)).cards[0]
    return [card.lines[number] for part in card.marked for number in part.numbers]


def test_what_a_lead_in_introduces_is_marked_with_it(context: SearchContext) -> None:
    lines = marked(context, "two papers contradict each other, what is the order of papers")
    assert lines[-3:] == ["1. the statutes,", "2. what the meeting decided,", "3. house rules."]


def test_of_two_lines_that_are_as_near_both_are_marked(context: SearchContext) -> None:
    lines = marked(context, "when is the gate opened")
    assert lines == VAULT["Gates.md"].split("\n")[4:6]


def test_of_a_list_that_stands_whole_the_row_that_is_named_is_marked(
    context: SearchContext,
) -> None:
    assert marked(context, "what do i have to wear in the smithy") == [
        "| Smithy | glasses | 2 hooks |"
    ]
    assert len(marked(context, "list everything to wear")) in {0, len(PLACES)}


def test_where_something_is_denied_no_row_of_a_whole_list_is_marked(context: SearchContext) -> None:
    assert marked(context, "what do i have to wear when not in the smithy") == []


def test_of_a_follow_up_the_line_with_its_own_words_is_marked(context: SearchContext) -> None:
    lines = VAULT["Gates.md"].split("\n")[4:6]
    first = "when is the north gate opened"
    assert marked(context, "and the south one?", first) == lines[1:]
    assert marked(context, "and for elephants?", first)  # no line says so: what was marked stays


def test_where_several_may_be_meant_all_rows_that_say_as_much_are_marked(
    context: SearchContext,
) -> None:
    rows = marked(context, "what extras can a member take")
    assert [row.split(" | ")[0] for row in rows] == ["| Towel", "| Locker", "| Umbrella"]
