"""Statistics of paired measurements: the same questions, before and after a change.

Exact where that is possible; where it is not, by resampling with a fixed seed, so that equal
measurements give equal numbers.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, bootstrap, permutation_test

ALPHA = 0.05  # two-sided
_RESAMPLES = 9_999
_BATCH = 1_000  # resamples in memory at once
_SEED = 5

Floats = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """Both ends of a 95 % interval."""

    low: float
    high: float


def wilson(hits: int, n: int) -> Interval:
    """Return the 95 % interval of a share: `hits` of `n` questions.

    Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal
    of the American Statistical Association 22 (1927).
    """
    found = binomtest(hits, n).proportion_ci(method="wilson")
    return Interval(float(found.low), float(found.high))


def mcnemar(broken: int, fixed: int) -> float:
    """Return the two-sided p-value that as many questions were broken as fixed but for chance.

    Exact: under the null hypothesis each of the flips is broken or fixed with probability 1/2.
    Questions that did not flip say nothing. 1.0 where none did.

    Source: McNemar, "Note on the sampling error of the difference between correlated proportions
    or percentages", Psychometrika 12 (1947); the binomial form: Dietterich, Neural Computation 10
    (1998).
    """
    flips = broken + fixed
    return float(binomtest(broken, flips).pvalue) if flips else 1.0


def paired_permutation(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the two-sided p-value of the mean of `after` - `before`, by swapping within pairs.

    All swaps where there are at most 9,999 of them, else so many at random. Raises ValueError for
    fewer than two pairs.

    Source: Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for
    Information Retrieval Evaluation", CIKM 2007.
    """
    _differences(before, after)
    result = permutation_test(
        (np.asarray(before, float), np.asarray(after, float)),
        _mean_difference,
        permutation_type="samples",
        n_resamples=_RESAMPLES,
        batch=_BATCH,
        rng=np.random.default_rng(_SEED),
    )
    return float(result.pvalue)


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the 95 % percentile bootstrap interval of a mean, in the unit of `values`.

    Raises ValueError for fewer than two values, of which nothing can be resampled.

    Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
    """
    if len(values) < 2:
        raise ValueError(f"{len(values)} values have no bootstrap interval; at least 2 are needed")
    found = bootstrap(
        (np.asarray(values, float),),
        np.mean,
        confidence_level=1 - ALPHA,
        method="percentile",  # BCa divides by zero where all values are equal
        n_resamples=_RESAMPLES,
        batch=_BATCH,
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def difference_interval(before: Sequence[float], after: Sequence[float]) -> Interval:
    """Return the 95 % bootstrap interval of the mean of `after` - `before`, resampling pairs.

    Raises ValueError where the lengths differ or there are fewer than two pairs.

    Source: Sakai, "Evaluating Evaluation Metrics Based on the Bootstrap", SIGIR 2006.
    """
    return mean_interval(_differences(before, after).tolist())


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return the p-values, 0 to 1, adjusted for being looked at together.

    Comparing them with ALPHA keeps the chance of even one false alarm under ALPHA.

    Source: Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6 (1979).
    """
    adjusted: dict[str, float] = {}
    highest = 0.0
    for index, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        highest = max(highest, min(1.0, (len(p_values) - index) * p_values[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}


def smallest_detectable(n: int, *, alpha: float = ALPHA) -> int | None:
    """Return how many of `n` questions must break, and none get better, for `mcnemar` < `alpha`.

    None where all would not be enough: so few questions can show nothing.
    """
    return next((broken for broken in range(1, n + 1) if mcnemar(broken, 0) < alpha), None)


def _differences(before: Sequence[float], after: Sequence[float]) -> Floats:
    if len(before) != len(after) or len(before) < 2:
        raise ValueError(
            f"{len(before)} values before and {len(after)} after are not two or more pairs"
        )
    differences: Floats = np.asarray(after, float) - np.asarray(before, float)
    return differences


def _mean_difference(before: Floats, after: Floats, axis: int) -> Floats:
    return np.asarray(np.mean(after - before, axis=axis))
