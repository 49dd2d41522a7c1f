"""Functions that the gate rests on, made plausibly wrong: for each a test is red, green before."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from evals.gating import compare
from evals.measure import measurement, stats
from evals.measure.stats import Interval
from retrieval.index.store import ScoredChunk
from retrieval.models import Chunk
from retrieval.ranking import fusion
from retrieval.ranking.calibration import Weights
from retrieval.text import normalize
from tests.evals.gating import test_compare
from tests.evals.measure import test_measurement, test_stats
from tests.retrieval import test_normalize
from tests.support.made.made_measurements import measured

Wrap = Callable[[Any], Any]


def returned(change: Wrap) -> Wrap:
    """Change what a function returns."""
    return lambda function: lambda *args, **options: change(function(*args, **options))


def one_sided(broken: int, fixed: int) -> float:
    flips = broken + fixed
    return float(binomtest(broken, flips, alternative="greater").pvalue) if flips else 1.0


def half_as_wide(interval: Interval) -> Interval:
    middle = (interval.low + interval.high) / 2
    return Interval((interval.low + middle) / 2, (middle + interval.high) / 2)


def ties_reversed(fused: Sequence[Any]) -> list[Any]:
    return sorted(fused[::-1], key=lambda item: -item.score)  # stable: ties stay backwards


def unseeded(p_value: float) -> float:
    return p_value + float(np.random.default_rng().uniform(1e-9, 1e-6))


def answerable_only(taken: Any) -> Any:
    return replace(taken, rows={name: row for name, row in taken.rows.items() if row.answerable})


def by_name_alone(compare: Any) -> Any:
    """As if a question that was rewritten were the same question."""

    def wrong(before: Any, now: Any, **options: Any) -> Any:
        rows = {name: replace(row, digest=before.rows[name].digest if name in before.rows else "")
                for name, row in now.rows.items()}  # fmt: skip
        return compare(before, replace(now, rows=rows), **options)

    return wrong


def ties_go_by_place() -> None:
    places = [("a.md", 1), ("a.md", 2), ("a.md", 10), ("b.md", 1)]
    equal = [
        ScoredChunk(row, Chunk(path, "", line, line, "x"), 0.5)
        for row, (path, line) in enumerate(places, start=1)
    ]
    for dense in (equal, equal[::-1]):
        fused = vars(fusion)["fuse"](dense, [], {}, Weights(0.5, 1.0, None), {})
        assert [item.scored.row_id for item in fused] == [1, 2, 3, 4]


MCNEMAR = partial(test_stats.test_mcnemar_is_the_binomial_computed_by_hand, 6, 0, 2 / 2**6)
WIDTH = test_stats.test_the_interval_of_a_difference_is_about_as_wide_as_its_normal_one
HOLM = test_stats.test_holm_gives_the_numbers_of_a_hand_computed_example
DROPS = test_compare.test_what_is_a_fault
NOISE = test_compare.test_a_drop_within_the_noise_warns
MUTANTS: dict[str, tuple[Any, Wrap, Callable[[], None]]] = {
    "one-sided": (stats.mcnemar, lambda _: one_sided, MCNEMAR),
    "unflipped as evidence": (
        stats.mcnemar, lambda test: lambda lost, won: test(lost + 50, won + 50), MCNEMAR),
    "unpaired": (
        stats.difference_interval, lambda of: lambda before, after: of(before, after[::-1]),
        test_stats.test_pairs_that_all_differ_alike_have_an_interval_without_width,
    ),
    "half as wide": (stats.difference_interval, returned(half_as_wide), WIDTH),
    "unadjusted": (stats.holm, lambda _: dict, HOLM),
    "Bonferroni": (
        stats.holm, lambda _: lambda ps: {n: min(1.0, len(ps) * p) for n, p in ps.items()}, HOLM),
    "one less": (
        stats.smallest_detectable, returned(lambda least: None if least is None else least - 1),
        partial(test_stats.test_the_smallest_detectable_change, 249, stats.ALPHA, 6),
    ),
    "unseeded": (stats.paired_permutation, returned(unseeded),
                 test_stats.test_of_many_pairs_it_agrees_with_mcnemar_and_repeats_itself),
    "fixed for broken": (
        compare.compare, returned(lambda c: replace(c, broken=c.fixed, fixed=c.broken)), NOISE),
    "only warning": (
        compare.compare, returned(lambda c: replace(c, faults=(), warnings=(*c.faults,))),
        partial(DROPS, measured(), measured(missed=range(7)),
                ["hit dropped significantly", "reciprocal_rank dropped significantly"]),
    ),
    "every drop a fault": (
        compare.compare, returned(lambda c: replace(c, faults=(*c.faults, *c.warnings))),
        partial(DROPS, measured(), measured(missed=range(5)), []),
    ),
    "by name alone": (
        compare.compare, by_name_alone,
        test_compare.test_new_gone_and_rewritten_questions_are_named_and_in_no_pair,
    ),
    "answerable only": (
        measurement.measurement, returned(answerable_only),
        test_measurement.test_what_is_measured_of_a_question_depends_on_its_having_an_answer,
    ),
    "only small letters": (
        normalize.searchable, lambda _: str.lower,
        test_normalize.test_a_question_and_a_rule_meet_in_any_spelling,
    ),
    "ties reversed": (fusion.fuse, returned(ties_reversed), ties_go_by_place),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_version_turns_a_test_red_that_is_green_before(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    function, wrap, check = MUTANTS[name]
    check()
    mutant = wrap(function)
    places = [
        (module, attribute)
        for title, module in list(sys.modules.items())
        if title.split(".")[0] in {"ingest", "retrieval", "evals", "tests"} and title != __name__
        for attribute, value in list(vars(module).items())
        if value is function
    ]
    assert places
    for module, attribute in places:
        monkeypatch.setattr(module, attribute, mutant)
    with pytest.raises(AssertionError):
        check()
