"""Which rows and columns of a table a question asks for, by their words and numbers."""

from collections.abc import Sequence

from api.answer.cards.blocks import Part, blocks, is_delimiter
from retrieval.index.terms import raw_cells, stems_of
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords, RankedLine

_MOST = 3  # rows for one number: a table may have parts that count again


def asked_rows(
    parts: Sequence[Part], found: Sequence[RankedLine], asked: QuestionWords
) -> list[Part]:
    """Return the rows without those that say less of what is asked than the best one does.

    `found` are the entries of the rows, the best one first. Only where that is asked for by its
    name or number: "level 4" wants one row and not its neighbours, "animals to ride" several.
    """
    best = found[0].entry
    if not _is_named(best, asked):
        return list(parts)
    least = _said(best, asked)
    less = [line.entry for line in found if _said(line.entry, asked) < least]
    return [part for part in parts if not any(part.holds(entry) for entry in less)]


def numbered(file: IndexedFile, best: RankedLine, asked: QuestionWords) -> list[RankedLine]:
    """Return the rows of the best one's table that are for the number asked for, where it is not.

    A long table is searched in parts, and the nearest part need not hold the row. They are as near
    as the best one.
    """
    row, said = best.entry, _said(best.entry, asked)
    if row.kind != "row" or asked.numbers_of(row):
        return []
    table = next((block for block in blocks(file) if block.holds(row)), None)
    return [
        RankedLine(entry, best.nearness)
        for entry in file.entries
        if table and table.holds(entry) and _said(entry, asked) > said and asked.numbers_of(entry)
    ][:_MOST]


def _is_named(row: Entry, asked: QuestionWords) -> bool:
    # Of a random table the first cell is what is rolled: "07–12".
    cells = (cell for cell in raw_cells(row.quote) if any(map(str.isalpha, cell)))
    name = asked.terms.in_full(stems_of(next(cells, "")))
    own = asked.numbers_of(row)
    return bool(own or (name and name <= asked.words))


def _said(row: Entry, asked: QuestionWords) -> frozenset[str | float]:
    """The words and numbers of the question that a row says."""
    words = asked.terms.in_full(stems_of(row.quote)) & asked.words
    return words | asked.numbers_of(row)


def asked_columns(found: Sequence[RankedLine], asked: QuestionWords) -> frozenset[str]:
    """Return the names of the columns that the question speaks of, in the tables of these rows."""
    wanted = asked.words | asked.fields
    return frozenset(
        name
        for lead, width in {
            (line.entry.lead, len(raw_cells(line.entry.quote)))
            for line in found
            if line.entry.kind == "row"
        }
        for name in column_names(lead, width)
        if wanted & asked.terms.in_full(stems_of(name))
    )


def column_names(lead: str, width: int) -> list[str]:
    """Return a table's columns by name: of two header rows both, "" where none fits the rows."""
    rows = [raw_cells(line) for line in lead.split("\n") if line and not is_delimiter(line)]
    if not rows or any(len(row) != width for row in rows):
        return [""] * width
    names, above = [], ""
    for upper, *lower in zip(*rows, strict=True):
        above = upper or (above if any(lower) else "")
        names.append(" ".join(filter(None, (above, *lower))))
    return names
