"""What replies show in sum, and how well a confidence holds, against numbers made by hand."""

import numpy as np
import pytest

from evals.measure.outcome import Outcome
from evals.measure.replies import Cards, cards, certainties, reliability
from evals.measure.stats import wilson
from retrieval.models import Certainty
from tests.support.made.made import question
from tests.support.made.made_replies import card, outcome, reply

FIVE = 5  # words of a line


def answerable() -> list[Outcome]:
    """Four questions: in the first card; in the second; found and not shown; refused."""
    return [
        outcome(question(1, 2, name="a"), (1, 2), reply(card(1, 2))),
        outcome(question(3, name="b"), (3, 4), reply(card(4), card(3, 5), certainty="nearest")),
        outcome(question(6, name="c"), (5, 6), reply(card(5, folded=True))),
        outcome(question(1, name="d"), (2, 3), reply(card(1), certainty="refused")),
    ]


def test_the_shares_are_those_of_the_answerable_questions() -> None:
    unanswerable = outcome(question(name="x"), (1,), reply(card(1)))
    assert cards([*answerable(), unanswerable]) == Cards(
        n=4,
        first_hit=2 / 4,  # a and b
        any_hit=3 / 4,  # c, too
        first=1 / 4,
        shown=2 / 4,
        complete=2 / 4,
        nearest=1 / 4,
        refused=1 / 4,
        median_words=FIVE,  # of 10, 15, 0 and 0
        mean_words=25 / 4,
    )


def test_one_of_two_golds_is_shown_and_not_complete() -> None:
    found = cards([outcome(question(1, 2), (1, 2), reply(card(2)))])
    assert found
    assert (found.first, found.shown, found.complete) == (1.0, 1.0, 0.0)


def test_without_replies_there_is_nothing_to_sum_up() -> None:
    assert cards([]) is None
    assert cards([outcome(question(1), (1,))]) is None
    assert cards([outcome(question(), (1,), reply())]) is None
    assert certainties(answerable()) == {}


def test_unanswerable_questions_are_counted_by_their_kind() -> None:
    said: list[tuple[str, Certainty]] = [
        ("offtopic", "refused"),
        ("offtopic", "refused"),
        ("offtopic", "nearest"),
        ("offtopic", "answered"),
        ("nearmiss", "nearest"),
    ]
    outcomes = [
        outcome(question(name=f"x{n}", kind=kind), (1,), reply(certainty=certainty))
        for n, (kind, certainty) in enumerate(said)
    ]
    assert certainties([*answerable(), *outcomes]) == {
        "nearmiss": {"answered": 0, "nearest": 1, "refused": 0},
        "offtopic": {"answered": 1, "nearest": 1, "refused": 2},
    }


def asked(confidence: float | None, *, right: bool) -> Outcome:
    said = reply(card(1 if right else 2), confidence=confidence)
    return outcome(question(1), (1, 2), said)


def test_the_error_of_a_score_is_how_far_each_bin_is_from_what_came_true() -> None:
    """Five bins of two: |0.1 - 0|, |0.3 - 0.5|, |0.5 - 0.5|, |0.7 - 1|, |0.9 - 1|, in the mean."""
    right = [False, False, True, False, True, False, True, True, True, True]
    said = [0.1, 0.1, 0.3, 0.3, 0.5, 0.5, 0.7, 0.7, 0.9, 0.9]
    found = reliability([asked(c, right=r) for c, r in zip(said, right, strict=True)])
    assert found
    assert found.n == 10
    assert found.error == pytest.approx((0.1 + 0.2 + 0.0 + 0.3 + 0.1) / 5)
    assert [count for _, _, count in found.bins] == [2] * 5
    assert [mean for mean, _, _ in found.bins] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
    assert [share for _, share, _ in found.bins] == pytest.approx([0.0, 0.5, 0.5, 1.0, 1.0])
    squares = [0.01, 0.01, 0.49, 0.09, 0.25, 0.25, 0.09, 0.09, 0.01, 0.01]
    assert found.brier == pytest.approx(sum(squares) / 10)
    assert found.base == pytest.approx(0.6 * 0.4)


def test_a_calibrated_score_is_within_the_band_and_a_wrong_one_is_not() -> None:
    generator = np.random.default_rng(1)
    said = generator.random(300)
    right = generator.random(300) < said
    pairs = [(float(c), bool(r)) for c, r in zip(said, right, strict=True)]
    good = reliability([asked(c, right=r) for c, r in pairs])
    wrong = reliability([asked(1 - c, right=r) for c, r in pairs])
    assert good
    assert wrong
    assert (good.error <= good.highest, good.brier < good.base) == (True, True)
    assert (wrong.error > wrong.highest, wrong.brier > wrong.base) == (True, True)


@pytest.mark.parametrize(
    ("one", "error"),
    [
        (asked(1.0, right=True), 0.0),
        (asked(1.0, right=False), 1.0),
        (outcome(question(), (1,), reply(card(1), confidence=0.8)), 0.8),  # it has no answer
    ],
)
def test_who_is_always_as_sure_errs_by_how_often_it_is_wrong(one: Outcome, error: float) -> None:
    found = reliability([one] * 10)
    assert found
    assert found.error == pytest.approx(error)
    assert found.brier == pytest.approx(error**2)


def test_fewer_questions_than_bins_have_no_reliability() -> None:
    assert reliability([asked(0.5, right=True)] * 4) is None
    assert reliability([asked(None, right=True)] * 9) is None
    assert reliability([]) is None


def test_the_interval_is_wilsons() -> None:
    """Of 8 of 10: (p + z²/2n ± z sqrt(p(1 - p)/n + z²/4n²)) / (1 + z²/n), z = 1.96."""
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(20, 20) == pytest.approx((0.8389, 1.0), abs=1e-4)
