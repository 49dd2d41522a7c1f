"""Read Markdown into blocks of source lines.

Blocks are cut from the lines themselves, never from the parser's text: what the parser drops
(cells beyond the header, link definitions, nesting past its limit) is still in a block.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from ingest.read import unmarked
from retrieval.text.dialects import plain_markdown
from retrieval.text.hidden import visible

BlockKind = Literal["heading", "paragraph", "item", "table", "fence", "quote", "html", "rule"]

_PARSER = (
    MarkdownIt("commonmark", {"maxNesting": 100})
    .enable("table")
    .use(front_matter_plugin)
    .use(footnote_plugin)
    .use(deflist_plugin)
    # Only block structure is read: inline parsing is the slow part, and the tail rule would move
    # footnotes out of their lines.
    .disable(["inline", "footnote_tail"])
)
_HEADER_PARSER = MarkdownIt("zero").use(front_matter_plugin)
_HEADER_REACH = 70_000  # characters
_LEAVES: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "list_item_open": "item",
    "table_open": "table",
    "fence": "fence",
    "code_block": "fence",
    "blockquote_open": "quote",
    "html_block": "html",
    "hr": "rule",
    "footnote_reference_open": "paragraph",
    "dl_open": "paragraph",
}
_UNFINISHED = re.compile(r"^[^:*_\n]*\s[a-z]{2,}\Z", re.MULTILINE)  # "Range: 6 turns" is a field
_WHOLE = {"table", "fence", "quote", "html", "paragraph"}  # what stands inside stays inside


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `first` to `last` (0-based, `last` excluded) that belong together."""

    kind: BlockKind
    first: int
    last: int
    level: int = 0  # of a heading, 1 to 6, more without a mark; of a list item, its depth from 1
    title: str = ""  # of a heading


@dataclass(frozen=True, slots=True)
class Document:
    """A file's lines and blocks; every non-blank line below the header is in exactly one block."""

    lines: tuple[str, ...]
    blocks: tuple[Block, ...]
    header: str  # the front matter between its `---` lines; "" for none
    plain: tuple[str, ...]  # the lines in plain Markdown, where the file has a dialect's
    shown: tuple[str, ...]  # those without what a browser hides, for whatever is searched
    titles: frozenset[int] = frozenset()  # lines that a dialect gives a block as its name


def parse(text: str) -> Document:
    """Return the blocks of `text`, whose line ends are \\n, in the order of its lines."""
    lines = text.split("\n")  # markdown-it's lines; splitlines() also breaks at \f and \x85
    rewritten = plain_markdown(text)
    plain = tuple(rewritten.text.split("\n"))
    tokens = _PARSER.parse(rewritten.text)
    header, start = _front_matter(tokens)
    owners: list[Block | None] = [None] * len(lines)
    quoted_until = depth = 0
    for index, token in enumerate(tokens):
        depth += {"list_item_open": 1, "list_item_close": -1}.get(token.type, 0)
        kind = _LEAVES.get(token.type)
        if kind is None or token.map is None or token.map[0] < quoted_until:
            continue
        if depth and kind != "item":
            continue  # a paragraph or table inside a list item is the item's
        first, last = token.map
        if kind == "heading":
            title = visible(tokens[index + 1].content).strip()
            block = Block(kind, first, last, int(token.tag[1]), title)
        else:
            block = Block(kind, first, last, depth if kind == "item" else 0)
        owners[first:last] = [block] * (last - first)
        quoted_until = last if kind in _WHOLE else quoted_until
    for number in reversed(rewritten.titles):
        _begin_at(number, owners, plain)
    return Document(
        tuple(lines),
        tuple(_read_as_meant(_runs(lines, owners, start), plain)),
        header,
        plain,
        tuple(visible(rewritten.text).split("\n")),
        frozenset(rewritten.titles),
    )


