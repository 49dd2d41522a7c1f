"""Make a card of a passage: the rows, items, fields or paragraphs that answer, whole.

Pure. Which entries answer is told by `retrieval.ranking.lines`; here is what of the file around
them a reader needs to understand them.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from api.answer.blocks import Block, Part, blocks, heading_of
from api.answer.card import Card, Form, Piece, form_of, numbers
from retrieval.index.terms import raw_cells, stems_of
from retrieval.models import Entry, Hit, IndexedFile
from retrieval.ranking.lines import Asked, Line, ranked


@dataclass(frozen=True, slots=True)
class Size:
    """How much of a passage a card shows. Measured on calibration: docs/experiments.md, E58."""

    section: int  # words; a section up to here is shown whole
    entries: int  # else so many of the best entries …
    words: int  # … while they have no more words than this together
    named: bool = False  # nothing but a name is asked: the section called so, from its beginning


FIRST = Size(section=80, entries=5, words=64)
FURTHER = Size(section=60, entries=2, words=40)
KEYWORD = Size(section=130, entries=5, words=64, named=True)
_FOLDED = 50  # words of a folded card's entries, beyond which it shows the best one alone
_NEARLY = 0.15  # by so much further from the question than the best one they may be
_TIED, _TIED_ROOM = 0.05, 1.6  # entries as near as the best one may take so much more room
_ITEM_MARK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
_GAP = 30  # words of a block between two that are shown, up to which it is shown as well
_ROWS = 5  # of a table
_LONG_ITEM = 60  # words; of a longer item with others nested in it only those that answer are shown
_SMALL, _SMALL_WORDS = 8, 60  # parts and words of a list or table that is shown whole
_WHOLE_TABLE = 5  # rows; a larger one is never shown as a part of a short section


@dataclass(frozen=True, slots=True)
class _Place:
    """A passage's file with its blocks, and the section that the best entry stands in."""

    file: IndexedFile
    blocks: tuple[Block, ...]
    section: tuple[Block, ...]
    size: Size


def card(hit: Hit, file: IndexedFile, asked: Asked, *, size: Size = FIRST) -> Card:
    """Return a passage's card, unfolded; `size` says how much of the passage it shows.

    Raises ValueError for a passage without entries.
    """
    found = ranked(hit, asked)
    if not found:
        raise ValueError(f"the passage {hit.chunk.id} has no entry")
    named = _named_section(file, asked) if size.named else []
    return _of_section(hit, file, asked, size, named or _of_one_section(found))


def of_other_sections(hit: Hit, file: IndexedFile, asked: Asked) -> list[Card]:
    """Return a folded card of the passage's next section, where it is nearly as near as the first.

    A card shows nothing of another section than its own and those in it.
    """
    found = ranked(hit, asked)
    own = _of_one_section(found)
    other = [one for one in found if one not in own]
    if not other or other[0].nearness < found[0].nearness - _NEARLY:
        return []
    made = _of_section(hit, file, asked, FURTHER, _of_one_section(other))
    return [replace(made, folded=True)]


def _of_one_section(found: Sequence[Line]) -> list[Line]:
    """Of a passage's lines those of the best one's section, with the sections in it."""
    own = found[0].entry.heading
    return [one for one in found if f"{one.entry.heading} > ".startswith(f"{own} > ")]


def _named_section(file: IndexedFile, asked: Asked) -> list[Line]:
    """The lines of the section whose name says all that is asked, in order; the shortest name's."""
    called: dict[str, frozenset[str]] = {}
    for entry in file.entries:
        name = entry.heading.rsplit(" > ", 1)[-1]
        called.setdefault(entry.heading, asked.terms.in_full(stems_of(name)))
    fitting = [heading for heading, name in called.items() if asked.words <= name]
    if not fitting or not asked.words:
        return []
    chosen = min(fitting, key=lambda heading: len(called[heading]))
    return [
        Line(entry, 0.0)
        for entry in file.entries
        if entry.heading == chosen and entry.kind != "whole"
    ]


def _of_section(
    hit: Hit, file: IndexedFile, asked: Asked, size: Size, found: Sequence[Line]
) -> Card:
    best = found[0]
    place = _place(file, best, size)
    pieces = tuple(_pieces(place, _chosen(found, place), asked))
    of_best = [p for p in pieces if any(part.holds(best.entry) for part in p.parts)]
    several = len(pieces) > 1 and _is_short(place)
    form: Form = "section" if several or not of_best else of_best[0].form
    shown = sorted({number for piece in pieces for number in numbers(piece)})
    return Card(
        path=hit.chunk.path,
        heading=best.entry.heading,
        form=form,
        pieces=pieces,
        lines={number: file.lines.get(number, "") for number in shown},
        marked=(Part(best.entry.first_line, best.entry.last_line),),
        best=_own_field(place, best.entry, asked),
        next_best=_next_best(place, found),
        chunk=hit.chunk,
        score=hit.score,
    )


