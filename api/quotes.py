"""Answer without a language model: the lines that come nearest to the question, word for word."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.models import Entry, Evidence, Hit

_MOST = 3  # quotes of one answer
# A further quote must be nearly as good as the best: cosine similarity, from another passage.
_MARGIN = 0.08


@dataclass(frozen=True, slots=True)
class Quote:
    """An entry that is shown, of the passage with this number (from 1)."""

    passage: int
    entry: Entry
    score: float


def choose(hits: Sequence[Hit]) -> list[Quote]:
    """Return the best entry of the passages and of others nearly as good, in passage order.

    At most one entry a passage: two passages that answer differently are both shown. Empty only
    where `hits` is.
    """
    best = [_best(hit) for hit in hits]
    top = max((found.score for found in best), default=0.0)
    quotes = [
        Quote(number, found.entry, found.score)
        for number, found in enumerate(best, start=1)
        if found.score >= top - _MARGIN
    ]
    quotes = sorted(quotes, key=lambda quote: -quote.score)[:_MOST]
    return sorted(quotes, key=lambda quote: quote.passage)


def text(quotes: Sequence[Quote]) -> str:
    """Return the answer's Markdown: each quote under its heading, a table row with its header."""
    return "\n\n".join(_shown(number, quote.entry) for number, quote in enumerate(quotes, start=1))


def _best(hit: Hit) -> Evidence:
    """The most similar row, item or sentences; the whole chunk only where there is no other."""
    parts = [found for found in hit.evidence if found.entry.kind != "whole"]
    return (parts or list(hit.evidence))[0]


def _shown(number: int, entry: Entry) -> str:
    lead = f"{entry.lead}\n" if entry.lead else ""
    gap = "\n" if entry.kind == "row" else " "
    return f"**{entry.heading}**\n\n{lead}{entry.quote}{gap}[{number}]"
