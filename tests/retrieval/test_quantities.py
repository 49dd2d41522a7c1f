"""Numbers as values and intervals, with their units."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.quantities import intervals, values
from retrieval.text.units import SIZES
from retrieval.text.words import stem

UNLIMITED = math.inf


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("6–8", 6, 8, ""),
        ("4th–6th level", 4, 6, "level"),
        ("Level 4 to 6", 4, 6, "level"),
        ("between 8 and 30 days", 8, 30, "day"),
        ("£60 to £1,500", 60, 1500, "£"),
        ("6 kg-8 kg", 6, 8, "kg"),
        ("31 or more", 31, UNLIMITED, ""),
        ("12 metres and over", 12, UNLIMITED, "metr"),
        ("Senior 65+", 65, UNLIMITED, "senior"),
        ("at least three years", 3, UNLIMITED, "year"),
        ("not less than 4 people", 4, UNLIMITED, "peopl"),
        ("up to 12", 0, 12, ""),
        ("20 per cent or less", 0, 20, "%"),
        ("at most 5 %", 0, 5, "%"),
        ("no more than two weeks", 0, 2, "week"),
        ("my 4-year-old", 4, 4, "year"),
        ("Twelve", 12, 12, ""),
    ],
)
def test_a_text_holds_one_interval(text: str, low: float, high: float, unit: str) -> None:
    (found,) = intervals(text)
    assert (found.low, found.high) == (low, high)
    assert found.units == ({unit} if unit else set())


@pytest.mark.parametrize(
    ("text", "within", "outside"),
    [
        ("over 20 to 35 kg", 35, 20),
        ("less than 30 days", 29.5, 30),
        ("over 3", 3.5, 3),
        ("older than 14", 15, 14),
    ],
)
def test_what_is_over_or_under_a_number_leaves_it_out(
    text: str, within: float, outside: float
) -> None:
    (found,) = intervals(text)
    assert found.low <= within <= found.high
    assert not found.low <= outside <= found.high


@pytest.mark.parametrize("text", ["2d6+1", "10:30", "1/2", "1.2.3", "A4", "1234567", "one of them"])
def test_dice_times_fractions_and_codes_are_no_amounts(text: str) -> None:
    assert list(intervals(text)) == []


def test_a_question_has_both_ends_of_its_range_as_values() -> None:
    assert [value.number for value in values("8 to 12 days, 8 to 12 days")] == [8, 12]
    assert [value.number for value in values("up to 5 or at least 7")] == [5, 7]


@pytest.mark.parametrize(
    ("large", "small", "times"),
    [("metre", "cm", 100), ("ft", "inches", 12), ("month", "days", 30), ("year", "days", 365),
     ("gp", "sp", 10), ("gb", "kilobytes", 10**6), ("lb", "ounces", 16)],
)  # fmt: skip
def test_amounts_of_units_of_one_kind_are_compared_exactly(
    large: str, small: str, times: int
) -> None:
    (kind, size), (other, of) = SIZES[stem(large)], SIZES[stem(small)]
    assert (kind, size) == (other, times * of)


@given(st.text(alphabet="0123456789-+ to.,£%orlesmdayup", max_size=60))
def test_any_text_has_intervals_that_are_none_backwards(text: str) -> None:
    assert all(0 <= one.low <= one.high for one in intervals(text))
