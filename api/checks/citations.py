"""Check what an answer cites: every `[n]` names a passage, and a line of it carries the claim."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from api.answer.cards.card import Card
from api.checks.guard.alignment import Evidence as Known
from api.checks.guard.alignment import evidence
from api.checks.guard.clauses import clauses, told
from api.checks.guard.facts import facts
from api.checks.guard.numbers.arithmetic import sums
from api.checks.guard.occurrences import content
from api.checks.marked import claim_of, neighbours, sentence_before
from api.checks.markers import MARKER, known_markers, plain, without_doubles
from api.checks.passage_lines import PassageLine, Source
from api.schema.passages import Citation, CitationCounts
from retrieval.models import Hit
from retrieval.text.normalize import fold

_SHORTEST = 12  # characters of a quote; a shorter one says nothing without its neighbours
_CARRIED = 0.3  # of a claim's words that a line must have where the claim has no facts
_MOVED = 0.6  # the same for a line of a passage that is not cited
_MOVED_NUMBER = 0.5  # with its numbers
_SHORT = 4  # words of a sentence that is read with the one before: "Afterwards it is worthless"
_REFERS = re.compile(
    r"\b(?:it|its|they|them|that|this|these|those|he|she|then|there|afterwards)\b", re.IGNORECASE
)
_GIVEN = 0.51  # of a sentence without numbers that gets the marker of the one beside it


@dataclass(frozen=True, slots=True)
class CitedReply:
    """A model's reply with its citations, in the order of the text, and what became of its markers.

    Every marker that is left in `text` has a citation whose quote carries the claim: in the
    passage that it named, or in another one.
    """

    text: str
    citations: tuple[Citation, ...]
    counts: CitationCounts


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a claim stands."""

    line: PassageLine
    carries: bool  # all that the claim states


def source(hit: Hit) -> Source:
    """Return a passage as the guard reads it."""
    return Source(hit.chunk.path, hit.chunk.heading, hit.chunk.context, hit.chunk.text)


def of_cards(cards: Sequence[Card]) -> list[Citation]:
    """Return the citations of cards: one for each run of lines that a card shows.

    Its marker is the card's number. Of a folded card there is one for each entry that it shows.
    """
    return [found for number, card in enumerate(cards, start=1) for found in _of_card(number, card)]


def _of_card(marker: int, card: Card) -> Iterator[Citation]:
    entries = [(one.first_line, one.last_line, one.quote) for one in card.entries]
    for first, last, quote in entries if card.folded else _runs(card):
        yield Citation(
            marker=marker, path=card.path, heading=card.heading, first_line=first, last_line=last,
            quote=quote, score=card.score,
        )  # fmt: skip


