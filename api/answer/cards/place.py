"""A section of the rules as a card is cut from it, and how much of it is shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.card import Piece, form_of, numbers, words
from retrieval.models import Entry, IndexedFile


@dataclass(frozen=True, slots=True)
class Size:
    """How much of a passage a card shows."""

    section: int  # words; a section up to here is shown whole
    entries: int  # else so many of the best entries …
    words: int  # … while they have no more words than this together
    rows: int = 5  # of a table; a larger one is never shown as a part of a short section
    named: bool = False  # nothing but a name is asked: the section called so, from its beginning


@dataclass(frozen=True, slots=True)
class CardPlace:
    """A section: its blocks, and those of its whole file."""

    file: IndexedFile
    blocks: tuple[Block, ...]
    section: tuple[Block, ...]
    size: Size


def place_of(file: IndexedFile, best: Entry, size: Size) -> CardPlace:
    """Return the section that an entry stands in, with all blocks of its file."""
    every = blocks(file)
    at = next((n for n, block in enumerate(every) if block.holds(best)), None)
    if at is None:  # nothing but an entry for the whole: all of its lines are one part
        part = Part(best.first_line, best.last_line)
        alone = (Block("paragraph", best.heading, None, (part,)),)
        return CardPlace(file, alone, alone, size)
    first, last = at, at
    while first > 0 and every[first - 1].heading == every[at].heading:
        first -= 1
    while last + 1 < len(every) and every[last + 1].heading == every[at].heading:
        last += 1
    return CardPlace(file, every, every[first : last + 1], size)


def is_short(place: CardPlace) -> bool:
    """Tell whether a section is shown whole."""
    large = {"table"} if place.size.named else {"table", "fields"}
    if any(b.kind in large and len(b.parts) > place.size.rows for b in place.section):
        return False
    shown = (number for block in place.section for number in numbers(whole(block)))
    return has_at_most(place.size.section, place.file, dict.fromkeys(shown))


def whole(block: Block) -> Piece:
    """Return all parts of a block as one piece."""
    return Piece(form_of(block), block.lead, block.parts)


def has_at_most(most: int, file: IndexedFile, lines: Iterable[int]) -> bool:
    """Tell whether lines have so few words; those of a long section are not read to the end."""
    counted = accumulate(words(file.lines.get(number, "")) for number in lines)
    return all(so_far <= most for so_far in counted)
