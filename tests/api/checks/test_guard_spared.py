"""Right answers that the guard once changed, each beside a wrong one of the same form."""

import pytest

from api.checks import review
from api.checks.guard.findings import check
from api.checks.passage_lines import Source
from retrieval.models import Chunk, Hit

ASKED = "What do the rules say?"


@pytest.mark.parametrize(
    ("line", "right", "wrong"),
    [
        ("A ship brings half its price at home, a third elsewhere; cargo in full.",
         "A ship brings a third elsewhere [1].", "A ship brings a quarter elsewhere [1]."),
        ("A leap clears 15'. Halve it from a standstill.",
         "A leap clears 15' [1]. From a standstill it clears 7 1/2 feet [1].",
         "A leap clears 15' [1]. From a standstill it clears 6 1/2 feet [1]."),
        ("A raid needs more than two ships.",
         "From the third ship on a raid is possible [1].",
         "From the fourth ship on a raid is possible [1]."),
        ("It takes six hours of sleep, and an hour of study.",
         "It takes six hours of sleep and then an hour of study, so seven hours in all [1].",
         "It takes six hours of sleep and then an hour of study, so eight hours in all [1]."),
        ("One roll for each 100' or part of it.",
         "One roll is made for each 100', so a climb of 250' takes three rolls [1].",
         "One roll is made for each 100', so a climb of 250' takes five rolls [1]."),
        ("The gate is open until 6 pm.", "The gate is open until 6 in the evening [1].",
         "The gate is open until 7 in the evening [1]."),
        ("Heads do not grow, except on a red hydra: 1 a turn, unless the neck is burnt.",
         "Right, except for red hydras, whose heads come back at one a turn if the neck isn't "
         "burnt [1].", ""),
        ("Plate goes on in 3 turns with help and in 6 without it.",
         "Plate takes 3 turns with help, or 6 turns on your own [1].",
         "Plate takes 6 turns with help [1]."),
        ("Traps fail on 10 or less, unless the maker works without a bench.",
         "Traps fail on 10 or less with a bench [1].", ""),
        ("Traps fail on 10 or less, unless the maker works without a bench.",
         "Traps fail on 10 or less if the maker works with a bench [1].", ""),
        ("Nobody in chain or plate can climb walls. Thieves can climb walls.",
         "A thief in chain cannot climb, others can [1].",
         "Whoever wears chain can climb walls [1]."),
        ("Here Hit Dice count, and not wits as with ***Mind Reading***.",
         "Unlike Mind Reading, this depends on Hit Dice [1].",
         "Unlike Fire Reading, this depends on Hit Dice [1]."),
        ("The werewolf has no call.", "Others can, except for werewolves [1].",
         "Others can, except for weasels [1]."),
        ("A new human is 15 + 1d6 years old. Dwarves begin at 40 + 2d6.",
         "A new dwarf is 40 + 2d6 years old [1].", "A new human is 15 + 2d6 years old [1]."),
    ],
)  # fmt: skip
def test_what_follows_from_the_line_passes_and_what_does_not_is_named(
    line: str, right: str, wrong: str
) -> None:
    source = (Source("Inn.md", "Inn", "", line),)
    asked = "What do the rules say of a climb of 250'?" if "climb" in right else ASKED
    assert check(right, source, asked) == ()
    assert not wrong or check(wrong, source, asked)


def test_an_item_below_do_not_is_told_with_its_no() -> None:
    text = "## Do not\n\n- switch off the device: leave it on;\n- delete messages or logs;"
    source = (Source("Alarm.md", "Alarm", "", text),)
    assert check("Don't delete any messages or logs [1].", source, ASKED) == ()
    plain = (Source("Alarm.md", "Alarm", "", text.replace("Do not", "Duties")),)
    assert check("Don't delete any messages or logs [1].", plain, ASKED)


