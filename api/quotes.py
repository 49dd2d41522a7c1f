"""Answer without a language model: the lines that come nearest to the question, word for word."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.models import Entry, Evidence, Hit

_MOST = 4  # quotes of one answer
_MARGIN = 0.8  # a further quote's score may be so much under the best one's


@dataclass(frozen=True, slots=True)
class Quote:
    """An entry that is shown, of the passage with this number (from 1)."""

    passage: int
    entry: Entry
    score: float


def choose(hits: Sequence[Hit]) -> list[Quote]:
    """Return the best entry of the best passages, best first; empty only where `hits` is.

    At most one entry a passage, and several passages where they come near each other: where two
    sources answer differently (a spell of two classes), both are shown under their places. An
    entry's score is its own plus its passage's (docs/experiments.md, E12).
    """
    quotes = [_best(number, hit) for number, hit in enumerate(hits, start=1)]
    quotes.sort(key=lambda quote: (-quote.score, quote.passage))
    return [quote for quote in quotes if quote.score >= quotes[0].score - _MARGIN][:_MOST]


def text(quotes: Sequence[Quote], hits: Sequence[Hit]) -> str:
    """Return the answer's Markdown: each quote under its place, a table row with its header."""
    return "\n\n".join(
        _shown(number, hits[quote.passage - 1].chunk.path, quote.entry)
        for number, quote in enumerate(quotes, start=1)
    )


def _best(passage: int, hit: Hit) -> Quote:
    """The best entry of a passage; the whole passage only where there is nothing smaller."""
    parts = [found for found in hit.evidence if found.entry.kind != "whole"]
    best = max(parts or hit.evidence, key=_near)  # among equals the one with the nearest vector
    return Quote(passage, best.entry, _near(best) + hit.score)


def _near(found: Evidence) -> float:
    """Late interaction tells entries of one passage apart; their vectors share its subject."""
    return found.score if found.late_score is None else found.late_score


def _shown(number: int, path: str, entry: Entry) -> str:
    lead = f"{entry.lead}\n" if entry.lead else ""
    last = f"-{entry.last_line}" if entry.last_line > entry.first_line else ""
    place = f"{path}:{entry.first_line}{last}"
    return f"**[{number}] {entry.heading}** ({place})\n\n{lead}{entry.quote}"
