"""Read a Markdown table's lines as facts: rows that stand alone, each value under its column.

Headings of two rows are joined, empty labels and groups filled in, and what a legend explains is
said in full.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import MappingProxyType

from ingest.read.plain import plain
from retrieval.vocabulary.terms import raw_cells

_DIGIT = re.compile(r"\d")
_BOLD_CELL = re.compile(r"(\*\*|__)(?!\s)[^*_]+\1")
_LEAST_NAMES = 2  # of a header's second row; one alone is a label for the rows below
_CODES = re.compile(r"[\s,;/+&]+")
_NOTE_WORDS = 6  # a lone cell with more words is a note, with fewer a label for the rows below
_LEAST_LABEL = 2  # characters of one that says something without its column's name
_MOST_CODES = 6  # in a cell
_NO_LEGEND: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TableRow:
    """One body row: what it is called, its group in front, and its values with their columns."""

    line: int  # 0-based, within the table's lines
    label: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """The row in one line: "Mace: Cost 5; Damage 1d6"."""
        said = "; ".join(self.values)
        return f"{self.label}: {said}" if self.label and said else self.label or said


@dataclass(frozen=True, slots=True)
class Table:
    """A table's header (its first `header_lines` lines, the delimiter included) and rows."""

    header_lines: int
    rows: tuple[TableRow, ...]


def read(lines: Sequence[str], legend: Mapping[str, str] = _NO_LEGEND) -> Table:
    """Return the rows of a table whose second line is its delimiter row.

    A header of several rows is joined column by column ("Saving throws" over "D" is "Saving throws
    D"): below one with gaps a row without a label, or of bold cells alone, is its second; below two
    a row without a label is one more. A row that repeats the header is no
    row; a row with one short cell is the group of those below it. An empty label in a table of
    three columns and more is the one above. Cells beyond the header's columns are kept. A
    two-column table whose header row holds data, as stat blocks have it, counts that row among its
    rows. `legend` says what heads of columns and codes in cells stand for: "hull points (Hl)".
    """
    top = plain_cells(lines[0])
    body = [(number, plain_cells(line)) for number, line in enumerate(lines) if number > 1]
    names, header_lines = top, 2
    if body and _is_second_header(top, raw_cells(lines[2])):
        names, header_lines = _joined(top, body[0][1], legend), 3
        body = body[1:]
        # No row is above one without a label whose label it could go on with. Where none has one,
        # all are data.
        labelled = any(cells[:1] not in ([], [""]) for _, cells in body)
        while labelled and body[0][1][:1] == [""] and len(list(filter(None, body[0][1]))) > 1:
            names = _with_row(names, body[0][1], legend)
            header_lines, body = header_lines + 1, body[1:]
    else:
        names = [_in_full(name, legend) for name in top]
    rows = [_row(0, top, [])] if _holds_data(top) else []
    if rows or not any(top):
        names = []
    return Table(header_lines, (*rows, *_body(body, top, names, legend)))


def plain_cells(line: str) -> list[str]:
    """Return the cells of a table's line without Markdown's marks."""
    return [plain(cell) for cell in raw_cells(line)]


def _body(
    body: Sequence[tuple[int, list[str]]],
    top: Sequence[str],
    names: Sequence[str],
    legend: Mapping[str, str],
) -> Iterator[TableRow]:
    group = above = ""
    for number, cells in body:
        filled = [cell for cell in cells if cell]
        if not filled or cells == top:
            continue
        if len(filled) == 1 and len(cells) > 2:
            group = filled[0] if len(filled[0].split()) <= _NOTE_WORDS else group
            yield TableRow(number, filled[0], ())
        else:
            above = cells[0] or (above if len(cells) > 2 else "")
            said = [above, *(_codes_in_full(cell, legend) for cell in cells[1:])]
            yield _row(number, said, names, group)


def _is_second_header(top: Sequence[str], second: Sequence[str]) -> bool:
    gaps = any(not cell for cell in top[1:]) and any(top)
    names = [cell for cell in second[1:] if cell]
    if not gaps or len(names) < _LEAST_NAMES:
        return False
    is_bold = all(_BOLD_CELL.fullmatch(cell) and not _DIGIT.search(cell) for cell in second if cell)
    return is_bold or (not second[0] and bool(top[0]))


def _joined(top: Sequence[str], second: Sequence[str], legend: Mapping[str, str]) -> list[str]:
    names, group = [], ""
    for index, low in enumerate(second):
        high = top[index] if index < len(top) else ""
        group = high or group
        low = _in_full(low, legend)
        names.append(f"{_in_full(group, legend)} {low}".strip() if low else _in_full(high, legend))
    return names


def _with_row(names: Sequence[str], low: Sequence[str], legend: Mapping[str, str]) -> list[str]:
    """The names of columns, each with what a further row of the header says of it."""
    return [
        f"{name} {_in_full(cell, legend)}".strip()
        for name, cell in zip_longest(names, low, fillvalue="")
    ]


def _holds_data(top: Sequence[str]) -> bool:
    return len(top) == 2 and all(top) and _DIGIT.search(top[1]) is not None


def _row(line: int, cells: Sequence[str], names: Sequence[str], group: str = "") -> TableRow:
    """A row called by its first cell, every other cell behind the name of its column."""
    values = []
    for index, cell in enumerate(cells[1:], start=1):
        name = names[index] if index < len(names) else ""
        if cell:
            values.append(f"{name} {cell}".strip())
    label = cells[0] if cells else ""
    if names and names[0] and (_DIGIT.search(label) or len(label) < _LEAST_LABEL):
        label = f"{names[0]} {label}".strip()  # "Level 7", "Type G": a bare sign says nothing
    return TableRow(line, ", ".join(filter(None, (group, label))), tuple(values))


def _in_full(name: str, legend: Mapping[str, str]) -> str:
    """A column's name with what it stands for: "hull points (Hl)"."""
    full = legend.get(name, "")
    return f"{full} ({name})" if full and full.casefold() != name.casefold() else name


def _codes_in_full(cell: str, legend: Mapping[str, str]) -> str:
    """A cell of nothing but explained codes with what they stand for: "two hands, long (T, L)"."""
    codes = _CODES.split(cell)
    if not cell or len(codes) > _MOST_CODES or not all(code in legend for code in codes):
        return cell
    return f"{', '.join(legend[code] for code in codes)} ({cell})"
