"""Rules of the parser for what Obsidian's readers see otherwise: comments, highlights, block ids.

`%%comments%%` and the `^id` at the end of a block show nothing, `==words==` are highlighted. What
is in code, or is not closed, stays as it is written.
"""

import re
from bisect import bisect_right

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from retrieval.text.dialects import BLOCK_ID

HIGHLIGHT = "highlight"  # the type of a node with highlighted words
_INLINE_COMMENT = re.compile(r"(?<!\S)%%(?:(?!%%).)*%%(?!\S)", re.DOTALL)
_HIGHLIGHTED = re.compile(r"==(?![\s=])[^\n]{0,300}?(?<![\s=])==(?![\w=])")
_BOUNDS = "comment_bounds"  # in the parser's environment: the lines that hold "%%"


def obsidian_plugin(parser: MarkdownIt) -> None:
    """Let `parser` read comments, highlights and block ids."""
    parser.block.ruler.before(
        "table", "comment_block", _comment_block, {"alt": ["paragraph", "blockquote", "list"]}
    )
    for name, rule in (("comment", _comment), ("highlight", _highlight), ("block_id", _block_id)):
        parser.inline.ruler.before("emphasis", name, rule)


def _comment_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Take lines from one that begins with %% to one that ends with it, and has no other."""
    begun = _line(state, first)
    if not begun.startswith("%%") or state.is_code_block(first):
        return False
    last = first if begun.find("%%", 2) >= 0 else _next_bound(state, first)
    closed = _line(state, last) if last < end else ""
    if closed.find("%%", 2 if last == first else 0) != len(closed) - 2:
        return False
    if silent:  # one line within a paragraph does not cut it in two
        return last > first
    state.line = last + 1
    state.push("comment", "", 0).map = [first, last + 1]
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _next_bound(state: StateBlock, line: int) -> int:
    """The next line that holds "%%"; they are counted once, or many would take a square of it."""
    if _BOUNDS not in state.env:
        lines = state.src.split("\n")
        state.env[_BOUNDS] = [at for at, text in enumerate(lines) if "%%" in text]
    bounds: list[int] = state.env[_BOUNDS]
    place = bisect_right(bounds, line)
    return bounds[place] if place < len(bounds) else len(state.bMarks)


def _comment(state: StateInline, silent: bool) -> bool:
    found = _INLINE_COMMENT.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        for _ in range(found[0].count("\n")):  # each line keeps its number
            state.push("softbreak", "br", 0)
    state.pos = found.end()
    return True


def _highlight(state: StateInline, silent: bool) -> bool:
    found = _HIGHLIGHTED.match(state.src, state.pos, state.posMax)
    before = state.src[state.pos - 1 : state.pos]
    if not found or before == "=" or before.isalnum():
        return False
    if not silent:
        end = state.posMax
        state.push(f"{HIGHLIGHT}_open", "u", 1)
        state.pos, state.posMax = found.start() + 2, found.end() - 2
        state.md.inline.tokenize(state)
        state.push(f"{HIGHLIGHT}_close", "u", -1)
        state.posMax = end
    state.pos = found.end()
    return True


def _block_id(state: StateInline, silent: bool) -> bool:
    if not BLOCK_ID.match(state.src, state.pos):
        return False
    state.pos = state.posMax
    return True
