"""What the guard says of facts that are retold in other words, or that follow from a passage."""

import pytest

from api.checks.guard.findings import check
from api.checks.passage_lines import Source

WORDED = Source(
    "care/Nursing.md",
    "Nursing > Care",
    "",
    "A guard calls at 9:00 and leaves at 17:00. A sleeper rests 4d4 turns. A nurse finds the sick "
    "on 2-in-6. Reports take 10 working days; refunds 14 days. A torch is put out on +1-in-6. "
    "Broken ones are kept 30 days, and 24 of them in a box.\n\nThe spell does not affect:\n\n"
    "- anything above 4+1 HD\n\nScores:\n\n- They never apply to scores of 2 and 12.\n"
    "- The score falls by 2 when the leader dies.\n- A Long Horse costs 1 1/2 gp and 15 minutes.",
)
LODGING = Source(
    "care/Inns.md",
    "Inns",
    "",
    "| Room | Village | Town | City |\n|---|---|---|---|\n| Shared | 1 gp | 2 gp | 4 gp |\n\n"
    "Devices: bowl (water, 200 coins), brazier (fire, 250), censer (air, 50).\n\n"
    "A mug wears off after 2 hours.\n\n"
    "| Level | THAC0 | Turns |\n|---|---|---|\n| 1-3 | 19 | 40 |\n| 4-6 | 17 | 50 |\n",
)
RETOLD = (WORDED, LODGING)


@pytest.mark.parametrize(
    "answer",
    [
        "The guard is there from 9 am to 5 pm [1].",
        "A sleeper rests between four and sixteen turns (4d4) [1].",
        "The nurse finds one in three [1].",
        "Reports take two weeks [1].",
        "Refunds take a fortnight, two weeks that is [1].",
        "It is put out with a bonus of 1-in-6 [1].",
        "Twenty-four at most fit in a box [1].",
        "Nothing above 4+1 HD is affected [1].",
        "If the leader dies the score falls by two [1].",
        "The Long Horse costs one and a half gold pieces and a quarter of an hour [1].",
        "A shared room is 4 gp in the city, and half that, 2 gp, in a town [2].",
        "At levels 4 to 6 the THAC0 is 17 [2].",
        "Bowl (water, 200 coins), brazier (fire, 250), censer (air, 50) [2].",
    ],
)
def test_a_fact_retold_in_other_words_passes(answer: str) -> None:
    assert check(answer, RETOLD, "What do the rules say?") == ()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("The guard leaves at 6 pm [1].", "number"),
        ("A sleeper rests between four and eighteen turns [1].", "number"),
        ("The nurse finds them on 1-3 on a d6 [1].", "number"),
        ("Reports take three weeks [1].", "number"),
        ("Refunds take 14 working days [1].", "unit"),
        ("A mug wears off after 2 turns [2].", "unit"),
        ("A shared room in the city costs 2 gp [2].", "welded"),
        ("At levels 4 to 6 the THAC0 is 19 [2].", "welded"),
        ("Scores of 2 and 12 apply [1].", "negation"),
    ],
)
def test_a_fact_retold_wrongly_is_named(answer: str, kind: str) -> None:
    found = check(answer, RETOLD, "What do the rules say?")
    assert kind in [finding.kind for finding in found]


CARE = Source(
    "care/Remedies.md",
    "Remedies",
    "",
    "A note is needed from the fourth day on. A team cannot go under its least number of 3 seats. "
    "Whoever fails cannot try again before gaining a level.\n\n"
    "Halve the rest of a runner without a load.\n\n"
    "Charcoal works against ghostcap. The charcoal does not work if taken beforehand.\n\n"
    "A cure of 5 at -8 leaves the victim at -3.",
)


