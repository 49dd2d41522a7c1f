"""Which cards correct a row of a table that another card shows."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from api.answer.cards.card import Card
from api.answer.cards.correcting import replacing
from api.answer.question.limits import Amount, amount
from retrieval.models import IndexedFile, SourceNote
from retrieval.ranking import conflicts
from retrieval.ranking.conflicts import Conflict
from retrieval.text.quantities import intervals
from retrieval.vocabulary.terms import raw_cells, stems_of

_NUMBER = re.compile(r"\d")
Names = Sequence[frozenset[str]]


def of_rows(
    cards: Sequence[Card],
    notes: Sequence[SourceNote],
    files: Mapping[str, IndexedFile],
    question: str,
) -> Iterator[Conflict]:
    """Yield which of the cards correct a row of a table that another card shows.

    By a row of the same name below the same heading; or, of a table of which rows are chosen, by a
    line with a number that says the whole name of a row: of one that is shown, or of one that
    is left out where the question's amount holds the number. `notes` are of the cards' files.
    """
    yield from _of_same_rows(cards, notes)
    wanted = amount(question)
    for lower, card in enumerate(cards):
        if not card.said or card.form != "table" or card.listed is None:
            continue
        lines = files[card.path].lines
        shown = names(lines.get(part.first_line, "") for part in card.marked)
        every = names(lines.get(number, "") for number in card.listed.numbers)
        for upper, other in enumerate(cards):
            if conflicts.overrides(notes[upper], notes[lower]) and any(
                _corrects(line, shown, every, wanted) for line in other.lines.values()
            ):
                yield Conflict(upper, lower, binding=True)


def _of_same_rows(cards: Sequence[Card], notes: Sequence[SourceNote]) -> Iterator[Conflict]:
    """Yield which of the cards have, below the same heading, the row that another one is about.

    In the file of each the lower one's is superseded: a new table of the same name.
    """
    for lower, card in enumerate(cards):
        own = names([card.best.quote]) if card.best.kind == "row" else []
        for upper, other in enumerate(cards):
            if not own or not conflicts.overrides(notes[upper], notes[lower]):
                continue
            is_same = replacing.last_heading(other.heading) == replacing.last_heading(card.heading)
            if is_same and own[0] in names(other.lines.values()):
                yield Conflict(upper, lower, binding=not notes[upper].is_optional)


def names(rows: Iterable[str]) -> Names:
    """Return the stems of what rows are called."""
    called = (frozenset(stems_of("".join(raw_cells(row)[:1]))) for row in rows)
    return [name for name in called if name]


def _corrects(line: str, shown: Names, every: Names, wanted: Amount | None) -> bool:
    if not _NUMBER.search(line):
        return False
    said = frozenset(stems_of(line))
    if any(name <= said for name in shown):
        return True
    if wanted is None or not any(name <= said for name in every):
        return False
    units = wanted.limit.units  # "£24" is 24 pounds
    return any(wanted.holds(one, ignoring=units) for one in intervals(line))
