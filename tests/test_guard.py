"""What the guard blocks and what it lets through, on passages made for it."""

import time

import pytest

from api.guard.findings import Source, check

LIGHT = Source(
    "gear/Light.md",
    "Light > Sources",
    "",
    "A torch burns for one hour and lights 30' around. A lantern burns for 4 hours on a pint "
    "of oil.\n\n| Source | Turns | Cost (gp) |\n|---|---|---|\n| Torch | 6 | 1 |\n"
    "| Lantern | 24 | 10 |\n",
)
CLERIC = Source(
    "classes/Cleric.md",
    "Cleric > Weapons",
    "",
    "Clerics may not use edged weapons. From level 9 a cleric may build a stronghold.\n\n"
    "- Turning undead takes 1 round.\n- Infravision 60’.\n- Repairs cost 12% of the price, at "
    "least 1,200 gp.\n- Visitors wait 7–9 days.",
)
SPEED = Source("items/Potions.md", "Potions > Speed", "", "Afterwards rest for 2 turns.")
SKIN = Source("items/Potions.md", "Potions > Hard Skin", "", "The body forgets it in 7 days.")
PASSAGES = (LIGHT, CLERIC, SPEED, SKIN)


def kinds(answer: str, question: str = "What do the rules say?") -> list[str]:
    return [finding.kind for finding in check(answer, PASSAGES, question)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How long does a torch burn?", "A torch burns for 60 minutes [1]."),
        ("How long does a torch burn?", "1 hour. [1]"),
        ("Both?", "A torch burns for one hour and a lantern for four hours [1]."),
        ("Both?", "A torch burns 1 hour [1]. A lantern burns 4 hours [1]."),
        ("How far?", "A torch lights thirty feet (10 yards) around [1]."),
        ("What is a lantern?", "A lantern costs ten gold pieces [1]."),
        ("What are 3 lanterns?", "3 × 10 gp = 30 gp [1]."),
        ("May clerics use swords?", "No, clerics may not use edged weapons [2]."),
        ("What do repairs cost?", "Repairs cost 12.0 % of the price, at least 1200 gp [2]."),
        ("How long do visitors wait?", "Visitors wait seven to nine days [2]."),
        ("I am level 7. May I build?", "At level 7 you cannot; a cleric may from level 9 [2]."),
        ("What now?", "# 5 things\n\n1. Turning undead takes one round [2].\n2. No more [2]."),
        ("Rest after Speed?", "After a potion of Speed, rest for two turns [3]."),
        ("Who waits?", "There are two cases: visitors wait 7 to 9 days [2]."),
        ("What is a torch?", "- Torch: 6 turns [1]\n- Lantern: 24 turns [1]"),
    ],
)
def test_right_answers_pass(question: str, answer: str) -> None:
    assert check(answer, PASSAGES, question) == ()


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("How long does a torch burn?", "A torch burns for 2 hours [1].", "number"),
        ("How long does a torch burn?", "A torch burns for one hour [2].", "unit"),
        ("How long does a torch burn?", "A lantern burns for 4 days [1].", "unit"),
        ("How long does a torch burn?", "A torch burns for 4 hours [1].", "welded"),
        ("How long does a torch burn?", "4 hours [1].", "welded"),
        ("Both?", "A torch burns for 4 hours and a lantern for one hour [1].", "welded"),
        ("What is a torch?", "A torch costs 10 gp [1].", "welded"),
        ("What is a lantern?", "A lantern costs 10 sp [1].", "unit"),
        ("How long does a torch burn?", "A torch burns for one hour.", "uncited"),
        ("What are 3 lanterns?", "3 × 10 gp = 40 gp [1].", "arithmetic"),
        ("What are 3 lanterns?", "3 lanterns cost 30 gp [1].", "unit"),
        ("Who builds?", "From level 9 the Zorgoth may build a stronghold [2].", "name"),
        ("May clerics use swords?", "Yes, clerics may use edged weapons [2].", "negation"),
        ("Is undead turned?", "Turning undead never takes 1 round [2].", "negation"),
        ("Rest after Speed?", "After a potion of Speed the body needs 7 days [4].", "case"),
        ("How long do visitors wait?", "Visitors wait 8 days [2].", "number"),
        ("How long do visitors wait?", "Visitors wait 7 to 10 days [2].", "number"),
    ],
)
def test_wrong_answers_are_named(question: str, answer: str, kind: str) -> None:
    assert kind in kinds(answer, question)


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
        "The nurse finds them on 1-2 on a d6 [1].",
        "The nurse finds one in three [1].",
        "Reports take two weeks [1].",
        "Refunds take a fortnight, two weeks that is [1].",
        "It is put out with a bonus of 1-in-6 [1].",
        "They are kept for one month (30 days) [1].",
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


def test_a_finding_names_the_words_and_the_passage() -> None:
    (finding,) = check("A torch costs 10 gp [1].", PASSAGES, "What is a torch?")
    assert finding.text == "10"
    assert "| Lantern | 24 | 10 |" in finding.message
    assert "passage 1" in finding.message


def test_what_repeats_the_question_is_no_fault_and_no_proof() -> None:
    assert kinds("With 77 coins, a torch burns one hour [1].", "I have 77 coins. A torch?") == []
    assert "number" in kinds("With 78 coins, a torch burns one hour [1].", "I have 77 coins?")


def test_markers_of_no_passage_cite_nothing() -> None:
    assert kinds("A torch burns for one hour [9].") == ["uncited"]


def test_a_table_row_is_read_with_the_header_of_its_context() -> None:
    header = "| Plan | Price (euros) | Seats |\n|---|---|---|"
    rest = Source("plans.md", "Plans", header, "| Team | 30 | 10 |\n| Business | 90 | 50 |")
    assert check("Team costs 30 euros [1].", (rest,), "Price of Team?") == ()
    found = check("Team costs 90 euros [1].", (rest,), "Price of Team?")
    assert [finding.kind for finding in found] == ["welded"]


def test_an_answer_is_checked_in_milliseconds() -> None:
    answer = "A torch burns for one hour and a lantern for four hours [1]. " * 3
    check(answer, PASSAGES, "Both?")
    started = time.process_time()
    for _ in range(10):
        check(answer, PASSAGES, "Both?")
    assert (time.process_time() - started) / 10 < 0.1  # measured: 0.01


@pytest.mark.parametrize(
    "answer",
    [
        "[" * 3_000, "1 " * 3_000, "a [1]" * 1_000, "1 [1] " * 500, "", "5" * 5_000,
        f"So {' '.join(map(str, range(2_001, 3_000)))} [1].",
    ],
)  # fmt: skip
def test_no_answer_takes_long(answer: str) -> None:
    started = time.process_time()
    check(answer, PASSAGES, "")
    assert time.process_time() - started < 20


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
        ("Cost?", "Seats are 5 gp each, so 3 seats cost 15 gp [1]."),  # one step, not shown
        ("A year?", "Team is 9 euros a month [1]. That is 108 euros a year [1]."),
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


def test_a_number_of_another_file_than_the_named_one_is_a_case() -> None:
    rope = Source("rope.md", "The rope", "", "Best quality.\n\nA rope costs 30 gp.")
    bell = Source("bell.md", "The bell", "", "Best quality.\n\nA bell costs 31 gp.")
    assert check("A rope costs 30 gp [1].", (rope, bell), "What does a rope cost?") == ()
    found = check("A rope costs 31 gp [2].", (rope, bell), "What does a rope cost?")
    assert [finding.kind for finding in found] == ["case"]
