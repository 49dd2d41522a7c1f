"""What of a section a card shows: the parts that answer, and what they need to be understood."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from api.answer.cards.asked_parts import above, asked_fields, asked_rows, field_asked, with_legends
from api.answer.cards.blocks import Block, Part, heading_of, terms_of
from api.answer.cards.card import (
    CardPlace,
    Piece,
    form_of,
    has_at_most,
    introduced,
    is_short,
    is_step,
    numbers,
    whole,
)
from api.answer.cards.lead_ins import STEPS_WORDS, introducing, outlined, procedure
from api.answer.question.list_phrases import HOW_TO
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords, RankedLine
from retrieval.text.denials import DENIES
from retrieval.text.line_marks import ITEM

_GAP = 30  # words of a block between two that are shown, up to which it is shown as well
_ROWS = 5  # of a table
_LONG_ITEM = 60  # words; of a longer item with others nested in it only those that answer are shown
_MOST_OPEN = 12  # rows of a table that is shown whole where none of them is asked for
_OPEN_WORDS = 120  # of it, or of a list whose lead-in answers best
_SMALL, _SMALL_WORDS = 8, 60  # parts and words of a list or table that is shown whole
_FIELDS_WORDS = 120  # of a stat block of which no field answers by its name: any may
_TINY = 5  # rows of a table of which none is left out, whichever answers
# "What has to be reported", "who may not come": any line may answer, not the nearest alone.
OF_SEVERAL = re.compile(
    r"\W*(?:so |and )?(?:which|who|where|"
    r"what(?! (?:is|are|was|does|do|did|happens|if|about)\b|['’]?s\b))\b",
    re.IGNORECASE,
)
_SEVERAL = 2  # parts that answer, of a table whose rest is then shown as well


def goes_on(entry: Entry) -> bool:
    """Tell whether an item is no sentence of its own: "- the fare of the voyage;"."""
    return entry.kind == "item" and ITEM.sub("", entry.quote)[:1].islower()


def _is_small(
    file: IndexedFile, block: Block, chosen: Sequence[RankedLine], asked: QuestionWords
) -> bool:
    """Whether a list or table is so small that a part of it says less: the best entry's, one that
    it introduces, one of which several parts answer, or one that goes on with a sentence. Numbered
    steps, a list of which one item alone would be left out, and one of which several may be asked
    for may be larger.
    """
    if block.kind not in {"list", "table"} or len(block.parts) > _MOST_OPEN:
        return False
    of_block = [one for one in chosen if block.holds(one.entry)]
    best = chosen[0].entry
    is_denied = block.kind == "table" and of_block and DENIES.search(asked.question)
    # Of what is denied the nearest rows are the wrong ones.
    if is_denied or (chosen[0] in of_block and OF_SEVERAL.match(asked.question)):
        return has_at_most(_OPEN_WORDS, file, numbers(whole(block)))
    if len(block.parts) > _SMALL:
        return False
    if of_block and block.kind == "table" and len(block.parts) <= _TINY:
        return has_at_most(_SMALL_WORDS, file, numbers(whole(block)))
    answers = chosen[0] in of_block or len(of_block) >= _SEVERAL
    if answers and is_step(file, block.parts[0]):
        return has_at_most(STEPS_WORDS, file, numbers(whole(block)))
    is_led = block.lead and block.lead.holds(best) and block.kind == "list"
    sentence = any(goes_on(one.entry) for one in of_block)
    if not (is_led or sentence or chosen[0] in of_block or len(of_block) >= _SEVERAL):
        return False
    answering = [part for part in block.parts if any(part.holds(one.entry) for one in of_block)]
    nearly_all = block.kind == "list" and len(answering) >= max(_SEVERAL, len(block.parts) - 1)
    most = _OPEN_WORDS if is_led or nearly_all else _SMALL_WORDS
    return has_at_most(most, file, numbers(whole(block)))


def pieces_of(place: CardPlace, chosen: Sequence[RankedLine], asked: QuestionWords) -> list[Piece]:
    """Return the parts that the entries stand in, block by block in the order of the file.

    A short section of the best entry is shown whole.
    """
    if alone := field_asked(place, chosen[0], asked):
        return [alone]
    short = is_short(place)
    found = []
    between = _between(place, chosen)
    is_how = HOW_TO.match(asked.question)
    steps = procedure(place, chosen[0].entry, asked) if is_how else None
    below = introduced(place, chosen[0].entry.last_line)
    for block in place.blocks:
        if block == steps and not short:
            found.append(outlined(place.file, block))
            continue
        small = block in between or _is_small(place.file, block, chosen, asked)
        small = small or (block == below and _has_at_most(_OPEN_WORDS, place, block))
        if block.kind == "fields" and block in place.section:
            is_named = place.size.named and _has_at_most(_SMALL_WORDS, place, block)
            is_best = block.holds(chosen[0].entry)  # and none of its fields is named
            small = small or is_named or (is_best and _has_at_most(_FIELDS_WORDS, place, block))
        small = small or (block in place.section and is_open(place, block, chosen[0].entry, asked))
        if (short and block in place.section) or small:
            found.append(whole(block))
        elif piece := _of_block(place, block, chosen, asked):
            found.append(piece)
    found = with_legends(place, _said_once(_completed(place, _introduced_ones(place, found))))
    found = found or [whole(place.section[0])]
    return list(titled(place, found, chosen[0].entry.heading))


def is_open(place: CardPlace, block: Block, best: Entry, asked: QuestionWords) -> bool:
    """Tell whether no row of the best one's table says more of a question than what is above it.

    "What wanders by on dungeon level 2" wants all rows below "Dungeon Level 2".
    """
    if block.kind != "table" or len(block.parts) > _MOST_OPEN or not block.holds(best):
        return False
    file = place.file
    rows = [entry for entry in file.entries if block.holds(entry)]
    if any(asked.labels_of(file.path, row) for row in rows):
        return False
    said = asked.words & asked.stems(" ".join(row.quote for row in rows))
    return said <= above(file, block, asked) and _has_at_most(_OPEN_WORDS, place, block)


def _of_block(
    place: CardPlace, block: Block, chosen: Sequence[RankedLine], asked: QuestionWords
) -> Piece | None:
    """The parts of a block that answer; None where none does."""
    of_block = [one for one in chosen if block.holds(one.entry)]
    parts = [part for one in of_block for part in block.parts if part.holds(one.entry)]
    if block.kind == "fields":
        parts = asked_fields(place.file, parts, asked, beside=not block.holds(chosen[0].entry))
    elif block.kind == "table" and of_block:
        parts = asked_rows(place.file.path, parts, of_block, asked)
    kept = sorted(list(dict.fromkeys(parts))[:_ROWS], key=lambda part: part.first_line)
    shown = [line for part in kept for line in _narrowed(place.file, block, part, of_block)]
    if not shown:
        return None
    return Piece(form_of(block), block.lead, tuple(shown), len(block.parts) - len(kept))


def _has_at_most(words: int, place: CardPlace, block: Block) -> bool:
    return has_at_most(words, place.file, dict.fromkeys(numbers(whole(block))))


def _between(place: CardPlace, chosen: Sequence[RankedLine]) -> list[Block]:
    """The short blocks between those of the entries: without them the rest reads as if it were all.

    A table is none of them, nor a term of its own.
    """
    at = [n for n, b in enumerate(place.section) if any(b.holds(one.entry) for one in chosen)]
    if not at:
        return []
    terms = terms_of(place.file, place.section)
    return [
        block
        for n, block in enumerate(place.section)
        if at[0] < n < at[-1] and n not in at and block.kind != "table"
        and block not in terms and _has_at_most(_GAP, place, block)
    ]  # fmt: skip


def _introduced_ones(place: CardPlace, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, each list behind the beginning of the sentence that it ends."""
    made: list[Piece] = []
    shown = {number for piece in pieces for number in numbers(piece)}
    for piece in pieces:
        block = place.blocks[_block_of(place, piece)]
        is_bare = block.kind == "list" and block.lead is None
        above = introducing(place.file, block, place.blocks) if is_bare else None
        if above and shown.isdisjoint(above.parts[0].numbers):
            made.append(whole(above))
        made.append(piece)
    return made