def _runs(card: Card) -> Iterator[tuple[int, int, str]]:
    """The neighbouring lines that a card shows, with their text."""
    for _, run in groupby(enumerate(sorted(card.lines)), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        yield numbers[0], numbers[-1], "\n".join(card.lines[number] for number in numbers)


def check_reply(
    reply: str, hits: Sequence[Hit], question: str, sound: Sequence[tuple[int, int]] = ()
) -> CitedReply:
    """Return a model's reply with the markers that a line of a passage stands behind.

    A marker's claim is what its sentence says up to it. A line carries it that holds its numbers
    and the most of its words. `question` helps where the claim is "Yes [1]". `sound` are parts of
    the reply with known markers in which the guard finds no fault: their numbers may be worked out
    or stand in several lines, so the likest line of the passage that is cited is enough there.
    """
    text, dropped = known_markers(reply, len(hits))
    known = evidence([source(hit) for hit in hits])
    shown: list[str] = []
    found: dict[tuple[int, int], Citation] = {}
    counts = Counter(dropped=dropped)
    at = 0
    for match in MARKER.finditer(text):
        trusted = any(first <= match.start() < last for first, last in sound)
        place = _place(text, match, known, question, trusted=trusted)
        shown.append(text[at : match.start()])
        at = match.end()
        citation = _citation(hits, place, int(match[1])) if place else None
        counts[citation.status if citation else "unverified"] += 1
        if citation and place:
            shown.append(match[0].replace(match[1], str(place.line.passage)))
            found.setdefault((place.line.passage, place.line.start), citation)
    shown.append(text[at:])
    kept = without_doubles("".join(shown)).strip()
    return CitedReply(kept, tuple(found.values()), CitationCounts(**counts))


def likely(text: str, cited: Sequence[int], known: Known) -> bool:
    """Tell whether a line of the cited passages has enough of a folded text for its marker.

    More than half of its words, less where it has a number, which is checked as such; and a no,
    where the text says one.
    """
    said = set(content(text))
    least = _CARRIED if any(not fact.weak for fact in facts(text)) else _GIVEN
    denied = any(clause.negated and clause.words for clause in clauses(text))
    return any(
        line.passage in cited and _overlap(said, line, known) >= least
        and (not denied or any(part.clause.negated for part in told(line)))
        for line in known.lines
    )  # fmt: skip


def _place(
    text: str, match: re.Match[str], known: Known, question: str, *, trusted: bool
) -> _Place | None:
    """Where the claim before a marker stands, the cited passage first; None: nowhere."""
    claim = plain(claim_of(text, match))
    results = {total.result.start for total in sums(claim)}
    cited = int(match[1])
    there = {id(line) for line in known.lines if line.passage == cited}
    stated = [  # "one week" is compared where the passage has it, in days
        fact for fact in facts(claim) if fact.start not in results
        and (not fact.weak or (fact.base and there & known.holders(fact)))
    ]  # fmt: skip
    asked = facts(fold(question))
    new = [known.holders(fact) for fact in stated if all(fact.low != other.low for other in asked)]
    said = set(content(claim))
    if len(said) < 2:
        said |= set(content(fold(question)))
    beside = neighbours(text, match)
    own = _best(cited, new, said, known)
    alone = (said & known.words[cited - 1]).difference(*(known.words[n - 1] for n in beside))
    least = 0 if trusted and alone else _CARRIED
    if own and (own.carries or (beside and _overlap(said, own.line, known) >= least)):
        return own
    others = [
        place for number in range(1, len(known.words) + 1)
        if number != cited and (place := _best(number, new, said, known)) and place.carries
        and _overlap(said, place.line, known) >= (_MOVED_NUMBER if new else _MOVED)
    ]  # fmt: skip
    if not others and own and trusted and said & known.words[cited - 1]:
        held = not new or _held(new, [x for x in known.lines if x.passage == cited])
        if held or _overlap(said, own.line, known) >= _CARRIED:
            return own
    short = _REFERS.search(claim) and (new or len(said) <= _SHORT)
    if not others and trusted and short and (before := sentence_before(text, match)):
        own = _best(cited, (), before, known)
        return own if own and own.carries else None
    return max(others, key=lambda place: _overlap(said, place.line, known), default=None)


def _best(passage: int, new: Sequence[Set[int]], said: Set[str], known: Known) -> _Place | None:
    lines = [line for line in known.lines if line.passage == passage]
    if not lines:
        return None
    best = max(lines, key=lambda line: (_held(new, [line]), _overlap(said, line, known)))
    if new:
        carries = len(new) in (_held(new, [best]), _held(new, lines))
        return _Place(best, carries)
    return _Place(best, _overlap(said, best, known) >= _CARRIED)


def _held(new: Sequence[Set[int]], lines: Iterable[PassageLine]) -> int:
    """How many of the facts, each given by who holds it, the lines hold."""
    chosen = {id(line) for line in lines}
    return sum(not chosen.isdisjoint(holders) for holders in new)


def _overlap(said: Set[str], line: PassageLine, known: Known) -> float:
    return len(said & known.said[id(line)]) / len(said) if said else 0.0


def _citation(hits: Sequence[Hit], place: _Place, named: int) -> Citation | None:
    found = of_line(hits[place.line.passage - 1], place.line)
    if found is None or place.line.passage == named:
        return found
    return found.model_copy(update={"status": "repaired"})


def of_line(hit: Hit, line: PassageLine) -> Citation | None:
    """Return the citation of a line, or None where its passage is too short to be quoted."""
    start, quote = _quotable(hit.chunk.text, line.start, line.quote)
    if len(quote) < _SHORTEST:
        return None
    first = hit.chunk.first_line + hit.chunk.text.count("\n", 0, start)
    last = first + quote.count("\n")
    within = [found for found in hit.evidence if found.entry.kind != "whole"
              and found.entry.first_line <= last and first <= found.entry.last_line]  # fmt: skip
    near = max(within, key=lambda found: found.score, default=None)
    return Citation(
        marker=line.passage,
        path=hit.chunk.path,
        heading=near.entry.heading if near else hit.chunk.heading,
        first_line=first,
        last_line=last,
        quote=quote,
        score=near.score if near else hit.score,
    )


def _quotable(text: str, start: int, quote: str) -> tuple[int, str]:
    """The quote, with its neighbouring rows while it is too short."""
    end = start + len(quote)
    while end - start < _SHORTEST and (start > 0 or end < len(text)):
        start = text.rfind("\n", 0, max(start - 1, 0)) + 1
        following = text.find("\n", end + 1)
        end = len(text) if following < 0 else following
    return start, text[start:end]
