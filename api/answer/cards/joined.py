"""Cards for a question of several parts: of a troll its hit points and how fast it heals."""

from collections.abc import Sequence
from dataclasses import replace

from api.answer.cards.blocks import Block, Part
from api.answer.cards.card import Card, Piece, form_of, numbers, place_of
from api.answer.cards.card_content import skipped_after, titled
from api.answer.cards.from_passage import FIRST
from retrieval.models import IndexedFile, SearchResult


def with_parts(
    found: Sequence[Card], of_parts: Sequence[Card], parts: Sequence[SearchResult]
) -> list[Card]:
    """Return the cards for a question with those of its parts behind the first one.

    What these show of the first one's section becomes part of that. Where every part is answered by
    one other section, that is the first.
    """
    own = of_parts[0]
    files = {path: file for one in parts for path, file in one.files.items()}
    are_sure = all(part.certainty == "answered" for part in parts)
    if are_sure and all(_are_of_one_place(own, one) for one in of_parts):
        found = [own, replace(found[0], folded=True), *found[1:]]
    first = found[0]
    for card in of_parts:
        if _are_of_one_place(card, first):
            first = joined(first, card, files[card.path])
    return [first, *(card for card in of_parts if not _are_of_one_place(card, first)), *found[1:]]


def _are_of_one_place(card: Card, other: Card) -> bool:
    return (card.path, card.heading) == (other.path, other.heading)


def joined(card: Card, other: Card, file: IndexedFile) -> Card:
    """Return a card with what another one of its file shows besides, in the file's order.

    Both are unfolded. What answers best, and how near it is, is the first one's.
    """
    place = place_of(file, card.best, FIRST)
    both = [*card.pieces, *other.pieces]
    pieces = [made for block in place.blocks if (made := _of_block(block, both))]
    pieces = list(titled(place, pieces, card.heading))
    shown = sorted({number for piece in pieces for number in numbers(piece)})
    return replace(
        card,
        pieces=tuple(pieces),
        form="section" if len(pieces) > 1 else card.form,
        lines={number: file.lines.get(number, "") for number in shown},
        marked=tuple(sorted({*card.marked, *other.marked}, key=lambda part: part.first_line)),
        rest=skipped_after(place, pieces),
        columns=card.columns | other.columns,
    )


def _of_block(block: Block, pieces: Sequence[Piece]) -> Piece | None:
    """What of a block the pieces show; None where they show nothing of it."""
    own = [piece for piece in pieces if _is_of(piece, block)]
    every = {part for piece in own for part in piece.parts}
    parts = sorted(every, key=lambda part: part.first_line)
    if not parts:
        return None
    left = [part for part in block.parts if not any(_touches(part, one) for one in parts)]
    lead = next((piece.lead for piece in own if piece.lead), None)
    return Piece(form_of(block), lead, tuple(parts), len(left))


def _is_of(piece: Piece, block: Block) -> bool:
    return block.first_line <= piece.parts[0].first_line <= block.last_line


def _touches(part: Part, other: Part) -> bool:
    return part.first_line <= other.last_line and other.first_line <= part.last_line
