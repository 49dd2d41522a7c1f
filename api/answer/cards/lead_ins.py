"""What leads to a list or a table without a colon: the beginning of the sentence that it ends."""

from collections.abc import Sequence

from api.answer.cards.blocks import Block, introduces
from retrieval.models import IndexedFile


def introducing(file: IndexedFile, block: Block, found: Sequence[Block]) -> Block | None:
    """Return the sentence's beginning directly above a list, of the file's blocks; else None.

    "The hirer may not" has no colon, so the index knows it as a paragraph; without it the items
    below say the opposite.
    """
    if block.kind != "list" or block.lead or block not in found[1:]:
        return None
    above = found[found.index(block) - 1]
    same = above.kind == "paragraph" and above.heading == block.heading
    return above if same and introduces(file.lines.get(above.last_line, "")) else None
