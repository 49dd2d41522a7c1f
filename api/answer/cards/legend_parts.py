"""The line that explains a table's abbreviations, beside rows that are shown: "C = cabin"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from api.answer.cards.blocks import Block, Part
from api.answer.cards.card import CardPlace, Piece, form_of, has_at_most, numbers
from retrieval.text.legends import LONGEST, explained
from retrieval.vocabulary.terms import raw_cells

_WORDS = 40  # of what explains; a longer paragraph says more than that


def with_legends(place: CardPlace, pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a card and what its file says of abbreviations in their tables.

    In the order of the file, and of another section only where the own one says nothing. Whoever
    reads "Power bank | ✓ | ✗" below "Thing | C | H" needs the line "C = cabin, H = hold".
    """
    tables = [piece for piece in pieces if piece.form == "table"]
    short = {
        cell
        for piece in tables
        for number in numbers(piece)
        for cell in raw_cells(place.file.lines.get(number, ""))
        if 0 < len(cell) <= LONGEST and not cell.isdigit()
    }
    if not short:
        return list(pieces)
    made = list(pieces)
    shown = {number for piece in pieces for number in numbers(piece)}
    own = list(_explaining(place, place.section, short))
    for block, part in own or list(_explaining(place, place.blocks, short))[:1]:
        if shown.isdisjoint(part.numbers):
            made = _added(made, block, part)
    return sorted(made, key=lambda piece: piece.parts[0].first_line)


def _explaining(
    place: CardPlace, blocks: Sequence[Block], short: set[str]
) -> Iterator[tuple[Block, Part]]:
    """The short parts of these blocks that explain one of the abbreviations with an "="."""
    for block in blocks:
        if block.kind not in {"paragraph", "list"}:
            continue
        for part in block.parts:
            text = "\n".join(place.file.lines.get(number, "") for number in part.numbers)
            if "=" not in text or not has_at_most(_WORDS, place.file, part.numbers):
                continue
            if any(sign in short for sign, _ in explained(text)):
                yield block, part


def _added(pieces: Sequence[Piece], block: Block, part: Part) -> list[Piece]:
    """The pieces with a further part; one of a block that is shown becomes part of its piece."""
    for at, piece in enumerate(pieces):
        if any(one in block.parts for one in piece.parts):
            parts = tuple(sorted((*piece.parts, part), key=lambda one: one.first_line))
            more = replace(piece, parts=parts, left_out=max(0, piece.left_out - 1))
            return [*pieces[:at], more, *pieces[at + 1 :]]
    return [*pieces, Piece(form_of(block), None, (part,), len(block.parts) - 1)]
