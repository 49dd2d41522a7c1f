"""A notice that changes values of several files, of which front matter names the first alone.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

QUAY = {
    "parking.md": (
        "# Parking\n\n| Item | Charge |\n|---|---|\n| First hour, north yard | 2.50 EUR |\n"
        "| Daily maximum, north yard | 9.00 EUR |\n| Lost ticket | 15.00 EUR |\n\n"
        "The first 30 minutes are free of charge in both yards.\n"
    ),
    "tickets.md": (
        "# Tickets\n\n**Adult, single:** 6.40 EUR\n\n**Child, single:** 3.20 EUR\n\n"
        "**Dog:** 1.50 EUR\n\n## Parties\n\nParties book five days ahead.\n\n"
        "## Court\n\nThe court is booked 7 days ahead. A booking not used within ten minutes "
        "is lost.\n\n## Check-in\n\nCarts stand in the lane 30 minutes before departure.\n"
    ),
    "matches.md": (
        "# Matches\n\n| Class | Players | Length |\n|---|---|---|\n| U10 | 7 | 2 × 20 minutes |\n"
        "| U12 | 9 | 2 × 25 minutes |\n| U14 | 11 | 2 × 35 minutes |\n"
    ),
    "protests.md": "# Protests\n\nA protest is heard in three days. The fee is 60 EUR.\n",
    "notice.md": (
        "---\nsupersedes: [parking.md, protests.md]\n---\n# Notice of March\n\n"
        "1. The daily maximum in the north yard is raised from 9.00 to 12.00 EUR.\n"
        "2. The free period is now 20 minutes instead of 30 minutes.\n"
        "3. Parties book ten days ahead instead of five (`tickets.md`).\n"
        "4. The single ticket of a child costs 3.60 EUR, not 3.20 EUR.\n"
        "5. A match of the U12 lasts 2 × 30 minutes instead of 2 × 25 minutes.\n"
        "7. The court is booked 14 days ahead, no longer 7 (`tickets.md`).\n"
        "6. The fee of a protest is 90 EUR instead of 60 EUR.\n\n"
        "The price of a lost ticket stands.\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(QUAY, rag_threshold=-9.0)


def first_lines(context: SearchContext, question: str) -> tuple[str, list[str]]:
    card = card_reply(context, question).cards[0]
    return card.path, [card.lines[n] for part in card.marked for n in part.numbers]


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("what is the daily maximum in the north yard", "1."),  # with its decimals
        ("how many days ahead do parties book", "3."),  # a file that the line names
        ("how long does a match of the U12 last", "5."),  # a row of one, called in one word
        ("how many days ahead is the court booked", "7."),
        ("how much is a protest", "6."),  # called as its file, but it is asked how much
    ],
)
def test_a_notice_goes_above_whatever_it_changes(
    context: SearchContext, question: str, number: str
) -> None:
    path, lines = first_lines(context, question)
    assert (path, [line[:2] for line in lines]) == ("notice.md", [number])


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("what do I pay for a lost ticket", "parking.md", "| Lost ticket |"),
        ("single ticket for an adult", "tickets.md", "**Adult, single:**"),
        # The sentence beside the one whose number is given up.
        ("when is a booking lost", "tickets.md", "The court is booked 7 days"),
        # The cell beside it.
        ("how many players has a match of the U12", "matches.md", "| U12 |"),
        ("when do carts stand in the lane", "tickets.md", "Carts stand"),
        ("how long does a match of the U14 last", "matches.md", "| U14 |"),
    ],
)
def test_what_it_does_not_change_goes_above_it(
    context: SearchContext, question: str, path: str, line: str
) -> None:
    found, lines = first_lines(context, question)
    assert found == path
    assert [one.startswith(line) for one in lines] == [True]


def test_what_is_called_as_nothing_but_its_file_is_whole(context: SearchContext) -> None:
    assert card_reply(context, "protests").cards[0].path == "protests.md"
