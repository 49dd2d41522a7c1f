"""Read a Markdown table's lines into rows that can stand alone: label and named values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.read.plain import plain

_PIPE = re.compile(r"(?<!\\)\|")
_DIGIT = re.compile(r"\d")
_NOTE_WORDS = 6  # a lone cell with more words is a note, with fewer a label for the rows below


@dataclass(frozen=True, slots=True)
class TableRow:
    """One body row. `text` names every value by its column: "Mace: Cost 5; Damage 1d6"."""

    line: int  # 0-based, within the table's lines
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table's header (its first `header_lines` lines, the delimiter included) and rows."""

    header_lines: int
    rows: tuple[TableRow, ...]


def read(lines: Sequence[str]) -> Table:
    """Return the rows of a table whose second line is its delimiter row.

    A header of two rows is joined column by column ("Saving throws" over "D" is "Saving throws
    D"); a row that repeats the header is no row; a row with one short cell is the group of those
    below it. Cells beyond the header's columns are kept. A two-column table whose header row
    holds data, as stat blocks have it, counts that row among its rows.
    """
    top = _cells(lines[0])
    body = [(number, _cells(line)) for number, line in enumerate(lines) if number > 1]
    names, header_lines = top, 2
    if body and _is_second_header(top, body[0][1]):
        names, header_lines = _joined(top, body[0][1]), 3
        body = body[1:]
    rows = [TableRow(0, _sentence(top, []))] if _holds_data(top) else []
    if rows or not any(top):
        names = []
    group = ""
    for number, cells in body:
        filled = [cell for cell in cells if cell]
        if not filled or cells == top:
            continue
        if len(filled) == 1 and len(cells) > 2:
            group = filled[0] if len(filled[0].split()) <= _NOTE_WORDS else group
            rows.append(TableRow(number, filled[0]))
        else:
            text = _sentence(cells, names)
            rows.append(TableRow(number, f"{group}, {text}" if group else text))
    return Table(header_lines, tuple(rows))


def _cells(line: str) -> list[str]:
    parts = _PIPE.split(line.strip())
    parts = parts[1:] if parts and not parts[0].strip() else parts
    parts = parts[:-1] if parts and not parts[-1].strip() else parts
    return [plain(part) for part in parts]


def _is_second_header(top: Sequence[str], second: Sequence[str]) -> bool:
    gaps = any(not cell for cell in top[1:]) and any(top)
    names = [cell for cell in second[1:] if cell]
    return gaps and len(names) > 1 and not second[0] and bool(top[0])


def _joined(top: Sequence[str], second: Sequence[str]) -> list[str]:
    names, group = [], ""
    for index, low in enumerate(second):
        high = top[index] if index < len(top) else ""
        group = high or group
        names.append(f"{group} {low}".strip() if low else high)
    return names


def _holds_data(top: Sequence[str]) -> bool:
    return len(top) == 2 and all(top) and _DIGIT.search(top[1]) is not None


def _sentence(cells: Sequence[str], names: Sequence[str]) -> str:
    """Return "first: name value; name value"; without names "first: value; value"."""
    values = []
    for index, cell in enumerate(cells[1:], start=1):
        name = names[index] if index < len(names) else ""
        if cell:
            values.append(f"{name} {cell}".strip())
    label = cells[0] if cells else ""
    if names and names[0] and (_DIGIT.search(label) or not label):
        label = f"{names[0]} {label}".strip()  # "Level 7", "d6 3": a bare number says nothing
    return f"{label}: {'; '.join(values)}" if label and values else label or "; ".join(values)
