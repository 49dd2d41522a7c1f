"""A passage as the lines that can carry a claim: table rows with their header, items, sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.text.normalize import fold
from retrieval.vocabulary.terms import raw_cells


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that an answer may cite; `context` is a table's header or a list's lead-in."""

    path: str
    heading: str
    context: str
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A row's cell or another line whole, folded, with its column's name or ""."""

    text: str
    column: str


@dataclass(frozen=True, slots=True)
class PassageLine:
    """A row, item or sentence. All but `quote` is folded."""

    kind: Literal["row", "item", "sentence"]
    passage: int  # from 1, as markers count
    quote: str  # the passage's own characters
    start: int  # of the quote in the passage's text
    cells: tuple[Cell, ...]  # a row's cells, the first its key; other lines have one
    key: str  # what the line is about by its place: the row's first cell, a bold lead-in
    near: str  # the lead-in line, the items that it is nested in, the name of its group of rows
    before: str  # the sentences before it in its paragraph or item
    heading: str  # of the passage, deeper headings within it, and the file's name


_HEADING = re.compile(r"\s*#{1,6}\s+(.*)")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+")
_RULE = re.compile(r"(?=[\s:|]*-)[\s:|-]*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])[*_\"')\]]*\s+(?=[\"'(*_\[]*[A-Z0-9])")
_NOT_END = re.compile(r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no|ca)\.|\b[A-Z]\.)$", re.IGNORECASE)
_ABBREVIATED = 12  # characters, more than the longest of these with one before it
_BOLD = re.compile(r"\s*(?:[-*+]\s+)?\*{2,3}([^*]+?)(?::\*{2,3}|\*{2,3}\s*:?)")
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
    for block in _blocks(source.text):
        first = block[0][1]
        heading = fold(f"{trail} > {deeper}")
        if title := _HEADING.match(first):
            deeper, lead, parents = title[1], "", []
        elif first.lstrip().startswith("|"):
            yield from _rows(block, source.context, passage, heading, lead)
            lead, parents = "", []
        elif item := _ITEM.match(first):
            parents = [parent for parent in parents if parent[0] < len(item[1])]
            yield from _prose(block, passage, heading, " ".join([lead, *(p[1] for p in parents)]))
            parents.append((len(item[1]), fold(" ".join(row for _, row in block))))
        else:
            yield from _prose(block, passage, heading, lead if lead.endswith(":") else "")
            lead, parents = _last_sentence(block), []


def _blocks(text: str) -> Iterator[list[_Piece]]:
    """Headings alone, tables whole, items with what continues them, paragraphs."""
    block: list[_Piece] = []
    offset = 0
    for row in text.split("\n"):
        table = row.lstrip().startswith("|")
        alone = bool(_HEADING.match(row)) or bool(_ITEM.match(row)) or bool(_BOLD.match(row))
        begins = alone or (block and table != block[0][1].lstrip().startswith("|"))
        if block and (begins or not row.strip() or _HEADING.match(block[0][1])):
            yield block
            block = []
        if row.strip():
            block.append((offset, row))
        offset += len(row) + 1
    if block:
        yield block


def _prose(block: list[_Piece], passage: int, heading: str, lead: str) -> Iterator[PassageLine]:
    start = block[0][0]
    text = "\n".join(row for _, row in block)
    bold = _BOLD.match(text)
    item = _ITEM.match(text)
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
    block: Sequence[_Piece], context: str, passage: int, heading: str, lead: str
) -> Iterator[PassageLine]:
    header, body = _header([row for _, row in block], context)
    group = ""
    for at, (offset, row) in enumerate(block):
        cells = _cells(row)
        filled = [cell for cell in cells if cell]
        if _RULE.match(row) or not filled or (at >= body and cells == header[: len(cells)]):
            continue
        if len(filled) == 1 and len(cells) > 1:  # a row that names the group of the rows below
            group = filled[0]
            continue
        columns = [*(header if at >= body else []), *[""] * len(cells)]  # names can hold facts too
        found = tuple(Cell(cell, columns[at]) for at, cell in enumerate(cells))
        indent = len(row) - len(row.lstrip())
        near = f"{lead} {group}".strip()
        yield PassageLine(
            "row", passage, row.strip(), offset + indent, found, cells[0], near, "", heading
        )


def _header(rows: Sequence[str], context: str) -> tuple[list[str], int]:
    """The column names, and how many of `rows` they take; else from the context.

    A row without a key right below the names has their second line.
    """
    if len(rows) < 2 or not _RULE.match(rows[1]):
        above = [row for row in context.split("\n") if row.lstrip().startswith("|")]
        return (_cells(above[0]) if above else []), 0
    names = _cells(rows[0])
    second = _cells(rows[2]) if len(rows) > 2 else []
    if not names[0] or not second or second[0] or not any(second):
        return names, 2
    pairs = zip(_spread(names), second, strict=False)
    return [f"{top} {low}".strip() for top, low in pairs], 3


def _spread(names: Sequence[str]) -> list[str]:
    """A name over several columns stands in the first of them; give it to the others."""
    spread: list[str] = []
    for name in names:
        spread.append(name or (spread[-1] if spread else ""))
    return spread


def _cells(row: str) -> list[str]:
    return [fold(_LINK.sub(r"\1", cell)).strip() for cell in raw_cells(row)]