def test_a_number_of_the_question_may_be_said_without_its_unit() -> None:
    car = (Source("Cars.md", "Cars", "", "It may not be driven by children under 23."),)
    asked = "Can my 19-year-old son drive it?"
    assert check("No, at 19 he's too young: children must be 23 [1].", car, asked) == ()
    assert check("No, at 20 he's too young: children must be 23 [1].", car, asked)
    visit = (Source("Visits.md", "Visits", "", "A visit costs 40."),)
    assert check("A visit costs 30 [1].", visit, "What does a 30-minute visit cost?")


def test_a_number_in_the_morning_is_a_time_behind_at_or_until_alone() -> None:
    dose = (Source("Dose.md", "Dose", "", "2 tablets in the morning and 1 tablet in the evening."),)
    taken = "Take 2 tablets in the morning and 1 tablet in the evening [1]."
    assert check(taken, dose, ASKED) == ()
    assert check(taken.replace("1 tablet in", "3 tablets in"), dose, ASKED)
    entry = (Source("Museum.md", "Museum", "", "40 visitors in the afternoon may enter."),)
    assert check("Only 40 in the afternoon may enter [1].", entry, ASKED) == ()
    assert check("Only 16 in the afternoon may enter [1].", entry, ASKED)


MAP = "A map is worth 10% of the hoard, 500 gp at most, and nothing later. False maps sell too."
WIS = "The roll is not changed by INT or WIS."
PLANS = "French and Spanish are spoken from Business on."
HOURS = "| Plan | Hours |\n|---|---|\n| Business | 7 to 20 |\n| Enterprise | day and night |"


def shown(answer: str, *texts: str) -> str:
    hits = [
        Hit(Chunk(f"{n}.md", "Rules", 1, 1 + text.count("\n"), text, ""), 1, ())
        for n, text in enumerate(texts)
    ]
    return review.of_text(answer, hits, ASKED).text


@pytest.mark.parametrize(
    ("sentence", "stays"),
    [
        ("Afterwards it is worthless [1].", True),
        ("That is 50 gp at best [1].", True),  # a tenth of 500
        ("Thieves steal [1].", False),
        ("Afterwards it is worthless.", False),
        ("Afterwards it is worthless, torn, faded, yellow and wet [1].", False),
        ("Afterwards it brings 70 gp [1].", False),
    ],
)
def test_a_short_sentence_is_read_with_the_one_that_it_refers_to(
    sentence: str, *, stays: bool
) -> None:
    before = "A map brings 10% of the hoard, up to 500 gp [1]."
    answer = shown(f"{before} {sentence}", MAP)
    assert before in answer
    assert (sentence in answer) == stays


def test_a_short_sentence_that_cites_another_passage_is_not_read_with_the_one_before() -> None:
    before = "A map brings 10% of the hoard, up to 500 gp [1]."
    assert "worthless" not in shown(f"{before} Afterwards it is worthless [2].", MAP, WIS)


def test_a_word_is_not_what_three_letters_stand_for_that_it_begins_with() -> None:
    assert shown("Charisma has no effect [1].", WIS) == ""
    assert shown("Intruders are never fed [1].", WIS) == ""


def test_two_markers_stay_where_each_has_a_part_of_the_sentence() -> None:
    answer = "French and Spanish are spoken on Business and Enterprise [1][2]."
    assert shown(answer, PLANS, HOURS) == answer
    assert "[2]" not in shown("French and Spanish are spoken on Business [1][2].", PLANS, MAP)


def test_a_week_is_seven_days_also_where_the_answer_says_no_more() -> None:
    assert shown("One week [1].", "Damaged bags are reported within 7 days.") == "One week [1]."
    assert "week" not in shown("One week [1].", "Damaged bags are reported within 8 days.")


FORMS = ("[1-2]", "[1–2]", "[1; 2]", "[1 and 2]", "【1】【2】", "[^1][^2]")


@pytest.mark.parametrize("form", FORMS)
def test_another_form_of_a_marker_is_read_as_the_usual_one(form: str) -> None:
    answer = f"French and Spanish are spoken on Business and Enterprise {form}."
    usual = answer.replace(form, "[1][2]")
    assert shown(answer, PLANS, HOURS) == usual
    assert shown(f"{answer} ![](//a.example)", PLANS, HOURS) == usual