def _next_best(place: _Place, found: Sequence[Line]) -> Entry | None:
    """The entry that a folded card shows besides the best one, where it is nearly as near.

    Of an item that goes on with what introduces its list it is that sentence.
    """
    best = found[0].entry
    if _goes_on(best):
        return next((e for e in place.file.entries if e.quote.endswith(best.lead.strip())), None)
    for line in found[1:]:
        entry = line.entry
        if line.nearness < found[0].nearness - _NEARLY:
            return None
        if not (_goes_on(entry) or entry.quote in best.quote or best.quote in entry.quote):
            return entry if words(f"{best.quote} {entry.quote}") <= _FOLDED else None
    return None


def _goes_on(entry: Entry) -> bool:
    """Whether an item is no sentence of its own: "- the fare of the voyage;"."""
    first = _ITEM_MARK.sub("", entry.quote)[:1]
    return entry.kind == "item" and bool(entry.lead.strip()) and first.islower()


def without(card: Card, shown: Collection[int]) -> Card:
    """Return a card without the parts all of whose lines are among `shown`."""
    pieces = []
    for piece in card.pieces:
        parts = tuple(
            part
            for part in piece.parts
            if not all(n in shown for n in range(part.first_line, part.last_line + 1))
        )
        if parts:
            pieces.append(replace(piece, parts=parts))
    left = sorted({number for piece in pieces for number in numbers(piece)})
    return replace(
        card, pieces=tuple(pieces), lines={number: card.lines[number] for number in left}
    )


def words(text: str) -> int:
    """Return how many words a reader has to read; marks of Markdown are none."""
    return sum(any(c.isalnum() for c in word) for word in text.replace("|", " ").split())


def _place(file: IndexedFile, best: Line, size: Size) -> _Place:
    every = blocks(file)
    at = next((n for n, block in enumerate(every) if block.holds(best.entry)), None)
    if at is None:  # nothing but an entry for the whole: all of its lines are one part
        part = Part(best.entry.first_line, best.entry.last_line)
        alone = (Block("paragraph", best.entry.heading, None, (part,)),)
        return _Place(file, alone, alone, size)
    first, last = at, at
    while first > 0 and every[first - 1].heading == every[at].heading:
        first -= 1
    while last + 1 < len(every) and every[last + 1].heading == every[at].heading:
        last += 1
    return _Place(file, every, every[first : last + 1], size)


def _is_small(file: IndexedFile, block: Block, best: Line) -> bool:
    """Whether the best entry's list or table is so small that a part of it says less."""
    if block.kind not in {"list", "table"} or len(block.parts) > _SMALL:
        return False
    shown = list(numbers(_whole(block)))
    return block.holds(best.entry) and _words_of(file, shown) <= _SMALL_WORDS


def _is_short(place: _Place) -> bool:
    large = {"table"} if place.size.named else {"table", "fields"}
    if any(b.kind in large and len(b.parts) > _WHOLE_TABLE for b in place.section):
        return False
    shown = [number for block in place.section for number in numbers(_whole(block))]
    return _words_of(place.file, sorted(set(shown))) <= place.size.section


def _chosen(found: Sequence[Line], place: _Place) -> list[Line]:
    """The entries that a card is made of, the best one first.

    Rows of one table are often equally near; so the best entry of another block is one of them.
    """
    near_enough = [one for one in found if one.nearness >= found[0].nearness - _NEARLY]
    own = next((block for block in place.blocks if block.holds(found[0].entry)), None)
    other = [one for one in near_enough if own and not own.holds(one.entry)][:1]
    chosen = [found[0]]
    size = words(found[0].entry.quote)
    for one in [*near_enough[1:2], *other, *near_enough[2:], *found[1 : place.size.entries]]:
        if len(chosen) == place.size.entries:
            break
        more = words(one.entry.quote)
        tied = one.nearness >= found[0].nearness - _TIED
        room = place.size.words * (_TIED_ROOM if tied else 1.0)
        if size + more <= room and one not in chosen:
            chosen.append(one)
            size += more
    return chosen


def _pieces(place: _Place, chosen: Sequence[Line], asked: Asked) -> list[Piece]:
    """The parts that the entries stand in, block by block in the order of the file.

    A short section of the best entry is shown whole.
    """
    if alone := _field(place, chosen[0], asked):
        return [alone]
    short = _is_short(place)
    found = []
    between = _between(place, chosen)
    for block in place.blocks:
        small = block in between or _is_small(place.file, block, chosen[0])
        if (short and block in place.section) or small:
            found.append(_whole(block))
            continue
        of_block = [one for one in chosen if block.holds(one.entry)]
        parts = [part for one in of_block for part in block.parts if part.holds(one.entry)]
        if block.kind == "fields":
            parts = _asked_fields(place.file, parts, asked)
        kept = sorted(list(dict.fromkeys(parts))[:_ROWS], key=lambda part: part.first_line)
        shown = [line for part in kept for line in _narrowed(place.file, block, part, of_block)]
        if shown:
            left_out = len(block.parts) - len(kept)
            found.append(Piece(form_of(block), block.lead, tuple(shown), left_out))
    found = _completed(place, found) or [_whole(place.section[0])]
    return list(_titled(place, found, chosen[0].entry.heading))


