"""Days and months as tables shorten them."""

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
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
    assert marked(context, "which courses are on saturday") == ["Bookbinding"]


def test_sun_is_a_day_where_other_days_are_written() -> None:
    words = stems_of("sun tues oct")
    with_days = terms_of({"a.md": "# A\n\nOpen on Mon and Sun.\n"})
    assert with_days.in_full(words) == set(stems_of("sunday tuesday october"))
    without = terms_of({"a.md": "# A\n\nThe sun burns them.\n"})
    assert without.in_full(words) == {*stems_of("sun"), *stems_of("tuesday october")}
