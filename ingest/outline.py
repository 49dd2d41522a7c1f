"""Put every block into its context: headings above, the line that introduces it, what it limits."""

import re
from dataclasses import dataclass

from ingest.markdown import Block, Document, block_text, is_lead_in
from ingest.plain import limits_what_precedes, plain

_LEGEND = re.compile(r"\*\*[^*:]{1,20}:\*\*|\*\*[^*:]{1,20}\*\*:")


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


def outline(document: Document) -> list[Placed]:
    """Return the blocks of `document` in order, each in its context."""
    placed: list[Placed] = []
    headings: list[Block] = []
    section = 0
    for block in document.blocks:
        if block.kind == "heading":
            headings = [h for h in headings if h.level < block.level] + [block]
            section += 1
        trail = tuple(plain(heading.title) for heading in headings)
        before = placed[-1] if placed and block.kind != "heading" else None
        lead, lead_line = _lead(document, placed, block) if before else ("", -1)
        glued = bool(placed) and (
            placed[-1].block.kind == "heading"
            or (before is not None and _belongs(document, before.block, block))
        )
        placed.append(Placed(block, section, trail, lead, lead_line, glued))
    return placed


def _belongs(document: Document, before: Block, block: Block) -> bool:
    text = block_text(document, block)
    if block.kind == "item" and block.level > 1:
        return True
    if before.kind == "paragraph" and is_lead_in(block_text(document, before)):
        return True
    if block.kind in {"paragraph", "item", "quote"} and limits_what_precedes(plain(text)):
        return True
    legend = block if before.kind == "table" else before
    tables = (before.kind == "table") + (block.kind == "table")
    return tables == 1 and len(_LEGEND.findall(block_text(document, legend))) > 1


def _lead(document: Document, placed: list[Placed], block: Block) -> tuple[str, int]:
    """The lead-in of `block`: for a list, that of its first item; for a nested item, its parent."""
    before = placed[-1]
    if block.kind == "item" and block.level > 1:
        for other in reversed(placed):
            if other.block.kind == "item" and other.block.level < block.level:
                return block_text(document, other.block), other.block.first
            if other.block.kind != "item":
                break
    if block.kind == "item" and before.block.kind == "item":
        for other in reversed(placed):
            if other.block.kind != "item":
                break
            if other.block.level == block.level:
                return other.lead, other.lead_line
    if block.kind != "paragraph" and before.block.kind == "paragraph":
        text = block_text(document, before.block)
        if is_lead_in(text):
            return text, before.block.first
    return "", -1
