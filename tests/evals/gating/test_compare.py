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


def test_equal_measurements_have_neither_flips_nor_warnings() -> None:
    found = compare(measured(missed={3}), measured(missed={3}))
    assert (found.paired, found.broken, found.fixed) == (100, (), ())
    assert (found.faults, found.warnings, found.differing) == ((), (), ())
    assert [change.p_value for change in found.metrics] == [1.0, 1.0]


def test_a_drop_within_the_noise_warns() -> None:
    found = compare(measured(missed={1}), measured(missed={2, 3, 4}))
    assert (found.broken, found.fixed) == (("q2", "q3", "q4"), ("q1",))
    assert "hit dropped, within the noise: 0.990 -> 0.970 (-0.020" in warned(found)


@pytest.mark.parametrize(("asked", "fails"), [(49, True), (50, False)])
def test_of_a_set_too_small_for_noise_one_lost_question_fails(asked: int, fails: bool) -> None:
    found = compare(measured(asked), measured(asked, missed={3}))
    says = (f"question lost: q3, of {asked}, too few to allow for noise",)
    assert found.faults == (says if fails else ())
    assert "hit dropped, within the noise" in "\n".join(found.warnings)


@pytest.mark.parametrize(("broken", "fails"), [(7, True), (5, False)])
def test_a_significant_drop_fails(broken: int, fails: bool) -> None:
    found = compare(measured(), measured(missed=range(broken)))
    assert bool(found.faults) == fails
    assert found.smallest == 7
    if fails:
        assert found.faults[0].startswith("hit dropped significantly: 1.000 -> 0.930")
        assert "p 0.0156, with Holm 0.0" in found.faults[0]


def test_holm_is_what_tells_six_broken_questions_from_a_significant_drop() -> None:
    before, now = measured(), measured(missed=range(6))
    for name in now.rows:  # the order of the others got as much better: only the hits dropped
        before = changed(before, name, metrics={"hit": 1.0, "reciprocal_rank": 0.94})
    assert compare(before, now, gating=["hit"]).faults
    assert warned(compare(before, now, gating=["hit", "reciprocal_rank"]))


def test_a_worse_order_fails_though_no_hit_is_lost() -> None:
    found = compare(measured(), measured(rank=2))
    assert found.broken == ()
    assert len(found.faults) == 1
    assert found.faults[0].startswith("reciprocal_rank dropped significantly")
    assert not compare(measured(rank=2), measured()).faults


@pytest.mark.parametrize(("answered", "fails"), [(7, True), (6, False)])
def test_answering_what_was_refused_fails_where_it_is_significant(
    answered: int, fails: bool
) -> None:
    now = refusing(measured(), 8 - answered)
    found = compare(refusing(measured(), 8), now)
    assert found.broken == tuple(f"x{number}" for number in range(8 - answered, 8))
    assert (found.paired, found.refusable, found.smallest_refusals) == (100, 8, 7)
    named = [line for line in comparison(found, now) if line.startswith("BROKEN ")]
    assert named == [f"BROKEN {name} (has no answer, and is answered now)"
                     for name in found.broken[:5]]  # fmt: skip
    drop = f"0.400 -> {(8 - answered) / 20:.3f}"
    if fails:
        assert [fault.split(",")[0] for fault in found.faults] == [
            f"refused_offtopic dropped significantly: {drop} (-0.350"
        ]
    else:
        assert f"refused_offtopic dropped, within the noise: {drop}" in warned(found)
    assert not compare(now, refusing(measured(), 8)).faults


def test_a_drift_of_all_off_topic_questions_towards_the_rules_fails_before_one_is_answered() -> (
    None
):
    def at(distance: float) -> Measurement:
        taken = refusing(measured(), 20)
        rows = {
            name: row
            if row.answerable
            else replace(row, metrics={**row.metrics, FAR: distance + int(name[1:]) / 100})
            for name, row in taken.rows.items()
        }
        return replace(taken, rows=rows)

    found = compare(at(0.2), at(0.19))
    assert found.broken == ()
    assert [fault.split(" ")[0] for fault in found.faults] == [FAR]
    assert not compare(at(0.2), at(0.2)).faults
    assert not compare(at(0.2), at(0.21)).faults


def test_refusing_everything_fails_by_the_hits_and_fixes_the_others() -> None:
    found = compare(refusing(measured(), 3), refusing(measured(missed=range(100)), 20))
    assert found.fixed == tuple(sorted(f"x{number}" for number in range(3, 20)))
    assert len(found.broken) == 100
    assert found.faults[0].startswith("hit dropped significantly: 1.000 -> 0.000")


def test_few_refusals_can_show_nothing_and_the_report_says_so() -> None:
    found = compare(refusing(measured(), 3), refusing(measured(), 0))
    assert not found.faults
    lines = comparison(found, refusing(measured(), 0))
    assert "smallest drop that 3 refused off-topic questions can show: none" in lines


