"""Fit the weights of the stages to labelled questions, from traces, without searching again.

The weights maximise the log likelihood of a gold passage under a softmax over a question's
candidates (ListNet with one relevant passage; Cao et al., "Learning to Rank", 2007). Few, positive
weights over a smooth loss: nothing here can follow the noise of single questions, as the best cell
of a grid does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from evals.measure.judge import holders
from evals.measure.outcome import Outcome, Subject
from retrieval.errors import DatasetError
from retrieval.ranking.calibration import UNFITTED, Weights
from retrieval.search_trace import Candidate

Array = npt.NDArray[np.float64]
_FOLDS = 5
# Of dense, text, late, names, ranges, rerank. Ranges are 0 or 1 in one question of seven: where
# less pulls them to 0, they cost first places (docs/experiments.md, E71).
_START = (10.0, 5.0, 10.0, 2.0, 0.25, 1.0)


@dataclass(frozen=True, slots=True)
class Example:
    """One question: its candidates' scores and which of them hold what it needs."""

    question: str  # its id
    features: Array  # shape (candidates, 6), as _START; 0 where there is none
    needed: tuple[tuple[npt.NDArray[np.bool_], ...], ...]  # by place, then by gold: who holds it


Beside = Mapping[str, Sequence[Example]]  # of other rules, by collection, none of them empty
NOTHING: Beside = MappingProxyType({})


def examples(outcomes: Sequence[Outcome], measured: Subject) -> list[Example]:
    """Return the answerable questions one of whose places is complete among the candidates."""
    found = []
    for outcome in outcomes:
        rows = _compared(outcome.found.trace)
        needed = tuple(
            tuple(
                np.array([row.chunk_id in holding for row in rows])
                for gold in golds
                for holding in [holders(gold, measured.chunks_of(gold.path))]
            )
            for golds in outcome.question.places
        )
        reachable = tuple(place for place in needed if all(mask.any() for mask in place))
        if outcome.judgement and reachable:
            features = np.array([_features(row) for row in rows])
            found.append(Example(outcome.question.id, features, reachable))
    return found


def _compared(trace: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that the last stage has read."""
    reranked = [row for row in trace if row.rerank_score is not None]
    return reranked or list(trace)


def _features(row: Candidate) -> list[float]:
    scores = (
        row.dense_score, row.text_score, row.late_score, row.names_score, row.ranges_score,
        row.rerank_score,
    )  # fmt: skip
    return [score or 0.0 for score in scores]


def fit(known: Sequence[Example], beside: Beside = NOTHING) -> Weights:
    """Return the weights for a dense weight of 1. Raises DatasetError where nothing can be fitted.

    All of `beside` together counts as much as `known`, and each collection as much as another.
    `rerank` is None where no example has a reranker's score. `whole` is no part of it: no labelled
    question is so short that it could show what that is worth (docs/experiments.md, E146).
    """
    if not known:
        raise DatasetError("no question has its gold among the candidates: nothing can be fitted")
    used = np.array([any(e.features[:, i].any() for e in known) for i in range(len(_START))])
    bounds = [(1e-3, None) if on else (0.0, 0.0) for on in used]
    bounds[0] = (1e-3, None)
    start = np.where(used, _START, 0.0)
    shares = [(0.5 if beside else 1.0, known)]
    shares += [(0.5 / len(beside), collection) for collection in beside.values()]
    best = minimize(_loss, start, args=(shares,), method="L-BFGS-B", bounds=bounds)
    dense, text, late, names, in_range, rerank = (float(value) for value in best.x)
    return Weights(
        round(text / dense, 3),
        round(late / dense, 3),
        round(rerank / dense, 3) if used[5] else None,
        round(names / dense, 3),
        round(in_range / dense, 3),
        UNFITTED.weights.whole,
    )


def _loss(weights: Array, shares: Sequence[tuple[float, Sequence[Example]]]) -> float:
    """What the parts cost by their shares, with a slight pull towards small weights."""
    cost = sum(share * _mean_loss(weights, known) for share, known in shares)
    return float(cost + 1e-4 * np.square(weights / np.array(_START)).sum())


def _mean_loss(weights: Array, known: Sequence[Example]) -> float:
    """The mean negative log likelihood of a gold."""
    total = 0.0
    for example in known:
        scores = example.features @ weights
        scores = scores - scores.max()
        log_sum = np.log(np.exp(scores).sum())
        places = [
            np.mean([np.log(np.exp(scores[mask]).sum()) - log_sum for mask in place])
            for place in example.needed
        ]
        total -= max(places)
    return float(total / len(known))


def reciprocal_rank(example: Example, weights: Weights) -> float:
    """Return 1 / the rank of the last gold that is needed, under these weights."""
    stages = (1.0, weights.text, weights.late, weights.names, weights.ranges, weights.rerank or 0.0)
    parts = np.array(stages)
    order = np.argsort(-(example.features @ parts), kind="stable")
    ranks = np.empty(len(order), int)
    ranks[order] = np.arange(1, len(order) + 1)
    return max(1 / max(int(ranks[mask].min()) for mask in place) for place in example.needed)


def held_out(known: Sequence[Example], beside: Beside = NOTHING) -> dict[str, float]:
    """Return each question's reciprocal rank under the weights fitted on the other folds.

    `beside` is part of every fit. Empty where there are fewer than two questions.
    """
    ranks: dict[str, float] = {}
    for i in range(_FOLDS):
        others = [example for at, example in enumerate(known) if at % _FOLDS != i]
        if others:
            weights = fit(others, beside)
            ranks |= {one.question: reciprocal_rank(one, weights) for one in known[i::_FOLDS]}
    return ranks
