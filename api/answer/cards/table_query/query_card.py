"""A card of the rows that a question means by comparing what a table, or sections, say."""

from dataclasses import replace

from api.answer.cards.asked_parts import with_legends
from api.answer.cards.card import Card, Piece, numbers, place_of
from api.answer.cards.from_passage import FIRST
from api.answer.cards.lists import section_records
from api.answer.cards.table_query import query
from api.answer.cards.table_query.query import Answer
from retrieval.models import Entry, SearchResult

_MOST_ROWS = 40  # that are shown; of more the first …
_SHOWN = 5


def card(found: SearchResult) -> Card | None:
    """Return a card of the rows that the question means, marked.

    None where it compares nothing, or no table is known to be the one. `is_sure` where the table
    fits so well that the rows answer.
    """
    answer = query.answer(found, found.question)
    if answer is None:
        return None
    file = answer.grid.file
    best = next((one for one in file.entries if answer.parts[0].holds(one)), None)
    if best is None:
        return None
    made = _of_sections(answer, best) if answer.grid.lines is not None else _of_rows(answer, best)
    return replace(made, is_sure=answer.is_sure and len(answer.rows) <= _MOST_ROWS)


def _of_sections(answer: Answer, best: Entry) -> Card:
    grid = answer.grid
    lines = [(grid.table[n][0], part) for n, part in zip(answer.rows, answer.parts, strict=True)]
    left_out = len(grid.table) - len(lines)
    made = section_records.card_of(grid.hit, grid.file, best, lines, left_out)
    return replace(made, counted=None)


def _of_rows(answer: Answer, best: Entry) -> Card:
    grid, file, parts = answer.grid, answer.grid.file, answer.parts
    shown = parts if len(parts) <= _MOST_ROWS else parts[:_SHOWN]
    piece = Piece("table", grid.block.lead, shown, len(grid.block.parts) - len(shown))
    pieces = tuple(with_legends(place_of(file, best, FIRST), [piece]))
    return Card(
        path=file.path,
        heading=grid.block.heading,
        form="table",
        pieces=pieces,
        lines={n: file.lines.get(n, "") for one in pieces for n in numbers(one)},
        marked=shown,
        best=best,
        chunk=grid.hit.chunk,
        score=grid.hit.score,
    )
