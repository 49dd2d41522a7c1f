"""Units of measure: how large each is, and which numbers of a text have one.

30', 30 ft and 10 yards are one length. Units of one game or trade (a turn, a seat) are not here,
but for coins: the guard takes them as whatever word follows a number in the passages.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

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
UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
WORDS = frozenset(word for word in UNITS if word.isalpha())
STEMS = frozenset(map(stem, WORDS))
_COINS = {"cp": 1, "sp": 10, "ep": 50, "gp": 100, "pp": 500}
_COMPARED = [one for one in _SPELLINGS if one.dimension in ("distance", "duration", "measure")]
_SMALLEST = {  # whole numbers of it, so that 0.3 of one unit is 3 of the other, and not nearly
    one.base: min(other.factor for other in _COMPARED if other.base == one.base)
    for one in _COMPARED
}
# By the stem of a unit in which a table's amounts are compared: what of, and its size in that.
SIZES = {
    stem(word): (one.base, float(one.factor / _SMALLEST[one.base]))
    for one in _COMPARED for word in _SPELLINGS[one].split() if word.isalpha()
} | {coin: ("coin", float(size)) for coin, size in _COINS.items()}  # fmt: skip
for _time, _days in {"month": 30, "year": 365}.items():  # beside days and weeks, as a table has it
    SIZES[_time] = (SIZES["day"][0], _days * SIZES["day"][1])
# What tables write for units: "20-39 min". "m" is none of them, nor "s" or "d".
WRITTEN = {
    "min": "minute", "mins": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "sec": "second",
    "secs": "second", "wk": "week", "wks": "week", "yr": "year", "yrs": "year", "ft": "foot",
}  # fmt: skip
# What a question may say in one of two units and a rule in the other.
_NEIGHBOURS = (
    ("week", "day"), ("day", "hour"), ("hour", "minute"), ("minute", "second"), ("year", "month"),
    ("month", "day"), ("yard", "foot"),
)  # fmt: skip
# So many of the smaller unit are one of the larger one. A month is thirty days, as a table has it,
# and twelve of them are a year: whole ones are counted.
FACTORS = {
    (stem(large), stem(small)): int(SIZES[stem(large)][1] // SIZES[stem(small)][1])
    for large, small in _NEIGHBOURS
}
MEASURES = frozenset(unit for pair in FACTORS for unit in pair)
# A figure with a unit that every reader knows: "60 feet".
AMOUNT = re.compile(
    r"(?<![\w.,])\d[\d.,]*+[ -]?(?:f(?:oo|ee)t|ft|inch(?:es)?|yards?|miles?|k?m|"
    r"(?:kilo)?met(?:er|re)s?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|kg|lbs?|pounds?|percent)\b",
    re.IGNORECASE,
)
