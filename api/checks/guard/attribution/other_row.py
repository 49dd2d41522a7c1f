"""A number from another row of a table than the one that a statement names."""

from collections.abc import Iterator, Sequence

from api.checks.guard.alignment import Evidence, Occurrence, content
from api.checks.guard.attribution.table_rows import phrase, worded_key
from api.checks.guard.statements import Statement
from api.checks.passage_lines import PassageLine

_FEWEST_COLUMNS = 3  # with two, the rows are what one thing has: AC, HD, THAC0


def foreign_row(
    statement: Statement, question: str, supports: Sequence[Occurrence], known: Evidence
) -> tuple[Occurrence, PassageLine] | None:
    """Return a number's place and the row that is named instead of its own, or None.

    For tables of three columns or more whose keys have a column's name. The nearest words that
    name a row by its whole key decide: the statement's, what its block said before, the
    question's. They name one row, and nowhere a word of the number's own.
    """
    found: tuple[Occurrence, PassageLine] | None = None
    texts = (statement.text, statement.lead, question)
    said = set(content(" ".join(texts)))
    for taken in supports:
        line = taken.line
        if line.kind != "row" or not taken.cell or not line.cells[0].column:
            return None
        if len(line.cells) < _FEWEST_COLUMNS:
            return None
        if not worded_key(line) or set(content(line.key)) & said:
            return None
        rows = list(_rows(taken, known))
        named = next((names for text in texts if (names := _named(text, rows))), [])
        if len(named) != 1:
            return None
        found = taken, named[0]
    return found


def _rows(taken: Occurrence, known: Evidence) -> Iterator[PassageLine]:
    """The other rows of its table that have something in its column."""
    for line in known.lines:
        if line.kind == "row" and line is not taken.line and line.passage == taken.line.passage:
            columns = [[cell.column for cell in row.cells] for row in (line, taken.line)]
            if columns[0] == columns[1] and line.cells[taken.cell].text.strip(" -"):
                yield line


def _named(text: str, rows: Sequence[PassageLine]) -> list[PassageLine]:
    said = phrase(text)
    return [line for line in rows if worded_key(line) and phrase(line.key) in said]
