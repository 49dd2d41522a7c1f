"""A measurement: what is kept of each question, written and read as it was."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals.measure import measurement
from evals.measure.shown import Shown
from retrieval.errors import DatasetError
from tests.support.made.made import MADE_WITH, found, question, searched
from tests.support.made.made_measurements import measured, refusing


def test_what_is_measured_of_a_question_depends_on_its_having_an_answer() -> None:
    pairs = [
        (question(1, name="hit"), found(1, 2)),
        (question(5, name="late"), found(3, 4, 5)),
        (question(1, name="unseen"), found(2, 1)),
        (question(1, name="below"), found(1, 2)),
        (question(name="off"), found(3, 4)),
        (question(name="none", kind="nearmiss"), found()),
    ]
    replies = {
        "hit": Shown(True, True, True, 9),
        "late": Shown(False, False, False, 9),
        "unseen": Shown(False, False, False, 9),
        "below": Shown(False, True, True, 9),
    }
    outcomes = [replace(one, shown=replies.get(one.question.id)) for one in searched(*pairs)]
    rows = measurement.measurement(outcomes, MADE_WITH).rows
    assert {name: dict(row.metrics) for name, row in rows.items()} == {
        "hit": {"hit": 1.0, "reciprocal_rank": 1.0, "first_card": 1.0, "shown": 1.0},
        "late": {"hit": 0.0, "reciprocal_rank": 0.333333, "first_card": 0.0, "shown": 0.0},
        "unseen": {"hit": 1.0, "reciprocal_rank": 0.5, "first_card": 0.0, "shown": 0.0},
        "below": {"hit": 1.0, "reciprocal_rank": 1.0, "first_card": 0.0, "shown": 1.0},
        "off": {"refused_offtopic": 0.0, "far_offtopic": -1.0},
        "none": {"refused_nearmiss": 1.0},
    }
    assert [name for name, row in rows.items() if row.right] == ["hit", "below", "none"]
    lost = {name: row.lost_at for name, row in rows.items() if row.lost_at}
    assert lost == {"late": "budget", "unseen": "reply"}
    with pytest.raises(DatasetError, match="no answerable question was measured"):
        measurement.measurement(outcomes[4:], MADE_WITH)


def test_of_search_alone_nothing_is_kept_that_a_reply_would_show() -> None:
    pairs = [(question(1, name="hit"), found(1, 2)), (question(5, name="late"), found(3, 4, 5))]
    rows = measurement.measurement(searched(*pairs), MADE_WITH).rows
    assert [set(row.metrics) for row in rows.values()] == [{"hit", "reciprocal_rank"}] * 2
    assert [row.right for row in rows.values()] == [True, False]


def test_a_written_measurement_reads_as_it_was_with_a_line_a_question(tmp_path: Path) -> None:
    taken = replace(measured(3, missed={1}, critical={2}, more={"margin": None}), why="“new” model")
    taken = refusing(taken, 1, n=2)
    measurement.write(tmp_path / "b.json", taken)
    assert measurement.read(tmp_path / "b.json") == taken
    lines = (tmp_path / "b.json").read_text("utf-8").splitlines()
    assert [line.split(":")[0].strip() for line in lines if "digest " in line] == [
        '"q0"', '"q1"', '"q2"', '"x0"', '"x1"',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"hit": 1.0', '"hit": null', "ValueError: metrics"),
        ('"hit": 1.0', '"hit": NaN', "ValueError: metrics"),
        ('"hit": 1.0', '"hit": "yes"', "ValueError: could not convert"),
        ('"hit": 1.0, ', "", "KeyError: 'hit'"),
        ('"refused_offtopic": 1.0', '"refused_offtopic": null', "ValueError: metrics"),
        ('"refused_offtopic": 1.0', '"refused": 1.0', "KeyError: 'hit'"),
        ('"reciprocal_rank"', '"rank"', "do not all have the same metrics"),
        ('"questions"', '"rows"', "KeyError: 'questions'"),
        ("{", "[", "JSONDecodeError"),
    ],
)
def test_a_baseline_that_is_none_is_an_error_that_names_the_file(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    path = tmp_path / "b.json"
    measurement.write(path, refusing(measured(2), 1, n=2))
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(DatasetError, match=r"b\.json: ") as error:
        measurement.read(path)
    assert says in str(error.value)