def _read_as_meant(blocks: Sequence[Block], plain: Sequence[str]) -> Iterator[Block]:
    """The blocks with headings that have no mark, and with what a page repeats as rules."""
    single = {b.first: plain[b.first] for b in blocks if b.kind == "paragraph" and _is_single(b)}
    repeated = unmarked.page_lines(single)
    own = [b for b in blocks if b.first not in repeated and b.kind != "rule"]
    last_of = {above.first for above, below in pairwise(own) if below.kind == "heading"}
    last_of |= {block.first for block in own[-1:]}
    titles = unmarked.headings(
        {n: line for n, line in single.items() if n not in repeated and n not in last_of}
    )
    for block in blocks:
        if block.first in repeated:
            yield replace(block, kind="rule")
        elif block.first in titles:
            level, title = titles[block.first]
            yield replace(block, kind="heading", level=level, title=visible(title))
        else:
            yield block


def _is_single(block: Block) -> bool:
    return block.last == block.first + 1


def header(text: str) -> str:
    """Return what `parse` calls the header of `text`, without reading its blocks.

    A header that does not end in the first 70,000 characters is "": no front matter may be so long.
    """
    if not text.startswith("---"):
        return ""
    if len(text) > _HEADER_REACH:  # this parser, too, takes seconds and memory for megabytes
        text = text[: text.rfind("\n", 0, _HEADER_REACH) + 1]
    return _front_matter(_HEADER_PARSER.parse(text))[0]


def is_lead_in(text: str) -> bool:
    """Tell whether a paragraph introduces what follows: it ends in a colon or is all bold."""
    plain = text.strip()
    bold = re.fullmatch(r"(\*\*|__)[^*_]+(\*\*|__)", plain) is not None
    return bold or plain.rstrip("*_ ").endswith(":")


def is_unfinished(text: str) -> bool:
    """Tell whether a paragraph ends within a sentence, which a list may end: "A player may"."""
    return _UNFINISHED.search(text.rstrip()) is not None


def block_text(document: Document, block: Block) -> str:
    """Return the block's lines as they stand in the file."""
    return "\n".join(document.lines[block.first : block.last])


def plain_text(document: Document, block: Block) -> str:
    """Return the block's lines in plain Markdown."""
    return "\n".join(document.plain[block.first : block.last])


def shown_text(document: Document, first: int, last: int) -> str:
    """Return the lines `first` to `last` (0-based, excluded) without what a browser hides."""
    return "\n".join(document.shown[first:last])


def _front_matter(tokens: Sequence[Token]) -> tuple[str, int]:
    if tokens and tokens[0].type == "front_matter" and tokens[0].map:
        return tokens[0].content, tokens[0].map[1]
    return "", 0


def _begin_at(title: int, owners: list[Block | None], plain: Sequence[str]) -> None:
    """Let a block begin at a dialect's name: what is above is another, a paragraph below its own.

    Else nothing of that paragraph would say "By sea".
    """
    named = owners[title]
    if named is None or named.kind != "paragraph":
        return
    last = named.last
    if last == title + 1:
        below = next((n for n in range(last, len(plain)) if plain[n].strip()), title)
        block = owners[below]
        last = block.last if block and block.kind == "paragraph" else last
    owners[title:last] = [Block("paragraph", title, last)] * (last - title)


def _runs(lines: Sequence[str], owners: Sequence[Block | None], start: int) -> list[Block]:
    """One block for each run of lines with the same owner; lines without one are paragraphs."""
    blocks: list[Block] = []
    previous: object = ...  # no owner that could be compared equal
    for number in range(start, len(lines)):
        if not lines[number].strip():
            previous = previous if owners[number] is previous else ...
            continue
        owner = owners[number]
        if owner is previous and blocks:
            last = blocks[-1]
            blocks[-1] = Block(last.kind, last.first, number + 1, last.level, last.title)
        else:
            kind, level, title = (
                (owner.kind, owner.level, owner.title) if owner else ("paragraph", 0, "")
            )
            blocks.append(Block(kind, number, number + 1, level, title))
        previous = owner
    return blocks
