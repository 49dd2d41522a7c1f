"""What a search says for its first passage answering the question, as numbers."""

import math
import re

import numpy as np
import numpy.typing as npt

from retrieval.fold import searchable
from retrieval.index.terms import stems_of
from retrieval.models import SearchResult
from retrieval.ranking.lines import Asked, Line, ranked, words_of
from retrieval.refusal import off_topic

Array = npt.NDArray[np.float64]
NAMES = (
    "score", "margin", "cosine", "late", "line", "subject", "names", "agreement", "absent",
    "absent_line", "unknown", "rarest", "numbers", "length", "why", "same_file",
)  # fmt: skip
_LINES = 3  # of the first passage, that a card is about made of
_NUMBER = re.compile(r"\d+")
_WHY = re.compile(r"^\W*(?:so |but |and )?(?:why|how come|since|given that|as)\b", re.IGNORECASE)


def features(found: SearchResult, typed: str) -> Array:
    """Return the numbers named in NAMES, shape (16,). Raises ValueError for a search without hits.

    `typed` is the question as it was typed: a word that was corrected is one that the vault does
    not know.
    """
    if not found.hits:
        raise ValueError("nothing was found, so there is nothing to judge")
    asked = Asked.of(found.question, found.terms)
    hit = found.hits[0]
    lines = ranked(hit, asked)
    row = next(row for row in found.trace if row.chunk_id == hit.chunk.id)
    given = off_topic.signals(found)
    other = next((h.score for h in found.hits if h.chunk.path != hit.chunk.path), 0.0)
    passage = frozenset(stems_of(f"{hit.chunk.path} {hit.chunk.heading} {hit.chunk.text}"))
    passage |= frozenset(stems_of(hit.chunk.context))
    shown = frozenset().union(*(_said(hit.chunk.path, line) for line in lines[:_LINES]))
    absent = [found.terms.weight(word) for word in asked.words - passage]
    return np.array(
        [
            hit.score,
            hit.score - other,
            max(one.score for one in hit.evidence),
            max(one.late_score or 0.0 for one in hit.evidence),
            lines[0].nearness,
            off_topic.subject(given) if given else 0.0,
            row.names_score,
            sum(1 / rank for rank in (row.dense_rank, row.text_rank) if rank),
            1 - asked.share(passage),
            1 - asked.share(shown),
            _unknown(typed, found),
            max(absent, default=0.0) / math.log(2 + found.terms.entries),
            _absent_numbers(found.question, hit.chunk.text + hit.chunk.context),
            math.log(1 + len(found.question.split())),
            float(bool(_WHY.match(typed))),
            float(sum(h.chunk.path == hit.chunk.path for h in found.hits[1:])),
        ]
    )


def _said(path: str, line: Line) -> frozenset[str]:
    return words_of(line.entry) | frozenset(stems_of(f"{path} {line.entry.heading}"))


def _unknown(typed: str, found: SearchResult) -> float:
    """The share of what was typed, weighted, that stands nowhere in the vault."""
    words = set(stems_of(typed))
    weights = {word: found.terms.weight(word) for word in words}
    unknown = sum(weights[word] for word in words if not found.terms.frequency.get(word))
    total = sum(weights.values())
    return unknown / total if total else 0.0


def _absent_numbers(question: str, text: str) -> float:
    """The share of a question's numbers that the passage does not hold; 0 without any."""
    asked = set(_NUMBER.findall(searchable(question)))
    held = set(_NUMBER.findall(searchable(text)))
    return len(asked - held) / len(asked) if asked else 0.0
