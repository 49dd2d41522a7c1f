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
    "Beasts.md": (
        "# Beasts in the house\n\n## Which beasts\n\n| Beast | How many | Needed |\n|---|---|---|\n"
        "| Ferrets | 2 | tell the porter |\n| Cats | 3 | tell the steward |\n"
        "| Hounds | 1 | permission of the council |\n\n"
        "## Where hounds may not go\n\n- the kitchen\n- the chapel\n- the herb garden\n"
    ),
    "Kiln.md": (
        "# Kiln\n\n## What goes into the kiln\n\nAllowed in the kiln without asking: clay, "
        "stoneware and porcelain that the kiln keeper sold you.\n\n"
        "Never, at any heat: glass, tin, or whatever was in the kiln before.\n"
    ),
    "Yard.md": (
        "# Yard\n\n| Cart | Colour | Length |\n|---|---|---|\n| Barrow | red | 2 ells |\n"
        "| Dray | green | 6 ells |\n| Sledge | red | 3 ells |\n| Wagon | blue | 7 ells |\n\n"
        "- **Red:** from 12, and nobody else in the yard.\n- **Green:** from 9.\n"
        "- **Blue:** with the carter.\n"
    ),
    "Cord.md": (
        "# Cord\n\n| Cord | 1-4 pieces | 10 or more |\n|---|---|---|\n| Hemp cord | 4.20 | 3.60 |\n"
        "| Flax cord | 7.50 | 6.60 |\n| Silk cord | 10.50 | 10.00 |\n"
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


def test_a_list_none_of_whose_items_says_more_is_marked_whole(context: SearchContext) -> None:
    places = ["- the kitchen", "- the chapel", "- the herb garden"]
    assert marked(context, "where may hounds not go") == places
    assert marked(context, "may hounds go into the chapel") == ["- the chapel"]


def test_the_row_that_is_named_goes_before_one_that_is_only_near(context: SearchContext) -> None:
    lines = marked(context, "do i need permission for cats")
    assert lines == ["| Cats | 3 | tell the steward |"]


def test_of_what_is_forbidden_the_line_that_forbids_is_marked(context: SearchContext) -> None:
    allowed, never = VAULT["Kiln.md"].split("\n")[4:7:2]
    assert marked(context, "what may i never put into the kiln") == [never]
    assert marked(context, "what may i put into the kiln without asking") == [allowed]


@pytest.mark.parametrize(
    "question",
    ["which carts in the yard are red", "list the red carts", "all red carts"],
)
def test_rows_of_one_value_are_listed(context: SearchContext, question: str) -> None:
    reply = card_reply(context, question)
    assert (reply.certainty, reply.cards[0].said) == ("answered", ("red",))
    rows = ["| Barrow | red | 2 ells |", "| Sledge | red | 3 ells |"]
    assert marked(context, question) == rows
    assert marked(context, "which carts are red and long") != rows  # "long" is not understood


def test_of_a_follow_up_a_number_is_of_what_was_asked_before(context: SearchContext) -> None:
    row = "| Hemp cord | 4.20 | 3.60 |"
    asked = "what does a hemp cord cost"
    assert marked(context, asked) == marked(context, "and if i buy ten?", asked) == [row]
    stays = "how long does the sledge last"
    assert "| Sledge | red | 3 ells |" in marked(context, "and the one of 3 ells?", stays)


# Tables that have the word of a question in a sense of their own.
TURNED = {
    "closed.md": (
        "# Boats\n\n| Boat | Closed to |\n|---|---|\n| Heron | guests |\n| Kite | guests |\n"
        "| Otter | none |\n"
    ),
    "ranges.md": (
        "# Walks\n\n| Walk | Day |\n|---|---|\n| Dunes | Sunday |\n| Marsh | Sunday |\n"
        "| Woods | Sat - Mon |\n| Heath | Friday |\n"
    ),
    "hall.md": (
        "# Lathes of the hall\n\n| Lathe | Colour |\n|---|---|\n| Old lathe | red |\n"
        "| Long lathe | red |\n| Small lathe | grey |\n"
    ),
    "shed.md": (
        "# Lathes of the shed\n\n| Lathe | Colour |\n|---|---|\n| Wood lathe | red |\n"
        "| Pole lathe | red |\n| Toy lathe | blue |\n"
    ),
    "help.md": (
        "# Help\n\n## Who to call\n\n- At night: the warden\n- For a leak: the plumber\n"
        "- Else: the office\n\n## Who may not take leave in August\n\n- cooks\n- guides\n"
        "- the porter\n"
    ),
}


@pytest.mark.parametrize(
    "question", ["list the boats for guests", "list the sunday walks", "list the red lathes"]
)
def test_no_rows_are_all_where_a_value_does_not_tell(
    index_files: IndexFiles, question: str
) -> None:
    reply = card_reply(index_files(TURNED, rag_threshold=-9.0), question)
    assert not reply.cards[0].by_value
    assert not (reply.cards[0].said and reply.cards[0].says_all)


def test_a_list_whose_items_are_of_their_own_cases_is_not_marked_whole(
    index_files: IndexFiles,
) -> None:
    context = index_files(TURNED, rag_threshold=-9.0)
    assert len(marked(context, "who do i call")) < 3
    assert len(marked(context, "who can take leave in august")) < 3


SHIPS = {
    "Ships.md": (
        "# Ships\n\n## Sloop\n\nBuilt for smuggling, and glad of it.\n\n"
        "**Hull:** 24 **Speed:** 8 **Crew:** 5\n**Guns:** 3 **Upkeep:** 45 **Price:** 2,900\n"
        "**Oddity:** the watch knows it\n\n## Barge\n\nSlow, wide and honest.\n\n"
        "**Hull:** 28 **Speed:** 5 **Crew:** 9\n**Guns:** 4 **Upkeep:** 50 **Price:** 3,200\n"
        "**Oddity:** it smells of fish\n"
    ),
    "Quays.md": "# Quays\n\nWhat a berth costs is told by the harbour master.\n",
}


def test_of_several_fields_on_a_line_each_is_asked_for_by_its_name(
    index_files: IndexFiles,
) -> None:
    context = index_files(SHIPS, rag_threshold=-9.0)
    lines = ["**Hull:** 24 **Speed:** 8 **Crew:** 5"]
    assert marked(context, "how fast is the sloop") == lines
    asked = "which is faster, a sloop or a barge, and what does each cost"
    cards = card_reply(context, asked).cards[:2]
    shown = [line for card in cards for _, line in sorted(card.lines.items()) if "Speed" in line]
    priced = [line for card in cards for line in card.lines.values() if "Price" in line]
    assert (len(shown), len(priced)) == (2, 2)
    assert not any(card.folded for card in cards)


HALL = {
    "House.md": (
        "# House rules\n\n## On the site\n\n1. Dogs stay on a lead.\n"
        "2. Report damage to a boat to the boatman.\n3. The gate is locked at ten.\n"
    ),
    "Booking.md": (
        "# Booking\n\n## From enquiry to key\n\n1. Look for a free day in the calendar.\n"
        "2. Send the form to the secretary.\n3. Pay the deposit within a week.\n\n"
        "## What counts\n\n1. Who asked first.\n2. Who lives in the village.\n"
    ),
    "Wards.md": (
        "# Wards\n\n## Visits by ward\n\n| Ward | Visits |\n|---|---|\n"
        "| Ward 1 Inner | 2 to 8 |\n| Ward 2 Bones | 2 to 8 |\n| Ward 3 Birth | 3 to 6 |\n"
        "| Ward 4 Quiet | always |\n| Isles | 3 to 4 |\n"
    ),
}


def test_all_numbered_steps_of_what_somebody_wants_to_do_are_marked(
    index_files: IndexFiles,
) -> None:
    context = index_files(HALL, rag_threshold=-9.0)
    steps = marked(context, "how do i book, from the enquiry to the key")
    assert [line[:2] for line in steps] == ["1.", "2.", "3."]
    assert marked(context, "who do i send the form to") == ["2. Send the form to the secretary."]


def test_one_of_several_numbered_rules_answers_alone(index_files: IndexFiles) -> None:
    context = index_files(HALL, rag_threshold=-9.0)
    lines = marked(context, "how do i report damage to a boat")
    assert lines == ["2. Report damage to a boat to the boatman."]


def test_what_most_rows_are_called_tells_none_of_them(index_files: IndexFiles) -> None:
    context = index_files(HALL, rag_threshold=-9.0)
    assert marked(context, "when are visits in the birth ward") == ["| Ward 3 Birth | 3 to 6 |"]
