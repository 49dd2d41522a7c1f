"""The first row that has something, of a table by ages or levels."""

import pytest

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

FILES = {
    "young.md": (
        "# Young sailors\n\n## What they may do\n\n| Age | Swimming | Rowing | Steering |\n"
        "|---|---|---|---|\n| under 6 | no | no | no |\n| 6 to 9 | yes | no | no |\n"
        "| 10 to 13 | yes | yes, with a mate | no |\n| 14 and over | yes | yes | yes |\n"
    ),
    "pilot.md": (
        "# Pilot\n\n| Level | Title | Charts |  |  |\n|---|---|---|---|---|\n|  |  | 1 | 2 | 3 |\n"
        "| 1 | Reader | 1 | - | - |\n| 2 | Guide | 2 | 1 | - |\n| 3 | Master | 2 | 2 | 1 |\n"
    ),
    "berths.md": (
        "# Berths\n\n| Berth | Water | Light |\n|---|---|---|\n| North | no | yes |\n"
        "| South | yes | no |\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.mark.parametrize(
    ("asked", "row"),
    [
        ("from what age are young sailors allowed to row", "| 10 to 13 |"),
        ("at which age may they do the steering", "| 14 and over |"),
        ("minimum age for swimming", "| 6 to 9 |"),
        ("at what level does a pilot get charts of the 3rd level", "| 3 | Master"),
        ("first level at which a pilot has second level charts", "| 2 | Guide"),
    ],
)
def test_the_rows_before_it_have_none(context: SearchContext, asked: str, row: str) -> None:
    first = card_reply(context, asked).cards[0]
    lines = [first.lines[number] for part in first.marked for number in part.numbers]
    assert len(lines) == 1
    assert lines[0].startswith(row)


def test_rows_without_a_number_are_in_no_order(context: SearchContext) -> None:
    first = card_reply(context, "at what berth is there water").cards[0]
    assert not first.is_sure
