"""Limits in the money that a file tells, of what is denied, and those that name a column."""

import pytest

from api.answer.cards.blocks import blocks
from api.answer.cards.lists.rows import chosen_rows
from retrieval.ranking.lines import QuestionWords
from tests.support.index.indexed_text import indexed_file, terms_of


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("tools for less than 30 marks", ["| Awl | 9 |"]),
        ("tools under 30 quid", []),  # of another money
        ("tools under 30 fathoms", []),
    ],
)
def test_a_limit_is_read_in_the_money_that_the_file_tells(asked: str, shown: list[str]) -> None:
    text = (
        "# Tools\n\nAll prices are in marks: a day's work is 5 marks.\n\n| Tool | Price |\n"
        "|---|---|\n| Awl | 9 |\n| Saw | 80 |\n| Vice | 95 |\n"
    )
    file = indexed_file(text)
    words = QuestionWords.of(asked, terms_of({file.path: text}))
    table = next(one for one in blocks(file) if one.kind == "table")
    found = chosen_rows.chosen(file, table, words)
    rows = [file.lines[part.first_line] for part in found.parts] if found else []
    assert rows == shown


def test_no_items_are_chosen_by_an_amount_of_what_is_denied() -> None:
    text = (
        "# Medicines\n\n## Not to be given\n\n- Dolax: not to dogs under 6 weeks\n"
        "- Flea: not to cats under 8 weeks\n- Calm: not under 6 months\n- Rest: any age\n"
    )
    file = indexed_file(text)
    words = QuestionWords.of("medicines given longer than 7 weeks", terms_of({file.path: text}))
    assert chosen_rows.chosen(file, blocks(file)[0], words) is None


def test_an_amount_that_is_the_name_of_a_column_chooses_none() -> None:
    rows = "| Bunk | 28 | 23 |\n| Cot | 9 | 7 |\n"
    table = f"# Beds\n\n| Bed | Grown-ups | Under 27 |\n|---|---|---|\n{rows}"
    file = indexed_file(table)
    words = QuestionWords.of("price of beds under 27", terms_of({file.path: table}))
    assert chosen_rows.chosen(file, blocks(file)[0], words) is None