def test_what_the_rules_nearly_say_is_listed_and_gates_nothing() -> None:
    before, now = (refusing(measured(), n, kind="nearmiss") for n in (20, 0))
    found = compare(before, now)
    assert len(found.broken) == 20
    assert (found.faults, found.warnings, found.refusable) == ((), (), 0)
    assert "refused_nearmiss: 1.000 -> 0.000" in "\n".join(comparison(found, now))


def test_only_questions_without_an_answer_in_common_are_too_few() -> None:
    with pytest.raises(DatasetError, match="0 of 100 questions are in the baseline, too few"):
        compare(refusing(measured(0), 3), refusing(measured(), 3))


def test_one_critical_question_broken_fails_whatever_the_numbers() -> None:
    critical = measured(critical={7})
    broken = measured(missed={7}, critical={7})
    fault = "critical question broken: q7, a hit in the baseline"
    assert compare(critical, broken).faults == (fault,)
    assert compare(critical, measured(missed={7})).faults == (fault,)  # declared uncritical
    assert not compare(broken, critical).faults


def test_a_critical_question_that_guards_nothing_any_more_is_named() -> None:
    before = measured(critical={98, 99})
    now = measured(99)
    assert warned(compare(before, now)) == "q98 was critical and is so no more\n" + (
        "q99 was critical and is gone"
    )


def test_new_gone_and_rewritten_questions_are_named_and_in_no_pair() -> None:
    before, now = measured(50), measured(50, missed={3, 49})
    now = changed(now, "q3", digest="another question")
    now = replace(now, rows={n: row for n, row in now.rows.items() if n != "q4"})
    before = replace(before, rows={n: row for n, row in before.rows.items() if n != "q49"})
    found = compare(before, now)
    assert (found.new, found.gone, found.changed) == (("q49",), ("q4",), ("q3",))
    assert (found.paired, found.broken) == (47, ())
    assert found.metrics[0].after == 1.0
    assert "changed since the baseline, not compared: q3" in comparison(found, now)


def test_too_few_questions_in_common_are_never_a_pass() -> None:
    with pytest.raises(DatasetError, match="1 of 1 questions are in the baseline, too few"):
        compare(measured(), measured(1))
    other = replace(measured(), rows={f"x{name}": row for name, row in measured().rows.items()})
    with pytest.raises(DatasetError, match="0 of 100"):
        compare(measured(), other)


def test_a_metric_that_only_one_side_or_only_some_questions_have() -> None:
    before, now = measured(10, more={"margin": 0.5}), measured(10, more={"margin": 0.2, "map": 1})
    now = changed(now, "q0", metrics={**now.rows["q0"].metrics, "margin": None})
    found = compare(before, now)
    assert [change.metric for change in found.metrics] == ["hit", "reciprocal_rank", "margin"]
    assert found.metrics[2].after == pytest.approx(0.2)
    assert found.metrics[2].adjusted is None
    assert not found.faults  # margin is shown and does not gate


def test_the_report_says_what_broke_where_and_what_could_have_been_seen() -> None:
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


def test_questions_that_are_gone_or_reworded_are_named_and_red_until_a_new_baseline() -> None:
    before = measured()
    now = replace(before, rows={name: row for name, row in before.rows.items() if name > "q2"})
    now = changed(now, "q50", digest="other words")
    found = compare(before, now)
    gone = len(before.rows) - len(now.rows)
    assert found.faults == ()
    assert [one.split(" (")[0] for one in found.altered] == [
        f"{gone} of 100 questions of the baseline are gone",
        "1 of 100 questions of the baseline are asked otherwise",
    ]
    assert compare(before, before).altered == ()


def test_small_drops_that_add_up_are_seen_against_the_best_baseline() -> None:
    stored, step = measured(), 4
    for lost in range(step, 3 * step, step):  # each is within the noise of the one before
        now = measured(missed=range(lost))
        assert not compare(stored, now).faults
        stored = replace(now, best=best_of(stored, now.rows))
    assert stored.best == measured().rows
    hits, _ranks = against_best(stored, now)
    assert hits.startswith("against the best baseline: hit dropped significantly: 1.000 -> 0.920")
    assert against_best(stored, measured()) == []


def test_the_best_goes_on_without_questions_that_are_gone_and_ends_when_it_is_reached() -> None:
    stored = replace(measured(missed={1, 2}), best=measured().rows)
    fewer = {name: row for name, row in stored.rows.items() if name != "q1"}
    kept = best_of(stored, fewer)
    assert kept is not None
    assert kept.keys() == fewer.keys()
    assert best_of(stored, measured().rows) is None
    assert against_best(measured(), measured(missed=range(50))) == []


def test_a_file_keeps_the_best(tmp_path: Path) -> None:
    taken = replace(measured(missed={1}), best=measured().rows)
    measurement.write(tmp_path / "baseline.json", taken)
    assert measurement.read(tmp_path / "baseline.json") == taken
