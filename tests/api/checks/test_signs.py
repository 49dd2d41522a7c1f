"""What the guard says of comparators, conditions and modals, on lines made for it."""

import pytest

from api.checks.guard.findings import check
from api.checks.passage_lines import Source
from tests.support.faults import growth

SPELLS = Source(
    "spells/Sleep.md",
    "Sleep",
    "",
    "It works on 3 HD or fewer. A camp holds at least 6 guests. Fares are under 40 gp by day. "
    "A healer may rest after the vigil. A novice must keep the fire until dawn. "
    "Wounds heal in 9 days, unless the healer leaves.\n\n"
    "| Flight | Highest fare |\n|---|---|\n| Short | 350 |\n",
)


@pytest.mark.parametrize(
    "answer",
    [
        "It works on 3 HD or less [1].",
        "It works on up to 3 HD [1].",
        "It works on 3 HD, no more [1].",
        "Creatures of more than 3 HD are not affected [1].",
        "A camp holds six guests or more [1].",
        "By day fares stay below 40 gp [1].",
        "A short flight is 350 at most [1].",
        "A healer can rest after the vigil [1].",
        "A novice has to keep the fire until dawn [1].",
        "Wounds heal in 9 days, provided that the healer stays [1].",
    ],
)
def test_a_sign_retold_passes(answer: str) -> None:
    assert check(answer, (SPELLS,), "What do the rules say?") == ()


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("It works on 3 HD or more [1].", "comparator"),
        ("A long flight has at least a fare of 350 [1].", "comparator"),
        ("A camp holds 6 guests per month [1].", "foreign unit"),
        ("It works on at least 3 HD [1].", "comparator"),
        ("A camp holds up to 6 guests [1].", "comparator"),
        ("Fares are over 40 gp by day [1].", "comparator"),
        ("A short flight is at least 350 [1].", "comparator"),
        ("A healer must rest after the vigil [1].", "modal"),
        ("A novice may keep the fire until dawn [1].", "modal"),
        ("A camp holds at least 6 guests, provided that it is walled [1].", "condition"),
        ("A healer may rest after the vigil unless a dragon comes [1].", "condition"),
    ],
)
def test_a_sign_turned_round_or_added_is_named(answer: str, name: str) -> None:
    found = check(answer, (SPELLS,), "What do the rules say?")
    assert name in [finding.check for finding in found]


@pytest.mark.parametrize("unit", ["must rest ", "unless rested, "])
def test_many_signs_take_a_time_that_is_bounded(unit: str) -> None:
    def one() -> None:
        check("It works on 3 HD or less [1]. " * 3, (SPELLS,), "")

    many = (unit * 1_000)[:10_000] + "[1]."
    # measured: 67 and 76
    assert growth.times_as_long(lambda: check(many, (SPELLS,), ""), one) < 4_000
