"""Statistics: hand-computed numbers, and the properties that a gate stands on."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.measure.stats import (
    ALPHA,
    difference_interval,
    holm,
    mcnemar,
    mean_interval,
    paired_permutation,
    smallest_detectable,
)

FLIPS = st.integers(0, 40)


@pytest.mark.parametrize(
    ("broken", "fixed", "p_value"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (5, 0, 2 / 2**5),
        (6, 0, 2 / 2**6),
        (8, 1, 2 * (1 + 9) / 2**9),
    ],
)
def test_mcnemar_is_the_binomial_computed_by_hand(broken: int, fixed: int, p_value: float) -> None:
    assert mcnemar(broken, fixed) == pytest.approx(p_value)


@given(FLIPS, FLIPS)
def test_mcnemar_does_not_care_which_direction_is_called_broken(broken: int, fixed: int) -> None:
    assert mcnemar(broken, fixed) == mcnemar(fixed, broken)
    assert 0 < mcnemar(broken, fixed) <= 1


def test_the_permutation_test_of_few_pairs_counts_all_swaps() -> None:
    # Of the 16 ways to swap four pairs one gives as much, and one as little.
    assert paired_permutation([1, 1, 1, 1], [0.5, 0.9, 0.1, 0.2]) == pytest.approx(2 / 16)
    assert paired_permutation([0.5, 0.2], [0.5, 0.2]) == 1.0


def test_of_many_pairs_it_agrees_with_mcnemar_and_repeats_itself() -> None:
    before, after = [1.0] * 200, [0.0] * 12 + [1.0] * 188
    found = paired_permutation(before, after)
    assert found < 0.002
    assert mcnemar(12, 0) == pytest.approx(2 / 2**12)
    assert found == paired_permutation(before, after)
    mixed = [0.0] * 4 + [1.0] * 196
    assert paired_permutation(mixed, mixed[::-1]) == pytest.approx(1.0)


def test_the_interval_of_a_difference_is_about_as_wide_as_its_normal_one() -> None:
    before, after = [1.0] * 100, [0.0] * 20 + [1.0] * 80
    interval = difference_interval(before, after)
    half = 1.96 * math.sqrt(0.2 * 0.8 / 100)
    assert interval.low == pytest.approx(-0.2 - half, abs=0.015)
    assert interval.high == pytest.approx(-0.2 + half, abs=0.015)
    assert interval == difference_interval(before, after)


def test_pairs_that_all_differ_alike_have_an_interval_without_width() -> None:
    # Unpaired, the spread of the questions would make it 0.4 wide.
    before = [0.0, 0.25, 0.5, 0.75]
    assert difference_interval(before, [b + 0.25 for b in before]) == (0.25, 0.25)
    assert mean_interval([1.0, 1.0, 1.0]) == (1.0, 1.0)


def test_what_cannot_be_paired_or_resampled_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 values before and 2 after"):
        difference_interval([1, 1, 1], [1, 1])
    with pytest.raises(ValueError, match="1 values before and 1 after"):
        paired_permutation([1], [1])
    with pytest.raises(ValueError, match="1 values have no bootstrap interval"):
        mean_interval([1])


def test_holm_gives_the_numbers_of_a_hand_computed_example() -> None:
    # 4 × 0.005, 3 × 0.01, then 2 × 0.03 and 1 × 0.04, which may not be lower than the one before.
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert list(adjusted) == ["a", "b", "c", "d"]
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({"a": 0.04}) == {"a": 0.04}
    assert holm({}) == {}


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=6))
def test_holm_never_lowers_and_never_reorders(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)
    for name, value in p_values.items():
        assert value <= adjusted[name] <= 1
        assert all(adjusted[name] <= adjusted[n] for n, v in p_values.items() if v > value)


@pytest.mark.parametrize(
    ("n", "alpha", "flips"),
    [(249, ALPHA, 6), (6, ALPHA, 6), (5, ALPHA, None), (249, ALPHA / 2, 7), (0, ALPHA, None)],
)
def test_the_smallest_detectable_change(n: int, alpha: float, flips: int | None) -> None:
    assert smallest_detectable(n, alpha=alpha) == flips


@given(st.integers(6, 300), st.sampled_from([ALPHA, ALPHA / 2, ALPHA / 10]))
def test_one_broken_question_less_would_not_have_been_detected(n: int, alpha: float) -> None:
    flips = smallest_detectable(n, alpha=alpha)
    if flips is not None:
        assert mcnemar(flips, 0) < alpha <= mcnemar(flips - 1, 0)
        assert flips <= n
