"""Rules of the parser that keep what Markdown takes out: a reader must see every line of a file.

These are the cells of a row beyond its table's header, the definitions of links, and what is nested
deeper than the parser follows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

AS_WRITTEN = "as_written"  # the type of a token that holds lines without a form of their own
_DEEPEST = 90  # tokens around a line; the parser itself drops what is deeper than 100
_BEFORE = re.compile(r"^[ \t>]*")  # what stands before a row inside of quotes and lists


def lossless_plugin(parser: MarkdownIt) -> None:
    """Let `parser` keep all cells, and all other lines, if need be as tokens AS_WRITTEN."""
    parser.core.ruler.after("block", "all_cells", _all_cells)
    parser.block.ruler.at("reference", _kept_reference)
    parser.block.ruler.before("table", "too_deep", _too_deep)


def _kept_reference(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Read a definition as CommonMark does, and leave its lines in the place where they stand."""
    if not reference(state, first, end, silent):
        return False
    if not silent:
        _push(state, first)
    return True


def _too_deep(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Take the lines of what is too deep as they are, instead of dropping them."""
    if silent or state.level < _DEEPEST:
        return False
    state.line = end
    _push(state, first)
    return True


def _push(state: StateBlock, first: int) -> None:
    token = state.push(AS_WRITTEN, "", 0)
    token.map = [first, state.line]
    token.content = state.getLines(first, state.line, state.blkIndent, False).strip("\n")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row by the places of its tokens, with the cells that have no header."""

    close: int
    level: int
    line: int
    beyond: tuple[str, ...]


def _all_cells(state: StateCore) -> None:
    """Put the cells beyond a table's header behind those of their row, below empty headers."""
    lines = state.src.split("\n")
    added: dict[int, list[Token]] = {}
    opened = 0
    for at, token in enumerate(state.tokens):
        if token.type == "table_open":
            opened = at
        elif token.type == "table_close":
            rows = _rows(state.tokens, opened, at, lines)
            widest = max(len(row.beyond) for row in rows)
            for row in rows:
                cells = row.beyond if row is not rows[0] else ("",) * widest
                added[row.close] = [made for cell in cells for made in _cell(cell, row)]
    if any(added.values()):
        whole = enumerate(state.tokens)
        state.tokens = [one for at, token in whole for one in (*added.get(at, ()), token)]


def _rows(tokens: Sequence[Token], first: int, last: int, lines: Sequence[str]) -> list[_Row]:
    """The rows of the table between two tokens, its header first."""
    rows: list[_Row] = []
    width = line = 0
    for at in range(first, last):
        token = tokens[at]
        if token.type == "th_open":
            width += 1
        elif token.type == "tr_open" and token.map:
            line = token.map[0]
        elif token.type == "tr_close":
            beyond = _beyond(lines[line], width) if rows else ()
            rows.append(_Row(at, token.level, line, beyond))
    return rows


def _beyond(line: str, width: int) -> tuple[str, ...]:
    """The cells behind the first `width`, as the parser cuts a row; none where all are empty."""
    cells = escapedSplit(_BEFORE.sub("", line).strip())
    cells = cells[1:] if cells[0] == "" else cells
    cells = cells[:-1] if cells and cells[-1] == "" else cells
    found = tuple(cell.strip() for cell in cells[width:])
    return found if any(found) else ()


def _cell(text: str, row: _Row) -> list[Token]:
    where = [row.line, row.line + 1]
    level = row.level + 1
    return [
        Token("td_open", "td", 1, map=where, level=level, block=True),
        Token("inline", "", 0, map=where, level=level + 1, content=text, children=[], block=True),
        Token("td_close", "td", -1, level=level, block=True),
    ]
