"""Put every block into its context: headings above, the line that introduces it, what it limits."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.read import tables
from ingest.read.legends import Legends
from ingest.read.markdown import Block, Document, block_text, is_lead_in, is_unfinished, plain_text
from ingest.read.plain import limits_what_precedes, plain
from ingest.read.tables import Table

_LEGEND = re.compile(r"\*\*[^*:]{1,20}:\*\*|\*\*[^*:]{1,20}\*\*:")

_LEAD_LENGTH = 1_000  # characters; what is longer is a text of its own
_TITLE_LENGTH = 300  # characters of a heading in a trail; its line holds all


@dataclass(frozen=True, slots=True)
class Placed:
    """A block with what a reader needs to understand it alone.

    `glued` forbids a cut between this block and the one before: the one before is a heading or a
    lead-in, or this one limits it, or is nested in it, or explains a table beside it.
    """

    block: Block
    section: int  # counts the file's headings; 0 for what stands above the first
    trail: tuple[str, ...]  # the headings above, outermost first, without Markdown
    lead: str  # the lines that introduce the list, table or fence, as in the file; "" for none
    lead_line: int  # where `lead` begins, 0-based; -1 for none
    glued: bool
    table: Table | None  # the rows, of a table


def outline(document: Document) -> list[Placed]:
    """Return the blocks of `document` in order, each in its context."""
    placed: list[Placed] = []
    headings: list[tuple[int, str]] = []  # level and title
    items: list[Placed] = []  # of the run of items that goes on: the last of each level
    section = 0
    legends = Legends.of(document)
    for block in document.blocks:
        if block.kind == "heading":
            headings = [h for h in headings if h[0] < block.level]
            headings.append((block.level, plain(block.title)[:_TITLE_LENGTH]))
            section += 1
        trail = tuple(title for _, title in headings)
        before = placed[-1] if placed and block.kind != "heading" else None
        items = [p for p in items if p.block.level <= block.level] if block.kind == "item" else []
        lead, lead_line = _lead(document, before, items, block) if before else ("", -1)
        glued = bool(placed) and (
            placed[-1].block.kind == "heading"
            or (before is not None and _belongs(document, before.block, block))
        )
        table = None
        if block.kind == "table":
            lines = document.shown[block.first : block.last]
            table = tables.read(lines, legends.around(block.first, block.last))
        placed.append(Placed(block, section, trail, lead, lead_line, glued, table))
        if block.kind == "item":
            items = [p for p in items if p.block.level < block.level] + [placed[-1]]
    return placed


def overlapping(placed: Sequence[Placed], first: int, last: int) -> Sequence[Placed]:
    """Return the blocks that have one of the lines `first` to `last` (excluded)."""
    start = bisect_right(placed, first, key=lambda p: p.block.last)
    return placed[start : bisect_left(placed, last, lo=start, key=lambda p: p.block.first)]


def _belongs(document: Document, before: Block, block: Block) -> bool:
    text = plain_text(document, block)
    if block.kind == "item" and block.level > 1:
        return True
    if before.kind == "paragraph" and _introduces(document, before, block):
        return True
    if block.kind in {"paragraph", "item", "quote"} and limits_what_precedes(plain(text)):
        return True
    legend = block if before.kind == "table" else before
    one_table = (before.kind == "table") != (block.kind == "table")
    return one_table and len(_LEGEND.findall(plain_text(document, legend))) > 1


def _introduces(document: Document, paragraph: Block, block: Block) -> bool:
    text = plain_text(document, paragraph)
    return is_lead_in(text) or (block.kind == "item" and is_unfinished(text))


def _lead(
    document: Document, before: Placed, items: Sequence[Placed], block: Block
) -> tuple[str, int]:
    """The lead-in of `block`: for a list, that of its first item; for a nested item, its parent."""
    if items and items[-1].block.level == block.level:
        return items[-1].lead, items[-1].lead_line
    introducing = items[-1].block if items else before.block
    text = block_text(document, introducing)
    paragraph = introducing.kind == "paragraph" and block.kind != "paragraph"
    paragraph = paragraph and _introduces(document, introducing, block)
    if len(text) <= _LEAD_LENGTH and (items or paragraph):
        return text, introducing.first
    return "", -1