def _between(place: _Place, chosen: Sequence[Line]) -> list[Block]:
    """The short blocks between those of the entries: without them the rest reads as if it were all.

    A table is none of them.
    """
    at = [n for n, b in enumerate(place.section) if any(b.holds(one.entry) for one in chosen)]
    if not at:
        return []
    return [
        block
        for n, block in enumerate(place.section)
        if at[0] < n < at[-1] and n not in at and block.kind != "table"
        and _words_of(place.file, sorted(set(numbers(_whole(block))))) <= _GAP
    ]  # fmt: skip


def _completed(place: _Place, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, each that ends with a colon followed by the first of what it introduces."""
    taken = {number for piece in pieces for number in numbers(piece)}
    made = []
    for piece in pieces:
        made.append(piece)
        last = piece.parts[-1].last_line
        below = _introduced(place, last)
        if below and taken.isdisjoint(numbers(Piece(form_of(below), None, below.parts))):
            lead = below.lead if below.kind == "table" else None  # a list's is the piece itself
            shown = below.parts[:_ROWS]
            made.append(Piece(form_of(below), lead, shown, len(below.parts) - len(shown)))
    return made


def _titled(place: _Place, pieces: Sequence[Piece], own: str) -> Iterator[Piece]:
    """The pieces, the first of each section within the card's own under the heading of that."""
    under = own
    for piece in pieces:
        at = piece.parts[0].first_line
        block = next((b for b in place.blocks if b.first_line <= at <= b.last_line), None)
        if block and block.heading != under:
            under = block.heading
            yield replace(piece, title=heading_of(place.file, block))
        else:
            yield piece


def _introduced(place: _Place, last: int) -> Block | None:
    """The block directly below a line that ends with a colon, after nothing but blank lines."""
    lines = place.file.lines
    if not lines.get(last, "").rstrip().endswith(":"):
        return None
    following = next((n for n in range(last + 1, max(lines) + 1) if lines.get(n, "").strip()), None)
    starts = {block.parts[0].first_line: block for block in place.blocks}
    starts |= {block.first_line: block for block in place.blocks if block.kind == "table"}
    return starts.get(following) if following else None


def _field(place: _Place, best: Line, asked: Asked) -> Piece | None:
    """The fields that are asked for, where the best entry is among them: nothing else is wanted."""
    for block in place.section:
        if block.kind == "fields" and block.holds(best.entry):
            named = _named_fields(place.file, block.parts, asked)
            if any(part.holds(best.entry) for part in named):
                return Piece("fields", block.lead, tuple(named), len(block.parts) - len(named))
    return None


def _own_field(place: _Place, best: Entry, asked: Asked) -> Entry:
    """The best entry; of one that holds several fields, a line each, the one asked for."""
    lines = best.quote.split("\n")
    block = next((one for one in place.section if one.kind == "fields" and one.holds(best)), None)
    if block is None or len(lines) != best.last_line - best.first_line + 1 or len(lines) == 1:
        return best
    own = [part for part in block.parts if part.holds(best)]
    field = (_named_fields(place.file, own, asked) or own)[0]
    quote = "\n".join(
        lines[field.first_line - best.first_line : field.last_line - best.first_line + 1]
    )
    return replace(best, first_line=field.first_line, last_line=field.last_line, quote=quote)


def _asked_fields(file: IndexedFile, parts: Sequence[Part], asked: Asked) -> list[Part]:
    """Of fields those that the question names, or asks for in other words; else all."""
    return _named_fields(file, parts, asked) or list(parts)


def _named_fields(file: IndexedFile, parts: Sequence[Part], asked: Asked) -> list[Part]:
    """The fields that the question names; where it names none, those it asks for otherwise."""
    names = {part: _name_of(file, part, asked) for part in parts}
    named = [part for part in parts if names[part] and names[part] <= asked.words]
    named = named or [part for part in parts if names[part] & asked.words]
    return named or [part for part in parts if names[part] & asked.fields]


def _name_of(file: IndexedFile, field: Part, asked: Asked) -> frozenset[str]:
    """The stems of a field's name: the first cell of its row, or what is before the colon."""
    line = file.lines.get(field.first_line, "")
    name = raw_cells(line)[0] if line.lstrip().startswith("|") else line.split(":")[0]
    return asked.terms.in_full(stems_of(name))


def _narrowed(file: IndexedFile, block: Block, part: Part, chosen: Sequence[Line]) -> list[Part]:
    """A long item with others nested in it: its own lines and the nested ones that answer."""
    lines = range(part.first_line, part.last_line + 1)
    if block.kind != "list" or _words_of(file, lines) <= _LONG_ITEM:
        return [part]
    own = [one for one in file.entries if part.holds(one)]
    first = [one for one in own if one.first_line == own[0].first_line]
    kept = [*first, *(one for one in own if any(one == c.entry for c in chosen))]
    spans = sorted({(one.first_line, one.last_line) for one in kept})
    return [Part(first_line, last_line) for first_line, last_line in spans]


def _whole(block: Block) -> Piece:
    return Piece(form_of(block), block.lead, block.parts)


def _words_of(file: IndexedFile, lines: Sequence[int]) -> int:
    return words("\n".join(file.lines.get(number, "") for number in lines))
