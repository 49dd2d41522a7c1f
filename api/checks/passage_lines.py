"""A passage as the lines that can carry a claim: table rows with their header, items, sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from retrieval.text.line_marks import HEADING, ITEM
from retrieval.text.normalize import fold
from retrieval.vocabulary.terms import column_names, is_delimiter, raw_cells


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that an answer may cite; `context` is a table's header or a list's lead-in."""

    path: str
    heading: str
    context: str
    text: str

    @property
    def whole(self) -> str:
        """All of it with what is above."""
        return f"{self.path} {self.heading} {self.context} {self.text}"


@dataclass(frozen=True, slots=True)
class Cell:
    """A row's cell or another line whole, folded, with its column's name or ""."""

    text: str
    column: str


@dataclass(frozen=True, slots=True)
class PassageLine:
    """A row, item or sentence. All but `quote` and `header` is folded."""

    kind: Literal["row", "item", "sentence"]
    passage: int  # from 1, as markers count
    quote: str  # the passage's own characters
    start: int  # of the quote in the passage's text
    cells: tuple[Cell, ...]  # a row's cells, the first its key; other lines have one
    key: str  # what the line is about by its place: the row's first cell, a bold lead-in
    near: str  # the lead-in line, the items that it is nested in, the name of its group of rows
    before: str  # the sentences before it in its paragraph or item
    heading: str  # of the passage, deeper headings within it, and the file's name
    header: str = field(default="", compare=False)  # the lines above a table's rows, as written

    @property
    def text(self) -> str:
        """The words of all its cells."""
        return " ".join(cell.text for cell in self.cells)

    @property
    def columns(self) -> list[str]:
        """The names of its cells' columns, "" for none."""
        return [cell.column for cell in self.cells]

    @property
    def is_header(self) -> bool:
        """Whether it is the names of columns; two cells may be a row of a table without any."""
        return len(self.cells) > 2 and not any(self.columns)

    @property
    def told(self) -> str:
        """The words of its cells, each behind the name of its column."""
        return " ".join(f"{cell.column} {cell.text}" for cell in self.cells)


_SENTENCE_END = re.compile(r"(?<=[.!?])[*_\"')\]]*\s+(?=[\"'(*_\[]*[A-Z0-9])")
_NOT_END = re.compile(r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no|ca)\.|\b[A-Z]\.)$", re.IGNORECASE)
_ABBREVIATED = 12  # characters, more than the longest of these with one before it
_BOLD = re.compile(r"\s*(?:[-*+]\s+)?\*{2,3}([^*]+?)(?::\*{2,3}|\*{2,3}\s*:?)")
_INDENT = re.compile(r"\s*(?:>\s*)*")  # before a table's row, which may stand in a quote
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_Piece = tuple[int, str]  # offset in the passage, characters


def lines(source: Source, passage: int) -> tuple[PassageLine, ...]:
    """Return the lines of a passage in order; a table's header is a row too, headings are none."""
    return tuple(_lines(source, passage))


def sentences(text: str) -> Iterator[_Piece]:
    """Yield the sentences of `text` with their offsets, without the space between them."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if not _NOT_END.search(text[max(0, end.start() - _ABBREVIATED) : end.start()]):
            yield start, text[start : end.start()] + end[0].rstrip()
            start = end.end()
    if text[start:].strip():
        yield start, text[start:].rstrip()


def _lines(source: Source, passage: int) -> Iterator[PassageLine]:
    trail = f"{source.path.removesuffix('.md')} > {source.heading}"
    deeper, lead = "", fold(source.context)
    parents: list[tuple[int, str]] = []  # indents and words of the items that a nested one is in
    for block, is_table in _blocks(source.text, source.context):
        first = block[0][1]
        heading = fold(f"{trail} > {deeper}")
        if title := HEADING.match(first):
            deeper, lead, parents = title[2], "", []
        elif is_table:
            yield from _rows(block, source.context, passage, heading, lead)
            lead, parents = "", []
        elif item := ITEM.match(first):
            parents = [parent for parent in parents if parent[0] < len(item[1])]
            yield from _prose(block, passage, heading, " ".join([lead, *(p[1] for p in parents)]))
            parents.append((len(item[1]), fold(" ".join(row for _, row in block))))
        else:
            yield from _prose(block, passage, heading, lead if lead.endswith(":") else "")
            lead, parents = _last_sentence(block), []


def _blocks(text: str, context: str) -> Iterator[tuple[list[_Piece], bool]]:
    """Headings alone, tables whole, items with what continues them, paragraphs.

    Each with whether it is a table, whose rows then begin with their first cell or bar.
    """
    block: list[_Piece] = []
    within = False  # whether the block is a table
    offset = 0
    for row, table in _rows_told(text, context):
        alone = not table and any(one.match(row) for one in (HEADING, ITEM, _BOLD))
        begins = alone or table != within
        if block and (begins or not row.strip() or HEADING.match(block[0][1])):
            yield block, within
            block = []
        if row.strip():
            indent = len(row) - len(_unquoted(row)) if table else 0
            block.append((offset + indent, row[indent:]))
            within = table
        offset += len(row) + 1
    if block:
        yield block, within


def _rows_told(text: str, context: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, each with whether it is a table's: also without bars on its sides.

    Such a table begins above its dashes, or in the context; a line without any bar ends it.
    """
    table = any(map(_is_rule, context.split("\n")))
    for row, following in pairwise([*text.split("\n"), ""]):
        plain = _unquoted(row)
        begins = _is_rule(following) and len(raw_cells(plain)) == len(
            raw_cells(_unquoted(following))
        )
        table = plain.startswith("|") or ("|" in row and (table or begins) and not ITEM.match(row))
        yield row, table


