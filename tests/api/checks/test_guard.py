"""What the guard blocks and what it lets through, on passages made for it."""

import pytest

from api.checks.guard.findings import check
from api.checks.passage_lines import Source
from tests.support.faults import growth

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


ANSWER = "A torch burns for one hour and a lantern for four hours [1]. " * 3


def test_an_answer_is_checked_in_milliseconds() -> None:
    def half_a_millisecond() -> None:  # on a machine where a check takes 3.5
        for number in range(10_000):
            str(number)

    check(ANSWER, PASSAGES, "Both?")
    ratio = growth.times_as_long(lambda: check(ANSWER, PASSAGES, "Both?"), half_a_millisecond)
    assert ratio < 70  # measured: 7


@pytest.mark.parametrize(
    "answer",
    [
        "[" * 3_000, "1 " * 3_000, "a [1]" * 1_000, "1 [1] " * 500, "", "5" * 5_000,
        f"So {' '.join(map(str, range(2_001, 2_500)))} [1].",
    ],
)  # fmt: skip
def test_no_answer_takes_long(answer: str) -> None:
    def ordinary() -> None:
        check(ANSWER, PASSAGES, "")

    # measured: 250 for the numbers in a row
    assert growth.times_as_long(lambda: check(answer, PASSAGES, ""), ordinary) < 2_000


def test_a_number_of_another_file_than_the_named_one_is_a_case() -> None:
    rope = Source("rope.md", "The rope", "", "Best quality.\n\nA rope costs 30 gp.")
    bell = Source("bell.md", "The bell", "", "Best quality.\n\nA bell costs 31 gp.")
    assert check("A rope costs 30 gp [1].", (rope, bell), "What does a rope cost?") == ()
    found = check("A rope costs 31 gp [2].", (rope, bell), "What does a rope cost?")
    assert [finding.kind for finding in found] == ["case"]