@pytest.mark.parametrize(
    "answer",
    [
        "A note isn't needed until the fourth day [1].",
        "A team can't go below its least number of three seats [1].",
        "After failing you must gain a level before you can try again [1].",
        "A runner without a load needs only half the rest [1].",
        "Charcoal works against ghostcap [1].",
        "The victim is at -8 + 5 = -3 [1].",
    ],
)
def test_a_limit_a_condition_and_a_number_below_zero_are_no_denials(answer: str) -> None:
    assert check(answer, (CARE,), "What do the rules say?") == ()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("The victim is at -8 + 5 = 3 [1].", "arithmetic"),
        ("A note isn't needed from the fourth day on [1].", "negation"),
    ],
)
def test_what_such_a_line_does_not_say_is_named(answer: str, kind: str) -> None:
    assert kind in [finding.kind for finding in check(answer, (CARE,), "What do the rules say?")]


RATES = Source(
    "plans/Rates.md",
    "Rates",
    "",
    "| Plan | Paid monthly | Paid yearly | Price per month | Requests |\n|---|---|---|---|---|\n"
    "| Team | 11 | 9 | 8 | 120 |\n| Business | 19 | 16 | 40 | 600 |\n\n"
    "| Length of flight | Highest fare |\n|---|---|\n| Up to 4 hours | 350 |\n"
    "| 4 to 9 hours | 900 |\n| Over 9 hours | 1,800 |\n\n"
    "The second person is paged within 10 minutes by day and within 15 by night. A piece weighs "
    "10 coins, a crown 50 and a bowl 5 pounds. The guard sleeps for 3 turns. Bears roll for "
    "4 rounds. Each seat is 5 gp. Nobody who could not pay loses the seat. "
    "The touch of a ghoul burns.\n\nThe plan does not cover:\n\n- smoke\n- steam, however hot\n",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Price?", "Team costs €11 a seat when paid monthly and €9 when paid yearly [1]."),
        ("More?", "Another one can be added for 8 euros per month [1]."),
        ("3 seats?", "Seats are 5 gp each, so 3 seats cost 3 × 5 = 15 gp [1]."),
        ("A year?", "Team is 9 euros a month [1]. That is 12 × 9 = 108 euros a year [1]."),
        ("Team?", "Team has 120 requests [7] and costs 11 when paid monthly [1]."),
        ("Seat?", "Whoever was kept from paying does not lose the seat [1]."),
        ("Smoke?", "Smoke is not covered, and neither is steam [1]."),
        ("Both?", "By night it is within a quarter of an hour, by day within 10 minutes [1]."),
        ("A flight of 10 hours?", "A flight of 10 hours may cost 1,800 [1]."),
    ],
)
def test_what_follows_or_is_written_otherwise_passes(question: str, answer: str) -> None:
    assert check(answer, (RATES,), question) == ()


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("Requests?", "Team has 600 requests [1].", "welded"),
        ("A flight of 10 hours?", "A flight of 10 hours may cost 900 [1].", "welded"),
        ("Night?", "The second person is paged within 15 hours by night [1].", "unit"),
        ("Guard?", "The guard sleeps for 3 rounds [1].", "unit"),
        ("Cost?", "Seats are 5 gp, and 3 of them cost 17 gp [1].", "number"),
        ("Smoke?", "The plan covers smoke [1].", "negation"),
        ("Touch?", "The touch of a ghast burns [1].", "name"),
        ("Whom?", "Write to help@example.com [1].", "name"),
        ("Both?", "The guard sleeps for 3 turns. Bears roll for 4 rounds [1].", "uncited"),
        ("Both?", "Bears roll for 4 rounds [1]. Seats are lost by nobody who pays.", "uncited"),
        ("Both?", "Bears roll for 4 rounds [1] and the guard sleeps 3 turns.", "uncited"),
        ("Left?", "After two weeks 100 - 80 = 30 points are left [1].", "arithmetic"),
    ],
)
def test_what_contradicts_its_passage_is_named(question: str, answer: str, kind: str) -> None:
    assert kind in [finding.kind for finding in check(answer, (RATES,), question)]
