"""Which corrections are of what is asked, and of the rows that a question chose."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from api.answer.cards.card import Card
from api.answer.question.limits import Amount, amount
from retrieval.models import HOUSE_RULE, IndexedFile, SourceNote
from retrieval.ranking import conflicts
from retrieval.ranking.conflicts import Conflict
from retrieval.ranking.lines import QuestionWords
from retrieval.refusal.asked_kind import lacks_amount, lacks_person
from retrieval.text.quantities import intervals
from retrieval.vocabulary.terms import raw_cells, stems_of

_NUMBER = re.compile(r"\d")
_NTH = re.compile(r"\b(?:first|second|third|\d(?:st|nd|rd|th))\b", re.IGNORECASE)  # printing
_LACKING = 2  # words, of which one may be a verb
Names = Sequence[frozenset[str]]


def corrections(
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
        shown = _names(lines.get(part.first_line, "") for part in card.marked)
        every = _names(lines.get(number, "") for number in card.listed.numbers)
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
        own = _names([card.best.quote]) if card.best.kind == "row" else []
        for upper, other in enumerate(cards):
            if not own or not conflicts.overrides(notes[upper], notes[lower]):
                continue
            is_same = _last(other.heading) == _last(card.heading)
            if is_same and own[0] in _names(other.lines.values()):
                yield Conflict(upper, lower, binding=not notes[upper].is_optional)


def replaces(
    card: Card, other: Card, notes: Mapping[str, SourceNote], files: Mapping[str, IndexedFile]
) -> bool:
    """Tell whether a card is of a file that supersedes another's, and replaces its section.

    It is called so, or it names that section.
    """
    upper, lower = (notes.get(one.path, SourceNote(one.path)) for one in (card, other))
    if not conflicts.overrides(upper, lower):
        return False
    if _last(card.heading) == _last(other.heading):
        return True
    above, below = (
        conflicts.statement(one.best, note, files[one.path].entries)
        for one, note in ((card, upper), (other, lower))
    )
    return conflicts.replaces_section(above, below)


def _last(heading: str) -> str:
    return heading.rsplit(" > ", 1)[-1].casefold()


def is_beside(
    upper: Card, lower: Card, note: SourceNote, asked: QuestionWords, *, is_list: bool
) -> bool:
    """Tell whether a correction is of something else than what is asked of the same thing.

    A new price of war dogs says nothing of how long they are trained, nor of who may do so. What is
    asked must stand in the lower card. So is a house rule that lacks several words of a question
    that the lower one has ("a second potion while the first one works"), and any correction of one
    detail of what a list is asked of.
    """
    if lacks_person(upper.best, asked):
        return True
    above, below = (
        len(asked.words - asked.stems(f"{card.best.heading} {card.best.quote}"))
        for card in (upper, lower)
    )
    of_detail = is_list or (note.is_one_of(HOUSE_RULE) and below <= 1)
    if of_detail and above - below >= _LACKING:
        return True
    own = replace(upper.best, heading="", lead=_NTH.sub(" ", upper.best.lead))
    return lacks_amount("", own, asked) and not lacks_amount(lower.path, lower.best, asked)


def _names(rows: Iterable[str]) -> Names:
    """The stems of what rows are called."""
    names = (frozenset(stems_of("".join(raw_cells(row)[:1]))) for row in rows)
    return [name for name in names if name]


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
