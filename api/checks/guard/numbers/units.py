"""What numbers are worth, and units of general English: 30', 30 ft and 10 yards are one length.

Units of one game or trade (a turn, a seat, a gold piece) are not here: they are whatever word
follows a number in the passages, see `facts.py`.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from retrieval.text import numbers_in_words
from retrieval.text.words import stem

Dimension = Literal["distance", "duration", "price", "percentage", "measure"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One of `base` is what `factor` of this unit makes 1 of; "yard" is 3 of the base "foot"."""

    dimension: Dimension
    base: str
    factor: Fraction


def _unit(dimension: Dimension, base: str, factor: int | Fraction = 1) -> Unit:
    return Unit(dimension, base, Fraction(factor))


_SPACED = re.compile(r"(?<=\d) (?=\d{3}(?!\d|/))")
_LONGEST = 300  # characters of a number that count; Python refuses to read 4,301 digits
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3)}
_DAY = 24 * 3600
_SPELLINGS: dict[Unit, str] = {
    _unit("distance", "foot"): "' ft foot feet",
    _unit("distance", "foot", Fraction(1, 12)): '" inch inches',
    _unit("distance", "foot", 3): "yard yards yd yds",
    _unit("distance", "foot", 5280): "mile miles",
    _unit("distance", "metre"): "m metre metres meter meters",
    _unit("distance", "metre", Fraction(1, 1000)): "mm millimetre millimetres",
    _unit("distance", "metre", Fraction(1, 100)): "cm centimetre centimetres centimeter",
    _unit("distance", "metre", 1000): "km kilometre kilometres kilometer kilometers",
    _unit("duration", "second"): "second seconds sec secs",
    _unit("duration", "second", Fraction(1, 1000)): "ms millisecond milliseconds",
    _unit("duration", "second", 60): "minute minutes min mins",
    _unit("duration", "second", 3600): "hour hours hr hrs",
    _unit("duration", "second", _DAY): "day days",
    _unit("duration", "second", 7 * _DAY): "week weeks",
    _unit("duration", "month"): "month months",
    _unit("duration", "month", 12): "year years",
    _unit("price", "dollar"): "$ usd dollar dollars",
    _unit("price", "euro"): "€ eur euro euros",
    _unit("price", "pound sterling"): "£ gbp",
    _unit("percentage", "%"): "% percent",
    _unit("measure", "pound"): "lb lbs pound pounds",
    _unit("measure", "pound", Fraction(1, 16)): "oz ounce ounces",
    _unit("measure", "gram"): "g gram grams",
    _unit("measure", "gram", 1000): "kg kilogram kilograms",
    _unit("measure", "pint"): "pint pints",
    _unit("measure", "pint", 2): "quart quarts",
    _unit("measure", "pint", 8): "gallon gallons",
    _unit("measure", "litre"): "l litre litres liter liters",
    _unit("measure", "byte"): "byte bytes",
    _unit("measure", "byte", 10**3): "kb kilobyte kilobytes",
    _unit("measure", "byte", 10**6): "mb megabyte megabytes",
    _unit("measure", "byte", 10**9): "gb gigabyte gigabytes",
    _unit("measure", "byte", 10**12): "tb terabyte terabytes",
    _unit("measure", "degree"): "° degree degrees",
}
_UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
WORDS = frozenset(word for word in _UNITS if word.isalpha())
STEMS = frozenset(map(stem, WORDS))


def of_column(name: str) -> Unit | None:
    """Return the unit that a column's name gives its numbers: "Cost (euros)"; None for none.

    What they are counted for is none ("Price per month"), nor what they are numbers of ("Day").
    """
    words = re.sub(r"\b(?:per|an?|each|every) \w+", "", name.lower())
    found = (
        find(word) for word in re.findall(r"(?<=\()\w+(?=\))|\b[^\W\d_]++(?<=s)\b|feet|%", words)
    )
    return next((unit for unit in found if unit), None)


def find(word: str) -> Unit | None:
    """Return the unit that a lower-case word or sign stands for, or None."""
    return _UNITS.get(word)


def value(written: str) -> Fraction:
    """Return what a number as `facts` finds it stands for: 1,200, 1 1/2, 1.2k, "two and a half".

    Raises KeyError for words that are no number.
    """
    plain = written.strip("$€£").replace(",", "").lower()[:_LONGEST]
    whole, more, part = plain.partition(" and a ")
    if more:
        return value(whole) + _PARTS[part]
    plain = _SPACED.sub("", plain)
    if plain[-1:] == "k" and plain[:-1].replace(".", "").isdigit():
        return Fraction(plain[:-1]) * 1000
    if not plain[:1].isdigit():
        return numbers_in_words.value(plain)
    first, *rest = plain.replace("+", " ").split()
    if not rest:
        return Fraction(first)
    if "/" in rest[0]:
        return Fraction(first) + Fraction(rest[0])
    return Fraction(first) * numbers_in_words.value(rest[0])
