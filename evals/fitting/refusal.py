"""Fit when a question is refused, on the calibration split: `evals.calibrate` calls `fit`.

What is fitted is by how much a question must be nearer to the rules than to other subjects: the
quantile of the answerable questions that `FALSE_REFUSAL` of them are under, once with their words
compared and once without. It holds in the vault of these questions alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from evals.labels.dataset import UNANSWERABLE
from evals.measure.outcome import Outcome
from evals.reports import markdown
from retrieval.errors import DatasetError
from retrieval.models import OffTopicLimits
from retrieval.refusal.off_topic import FOR_ALL, Signals, over_limit, signals, subject

FALSE_REFUSAL = 0.02  # of answerable questions that name nothing of the vault, the aim of all
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Example:
    """One question; without a candidate it is refused by any fit, and not fitted to."""

    kind: str
    answerable: bool
    signals: Signals | None


def examples(outcomes: Sequence[Outcome]) -> list[Example]:
    """Return the questions as the fit reads them."""
    return [Example(o.question.kind, o.question.answerable, signals(o.found)) for o in outcomes]


def fit(known: Sequence[Example], false_refusal: float = FALSE_REFUSAL) -> OffTopicLimits:
    """Return the fit that refuses this share of the answerable questions, 0 to 1.

    Raises DatasetError where fewer than five of them have a candidate.
    """
    asked = [one.signals for one in known if one.signals and one.answerable]
    found = [one for one in asked if not one.named]
    if len(asked) < _FOLDS or not found:
        raise DatasetError(
            f"{len(asked)} answerable questions: too few to fit when to refuse, {_FOLDS} are needed"
        )
    nearer = _under([subject(replace(one, covered=None)) for one in found], false_refusal)
    covered = [subject(one) for one in found if one.covered is not None]
    return OffTopicLimits(_under(covered, false_refusal) if covered else FOR_ALL.covered, nearer)


def _under(values: Sequence[float], share: float) -> float:
    """The quantile, rounded down to 0.001 so that what stands on it is not under it."""
    return math.floor(1000 * float(np.quantile(values, share))) / 1000


def refused(known: Sequence[Example], fitted: OffTopicLimits) -> list[bool]:
    """Return for each question whether the fit refuses it."""
    return [e.signals is None or over_limit(e.signals, fitted) < 0 for e in known]


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
    rows = [["aimed at", *names]]
    for aim in sorted({0.01, 0.02, FALSE_REFUSAL, 0.04, 0.06}):
        found = shares(known, cross_validated(known, aim))
        rows.append([f"{aim:.2f}", *(f"{found[n]:.2f}" for n in names)])
    return "\n".join(markdown.table(rows))
