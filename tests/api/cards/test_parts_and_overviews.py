"""Cards of questions in parts, of a variant beside its standard, and of a file as a whole."""

import pytest

from api.answer.card_reply import card_reply
from api.answer.cards import render
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

BEAST = """# Marsh Beast

| AC | 5 [14] |
|---|---|
| HD | 6 (30hp) |
| MV | 120' |
| ML | 10 |

Lank and always hungry.

- **Healing:** starts three rounds after the first wound and gives 3hp a round until it is full.
- **Nose:** follows blood for a day. Rain ends the trail, and so does a stream that is crossed.
- **Fear:** flees from fire whenever a torch is carried within thirty feet of it, by night alone.
- **Old ones:** have an additional head, which bites for 1d6, and are worth a third more XP.
"""
DYING = """# Dying

With 0 hit points or fewer a character is dead; there is no state between the two. Other ways are in
[[Last Breath (Variant)]].

## Burial

A body that is buried within a week rests in peace, and one that is not may walk again by night.
"""
BREATH = """---
status: optional
supersedes: Rules/Dying.md
---
# Last Breath (Variant)

## State

| Hit points | State of a character |
|---|---|
| 1 or more | unhurt |
| 0 | stunned |
| -10 or fewer | dead |
"""
SCROLLS = """# Scrolls

Scrolls are found in chests, and each of them holds the words of one spell, written in plain ink.

## Into the book

1. The writing has to be deciphered with a spell that reads magic.
2. Copying takes a day for each level of the spell, and ink for 100 gp.
3. At the end, roll 1d100 against the chance below.
4. Whoever fails may try it again, but not before a level is gained.

The page is blank afterwards. It can be scraped and sold for a tenth of what new vellum costs there.
"""
GUESTS = """# Guest policy

A guest is somebody whom a member has signed in at the desk, in person and with a full name.

## Hours

Guests leave at ten in the evening. On the eve of a feast they stay until midnight.

## Costs

| Day | Fee |
|---|---|
| Weekday | 4 EUR |
| Sunday | 6 EUR |
"""
FILES = {
    "Monsters/Beast.md": BEAST,
    "Monsters/Owl.md": "# Owl\n\nAn owl sees by night and hears a mouse below the snow.\n",
    "Rules/Dying.md": DYING,
    "Rules/Breath.md": BREATH,
    "Rules/Scrolls.md": SCROLLS,
    "Club/Guests.md": GUESTS,
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


def test_what_two_questions_ask_of_one_section_is_one_card(context: SearchContext) -> None:
    first, *others = card_reply(
        context, "how many hp does a marsh beast have and how fast does it heal"
    ).cards
    assert {"| HD | 6 (30hp) |", *first.lines.values()} == set(first.lines.values())
    assert any("gives 3hp a round" in line for line in first.lines.values())
    assert list(first.lines) == sorted(first.lines)
    assert not any(card.heading == first.heading and not card.folded for card in others)


def test_of_numbered_steps_none_is_left_out(context: SearchContext) -> None:
    first = card_reply(context, "how do i copy a scroll into the book").cards[0]
    shown = render.markdown((first,))
    assert all(f"{number}. " in shown for number in (1, 2, 3, 4))


def test_steps_that_are_asked_for_are_marked_and_answer(context: SearchContext) -> None:
    reply = card_reply(context, "how do i copy a scroll into the book, step by step")
    lines = [reply.cards[0].lines[part.first_line] for part in reply.cards[0].marked]
    assert [line[:2] for line in lines] == ["1.", "2.", "3.", "4."]
    assert reply.certainty == "answered"
    other = card_reply(context, "how do i shoe a horse, step by step")
    assert other.certainty != "answered"


def test_the_rule_that_holds_stands_above_its_variant(context: SearchContext) -> None:
    paths = [card.path for card in card_reply(context, "what happens at 0 hit points").cards]
    assert paths.index("Rules/Dying.md") < paths.index("Rules/Breath.md")


def test_a_variant_that_says_more_of_what_is_asked_is_first(context: SearchContext) -> None:
    assert card_reply(context, "is a character stunned at 0 hit points").cards[0].path == (
        "Rules/Breath.md"
    )


@pytest.mark.parametrize(
    "question", ["everything about guests", "tell me all about the guest policy"]
)
def test_everything_about_a_file_is_the_file(context: SearchContext, question: str) -> None:
    reply = card_reply(context, question)
    assert [card.path for card in reply.cards] == ["Club/Guests.md"]
    text = render.markdown(reply.cards)
    assert all(part in text for part in ("signed in", "until midnight", "| Sunday | 6 EUR |"))
    assert reply.cards[0].left_out == 0


def test_everything_about_what_no_file_is_called_is_searched_for(context: SearchContext) -> None:
    assert card_reply(context, "everything about ink").cards[0].path == "Rules/Scrolls.md"


def test_a_long_file_is_shown_to_its_limit_and_what_is_left_is_counted(
    index_files: IndexFiles,
) -> None:
    section = "Whoever keeps a boat here signs the book when it leaves and when it returns. " * 6
    text = "# Boats\n\n" + "\n\n".join(f"## Rule {n}\n\n{section}" for n in range(1, 9))
    reply = card_reply(
        index_files({"Boats.md": text}, rag_threshold=-9.0), "everything about boats"
    )
    assert len(reply.cards) == 1
    assert 0 < reply.cards[0].left_out < 8


ROUND = """# Round

## Steps of a round

1. Declare what you will do.
2. Roll for initiative, each side one die.
3. Act, the higher side first.
"""
HOUSE = """---
status: house-rule
supersedes: [Rules/Round.md]
---
# House rules

## Initiative of a round

In each step of a round a tie of initiative is rolled again.
"""


def test_what_corrects_a_list_that_is_asked_for_as_a_whole_stands_below_it(
    index_files: IndexFiles,
) -> None:
    rules = index_files({"Rules/Round.md": ROUND, "House.md": HOUSE}, rag_threshold=-9.0)
    whole = [card.path for card in card_reply(rules, "list all the steps of a round").cards]
    assert whole == ["Rules/Round.md", "House.md"]
    one = [card.path for card in card_reply(rules, "who goes first on a tie of initiative").cards]
    assert one[0] == "House.md"


def test_how_it_is_to_be_told_is_not_searched_for(context: SearchContext) -> None:
    reply = card_reply(context, "copying of a scroll into the book, step by step")
    assert (reply.question, reply.reading.form) == ("copying of a scroll into the book", "list")
