"""Two measurements compared: what is a fault, what is noise, and what is in no pair."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals.gating.compare import Comparison, against_best, compare
from evals.measure import measurement
from evals.measure.measurement import FAR, Measurement, best_of
from evals.reports.console import comparison
from retrieval.errors import DatasetError
from tests.support.made.made import MADE_WITH
from tests.support.made.made_measurements import changed, measured, refusing


def warned(found: Comparison) -> str:
    assert not found.faults
    return "\n".join(found.warnings)


def without(taken: Measurement, *names: str) -> Measurement:
    return replace(taken, rows={n: row for n, row in taken.rows.items() if n not in names})


def test_equal_measurements_have_neither_flips_nor_warnings() -> None:
    found = compare(measured(missed={3}), measured(missed={3}))
    assert (found.paired, found.broken, found.fixed) == (100, (), ())
    assert (found.faults, found.warnings, found.differing) == ((), (), ())
    assert [change.p_value for change in found.metrics] == [1.0, 1.0]


def test_a_drop_within_the_noise_warns() -> None:
    found = compare(measured(missed={1}), measured(missed={2, 3, 4}))
    assert (found.broken, found.fixed) == (("q2", "q3", "q4"), ("q1",))
    assert "hit dropped, within the noise: 0.990 -> 0.970 (-0.020" in warned(found)


CRITICAL = "critical question broken: q7, a hit in the baseline"


@pytest.mark.parametrize(
    ("before", "now", "faults"),
    [
        # A significant drop fails, in the hits or in the order alone; a gain does not.
        (measured(), measured(missed=range(7)), ["hit dropped significantly: 1.000 -> 0.930",
                                                 "reciprocal_rank dropped significantly"]),
        (measured(), measured(missed=range(5)), []),
        (measured(), measured(rank=2), ["reciprocal_rank dropped significantly"]),
        (measured(rank=2), measured(), []),
        # Of a set too small for noise each lost question fails, be it that it is not shown.
        (measured(50), measured(50, missed={3}), []),
        (measured(49), measured(49, missed={3}), ["question lost: q3, of 49, too few"]),
        (measured(49, missed={3}), measured(49), []),
        (measured(10, more={"shown": 1.0}),
         changed(measured(10, more={"shown": 1.0}), "q3",
                 metrics={"hit": 1.0, "reciprocal_rank": 1.0, "shown": 0.0}),
         ["question lost: q3, of 10, too few"]),
        # One critical question broken fails whatever the numbers, declared uncritical too.
        (measured(critical={7}), measured(missed={7}, critical={7}), [CRITICAL]),
        (measured(critical={7}), measured(missed={7}), [CRITICAL]),
        (measured(10, critical={7}), measured(10, missed={7}, critical={7}), [CRITICAL]),
        (measured(missed={7}, critical={7}), measured(critical={7}), []),
        # So does answering what was refused, where it is significant.
        (refusing(measured(), 8), refusing(measured(), 1),
         ["refused_offtopic dropped significantly: 0.400 -> 0.050 (-0.350"]),
        (refusing(measured(), 8), refusing(measured(), 2), []),
        (refusing(measured(), 1), refusing(measured(), 8), []),
        # Refusing everything fails by the hits, though it fixes the others.
        (refusing(measured(), 3), refusing(measured(missed=range(100)), 20),
         ["hit dropped significantly: 1.000 -> 0.000", "reciprocal_rank dropped"]),
        # What the rules nearly say gates nothing.
        (refusing(measured(), 20, kind="nearmiss"), refusing(measured(), 0, kind="nearmiss"), []),
    ],
)  # fmt: skip
def test_what_is_a_fault(before: Measurement, now: Measurement, faults: list[str]) -> None:
    found = compare(before, now).faults
    assert len(found) == len(faults)
    assert all(fault.startswith(what) for fault, what in zip(found, faults, strict=True))


def test_a_significant_drop_is_told_with_its_p_values() -> None:
    found = compare(measured(), measured(missed=range(7)))
    assert found.smallest == 7
    assert "p 0.0156, with Holm 0.0" in found.faults[0]


def test_holm_is_what_tells_six_broken_questions_from_a_significant_drop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, now = measured(), measured(missed=range(6))
    for name in now.rows:  # the order of the others got as much better: only the hits dropped
        before = changed(before, name, metrics={"hit": 1.0, "reciprocal_rank": 0.94})
    assert warned(compare(before, now))
    monkeypatch.setattr("evals.gating.compare.GATING", ("hit",))
    assert compare(before, now).faults


@pytest.mark.parametrize("answered", [7, 6])
def test_what_was_refused_and_is_answered_is_named(answered: int) -> None:
    now = refusing(measured(), 8 - answered)
    found = compare(refusing(measured(), 8), now)
    assert found.broken == tuple(f"x{number}" for number in range(8 - answered, 8))
    assert (found.paired, found.refusable, found.smallest_refusals) == (100, 8, 7)
    named = [line for line in comparison(found, now) if line.startswith("BROKEN ")]
    assert named == [f"BROKEN {name} (has no answer, and is answered now)"
                     for name in found.broken[:5]]  # fmt: skip
    drop = f"0.400 -> {(8 - answered) / 20:.3f}"
    assert drop in "\n".join(found.faults if answered == 7 else found.warnings)


def test_a_drift_of_all_off_topic_questions_towards_the_rules_fails_before_one_is_answered() -> (
    None
):
    def at(distance: float) -> Measurement:
        taken = refusing(measured(), 20)
        for name, row in taken.rows.items():
            if not row.answerable:
                far = distance + int(name[1:]) / 100
                taken = changed(taken, name, metrics={**row.metrics, FAR: far})
        return taken

    found = compare(at(0.2), at(0.19))
    assert found.broken == ()
    assert [fault.split(" ")[0] for fault in found.faults] == [FAR]
    assert not compare(at(0.2), at(0.2)).faults
    assert not compare(at(0.2), at(0.21)).faults


def test_what_few_refusals_and_near_misses_show_is_said() -> None:
    few = refusing(measured(), 0)
    lines = comparison(compare(refusing(measured(), 3), few), few)
    assert "smallest drop that 3 refused off-topic questions can show: none" in lines
    before, now = (refusing(measured(), n, kind="nearmiss") for n in (20, 0))
    found = compare(before, now)
    assert (len(found.broken), found.warnings, found.refusable) == (20, (), 0)
    assert "refused_nearmiss: 1.000 -> 0.000" in "\n".join(comparison(found, now))


def test_a_critical_question_that_guards_nothing_any_more_is_named() -> None:
    before = measured(critical={98, 99})
    now = measured(99)
    assert warned(compare(before, now)) == "q98 was critical and is so no more\n" + (
        "q99 was critical and is gone"
    )


def test_new_gone_and_rewritten_questions_are_named_and_in_no_pair() -> None:
    now = changed(measured(50, missed={3, 49}), "q3", digest="another question")
    found = compare(without(measured(50), "q49"), without(now, "q4"))
    assert (found.new, found.gone, found.changed) == (("q49",), ("q4",), ("q3",))
    assert (found.paired, found.broken) == (47, ())
    assert found.metrics[0].after == 1.0
    assert "changed since the baseline, not compared: q3" in comparison(found, now)
    assert [one.split(" (")[0] for one in found.altered] == [
        "1 of 49 questions of the baseline are gone",
        "1 of 49 questions of the baseline are asked otherwise",
    ]


@pytest.mark.parametrize(
    ("before", "asked"), [(refusing(measured(0), 3), "0 of 100"), (measured(1), "1 of 100")]
)
def test_too_few_questions_in_common_are_never_a_pass(before: Measurement, asked: str) -> None:
    with pytest.raises(DatasetError, match=f"{asked} questions are in the baseline, too few"):
        compare(before, refusing(measured(), 3))


def test_a_metric_that_only_one_side_or_only_some_questions_have() -> None:
    before, now = measured(10, more={"margin": 0.5}), measured(10, more={"margin": 0.2, "map": 1})
    now = changed(now, "q0", metrics={**now.rows["q0"].metrics, "margin": None})
    found = compare(before, now)
    assert [change.metric for change in found.metrics] == ["hit", "reciprocal_rank", "margin"]
    assert found.metrics[2].after == pytest.approx(0.2)
    assert found.metrics[2].adjusted is None
    assert not found.faults  # margin is shown and does not gate


def test_what_is_printed_says_what_broke_where_and_what_could_have_been_seen() -> None:
    now = replace(measured(missed={5}), fingerprint={**MADE_WITH, "search": {"top_k": 8}})
    lines = comparison(compare(measured(missed={6}), now), now)
    assert "other than in the baseline: search top_k: 4 -> 8" in lines
    assert "BROKEN q5 (lost at: budget)" in lines
    assert "FIXED q6" in lines
    assert lines[-1] == (
        "smallest drop that 100 questions can show: 7 broken and none fixed, 7.0 points of recall"
    )
    few = comparison(compare(measured(5), measured(5)), measured(5))
    assert few[-1] == "smallest drop that 5 questions can show: none"


def test_small_drops_that_add_up_are_seen_against_the_best_baseline(tmp_path: Path) -> None:
    stored, step = measured(), 4
    for lost in range(step, 3 * step, step):  # each is within the noise of the one before
        now = measured(missed=range(lost))
        assert not compare(stored, now).faults
        stored = replace(now, best=best_of(stored, now.rows))
    assert stored.best == measured().rows
    hits, _ranks = against_best(stored, now)
    assert hits.startswith("against the best baseline: hit dropped significantly: 1.000 -> 0.920")
    assert against_best(stored, measured()) == []
    measurement.write(tmp_path / "baseline.json", stored)
    assert measurement.read(tmp_path / "baseline.json") == stored


def test_the_best_goes_on_without_questions_that_are_gone_and_ends_when_it_is_reached() -> None:
    stored = replace(measured(missed={1, 2}), best=measured().rows)
    fewer = without(stored, "q1").rows
    kept = best_of(stored, fewer)
    assert kept is not None
    assert kept.keys() == fewer.keys()
    assert best_of(stored, measured().rows) is None
    assert against_best(measured(), measured(missed=range(50))) == []
