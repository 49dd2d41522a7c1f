"""The rows with the value that a question writes behind a column's name: "guided is yes"."""

from collections.abc import Iterator, Sequence

from api.answer.cards.lists.rows.table_rows import SEPARATORS, Column, Marked, Table, some
from api.answer.cards.lists.rows.understood import DENIAL, UNCLEAR
from retrieval.ranking.lines import QuestionWords
from retrieval.text.words import WORD

_BARE = (["yes"], ["no"])  # of which others than a value may follow
_SET_TO = frozenset({"is", "are", "of", "to", "set", "equals"})  # "where the grade is greater"


def with_value(column: Column, table: Table, asked: QuestionWords) -> Marked | None:
    """Return the rows with the cell that the question writes behind the column's name.

    Of "supervised yes" those with "yes". None where it says no besides.
    """
    words = WORD.findall(asked.question.lower())
    for cell in dict.fromkeys(column.cells):
        value = WORD.findall(cell.lower())
        at = next((n for n in _places(value, words) if _is_behind(column, words[:n], asked)), None)
        if not value or at is None:
            continue
        if value in _BARE and at + len(value) < len(words):  # "paid no matter how old"
            continue
        rest = " ".join([*words[:at], *words[at + len(value) :]])
        if DENIAL.search(rest) or UNCLEAR.search(rest):
            return None
        parts = [
            part for (part, _), own in zip(table, column.cells, strict=True)
            if own == cell or cell in SEPARATORS.split(own.replace("*", ""))  # "dogs *or* cats"
        ]  # fmt: skip
        return some(table, parts, asked.stems(" ".join(value)) or column.name)
    return None


def _places(value: Sequence[str], words: Sequence[str]) -> Iterator[int]:
    return (n for n in range(1, len(words)) if value and words[n : n + len(value)] == value)


def _is_behind(column: Column, before: Sequence[str], asked: QuestionWords) -> bool:
    """Whether words end with the column's name, or with it and "is"."""
    said = [word for word in before[-3:] if word not in _SET_TO]
    return bool(said) and not asked.stems(said[-1]).isdisjoint(column.name)