def _is_rule(row: str) -> bool:
    """Whether a line is the dashes of a table of several columns."""
    return "|" in row and is_delimiter(row)


def _unquoted(row: str) -> str:
    """A line without its indent, and without the marks of a quote."""
    return _INDENT.sub("", row, count=1)


def _prose(block: list[_Piece], passage: int, heading: str, lead: str) -> Iterator[PassageLine]:
    start = block[0][0]
    text = "\n".join(row for _, row in block)
    bold = _BOLD.match(text)
    item = ITEM.match(text)
    key = fold(bold[1]) if bold else ""
    skipped = item.end() if item else 0
    before = ""
    for offset, sentence in sentences(text[skipped:]):
        folded = fold(sentence)
        cells = (Cell(folded.replace("\n", " "), ""),)
        at = start + skipped + offset
        yield PassageLine("item" if item else "sentence", passage, sentence, at, cells, key, lead,
                          before, heading)  # fmt: skip
        before = f"{before} {folded}"


def _last_sentence(block: list[_Piece]) -> str:
    """What the items and rows below a paragraph are read with."""
    text = " ".join(row for _, row in block)
    return fold([sentence for _, sentence in sentences(text)][-1])


def _rows(
    block: Sequence[_Piece], context: str, passage: int, heading: str, lead_in: str
) -> Iterator[PassageLine]:
    lead, body = _header([row for _, row in block], context)
    width = len(raw_cells(lead[0])) if lead else 0
    header = [_words(name) for name in column_names("\n".join(lead), width)]
    group = ""
    for at, (offset, row) in enumerate(block):
        cells = [_words(cell) for cell in raw_cells(row)]
        filled = [cell for cell in cells if cell]
        if is_delimiter(row) or not filled or (at >= body and cells == header[: len(cells)]):
            continue
        if len(filled) == 1 and len(cells) > 1:  # a row that names the group of the rows below
            group = filled[0]
            continue
        columns = [*(header if at >= body else []), *[""] * len(cells)]  # names can hold facts too
        found = tuple(Cell(cell, columns[at]) for at, cell in enumerate(cells))
        near = f"{lead_in} {group}".strip()
        yield PassageLine("row", passage, row.rstrip(), offset, found, cells[0], near, "", heading,
                          "\n".join(lead))  # fmt: skip


def _header(rows: Sequence[str], context: str) -> tuple[list[str], int]:
    """The lines of a table's header, and how many of `rows` they are; else from the context.

    A row without a key right below the dashes has the second line of the names.
    """
    if len(rows) < 2 or not is_delimiter(rows[1]):
        return [_unquoted(row) for row in context.split("\n") if "|" in row], 0
    names, second = raw_cells(rows[0]), raw_cells(rows[2]) if len(rows) > 2 else ()
    goes_on = any(names[:1]) and any(second) and not second[0]
    body = 3 if goes_on else 2
    return list(rows[:body]), body


def _words(cell: str) -> str:
    return fold(_LINK.sub(r"\1", cell)).strip()
