"""What other thresholds would do: hits lost, questions refused, with and without an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from evals.measure.metrics import ScoredOutcome
from evals.measure.outcome import Outcome

_STEPS = 60  # points of the curve


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold would do: shares of questions, 0 to 1."""

    threshold: float
    hits: float  # of the answerable
    answerable_refused: float
    unanswerable_refused: float | None  # None: no such question was asked


def best_score(outcome: Outcome) -> float | None:
    """Return the highest score that the threshold is compared with; None: no candidate at all."""
    return max(_finals(outcome).values(), default=None)


def _finals(outcome: Outcome) -> dict[str, float]:
    """The score that each candidate ended with, best first."""
    trace = outcome.found.trace
    return {row.chunk_id: row.final_score for row in trace if row.final_score is not None}


def curve(scored: Sequence[ScoredOutcome], top_k: int) -> list[Point]:
    """Return what thresholds over the range of all best scores would do, lowest first."""
    best = [b for item in scored if (b := best_score(item.outcome)) is not None]
    if not best:
        return []
    return [_point(scored, float(t), top_k) for t in np.linspace(min(best), max(best), _STEPS)]


def _point(scored: Sequence[ScoredOutcome], threshold: float, top_k: int) -> Point:
    answerable = [item for item in scored if item.needed]
    unanswerable = [item for item in scored if not item.needed]
    return Point(
        threshold,
        fmean(_hit(item, threshold, top_k) for item in answerable),
        fmean(_refuses(item, threshold) for item in answerable),
        fmean(_refuses(item, threshold) for item in unanswerable) if unanswerable else None,
    )


def _hit(item: ScoredOutcome, threshold: float, top_k: int) -> bool:
    over = [name for name, score in _finals(item.outcome).items() if score >= threshold]
    returned = set(over[:top_k])
    return any(all(ids & returned for ids in place) for place in item.holders)


def _refuses(item: ScoredOutcome, threshold: float) -> bool:
    best = best_score(item.outcome)
    return best is None or best < threshold
