"""The rows of a file's other tables that the words which chose a table's rows choose as well."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from api.answer.cards.asked_parts import above, own_names
from api.answer.cards.blocks import Block, Part, blocks, heading_of
from api.answer.cards.card import Card, Piece, numbers
from api.answer.cards.lists.rows import chosen_rows
from retrieval.models import IndexedFile
from retrieval.ranking.lines import QuestionWords


def with_other_tables(
    card: Card, file: IndexedFile, block: Block, asked: QuestionWords, most: int
) -> Card:
    """A card with the rows of its file's other tables that the same words choose.

    Of those that are called as much as is asked: "Guns" and "Heavy weapons" of "Weapons". Where its
    own heading or a column is called so ("Suits" of "Suits and Tools"), theirs are.
    """
    said = asked.words & above(file, block, asked)
    own = asked.words & own_names(file, block, asked)
    pieces, found_in = list(card.pieces), [block]
    marked = list(card.marked)
    for other in blocks(file):
        if other.kind != "table" or other == block:
            continue
        rows = chosen_rows.chosen(file, other, asked, is_likeliest=False, may_be_all=True)
        if (
            rows is None
            or rows.said != card.said
            or asked.words & above(file, other, asked) != said
            or not own <= own_names(file, other, asked)
        ):
            continue
        left_out = len(other.parts) - len(rows.parts)
        pieces.append(Piece("table", other.lead, rows.parts, left_out))
        found_in.append(other)
        marked += rows.parts
    if len(found_in) == 1 or len(marked) > most:
        return card
    heading = _common([one.heading for one in found_in])
    pieces = [_titled(file, piece, found_in, heading) for piece in pieces]
    pieces.sort(key=lambda piece: piece.parts[0].first_line)
    return replace(
        card,
        pieces=tuple(pieces),
        lines={n: file.lines.get(n, "") for one in pieces for n in numbers(one)},
        marked=tuple(sorted(marked, key=lambda part: part.first_line)),
        heading=heading,
        listed=Part(
            min(one.first_line for one in found_in), max(one.last_line for one in found_in)
        ),
        counted=len(marked),
    )


def _common(headings: Sequence[str]) -> str:
    """The heading that all of these stand under."""
    paths = [heading.split(" > ") for heading in headings]
    same = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return " > ".join(names[0] for names in same)


def _titled(file: IndexedFile, piece: Piece, tables: Sequence[Block], heading: str) -> Piece:
    """A table's piece with its own heading, where the card's is another one."""
    own = next((one for one in tables if one.parts and piece.parts[0] in one.parts), None)
    is_below = own is not None and own.heading != heading
    return replace(piece, title=heading_of(file, own)) if own and is_below else piece
