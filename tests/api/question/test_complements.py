"""A follow-up that asks for the others of a list turns the question before about."""

import pytest

from api.answer.question.complements import of_another_amount, the_others


@pytest.mark.parametrize(
    ("typed", "before", "asked"),
    [
        ("and which cant?", "which elves can swim", "which elves can not swim"),
        ("and the ones that don't", "ships that do leak", "ships that do not leak"),
        ("and who may not", "who may enter the hall", "who may not enter the hall"),
        ("and which cant?", "can an elf swim", None),  # no list
        ("and which cant?", "which elves cannot swim", None),  # they are denied already
        ("and which one", "which elves can swim", None),
        ("and which can", "which elves cant swim", "which elves can swim"),
        ("and which do", "which elves do not rent", "which elves do rent"),
        ("and which cannot", "which elves can rent", "which elves can not rent"),
        ("and without", "huts with a stove", "huts without stove"),
        ("and without", "huts with ale", "huts without ale"),
        ("and with", "huts without a stove", "huts with stove"),
        ("and which have none", "which huts have a stove", "which huts do not have a stove"),
        ("and without wool", "hats with wool", "hats without wool"),
        ("and with felt", "hats without wool", None),  # of something else
        ("and which dont", "keys that open the hall", "keys that do not open the hall"),
        ("and which arent", "which elks are good with cats", "which elks are not good with cats"),
        ("and which arent", "huts on the shore", "huts not on the shore"),
        ("and without", "can I row a boat with a hole", None),
        (
            "which of them need oars",
            "which huts allow dogs?",
            "which huts allow dogs and need oars",
        ),
        ("and which of these float", "can an elf swim", None),
        ("only those under 5 eur", "which huts float", "which huts float and under 5 eur"),
        ("just the ones that leak", "which huts float", "which huts float and leak"),
        ("only one?", "which huts float", None),
    ],
)
def test_the_others_are_those_that_the_question_before_denies(
    typed: str, before: str, asked: str | None
) -> None:
    assert the_others(typed, before) == asked


@pytest.mark.parametrize(
    ("typed", "before", "asked"),
    [
        ("and under 80", "huts with a rent over 80", "huts with a rent under 80"),
        ("under 60 eur", "huts over 80 eur a week", "huts under 60 eur a week"),
        ("and less than 5", "huts over 80 eur a week", "huts less than 5 eur a week"),
        ("and under 80 with a stove", "huts with a rent over 80", None),  # more is asked
        ("and under 80", "huts on the shore", None),
    ],
)
def test_an_amount_takes_the_place_of_the_one_before(
    typed: str, before: str, asked: str | None
) -> None:
    assert of_another_amount(typed, before) == asked