def _completed(place: CardPlace, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, each that leads to something followed by the first of that."""
    taken = {number for piece in pieces for number in numbers(piece)}
    made = []
    for piece in pieces:
        made.append(piece)
        last = piece.parts[-1].last_line
        below = introduced(place, last)
        if below and taken.isdisjoint(numbers(Piece(form_of(below), None, below.parts))):
            lead = below.lead if below.kind == "table" else None  # a list's is the piece itself
            shown = below.parts[: _ROWS if below.kind == "table" else _SMALL]
            made.append(Piece(form_of(below), lead, shown, len(below.parts) - len(shown)))
    return made


def _said_once(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, a lead-in that is the end of the piece above left out."""
    made: list[Piece] = []
    for piece in pieces:
        shown = set(numbers(made[-1])) if made else set()
        again = piece.lead and shown.issuperset(piece.lead.numbers)
        made.append(replace(piece, lead=None) if again else piece)
    return made


def titled(place: CardPlace, pieces: Sequence[Piece], own: str) -> Iterator[Piece]:
    """Yield the pieces with what stands between them.

    The first of each section within the card's own gets the heading of that, and each how many
    parts before it are skipped.
    """
    under, behind = own, 0
    for piece in pieces:
        at = _block_of(place, piece)
        block = place.blocks[at]
        title = heading_of(place.file, block) if block.heading != under else None
        between = place.blocks[behind:at] if behind else ()
        yield replace(piece, title=title, skipped=sum(len(one.parts) for one in between))
        under, behind = block.heading, at + 1


def skipped_after(place: CardPlace, pieces: Sequence[Piece]) -> int:
    """Return how many parts of the last piece's section stand behind it and are not shown."""
    last = _block_of(place, pieces[-1])
    behind = place.blocks[last + 1 :]
    return sum(len(b.parts) for b in behind if b.heading == place.blocks[last].heading)


def _block_of(place: CardPlace, piece: Piece) -> int:
    """The place of a piece's block among those of the file."""
    first = piece.parts[0].first_line
    return next(n for n, block in enumerate(place.blocks) if first <= block.last_line)


def _narrowed(
    file: IndexedFile, block: Block, part: Part, chosen: Sequence[RankedLine]
) -> list[Part]:
    """A long item with others nested in it: its own lines and the nested ones that answer."""
    if block.kind != "list" or has_at_most(_LONG_ITEM, file, part.numbers):
        return [part]
    own = [one for one in file.entries if part.holds(one)]
    first = [one for one in own if one.first_line == own[0].first_line]
    kept = [*first, *(one for one in own if any(one == c.entry for c in chosen))]
    spans = sorted({(one.first_line, one.last_line) for one in kept})
    return [Part(first_line, last_line) for first_line, last_line in spans]
