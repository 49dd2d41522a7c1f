"""The gate's absolute rules: what is a fault whatever was measured before."""

from dataclasses import replace

import pytest

from evals.gating import thresholds
from evals.labels.dataset import Gold
from evals.measure.outcome import Outcome
from evals.measure.shown import Shown
from tests.support.made.made import question
from tests.support.made.made_replies import PATH, card, outcome, reply

FIRST = Shown(True, True, True, 5)
LATER = Shown(False, True, True, 10)
NOWHERE = Shown(False, False, False, 5)


def hits(n: int, shows: Shown = FIRST, *, start: int = 0) -> list[Outcome]:
    """So many questions whose line is the first passage that search returned."""
    return [
        outcome(question(1, name=f"q{number}"), (1, 2), shows=shows)
        for number in range(start, start + n)
    ]


def missed(name: str = "missed", **values: bool) -> Outcome:
    return outcome(question(5, name=name, **values), (1, 2, 3))


def test_recall_counts_what_search_returned_whole() -> None:
    outcomes = [*hits(7), *hits(1, LATER, start=7), *hits(1, NOWHERE, start=8), missed()]
    assert thresholds.faults(outcomes, 0.9) == []  # 9 of 10
    assert thresholds.faults(outcomes, 0.91) == ["recall 0.900 is below 0.91"]
    assert sum(one.passed for one in outcomes) == 8  # what no card shows is a miss all the same


def test_what_a_card_shows_and_search_did_not_return_whole_is_no_pass() -> None:
    both = outcome(question(1, 5), (1, 2, 5), reply(card(1)))
    assert both.shown
    assert both.shown.anywhere
    assert thresholds.faults([both], 1.0) == ["recall 0.000 is below 1"]


def test_where_only_search_was_measured_a_hit_passes() -> None:
    assert thresholds.faults([outcome(question(1), (1, 2))], 1.0) == []


def test_a_refused_question_is_a_miss_of_the_reply() -> None:
    refused = outcome(question(1), (1, 2), reply(card(1), certainty="refused"))
    assert (refused.passed, refused.lost_at) == (False, "reply")


def test_nothing_judged_is_never_a_pass() -> None:
    for outcomes in ([], [outcome(question(name="off"), (1,), reply())]):
        with pytest.raises(ValueError, match="no answerable question was judged"):
            thresholds.faults(outcomes, 0.0)


@pytest.mark.parametrize(
    ("shows", "expected"),
    [
        (FIRST, []),
        (LATER, ["critical question not in the first card: torch"]),
        (NOWHERE, ["critical question lost: torch"]),
    ],
)
def test_a_critical_question_is_in_the_first_card(shows: Shown, expected: list[str]) -> None:
    asked = question(1, name="torch", critical=True)
    assert thresholds.faults([outcome(asked, (1, 2), shows=shows)], 0.0) == expected
    plain = question(1, name="torch")
    assert thresholds.faults([outcome(plain, (1, 2), shows=shows)], 0.0) == []


def test_a_critical_question_that_search_lost_is_a_fault() -> None:
    assert thresholds.faults([missed("torch", critical=True), *hits(9)], 0.0) == [
        "critical question lost: torch"
    ]


def test_a_gold_line_that_is_gone_is_a_fault() -> None:
    gone = Gold(PATH, "A torch burns for ever.")
    asked = replace(question(1, name="torch"), places=((gone,),))
    assert thresholds.faults([outcome(asked, (1, 2)), *hits(9)], 0.0) == [
        f"gold line gone: torch: {PATH!r} does not hold the quote"
    ]


def test_a_forbidden_file_among_the_first_three_is_a_fault() -> None:
    asked = question(1, name="torch", forbidden=(PATH,))
    assert thresholds.faults([outcome(asked, (1, 2))], 0.0) == [
        f"forbidden in the first 3: {PATH} (torch)"
    ]


@pytest.mark.parametrize(("lost", "n", "fails"), [(3, 20, True), (2, 20, False), (9, 19, False)])
def test_replies_that_do_not_show_what_search_found_are_a_fault(
    lost: int, n: int, fails: bool
) -> None:
    found = thresholds.faults([*hits(n - lost), *hits(lost, NOWHERE, start=n)], 0.0)
    expected = [
        f"reply ({what}): shows {n - lost} of {n} that search found, less than 0.9"
        for what in ("first card", "shown")
    ]
    assert found == (expected if fails else [])


def test_a_line_that_search_put_first_belongs_into_the_first_card() -> None:
    found = thresholds.faults([*hits(17), *hits(3, LATER, start=17)], 0.0)
    assert found == ["reply (first card): shows 17 of 20 that search found, less than 0.9"]


def test_what_search_did_not_find_no_reply_has_lost() -> None:
    later = [
        outcome(question(2, name=f"l{n}"), (1, 2), shows=LATER) for n in range(20)
    ]  # second in search
    assert thresholds.faults([*later, *hits(20)], 0.0) == []
