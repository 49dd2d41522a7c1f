"""How likely it is that the first card answers: a logistic regression on numbers from the search.

What was fitted is in retrieval/refusal/confidence.json, one entry for each set of models;
`python -m evals.calibrate` makes it of several vaults, never of a gate split.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval import fitted as fitted_files
from retrieval.context import SearchContext, calibrated_for
from retrieval.errors import ConfigurationError
from retrieval.fitted import Models
from retrieval.models import Entry, SearchResult
from retrieval.ranking.lines import WHOLE, QuestionWords, coverage, ranked
from retrieval.refusal import off_topic
from retrieval.refusal.asked_kind import is_unsaid
from retrieval.text.normalize import searchable
from retrieval.text.question_phrases import without_command
from retrieval.vocabulary.terms import cells, key, stems_of, title

Array = npt.NDArray[np.float64]
# Chosen of 32 over fourteen vaults (docs/experiments.md, E56). LESS are those of which more can
# only speak against an answer: whatever a fit would make of them, nonsense must not gain by it.
NAMES = (
    "cosine", "line", "subject", "names", "numbers", "length", "why", "weakest_first",
    "weakest_any", "matched_first", "matched_any", "spread", "drop", "late_gap", "whole",
    "unnamed", "unsaid",
)  # fmt: skip
LESS = ("numbers", "why", "unnamed", "unsaid")
_NUMBER = re.compile(r"\d+")
_WHY = re.compile(
    r"^\W*(?:so |but |and )?(?:why|how come|since|given that|as)\b|\bwhy\b|"
    r"\b(?:what|which|is there an?|is|are|was)(?:'s| is| was)? (?:the |an? )?(?:\w+ )?reason\b|"
    r"\bthe reason (?:why|that|for)\b|\bwhat(?:'?s| is) the point\b",
    re.IGNORECASE,
)
_RARE = 0.8  # of the weight of a word that no entry has
_WEAKEST = 4  # the share of a question's word pieces is 1 / _WEAKEST
_FILE = Path(__file__).with_name("confidence.json")
_FURTHEST = 500.0  # of a logit, from which on exp() overflows


@dataclass(frozen=True, slots=True)
class ConfidenceFit:
    """A weight for each of NAMES, what is added, and under which probability it is `nearest`."""

    weights: Mapping[str, float]
    intercept: float
    limit: float

    def probability(self, features: Array) -> float:
        """Return the probability, 0 to 1, that the first card answers."""
        weights = np.array([self.weights[name] for name in NAMES])
        said = min(max(float(features @ weights + self.intercept), -_FURTHEST), _FURTHEST)
        return 1 / (1 + math.exp(-said))


def fitted(context: SearchContext) -> ConfidenceFit | None:
    """Return what was fitted for these models; None for others.

    Raises ConfigurationError where confidence.json cannot be read.
    """
    models = calibrated_for(context.settings, context.embedder, context.reranker)
    return _found(tuple(sorted(models.items())))


@lru_cache(maxsize=8)  # asked for with every question, and the file is read at the first
def _found(models: tuple[tuple[str, object], ...]) -> ConfidenceFit | None:
    stored = fitted_files.find(_FILE, dict(models), _read)
    if stored is not None and set(stored.weights) != set(NAMES):
        raise ConfigurationError(
            f"{_FILE.name} has weights for {sorted(stored.weights)}, not for {sorted(NAMES)}; "
            "run: python -m evals.calibrate"
        )
    return stored


def write(models: Models, made: ConfidenceFit, manifest: Mapping[str, object]) -> None:
    """Store a fit with what it was made on (`manifest`); those for other models stay.

    Raises ConfigurationError where confidence.json cannot be read.
    """
    fitted_files.write(_FILE, models, asdict(made), manifest, _read)
    _found.cache_clear()


def _read(entry: Mapping[str, Any]) -> ConfidenceFit:
    given = {name: float(value) for name, value in entry["weights"].items()}
    return ConfidenceFit(given, float(entry["intercept"]), float(entry["limit"]))


def features(found: SearchResult, typed: str) -> Array:
    """Return the numbers named in NAMES, shape (17,). Raises ValueError for a search without hits.

    `typed` is the question as it was typed, before words were corrected.
    """
    if not found.hits:
        raise ValueError("nothing was found, so there is nothing to judge")
    asked = QuestionWords.of(found.question, found.terms)
    hit = found.hits[0]
    best = ranked(hit, asked)[0]
    # Without a row of its own the trace is wrong, which evals.gating.integrity names.
    named = [row.names_score for row in found.trace if row.chunk_id == hit.chunk.id]
    given = off_topic.signals(found)
    scores = [one.score for one in found.hits]
    late = [max(one.late_score or 0.0 for one in other.evidence) for other in found.hits]
    if len(late) == 1:  # the next one is under the threshold
        late += [row.late_score or 0.0 for row in found.trace if row.chunk_id != hit.chunk.id]
    own = f"{hit.chunk.path} {hit.chunk.heading} {hit.chunk.text} {hit.chunk.context}"
    passage = found.terms.in_full(stems_of(own))
    absent = [found.terms.weight(word) for word in asked.words - passage]
    rarest = max(absent, default=0.0) / math.log(2 + found.terms.entries)
    return np.array(
        [
            max(one.score for one in hit.evidence),
            best.nearness,
            off_topic.subject(given) if given else 0.0,
            max(named, default=0.0),
            _absent_numbers(found.question, hit.chunk.text + hit.chunk.context),
            math.log(1 + len(found.question.split())),
            float(bool(_WHY.search(typed))),
            *_matched(found),
            float(np.std(scores)),
            scores[0] - scores[-1],
            late[0] - max(late[1:], default=0.0),
            float(_covered(found) >= WHOLE),
            float(rarest > _RARE and _is_unnamed(hit.chunk.path, best.entry, asked)),
            float(is_unsaid(hit.chunk.path, best.entry, asked)),
        ]
    )


def _is_unnamed(path: str, row: Entry, asked: QuestionWords) -> bool:
    """Whether an entry is a table's row that the question neither names nor has a number of.

    Beside a rare word that the passage lacks: "max load of the jeans program" with silk's row. The
    row of a field is named by the file of its thing.
    """
    if row.kind != "row" or asked.labels_of(path, row):
        return False
    called = "".join(cells(row.quote)[:1])
    if key(called) in asked.terms.fields and not asked.stems(title(path)).isdisjoint(asked.words):
        return False
    name = asked.stems(called) if key(called) else frozenset[str]()  # a sentence is no name
    return bool(name) and name.isdisjoint(asked.words)


def _covered(found: SearchResult) -> float:
    """How much of the question the names and fields of the first passage's best entry cover."""
    hit = found.hits[0]
    asked = QuestionWords.of(without_command(found.question), found.terms)
    return coverage(asked, hit.chunk.path, [one.entry for one in hit.evidence])


def _matched(found: SearchResult) -> tuple[float, float, float, float]:
    """How the question's word pieces are met by the first passage, and by any candidate.

    The mean of the least similar quarter of both, then their weighted means; 0 where not every
    piece has its vector.
    """
    if not found.matched:
        return 0.0, 0.0, 0.0, 0.0
    weights, first, best = np.array(found.matched).T
    count = max(1, len(weights) // _WEAKEST)
    return (
        float(np.sort(first)[:count].mean()),
        float(np.sort(best)[:count].mean()),
        float(weights @ first),
        float(weights @ best),
    )


def _absent_numbers(question: str, text: str) -> float:
    """The share of a question's numbers that the passage does not hold; 0 without any."""
    asked = set(_NUMBER.findall(searchable(question)))
    held = set(_NUMBER.findall(searchable(text)))
    return len(asked - held) / len(asked) if asked else 0.0
