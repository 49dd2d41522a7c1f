"""Sum up what a set of questions is shown: cards, certainty, and how well its confidence holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from evals.measure.outcome import Outcome
from evals.measure.shown import reached

CERTAINTIES = ("answered", "nearest", "refused")
BINS = 5  # of equal count, of the reliability diagram
_DRAWS = 2_000  # of a perfectly calibrated score, for the band of its error


@dataclass(frozen=True, slots=True)
class Cards:
    """What the replies to answerable questions show.

    Shares are 0 to 1: `first_hit` and `any_hit` of search (any gold line in the first passage, in
    any), `first` and `shown` of the cards, `complete` of those that show all golds of a place.
    """

    n: int
    first_hit: float
    any_hit: float
    first: float
    shown: float
    complete: float
    nearest: float
    refused: float
    median_words: float  # of the unfolded cards
    mean_words: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """How a confidence compares with what came true: is the first card right.

    `error` is the expected calibration error over BINS bins of equal count; `highest` is the 95 %
    quantile of the error that a perfectly calibrated score of as many questions has. `bins` are
    (mean confidence, share right, count), `base` the Brier score of always saying the mean.
    """

    n: int
    error: float
    highest: float
    brier: float
    base: float
    bins: tuple[tuple[float, float, int], ...]


def cards(outcomes: Sequence[Outcome]) -> Cards | None:
    """Return what replies to the answerable questions show; None where there is none."""
    asked = [one for one in outcomes if one.question.answerable and one.shown and one.reply]
    if not asked:
        return None
    found = [reached(one.question, one.found) for one in asked]
    shown = [one.shown for one in asked if one.shown]
    words = [one.words for one in shown]
    return Cards(
        n=len(asked),
        first_hit=fmean(first for first, _ in found),
        any_hit=fmean(anywhere for _, anywhere in found),
        first=fmean(one.first for one in shown),
        shown=fmean(one.anywhere for one in shown),
        complete=fmean(one.complete for one in shown),
        nearest=_share(asked, "nearest"),
        refused=_share(asked, "refused"),
        median_words=median(words),
        mean_words=fmean(words),
    )


def certainties(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    """Return of each unanswerable kind how many replies were of each of CERTAINTIES."""
    counts: dict[str, dict[str, int]] = {}
    for one in sorted(outcomes, key=lambda one: one.question.kind):
        if one.reply and not one.question.answerable:
            counts.setdefault(one.question.kind, dict.fromkeys(CERTAINTIES, 0))
            counts[one.question.kind][one.reply.certainty] += 1
    return counts


def reliability(outcomes: Sequence[Outcome]) -> Reliability | None:
    """Return how well the confidence of all that was searched holds; None where none has one."""
    asked = [one for one in outcomes if one.reply and one.reply.confidence is not None]
    if len(asked) < BINS:
        return None
    said = np.array([one.reply.confidence for one in asked if one.reply], float)
    right = np.array([bool(one.shown and one.shown.first) for one in asked], float)
    parts = np.array_split(np.argsort(said, kind="stable"), BINS)

    def errors(came_true: np.ndarray) -> np.ndarray:
        """The error of each row."""
        off = [np.abs((said[part] - came_true[:, part]).sum(axis=1)) for part in parts]
        return np.asarray(np.sum(off, axis=0) / len(said))

    drawn = np.random.default_rng(0).random((_DRAWS, len(said))) < said
    bins = tuple((float(said[p].mean()), float(right[p].mean()), len(p)) for p in parts)
    return Reliability(
        n=len(asked),
        error=float(errors(right[np.newaxis])[0]),
        highest=float(np.quantile(errors(drawn), 0.95)),
        brier=float(np.mean((said - right) ** 2)),
        base=float(right.mean() * (1 - right.mean())),
        bins=bins,
    )


def _share(asked: Sequence[Outcome], certainty: str) -> float:
    return fmean(bool(one.reply and one.reply.certainty == certainty) for one in asked)
