"""Choose the cards of an answer: in the order of search, each place and each line once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from api.answer import cards, listing, precedence
from api.answer.card import Card
from api.answer.question import Reading, without_command
from retrieval.arrange import is_superseded
from retrieval.models import SearchResult, SourceNote
from retrieval.ranking.lines import Asked

MOST = 4  # cards
# A further card is unfolded where its passage's score is at most so much under the first one's.
# Measured on calibration (docs/experiments.md, E54).
_MARGIN = 0.06


@dataclass(frozen=True, slots=True)
class Searched:
    """A question, or a part of one, with what search found for it."""

    found: SearchResult
    asked: Asked

    @classmethod
    def of(cls, found: SearchResult) -> "Searched":
        """Return a search with its question as lines are compared with it."""
        return cls(found, Asked.of(found.question, found.terms))


def choose(
    whole: SearchResult, parts: Sequence[SearchResult], reading: Reading
) -> tuple[Card, ...]:
    """Return one to MOST cards, best first; none only where nothing was found.

    The first card is unfolded, and so are those of a question's other parts, of a namesake, and
    those that search put nearly as high; of the others one line is shown. Errata stand directly
    above what they correct, superseded files last.
    """
    searched = Searched.of(whole)
    found = _of_search(searched, is_keyword=reading.form == "keyword")
    if reading.form in {"list", "which"}:
        asked = Asked.of(without_command(whole.question), whole.terms)
        listed = listing.cards(whole, asked)
        # "Which weapons can a dwarf use?" may want one line: that is first unless the list has it.
        sure = reading.form == "list" or not found or _has_best(listed, found[0])
        found = [*listed, *found] if sure else [found[0], *listed[:1], *found[1:]]
    of_parts = [
        replace(card, folded=False) for part in parts for card in _of_search(Searched.of(part))[:1]
    ]
    # Of two things each is asked for; of two questions in one the first card may answer both.
    place = 0 if reading.form == "comparison" else 1
    found[place:place] = of_parts
    notes = {path: note for one in (*parts, whole) for path, note in one.notes.items()}
    return _arranged(_once(found)[:MOST], searched.asked, notes)


def _of_search(searched: Searched, *, is_keyword: bool = False) -> list[Card]:
    found = searched.found
    sizes = [cards.KEYWORD if is_keyword else cards.FIRST] + [cards.FURTHER] * len(found.hits)
    made = [
        cards.card(hit, found.files[hit.chunk.path], searched.asked, size=size)
        for hit, size in zip(found.hits, sizes, strict=False)
    ]
    return [
        one if number == 0 or is_near(one, made[0]) else replace(one, folded=True)
        for number, one in enumerate(made)
    ]


def _has_best(listed: Sequence[Card], first: Card) -> bool:
    """Whether the likeliest list holds the line that search found nearest."""
    return (
        bool(listed) and listed[0].path == first.path and first.best.first_line in listed[0].lines
    )


def is_near(card: Card, first: Card) -> bool:
    """Tell whether a card is nearly as likely as the first: by its score, or as its namesake."""
    return card.score >= first.score - _MARGIN or is_namesake(card, first)


def is_namesake(card: Card, other: Card) -> bool:
    """Tell whether two cards are the same section of files of one name in two folders."""
    one, two = card.path.rsplit("/", 1)[-1], other.path.rsplit("/", 1)[-1]
    return card.path != other.path and one == two and card.heading == other.heading


def _once(found: Sequence[Card]) -> list[Card]:
    """The cards without those whose lines are shown already; of others what is new."""
    kept: list[Card] = []
    for card in found:
        same = [one for one in kept if one.path == card.path and not one.folded]
        shown = {number for one in same for number in one.covered}
        first, last = card.best.first_line, card.best.last_line
        if shown.issuperset(range(first, last + 1)):
            continue
        if any(one.path == card.path and one.folded and one.best == card.best for one in kept):
            continue
        left = cards.without(card, shown) if shown & card.lines.keys() else card
        if left.pieces:
            kept.append(left)
    return kept


def _arranged(
    found: Sequence[Card], asked: Asked, notes: Mapping[str, SourceNote]
) -> tuple[Card, ...]:
    """Errata above what they correct, superseded files last, both with their badges."""
    of_card = [notes.get(card.path, SourceNote(card.path)) for card in found]
    statements = [
        precedence.statement(card.best, note) for card, note in zip(found, of_card, strict=True)
    ]
    conflicts = precedence.conflicts(statements, asked.words)
    gone = [is_superseded(note, asked.question) for note in of_card]
    order = precedence.arranged(len(found), conflicts, gone)
    above = {one.upper for one in conflicts if one.binding}
    return tuple(
        replace(
            found[place],
            badges=precedence.badges(of_card[place]),
            folded=found[place].folded and place not in above and number > 0,
        )
        for number, place in enumerate(order)
    )
