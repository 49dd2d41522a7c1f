"""Answer without a language model: the lines that come nearest to the question, word for word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.embed import Embedder
from retrieval.fold import searchable
from retrieval.models import Entry, Evidence, Hit

_MOST = 4  # quotes of one answer
_MARGIN = 0.8  # a further quote's score may be so much under the best one's
_READ = 6  # entries of a passage that are compared, by their stored similarity
_WITH_TRAIL = 0.65  # weight of an entry's stored similarity beside that of its own words (E4)
_WITH_HIT = 2.0  # and of its passage's score
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Quote:
    """An entry that is shown, of the passage with this number (from 1)."""

    passage: int
    entry: Entry
    score: float


def choose(embedder: Embedder, question: str, hits: Sequence[Hit]) -> list[Quote]:
    """Return the best entry of the best passages, best first; empty only where `hits` is.

    At most one entry a passage, and several passages where they come near each other: where two
    sources answer differently (a spell of two classes), both are shown under their places.
    """
    if not hits:
        return []
    read = [_read(hit) for hit in hits]
    asked = [_rest(searchable(question), parts[0].entry.heading) for parts in read]
    words = [found.entry.words for parts in read for found in parts]
    vectors = embedder.embed([*asked, *words])  # one call: its batches are what takes the time
    quotes, start = [], len(hits)
    for number, (hit, parts) in enumerate(zip(hits, read, strict=True)):
        alone = vectors[start : start + len(parts)] @ vectors[number]
        quotes.append(_best(number + 1, hit, parts, [float(score) for score in alone]))
        start += len(parts)
    quotes.sort(key=lambda quote: (-quote.score, quote.passage))
    return [quote for quote in quotes if quote.score >= quotes[0].score - _MARGIN][:_MOST]


def text(quotes: Sequence[Quote], hits: Sequence[Hit]) -> str:
    """Return the answer's Markdown: each quote under its place, a table row with its header."""
    return "\n\n".join(
        _shown(number, hits[quote.passage - 1].chunk.path, quote.entry)
        for number, quote in enumerate(quotes, start=1)
    )


def _read(hit: Hit) -> list[Evidence]:
    """The entries that may be quoted; the whole chunk only where there is nothing smaller."""
    parts = [found for found in hit.evidence if found.entry.kind != "whole"]
    return (parts or list(hit.evidence))[:_READ]


def _best(passage: int, hit: Hit, parts: Sequence[Evidence], alone: Sequence[float]) -> Quote:
    """The entry that answers what the question asks beyond the passage's subject.

    All entries of a passage share its subject, so the subject's words are left out on both sides:
    "How long does a Light spell last?" is compared with "Duration: 12 turns" as "How long does a
    spell last?". `alone` are those similarities.
    """
    scores = [own + _WITH_TRAIL * found.score for own, found in zip(alone, parts, strict=True)]
    best = scores.index(max(scores))
    return Quote(passage, parts[best].entry, scores[best] + _WITH_HIT * hit.score)


def _rest(question: str, subject: str) -> str:
    known = {_stem(word) for word in _WORD.findall(subject)}
    kept = [w for w in question.split() if not {_stem(x) for x in _WORD.findall(w)} & known]
    return " ".join(kept) or question


def _stem(word: str) -> str:
    return word.casefold().rstrip("s")


def _shown(number: int, path: str, entry: Entry) -> str:
    lead = f"{entry.lead}\n" if entry.lead else ""
    last = f"-{entry.last_line}" if entry.last_line > entry.first_line else ""
    place = f"{path}:{entry.first_line}{last}"
    return f"**[{number}] {entry.heading}** ({place})\n\n{lead}{entry.quote}"
