"""Lists that a column, a label or the headings choose, what stands beside them, and what does not.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import card_reply
from api.answer.cards.blocks import blocks
from api.answer.cards.card import Card
from retrieval.context import SearchContext
from tests.support.index.indexed_text import indexed_file
from tests.support.index.ingested import IndexFiles

VAULT = {
    "Cinema streams.md": (
        "# Cinema streams\n\n## Players\n\n| Player | 4K | Subtitles | Downloads |\n"
        "|---|---|---|---|\n| Old telephone | no | yes | ✓ |\n| Wall screen | yes | yes | - |\n"
        "| Games box | yes | no | - |\n| Car panel | no | yes, parked only | ✓ |\n\n"
        "## Offices\n\n| Town | Street |\n|---|---|\n| Aldmere | 4 Mill Lane |\n"
        "| Brackwater | 9 High Street |\n| Coldham | 2 Quay |\n"
    ),
    "Pump alarms.md": (
        "# Pump alarms\n\nP = priority: A rings the warden, B writes a line, C is only kept.\n\n"
        "| No. | Alarm | P | Severity |\n|---|---|---|---|\n| 1 | Well dry | A | 1 |\n"
        "| 2 | Sieve full | B | 3 |\n| 3 | Valve stuck | A | 1 |\n| 4 | No light | C | 3 |\n"
        "| 5 | Oil low | B | 2 |\n| 6 | Rust | C | 3 |\n"
    ),
    "Witchfinder chants.md": (
        "# Witchfinder chants\n\n## Still Water\n\n**Grade:** Chant 1\n\n**Span:** 2 rounds\n\n"
        "Waves lie down.\n\n## Great Storm\n\n**Grade:** Chant 3\n\n**Span:** 1 turn\n\n"
        "Winds rise.\n\n## Lamplight\n\n**Grade:** Chant 1\n\n**Span:** 3 turns\n\n"
        "A lamp burns.\n\n## Iron Door\n\n**Grade:** Chant 2\n\n**Span:** 1 day\n\n"
        "A door is shut.\n"
    ),
    "Fines.md": (
        "# Fines\n\n## Table of fines\n\n| Offence | Grade | Fine |\n|---|---|---|\n"
        "| Spitting | lesser | 2 |\n| Theft | greater | 50 |\n| Noise | lesser | 5 |\n"
        "| Arson | greater | 900 |\nWho cannot pay works it off at the greater harbour.\n"
    ),
    "Club dogs.md": (
        "# Club dogs\n\n## Breeds\n\n| Breed | Banned | Maximum age |\n|---|---|---|\n"
        "| Pit hound | yes | 9 |\n| Spaniel | no | 12 |\n| Wolf cross | yes | 8 |\n"
    ),
    "Warranty.md": (
        "# Warranty\n\n## Parts of the mower\n\n| Part | Covered |\n|---|---|\n| Motor | yes |\n"
        "| Blade | No – wear part |\n| Belt | not after a year |\n| Grip | none |\n"
        "| Frame | yes, for life |\n"
    ),
    "Storage.md": (
        "# Storage\n\n## What may be stored\n\n| Thing | Rule |\n|---|---|\n"
        "| Food that spoils | forbidden |\n| Tinned food | in closed boxes |\n"
        "| Petrol | forbidden |\n| Weapons | Forbidden, old ones with papers |\n"
        "| Tyres | up to 8 |\n\nNobody may sleep in a unit.\n"
    ),
    "Airport.md": (
        "# Airport\n\n## Things on board\n\nC = cabin, H = hold.\n\n"
        "| Thing | C | H | Limit |\n|---|---|---|---|\n| Power bank | ✓ | ✗ | 2 |\n"
        "| Camping gas | ✗ | ✗ | – |\n| Deodorant | ✓ | ✓ | 2 l |\n| Knife | ✗ | ✓ | 6 cm |\n"
    ),
    "Workshop.md": (
        "# Workshop\n\n## Machines\n\n| Machine | Badge | Age |\n|---|---|---|\n"
        "| Drill | green | 12 |\n| Band saw | blue | 16 |\n| Planer | red | 18 |\n\n"
        "## Courses\n\n| Course | Lessons | Age |\n|---|---|---|\n| Seahorse | 12 | 5–7 |\n"
        "| Splash | 8 | 4–18 months |\n| Otter | 10 | 7–12 |\n| Crawl | 8 | 16+ |\n"
    ),
    "Bath rules.md": (
        "# Bath rules\n\n## Opening hours\n\nFrom 6:30 to 21:00.\n\n## Lockers\n\nA coin is needed."
        "\n\n## Lanes\n\nSlow swimmers keep to the right.\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def first(context: SearchContext, question: str) -> Card:
    return card_reply(context, question).cards[0]


def names(card: Card) -> list[str]:
    shown = [card.lines[part.first_line] for part in card.marked]
    return [line.split("|")[1].strip() if "|" in line else line.strip("# ") for line in shown]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("which players show 4k", ["Wall screen", "Games box"]),
        ("which players do not do 4k", ["Old telephone", "Car panel"]),
        ("which players have subtitles", ["Old telephone", "Wall screen", "Car panel"]),
        ("which players allow downloads", ["Old telephone", "Car panel"]),
        ("which players have no downloads", ["Wall screen", "Games box"]),
        ("which players have 4k and subtitles", ["Wall screen"]),
        ("which players have subtitles but no downloads", ["Wall screen"]),
    ],
)
def test_a_column_of_marks_chooses_rows(
    context: SearchContext, question: str, rows: list[str]
) -> None:
    card = first(context, question)
    assert names(card) == rows
    assert card.said
    assert ("no" in card.said) == ("no" in question or "not" in question)


@pytest.mark.parametrize(
    "question",
    [
        "which airport things are not forbidden in the hold",  # denied twice
        "which players lack subtitles",
        "which players have subtitles or downloads",
        "i do not know which players have subtitles",
        "which players without a stand have subtitles",
        "which of the players are subtitle-free",
        "which players have no downloads and subtitles",  # which of them is denied?
    ],
)
def test_where_it_is_not_plain_what_is_denied_no_row_is_chosen(
    context: SearchContext, question: str
) -> None:
    assert not first(context, question).said


@pytest.mark.parametrize(
    "question", ["which club dogs are banned", "which club dogs are for an 11 year old"]
)
def test_a_column_that_says_no_itself_or_an_oldest_age_chooses_none(
    context: SearchContext, question: str
) -> None:
    assert not first(context, question).said


def test_what_is_denied_in_part_is_told_of_either_way(context: SearchContext) -> None:
    card = first(context, "which mower parts are covered")
    assert names(card) == ["Motor", "Belt", "Frame"]  # "not after a year": the reader sees it
    card = first(context, "which mower parts are not covered")
    assert names(card) == ["Blade", "Belt", "Grip"]


def test_what_is_some_years_old_is_of_no_lowest_age(context: SearchContext) -> None:
    assert names(first(context, "which workshop machines are 16 years old")) != [
        "Drill",
        "Band saw",
    ]


def test_what_is_asked_with_yes_and_no_chooses_none(context: SearchContext) -> None:
    card = first(context, "which players show and do not show 4k")
    assert len(set(card.lines)) >= 6  # the header and all rows
    assert not card.said


def test_a_column_of_signs_chooses_rows(context: SearchContext) -> None:
    assert names(first(context, "which pump alarms are severity 1")) == ["1", "3"]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("which machines may a sixteen year old use", ["Drill", "Band saw"]),
        ("which machines may I use aged 12", ["Drill"]),
        ("which courses are there for a 9-year-old", ["Otter"]),
        ("courses for a 9 year old", ["Otter"]),
        ("which courses are there for a 40 year old", ["Crawl"]),
    ],
)
def test_an_age_chooses_rows(context: SearchContext, question: str, rows: list[str]) -> None:
    assert names(first(context, question)) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what am I not allowed to store", ["Food that spoils", "Petrol", "Weapons"]),
        ("what is forbidden in storage", ["Food that spoils", "Petrol", "Weapons"]),
        ("what may I not keep in storage", ["Food that spoils", "Petrol", "Weapons"]),
        ("which airport things are not allowed in the hold", ["Power bank", "Camping gas"]),
        ("what am I not allowed to put in the cabin", ["Camping gas", "Knife"]),
        ("which airport things are forbidden in the hold", ["Power bank", "Camping gas"]),
    ],
)
def test_what_is_forbidden_chooses_rows(
    context: SearchContext, question: str, rows: list[str]
) -> None:
    assert names(first(context, question)) == rows


def test_a_name_that_begins_with_no_says_no_to_nothing(context: SearchContext) -> None:
    assert first(context, "which pump alarms ring the warden").counted == 6


def test_a_list_is_shown_with_what_explains_its_signs(context: SearchContext) -> None:
    card = first(context, "list all pump alarms")
    assert any(line.startswith("P = priority") for line in card.lines.values())


def test_a_label_below_the_headings_chooses_sections(context: SearchContext) -> None:
    card = first(context, "which witchfinder chants are grade 1")
    assert names(card) == ["Still Water", "Lamplight"]


def test_ones_are_what_was_spoken_of(context: SearchContext) -> None:
    assert names(first(context, "which fines are greater ones")) == ["Theft", "Arson"]


def test_a_sentence_directly_below_a_table_is_no_row_of_it() -> None:
    made = blocks(indexed_file(VAULT["Fines.md"], "Fines.md"))
    assert [(one.kind, len(one.parts)) for one in made] == [("table", 4), ("paragraph", 1)]


def test_headings_are_no_answer_to_what_is_forbidden(context: SearchContext) -> None:
    reply = card_reply(context, "what should i not do by the bath rules")
    assert not any(line.startswith("#") for line in reply.cards[0].lines.values())


def test_what_topics_a_file_has_are_its_headings(context: SearchContext) -> None:
    reply = card_reply(context, "what topics do the bath rules cover")
    assert names(reply.cards[0]) == ["Opening hours", "Lockers", "Lanes"]
    assert reply.certainty == "answered"


def test_a_table_of_something_else_does_not_follow_a_list(context: SearchContext) -> None:
    cards = card_reply(context, "list all players").cards
    shown = [line for one in cards if not one.folded for line in one.lines.values()]
    assert any("Games box" in line for line in shown)
    assert not any("Coldham" in line for line in shown)
