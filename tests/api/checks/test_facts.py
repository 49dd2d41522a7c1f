"""What code reads as a fact, however it is written."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.checks.guard.alignment import agreement
from api.checks.guard.facts import Fact, facts
from api.checks.guard.names import names
from api.checks.guard.occurrences import Occurrence
from api.checks.passage_lines import Cell, PassageLine
from retrieval.text.normalize import fold
from retrieval.text.words import abbreviates, stem


def read(text: str) -> list[tuple[str, str, str, str, str]]:
    return [
        (fact.kind, str(fact.low), str(fact.high), fact.die, fact.base)
        for fact in facts(fold(text))
        if not fact.weak
    ]


def one(text: str) -> Fact:
    (fact,) = [fact for fact in facts(fold(text)) if not fact.weak]
    return fact


def found(text: str, column: str = "") -> Occurrence:
    line = PassageLine("row", 1, text, 0, (Cell(text, column),), "", "", "", "")
    return Occurrence(one(text), line, 0, (), (), "", frozenset(), frozenset())


@pytest.mark.parametrize(
    "same",
    [
        ("3d6", "3D6", "three six-sided dice", "three d6"),
        ("1d6", "d6"),
        ("d%", "1d100"),
        ("30'", "30’", "30 feet", "thirty feet", "30 ft", "10 yards", "30-foot"),
        ("1,200", "1200", "1 200", "1.2k", "twelve hundred", "one thousand two hundred"),
        ("½", "0.5", "1/2", "half", "50%"),
        ("1½ hours", "1.5 hours", "90 minutes"),
        ("12 %", "12.0%", "12 percent", "12 per cent", "twelve percent"),
        ("7–9", "7-9", "7 to 9", "seven to nine", "between 7 and 9"),
        ("2-in-6", "2 in 6", "two out of six", "2 chances in 6"),
        ("€30", "30 euros", "30 EUR"),
        ("4th", "fourth"),
        ("−2", "-2", "minus 2"),
        ("two to three days", "2–3 days"),
        ("2 weeks", "14 days"),
        ("×2", "twice", "double"),
    ],
)
def test_one_fact_in_several_spellings(same: tuple[str, ...]) -> None:
    for text in same[1:]:
        assert agreement(one(text), found(same[0]), frozenset()) == "same", text


@pytest.mark.parametrize(
    ("stated", "stands"),
    [
        ("3d6", "3d8"),
        ("3d6", "3d6+1"),
        ("30 feet", "30 yards"),
        ("30 minutes", "30 hours"),
        ("1,200", "12,000"),
        ("12%", "12"),
        ("+1", "-1"),
        ("2-in-6", "3-in-6"),
        ("7-9", "7-10"),
        ("8", "7-9"),
        ("10 working days", "10 calendar days"),
        ("6 rounds", "6 turns"),
        ("5 sp", "5 gp"),
        ("2026-11-22", "2026-11-23"),
        ("$30", "30 euros"),
    ],
)
def test_facts_that_differ(stated: str, stands: str) -> None:
    counted = frozenset({"round", "turn", "sp", "gp"})
    verdict = agreement(one(stated), found(stands), counted)
    if (stated, stands) == ("12%", "12"):  # a bare number may stand in a column of percentages
        assert verdict == "same"
    else:
        assert verdict != "same"


def test_an_end_of_a_range_is_a_number_of_the_passage() -> None:
    assert agreement(one("7"), found("7-9"), frozenset()) == "same"
    assert agreement(one("9"), found("7-9"), frozenset()) == "same"


def test_a_unit_of_the_rules_may_be_abbreviated() -> None:
    counted = frozenset({"gp", "piec", "point", "xp"})
    assert agreement(one("5 gold pieces"), found("5 gp"), counted) == "same"
    assert agreement(one("4,000 XP"), found("4,000 experience points"), counted) == "same"
    assert not abbreviates("gp", ("silv", "piec"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("D10 W11, SEV1", []),  # labels of a column, names of a level: they support, no more
        ("an hour, one of them, once per turn", []),
        ("2d6 × 10 gp", [("die", "0", "0", "2d6", ""), ("number", "10", "10", "", "")]),
        ("10'x10'", [("distance", "10", "10", "", "foot")] * 2),
        ("1/0", [("number", "1", "1", "", ""), ("number", "0", "0", "", "")]),
        ("(15hp)", [("number", "15", "15", "", "")]),
    ],
)
def test_what_is_read(text: str, expected: list[tuple[str, str, str, str, str]]) -> None:
    assert read(text) == expected


def test_odds_of_a_die_are_read_from_its_range() -> None:
    odds = [fact for fact in facts("opens on 1-2 on 1d6") if fact.kind == "odds"]
    assert [(fact.low, fact.high) for fact in odds] == [(Fraction(2), Fraction(6))]


def test_names_are_capitals_inside_a_sentence() -> None:
    text = "The Elf casts Hold Person. Fireball deals damage. A Magic-User uses the Wand of Fear."
    assert names(text) == (("Elf",), ("Hold", "Person"), ("Magic-User",), ("Wand",), ("Fear",))


@given(st.text(alphabet="0123456789d.,/%'x+- tofinhalf\n", max_size=80))
@settings(deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    for fact in facts(fold(text)):
        assert fact.start <= fact.end <= len(fold(text))
        assert fact.low >= 0


def test_a_number_of_five_thousand_digits_is_read() -> None:
    assert len(facts("9" * 5_000)) == 1


@pytest.mark.parametrize("words", [("burns", "burned", "burning"), ("classes", "class")])
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("twenty-four at most", 24, 24),
        ("two dozen", 24, 24),
        ("two hundred and five", 205, 205),
        ("five thousand two hundred", 5200, 5200),
        ("one and a half", Fraction(3, 2), Fraction(3, 2)),
        ("half an hour", 1800, 1800),
        ("an hour and a half", 5400, 5400),
        ("between four and sixteen", 4, 16),
        ("between 10 gp and 20", 10, 20),
        ("two-four", 2, 4),
        ("3 p.m.", 15, 15),
    ],
)
def test_numbers_in_words_are_read_whole(text: str, low: Fraction, high: Fraction) -> None:
    (fact,) = [fact for fact in facts(text) if not fact.weak]
    assert (fact.low, fact.high) == (low, high)


def test_a_fall_from_one_number_to_another_is_no_range() -> None:
    assert [fact.low for fact in facts("from 120' to 60'")] == [120, 60]


def test_a_number_of_dice_may_have_two_words() -> None:
    assert [fact.die for fact in facts("twenty five d6")] == ["25d6"]


def test_dice_of_no_number_of_sides_are_none() -> None:
    assert [fact.die for fact in facts("Roll two many-sided dice.")] == [""]
