"""The rows that a question means by comparing what a table, or sections, say.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import card_reply
from api.answer.cards.table_query.query import Answer, answer
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

FILES = {
    "clinic/Ward.md": (
        "# Ward\n\n## How long in the ward\n\n"
        "| Illness | Days | Ends when |\n|---|---|---|\n"
        "| Mites | 7 | two baths |\n| Ringworm | 28–60 | two cultures |\n"
        "| Cough | 3½ | no cough |\n"
    ),
    "clinic/Post.md": (
        "# Post\n\n## Services\n\n"
        "| Service | Days | Price | Deposit | Open to |\n|---|---|---|---|---|\n"
        "| Letter | 5–21 | £2 | none | all |\n| Parcel | 10 | £4 | £1 | all |\n"
        "| Courier | 2 | £9 | £5 | staff |\n| Sea mail | up to 60 | £3 | none | all |\n"
    ),
    "clinic/Fees.md": (
        "# Fees\n\n## Adoption fees\n\n| Kind | Low season | High season |\n|---|---|---|\n"
        "| Hen | £8 | £9 |\n| Grey parrot | £50 | £95 |\n| Rabbit | £40 | £40 |\n"
        "| Green parrot | £60 | £70 |\n"
    ),
    "clinic/Machines.md": (
        "# Machines\n\n"
        "| Machine | Charge (£/h) | Lowest age | Staff | Guest |\n|---|---|---|---|---|\n"
        "| Lathe | 4.50 | 16 | yes | no |\n| Drill | free | 14 | yes | yes |\n"
        "| Kiln | 12.00 a firing | 18 | yes | no |\n| Printer | 0.60 | 12 | yes | yes |\n"
    ),
    "clinic/Boats.md": (
        "# Boats\n\n| Boat | Price | Seats |\n|---|---|---|\n| Punt | £5 | 3 |\n| Canoe | | 2 |\n"
        "| Gig | £9 | 6 |\n\nA blank price means that the boat is lent for nothing.\n"
    ),
    "clinic/Load.md": (
        "# Load\n\n| Load in coins | Feet per turn |\n|---|---|\n"
        "| 0-400 | 120' |\n| 401-600 | 90' |\n| 601-800 | 60' |\n| more | none |\n"
    ),
    "clinic/Bears.md": (
        "# Brown bear\n\n| XP | 75 |\n|---|---|\n| ML | 7 |\n\n"
        "# White bear\n\n| XP | 275 |\n|---|---|\n"
        "| ML | 8 |\n\n# Cave bear\n\n| XP | 450 |\n|---|---|\n| ML | 9 |\n"
    ),
    "clinic/Training.md": (
        "# Training\n\n## The steps\n\n**First step**\n**Length:** 90 minutes\n**Fee:** none\n\n"
        "**Second step**\n**Length:** 4 hours\n**Fee:** £15\n\n"
        "**Third step**\n**Length:** 2 days\n**Fee:** £20\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


def chosen(context: SearchContext, question: str) -> Answer | None:
    found = card_reply(context, question).found
    assert found is not None
    return answer(found, question)


def marked(context: SearchContext, question: str) -> list[str]:
    card = card_reply(context, question).cards[0]
    return [card.lines[part.first_line].strip("| -*").split(" |")[0] for part in card.marked]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("which boat has the most seats", ["Gig"]),
        ("what is the dearest boat", ["Gig"]),
        ("which illness keeps an animal longest", ["Ringworm"]),  # by the end of a range
        ("what illness is over soonest", ["Cough"]),  # 3½ days
        ("which service costs the most", ["Courier"]),
        ("what is the second cheapest service", ["Sea mail"]),
        ("the quickest service", ["Courier"]),  # no speed: the shortest time
        ("what is the dearest thing to adopt in high season", ["Grey parrot"]),
        ("which parrot is the cheapest to adopt in low season", ["Grey parrot"]),
        ("which machine costs the most per hour", ["Lathe"]),  # a firing is no hour
        ("which services take over 9 days", ["Letter", "Parcel", "Sea mail"]),
        ("which animals cost the same in low season and high season", ["Rabbit"]),
        ("which services have no deposit", ["Letter", "Sea mail"]),
        ("which machines are free", ["Drill"]),
        ("my son is 15, what machines is he old enough for", ["Drill", "Printer"]),
        ("what machines can only staff use", ["Lathe", "Kiln"]),
        ("how many coins can i carry before i am down to 60 feet a turn", ["601-800"]),
        ("bears worth over 200 xp", ["XP", "XP"]),
        ("which step of the training is the longest", ["Length:** 2 days"]),
    ],
)
def test_the_rows_are_told_by_what_is_compared(
    context: SearchContext, question: str, rows: list[str]
) -> None:
    assert marked(context, question) == rows


def test_sections_are_shown_below_their_names(context: SearchContext) -> None:
    card = card_reply(context, "bears worth over 200 xp").cards[0]
    titles = [card.lines[one.title.first_line] for one in card.pieces if one.title]
    assert titles == ["# White bear", "# Cave bear"]


def test_a_table_that_fits_well_is_answered(context: SearchContext) -> None:
    assert (
        card_reply(context, "which illness takes the longest in the ward").certainty == "answered"
    )


def test_what_is_not_understood_is_not_sure(context: SearchContext) -> None:
    rows = chosen(context, "which illness that ends with two baths lasts longest")
    assert rows is None or not rows.is_sure  # the cells of another column are not compared


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what is the smallest boat", []),  # of no size that the table has
        ("which machine for guests costs the most per hour", ["Printer"]),
        ("which services take under 4 days", ["Courier"]),  # up to 60 is no less
        ("services that take no more than 9 days", ["Letter", "Courier"]),
        ("my son is 15, which machines can't he use", ["Lathe", "Kiln"]),
        ("what is the 2nd cheapest service", ["Sea mail"]),
        ("services that cost over £3 and take under 5 days", ["Courier"]),
        ("the cheapest animal in high season", ["Hen"]),
    ],
)
def test_rows_are_chosen_by_all_that_is_asked(
    context: SearchContext, question: str, rows: list[str]
) -> None:
    found = chosen(context, question)
    names = [found.grid.table[n][1][0] for n in found.rows] if found else []
    assert names == rows


@pytest.mark.parametrize(
    "question",
    [
        "what is the cheapest boat",  # a blank may be nothing
        "which service is not the cheapest",
        "what is the fifth cheapest service",
        "what is the cheapest service except the letter",
        "which illness has the most spots",  # no column
        "which service is the most popular",
        "what do most people pay for a parcel",
        "which parrots cost under £10 in low season",  # none does
        "what is the cheapest green parrot in high season",  # one row is named
        "does the courier cost the most",  # whether, not which
        "do i need any stamp for a letter under 5 days",
        "what happens if i pay more than £3 late",
        "who gets the boat if two ask for it on the same day",
        "a box of 9 kilos, which service is the cheapest",  # of what it may weigh nothing is said
    ],
)
def test_what_no_column_tells_chooses_no_row(context: SearchContext, question: str) -> None:
    assert chosen(context, question) is None
