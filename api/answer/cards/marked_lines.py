"""Which lines of a card answer: the best entry's, and those that say as much of the question."""

import re
from collections.abc import Collection, Iterator, Sequence

from api.answer.cards.asked_parts import field_asked, said_by, saying_most
from api.answer.cards.blocks import Block, Part
from api.answer.cards.card import CardPlace
from retrieval.models import Entry
from retrieval.ranking.lines import QuestionWords, RankedLine
from retrieval.text.denials import DENIES
from retrieval.vocabulary.terms import raw_cells

_OF_ROWS = re.compile(r"\W*(?:which|what|who|where|list|all)\b", re.IGNORECASE)


def marked(
    place: CardPlace, found: Sequence[RankedLine], asked: QuestionWords, shown: Collection[int]
) -> tuple[Part, ...]:
    """Return the lines that answer: of a stat block the fields asked for, else the best entry's.

    Of a table all rows among the lines `shown` that say as much of the question: both of "First-aid
    box, small" and "First-aid box, large". `found` are a section's entries, the best one first.
    """
    best = found[0]
    if fields := field_asked(place, best, asked):
        return fields.parts
    block = next((b for b in place.section if b.holds(best.entry)), None)
    said = saying_most(place.file, block.parts, asked) if block and block.kind == "fields" else ()
    if said:
        return said
    if (
        best.entry.kind == "row"
        and DENIES.search(asked.question)
        and _OF_ROWS.match(asked.question)
    ):
        return ()  # the nearest row of what is denied is the wrong one
    alike = _alike(place, block, found, asked) if block and best.entry.kind == "row" else ()
    entries = [best.entry, *(row for row in alike if row.first_line in shown)]
    return tuple(
        Part(one.first_line, one.last_line) for one in sorted(entries, key=lambda e: e.first_line)
    )


def _alike(
    place: CardPlace, block: Block, found: Sequence[RankedLine], asked: QuestionWords
) -> Iterator[Entry]:
    """The other rows of the best one's table that are called as it is, as far as is asked."""
    path, best = place.file.path, found[0].entry
    called = _called(best, asked)
    for row in (line.entry for line in found if called and block.holds(line.entry)):
        is_called_so = row != best and _called(row, asked) == called
        if is_called_so and said_by(path, row, asked) == said_by(path, best, asked):
            yield row


def _called(row: Entry, asked: QuestionWords) -> frozenset[str]:
    """The words of the question that a row's first cell with a letter says."""
    name = next((cell for cell in raw_cells(row.quote) if any(map(str.isalpha, cell))), "")
    return asked.stems(name) & asked.words
