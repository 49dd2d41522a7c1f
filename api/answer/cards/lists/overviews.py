"""A file as a whole, where everything about what it is called is asked for."""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate

from api.answer.cards.blocks import Block, blocks
from api.answer.cards.card import (
    CORRECTING,
    Card,
    CardPlace,
    Piece,
    badges_of,
    form_of,
    numbers,
    whole,
    words,
)
from api.answer.cards.card_content import titled
from api.answer.cards.from_passage import FIRST
from retrieval.models import Hit, IndexedFile, SearchResult, SourceNote, Terms
from retrieval.vocabulary.terms import key, title

EVERYTHING = re.compile(
    r"^\W{0,3}(?:please )?(?:(?:tell|show|give) me |i (?:want|need) )?(?:to know )?"
    r"(?:everything|all|(?:an? |the )?(?:overview|summary))"
    r"(?: (?:there is(?: to know)?|you (?:have|know)|i (?:need|have|should|must)(?: to)? know))? "
    r"(?:about|on|of) (?:the |our |your |my )?(?P<name>[\w'’ -]{3,60}?)\W{0,3}$",
    re.IGNORECASE,
)
_MOST = 2  # files of one name
_WORDS = 400  # of a file that is shown whole; of a longer one its beginning
_ROWS = 12  # of a table that is shown whole, of a longer one …
_SHOWN = 5


def cards(question: str, found: SearchResult, chosen: Sequence[Card]) -> tuple[Card, ...]:
    """Return the files that are called what a question wants to know everything about.

    Of those that search found and that hold, below what of the `chosen` cards corrects them. None
    where the question is another, or no file is called so.
    """
    asked = EVERYTHING.match(question)
    if asked is None:
        return ()
    first: dict[str, Hit] = {}
    for hit in found.passages:
        first.setdefault(hit.chunk.path, hit)
    called = _called(asked["name"], found.terms)
    notes = {path: found.notes.get(path, SourceNote(path)) for path in first}
    named = [hit for path, hit in first.items() if path in called and not notes[path].is_gone]
    files = [_card(hit, found.files, notes[hit.chunk.path]) for hit in named[:_MOST]]
    if not files:
        return ()
    return (*(card for card in chosen if not CORRECTING.isdisjoint(card.badges)), *files)


def _called(name: str, terms: Terms) -> frozenset[str]:
    """The paths of the files of that name; else of the one whose title has all of its words."""
    asked = key(name)
    if same := {p for p, called in terms.titles.items() if asked in {key(called), key(title(p))}}:
        return frozenset(same)
    having = {p for p, called in terms.titles.items() if set(asked) <= set(key(called))}
    return frozenset(having if asked and len(having) == 1 else ())


def _card(hit: Hit, files: Mapping[str, IndexedFile], note: SourceNote) -> Card:
    file = files[hit.chunk.path]
    every = blocks(file)
    pieces = [_piece(block) for block in every]
    size = (sum(words(file.lines.get(n, "")) for n in numbers(piece)) for piece in pieces)
    kept = max(1, sum(1 for so_far in accumulate(size) if so_far <= _WORDS))
    best = next(entry for entry in file.entries if every[0].holds(entry))
    place = CardPlace(file, every, every, FIRST)
    heading = best.heading.split(" > ")[0]
    shown = tuple(titled(place, pieces[:kept], heading))
    lines = sorted({number for piece in shown for number in numbers(piece)})
    return Card(
        path=hit.chunk.path,
        heading=heading,
        form="section" if len(shown) > 1 else form_of(every[0]),
        pieces=shown,
        lines={number: file.lines.get(number, "") for number in lines},
        marked=(),
        best=best,
        chunk=hit.chunk,
        score=hit.score,
        rest=sum(len(block.parts) for block in every[kept:]),
        badges=badges_of(note),
        says_all=True,
    )


def _piece(block: Block) -> Piece:
    if block.kind != "table" or len(block.parts) <= _ROWS:
        return whole(block)
    return Piece(form_of(block), block.lead, block.parts[:_SHOWN], len(block.parts) - _SHOWN)
