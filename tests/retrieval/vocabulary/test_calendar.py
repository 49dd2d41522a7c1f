"""Days and months as tables shorten them."""

import pytest

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
from retrieval.ranking.lines import QuestionWords
from retrieval.vocabulary.terms import raw_cells, stems_of
from tests.support.index.indexed_text import terms_of
from tests.support.index.ingested import IndexFiles

COURSES = """# Courses

| Course | Evening | Room |
|---|---|---|
| Italian | Tue | 3 |
| German | Mon | 4 |
| Joinery | Wed | 5 |
| Chemistry | Tue and Thu | 6 |
| Bookbinding | Sat | 7 |
| Sewing | Sat | 8 |
"""


def marked(context: SearchContext, question: str) -> list[str]:
    """What the marked rows of the first card are called."""
    card = card_reply(context, question).cards[0]
    return [raw_cells(card.lines[part.first_line])[0] for part in card.marked]


def test_a_list_of_a_day_is_chosen_by_what_the_day_is_shortened_to(
    index_files: IndexFiles,
) -> None:
    context = index_files({"courses.md": COURSES, "b.md": "# Boots\n\nBoots dry in the hall.\n"})
    assert marked(context, "which courses are on tuesdays") == ["Italian", "Chemistry"]
    assert marked(context, "which courses are on saturdays") == ["Bookbinding", "Sewing"]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("| Italian | Tues | 3 |", "tuesday"),
        ("Mon, Thu and Sun", "monday thursday sunday"),
        ("Sat 9-12", "saturday"),
        ("Sun cream for weddings, Jane wed him; fries", ""),
        ("the sun, on fri", ""),
    ],
)
def test_a_short_day_is_written_large_and_stands_alone(text: str, days: str) -> None:
    asked = QuestionWords.of("what is on a friday", terms_of({"a.md": "# A\n\nOpen.\n"}))
    all_days = set(stems_of("monday tuesday wednesday thursday friday saturday sunday"))
    assert asked.stems(text) & all_days == set(stems_of(days))


def test_a_day_that_is_typed_short_is_found_as_it_stands() -> None:
    asked = QuestionWords.of("what is the fee on Tue", terms_of({"a.md": "# A\n\nOpen.\n"}))
    assert asked.words & asked.stems("| Tue | 300 |") == set(stems_of("tue"))
