"""Fit when a question is refused, on the calibration split: `evals.calibrate` calls `fit`.

In three steps, so that the length of a question cannot become evidence of itself:

1. On answerable questions alone, least squares take the length out of the best score and of its
   margin: what is left is how much better a question does than others of its length.
2. A logistic regression with weights from 0, both classes counting alike, weighs what is left.
3. The threshold is the quantile of answerable questions that `FALSE_REFUSAL` of them are under.

By how much the rules must be nearer than other subjects is such a quantile too, and holds in the
vault of these questions alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from api.refusal import Fit, Signals, evidence, signals
from evals.dataset import UNANSWERABLE
from evals.outcome import Outcome
from retrieval.errors import DatasetError

Array = npt.NDArray[np.float64]
FALSE_REFUSAL = 0.02  # of answerable questions; the promise is 0.08, the rest is for the unseen
_FOLDS = 5
_PULL = 1e-3  # towards weights of 0


@dataclass(frozen=True, slots=True)
class Example:
    """One question; without a candidate it is refused by any fit, and not fitted to."""

    kind: str
    answerable: bool
    signals: Signals | None


def examples(outcomes: Sequence[Outcome]) -> list[Example]:
    """Return the questions as the fit reads them."""
    return [Example(o.question.kind, o.question.answerable, signals(o.found)) for o in outcomes]


def fit(known: Sequence[Example], false_refusal: float = FALSE_REFUSAL) -> Fit:
    """Return the fit that refuses this share of the answerable questions, 0 to 1.

    Raises DatasetError unless both kinds of questions are there.
    """
    used = [example for example in known if example.signals]
    told = np.array([example.answerable for example in used], bool)
    if told.sum() < _FOLDS or (~told).sum() < 1:
        raise DatasetError(
            f"{int(told.sum())} answerable and {int((~told).sum())} unanswerable questions: too "
            "few to fit when to refuse"
        )
    raw = np.array([[e.signals.best, e.signals.margin] for e in used if e.signals])
    lengths = np.array([math.log(e.signals.words) for e in used if e.signals])
    slopes = np.array([_slope(column[told], lengths[told]) for column in raw.T])
    best, margin = _weights(raw - np.outer(lengths, slopes), told)
    ratio = round(margin / best, 3)
    words = round(-float(slopes[0] + margin / best * slopes[1]), 3)
    sums = raw[:, 0] + ratio * raw[:, 1] + words * lengths
    contrasts = np.array([e.signals.nearest - e.signals.elsewhere for e in used if e.signals])
    limit, nearer = (_under(values[told], false_refusal) for values in (sums, contrasts))
    vault = next(e.signals.vault for e in used if e.signals)
    return Fit(ratio, words, limit, nearer, vault)


def _under(values: Array, share: float) -> float:
    """The quantile, rounded down to 0.001 so that what stands on it is not under it."""
    return math.floor(1000 * float(np.quantile(values, share))) / 1000


def _slope(values: Array, lengths: Array) -> float:
    spread = lengths - lengths.mean()
    total = float(spread @ spread)
    return float(spread @ values) / total if total else 0.0


def _weights(features: Array, told: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The weights of best and margin, from 0; that of best stays over 0."""
    scale = features.std(axis=0) + 1e-9
    scaled = (features - features.mean(axis=0)) / scale
    share = np.where(told, 0.5 / told.sum(), 0.5 / (~told).sum())
    sign = np.where(told, 1.0, -1.0)

    def loss(weights: Array) -> float:
        losses = np.logaddexp(0.0, -sign * (scaled @ weights[:2] + weights[2]))
        return float(share @ losses + _PULL * (weights[:2] ** 2).sum())

    bounds = [(1e-3, None), (0.0, None), (None, None)]
    found = minimize(loss, np.array([1.0, 0.1, 0.0]), method="L-BFGS-B", bounds=bounds)
    best, margin = found.x[:2] / scale
    return float(best), float(margin)


def refused(known: Sequence[Example], fitted: Fit) -> list[bool]:
    """Return for each question whether the fit refuses it."""
    return [e.signals is None or evidence(e.signals, fitted) < 0 for e in known]


def cross_validated(known: Sequence[Example], false_refusal: float = FALSE_REFUSAL) -> list[bool]:
    """Return for each question whether a fit on the other four fifths refuses it."""
    found = [False] * len(known)
    for fold in range(_FOLDS):
        others = [e for place, e in enumerate(known) if place % _FOLDS != fold]
        rule = fit(others, false_refusal)
        for place in range(fold, len(known), _FOLDS):
            found[place] = refused([known[place]], rule)[0]
    return found


def shares(known: Sequence[Example], verdicts: Sequence[bool]) -> dict[str, float]:
    """Return the share refused of each unanswerable kind and, as "answerable", of the others."""
    kinds = [e.kind if not e.answerable else "answerable" for e in known]
    return {
        kind: fmean(no for no, of in zip(verdicts, kinds, strict=True) if of == kind)
        for kind in ("answerable", *UNANSWERABLE)
        if kind in kinds
    }


def table(known: Sequence[Example]) -> str:
    """Return what fits for other shares of false refusal would do, cross-validated, as Markdown.

    Raises DatasetError where four fifths of the questions are too few for a fit.
    """
    names = list(shares(known, [False] * len(known)))
    lines = ["| aimed at | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for aim in (0.01, FALSE_REFUSAL, 0.03, 0.04, 0.06):
        found = shares(known, cross_validated(known, aim))
        lines.append(f"| {aim:.2f} | " + " | ".join(f"{found[n]:.2f}" for n in names) + " |")
    return "\n".join(lines)
