"""Statistics made plausibly wrong: for each a test of ours is red, and green before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from evals.gating import compare
from evals.gating.compare import Comparison
from evals.measure import measurement, stats
from evals.measure.measurement import Measurement
from evals.measure.stats import Interval
from tests.evals.gating import test_compare
from tests.evals.gating.test_mutation import everywhere
from tests.evals.measure import test_measurement, test_stats

Check = Callable[[], None]


def one_sided(mcnemar: Any) -> Any:
    def wrong(broken: int, fixed: int) -> float:
        flips = broken + fixed
        return float(binomtest(broken, flips, alternative="greater").pvalue) if flips else 1.0

    return wrong


def of_all_questions(mcnemar: Any) -> Any:
    """As if the questions that did not flip were evidence of no change."""

    def wrong(broken: int, fixed: int) -> float:
        found: float = mcnemar(broken + 50, fixed + 50)
        return found

    return wrong


def unpaired(difference_interval: Any) -> Any:
    def wrong(before: Sequence[float], after: Sequence[float]) -> Interval:
        found: Interval = difference_interval(before, after[::-1])
        return found

    return wrong


def half_as_wide(interval: Any) -> Any:
    def wrong(*values: Sequence[float]) -> Interval:
        low, high = interval(*values)
        middle = (low + high) / 2
        return Interval((low + middle) / 2, (middle + high) / 2)

    return wrong


def turned_round(difference_interval: Any) -> Any:
    return lambda before, after: difference_interval(after, before)


def unadjusted(holm: Any) -> Any:
    return dict


def all_by_the_number(holm: Any) -> Any:
    """Bonferroni instead of Holm."""

    def wrong(p_values: Mapping[str, float]) -> dict[str, float]:
        return {name: min(1.0, len(p_values) * p) for name, p in p_values.items()}

    return wrong


def one_less(smallest_detectable: Any) -> Any:
    def wrong(*args: Any, **options: Any) -> int | None:
        found: int | None = smallest_detectable(*args, **options)
        return None if found is None else found - 1

    return wrong


def unseeded(paired_permutation: Any) -> Any:
    def wrong(before: Sequence[float], after: Sequence[float]) -> float:
        found: float = paired_permutation(before, after)
        return found + float(np.random.default_rng().uniform(1e-9, 1e-6))

    return wrong


def exchanged(compare: Any) -> Any:
    def wrong(*args: Any, **options: Any) -> Comparison:
        found: Comparison = compare(*args, **options)
        return replace(found, broken=found.fixed, fixed=found.broken)

    return wrong


def before_and_after_exchanged(compare: Any) -> Any:
    def wrong(before: Measurement, now: Measurement, **options: Any) -> Comparison:
        found: Comparison = compare(now, before, **options)
        return found

    return wrong


def only_warning(compare: Any) -> Any:
    def wrong(*args: Any, **options: Any) -> Comparison:
        found: Comparison = compare(*args, **options)
        return replace(found, faults=(), warnings=(*found.faults, *found.warnings))

    return wrong


def every_drop_a_fault(compare: Any) -> Any:
    def wrong(*args: Any, **options: Any) -> Comparison:
        found: Comparison = compare(*args, **options)
        return replace(found, faults=(*found.faults, *found.warnings), warnings=())

    return wrong


def by_name_alone(compare: Any) -> Any:
    """As if a question that was rewritten were the same question."""

    def wrong(before: Measurement, now: Measurement, **options: Any) -> Comparison:
        rows = {name: replace(row, digest=before.rows[name].digest if name in before.rows else "")
                for name, row in now.rows.items()}  # fmt: skip
        found: Comparison = compare(before, replace(now, rows=rows), **options)
        return found

    return wrong


def answerable_only(measurement: Any) -> Any:
    def wrong(*args: Any, **options: Any) -> Measurement:
        found: Measurement = measurement(*args, **options)
        rows = {name: row for name, row in found.rows.items() if row.answerable}
        return replace(found, rows=rows)

    return wrong


_MCNEMAR = partial(test_stats.test_mcnemar_is_the_binomial_computed_by_hand, 6, 0, 2 / 2**6)
_WIDTH = test_stats.test_the_interval_of_a_difference_is_about_as_wide_as_its_normal_one
_PAIRS = test_stats.test_pairs_that_all_differ_alike_have_an_interval_without_width
_HOLM = test_stats.test_holm_gives_the_numbers_of_a_hand_computed_example
_NOISE = test_compare.test_a_drop_within_the_noise_warns
_FAILS = partial(test_compare.test_a_significant_drop_fails, 7, True)
_PASSES = partial(test_compare.test_a_significant_drop_fails, 5, False)
_SIX = partial(test_compare.test_answering_what_was_refused_fails_where_it_is_significant, 6, False)

MUTANTS: list[tuple[Any, Callable[[Any], Any], Check]] = [
    (stats.mcnemar, one_sided, _MCNEMAR),
    (stats.mcnemar, of_all_questions, _MCNEMAR),
    (stats.mcnemar, one_sided, _SIX),
    (stats.difference_interval, unpaired, _PAIRS),
    (stats.difference_interval, half_as_wide, _WIDTH),
    (stats.difference_interval, turned_round, _WIDTH),
    (stats.holm, unadjusted, _HOLM),
    (stats.holm, all_by_the_number, _HOLM),
    (stats.smallest_detectable, one_less,
     partial(test_stats.test_the_smallest_detectable_change, 249, 0, stats.ALPHA, 6)),
    (stats.paired_permutation, unseeded,
     test_stats.test_of_many_pairs_it_agrees_with_mcnemar_and_repeats_itself),
    (compare.compare, exchanged, _NOISE),
    (compare.compare, before_and_after_exchanged, _NOISE),
    (compare.compare, only_warning, _FAILS),
    (compare.compare, every_drop_a_fault, _PASSES),
    (compare.compare, by_name_alone,
     test_compare.test_new_gone_and_rewritten_questions_are_named_and_in_no_pair),
    (measurement.measurement, answerable_only,
     test_measurement.test_what_is_measured_of_a_question_depends_on_its_having_an_answer),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "mutate", "check"), MUTANTS, ids=[mutate.__name__ for _, mutate, _ in MUTANTS]
)
def test_wrong_statistics_turn_a_test_red_that_is_green_before(
    monkeypatch: pytest.MonkeyPatch, function: Any, mutate: Callable[[Any], Any], check: Check
) -> None:
    check()
    assert everywhere(monkeypatch, function, mutate(function)) > 0
    with pytest.raises(AssertionError):
        check()
