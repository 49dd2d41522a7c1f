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


OTHERS = {
    "ages.md": (
        "# Ages\n\n| Age | Slide | Sauna |\n|---|---|---|\n| 4 | no | no |\n| 6 | yes | no |\n"
        "| 18 | yes | yes |\n"
    ),
    "courses.md": (
        "# Courses\n\n| Course | Minimum age | Price |\n|---|---|---|\n"
        "| Slide race | 11 | 5 euros |\n"
        "| Diving | 12 | 80 euros |\n"
    ),
    "ranks.md": (
        "# Ranks\n\n| Level | Fee |\n|---|---|\n| 10 | none |\n| 8 | none |\n| 6 | 5 gp |\n"
        "| 4 | 10 gp |\n"
    ),
    "skills.md": (
        "# Skills\n\n| Level | Damage |\n|---|---|\n| 1 | none |\n"
        "| 2 | 4 |\n| 3 | 8 |\n| 4 | 12 |\n"
    ),
}


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ("from what age can you join the slide race", "| 6 |"),  # a thing that is called longer
        ("from what level is there a fee", "| 6 |"),  # the rows go down
        ("at what level is the damage more than 10", "| 2 |"),  # an amount limits it
        ("from what age are slide and sauna open", "| 18 |"),  # two columns
    ],
)
def test_what_names_more_than_a_column_has_no_first_row(
    index_files: IndexFiles, asked: str, wrong: str
) -> None:
    first = card_reply(index_files(OTHERS, rag_threshold=-9.0), asked).cards[0]
    lines = [first.lines[number] for part in first.marked for number in part.numbers]
    assert not lines or not all(line.startswith(wrong) for line in lines)
