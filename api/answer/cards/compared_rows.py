"""The rows of one table that two things are compared by: "mace or war hammer"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from api.answer.cards.asked_parts import header, with_legends
from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.card import Card, Piece, numbers, place_of
from api.answer.cards.from_passage import FIRST
from retrieval.models import Hit, IndexedFile, SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.vocabulary.terms import column_names, key, raw_cells, stems_of, title

_FIELDS = frozenset({"item", "row"})  # kinds of entries
_MOST_ROWS = 15  # of a table that is shown whole


def card(whole: SearchResult, parts: Sequence[SearchResult]) -> Card | None:
    """Return a card of the first table that has a row for each of the things compared.

    In the order of what was found for the whole question, then for each thing. None where no table
    has one row each, called so.
    """
    asked = [frozenset(stems_of(part.question)) for part in parts]
    field = frozenset.intersection(*asked) if asked else frozenset()
    things = [words - field for words in asked]
    if not things or not all(things):
        return None
    # Two that have files of their own are compared by what these say: "range of two spells".
    own = (part.hits[0].chunk.path for part in parts if part.hits)
    if {frozenset(key(title(path))) for path in own} == set(things):
        return None
    if not field and _have_sections(parts, things):  # "a ghoul and a skeleton", of no field
        return None
    first = [result.hits[0] for result in (whole, *parts) if result.hits]
    nearest = {(hit.chunk.path, hit.evidence[0].entry) for hit in first if hit.evidence}
    for result in (whole, *parts):
        for hit in result.passages:
            file = result.files[hit.chunk.path]
            for block, rows in _tables(file, things):
                said = stems_of(" ".join([block.heading, *header(file, block)]))
                is_near = any(path == file.path and block.holds(one) for path, one in nearest)
                if is_near or field.issubset(said):  # many tables have both names
                    return _card(hit, file, block, rows)
    return None


def _have_sections(parts: Sequence[SearchResult], things: Sequence[frozenset[str]]) -> bool:
    """Whether what is found first for each thing is a section that is called so, with its fields.

    A sentence says less than two rows of one table.
    """
    if not all(one.hits for one in parts):
        return False
    found = [(one.hits[0].chunk.path, one.hits[0].evidence[0].entry.heading) for one in parts]
    last = [frozenset(stems_of(heading.rsplit(" > ", 1)[-1])) for _, heading in found]
    own = [
        [one for one in part.files[path].entries if one.heading == heading and one.kind in _FIELDS]
        for part, (path, heading) in zip(parts, found, strict=True)
    ]
    called = (thing <= name for thing, name in zip(things, last, strict=True))
    return len(set(found)) == len(things) and all(called) and all(len(one) > 1 for one in own)


def of_columns(whole: SearchResult) -> Card | None:
    """Return a card of the first table two of whose columns a question compares, whole.

    "The difference between guests and members" is what their columns say. None where no table
    of the passages has both.
    """
    asked = QuestionWords.of(whole.question, whole.terms)
    for hit in whole.passages:
        file = whole.files[hit.chunk.path]
        for block in blocks(file):
            if block.kind != "table" or block.lead is None or len(block.parts) > _MOST_ROWS:
                continue
            width = len(raw_cells(file.lines.get(block.lead.first_line, "")))
            names = map(asked.stems, column_names("\n".join(header(file, block)), width)[1:])
            if len({name for name in names if name and name <= asked.words}) > 1:
                made = _card(hit, file, block, block.parts)
                return replace(made, is_sure=True) if made else None
    return None


def _tables(
    file: IndexedFile, things: Sequence[frozenset[str]]
) -> Iterator[tuple[Block, tuple[Part, ...]]]:
    """The tables of a file with a row for each of the things, and these rows."""
    for block in blocks(file):
        if block.kind != "table" or len(block.parts) < len(things):
            continue
        names = [
            (part, frozenset(stems_of("".join(raw_cells(file.lines.get(part.first_line, ""))[:1]))))
            for part in block.parts
        ]
        rows = [_called(names, thing) for thing in things]
        found = [row for row in rows if row]
        if len(set(found)) == len(things):
            yield block, tuple(sorted(found, key=lambda part: part.first_line))


def _called(names: Sequence[tuple[Part, frozenset[str]]], thing: frozenset[str]) -> Part | None:
    """The row that is called as a thing, with the fewest words besides; None for several."""
    fitting = sorted(
        ((len(name), part.first_line, part) for part, name in names if name and thing <= name),
        key=lambda one: one[:2],
    )
    if not fitting or (len(fitting) > 1 and fitting[0][0] == fitting[1][0]):
        return None
    return fitting[0][2]


def _card(hit: Hit, file: IndexedFile, block: Block, rows: tuple[Part, ...]) -> Card | None:
    best = next((one for one in file.entries if rows[0].holds(one)), None)
    if best is None:
        return None
    piece = Piece("table", block.lead, rows, len(block.parts) - len(rows))
    pieces = tuple(with_legends(place_of(file, best, FIRST), [piece]))
    return Card(
        path=hit.chunk.path,
        heading=block.heading,
        form="table",
        pieces=pieces,
        lines={n: file.lines.get(n, "") for one in pieces for n in numbers(one)},
        marked=rows,
        best=best,
        chunk=hit.chunk,
        score=hit.score,
    )


def has_row_of_each(found: Sequence[Card], parts: Sequence[SearchResult]) -> bool:
    """Tell whether the first card shows a table's rows for each of the things that are compared."""
    if not found or found[0].form != "table" or not parts:
        return False
    rows = [frozenset(stems_of("".join(raw_cells(one)[:1]))) for one in found[0].lines.values()]
    asked = [frozenset(stems_of(part.question)) for part in parts]
    own = [words - frozenset.intersection(*asked) for words in asked]
    return all(words and any(words <= row for row in rows) for words in own)
