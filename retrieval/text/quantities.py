"""Numbers as people mean them: "6-8", "31 or more" and "under 30 days" are intervals with a unit.

A question's numbers are values and a rule's are intervals: whether one holds the other is
arithmetic and no likeness of words.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from retrieval.text.normalize import searchable
from retrieval.text.units import FACTORS, WRITTEN
from retrieval.text.words import STOP, stem

# Dice, times, fractions, versions and codes are no amounts, nor is a number of more digits.
_TOKEN = re.compile(
    r"(?P<other>\d*d\d+(?:[+x-]\d+)?|\d{1,9}(?:[:/]\d{1,9})+|\d{1,9}(?:\.\d{1,9}){2,}"
    r"|[a-z]+\d\w*|\d{7,}[\d.]*)"
    r"|(?P<number>\d{1,6}(?:\.\d{1,4})?)(?:st|nd|rd|th)?(?!\.?\d)|[a-z]+|[£$€%+-]"
)
_BELOW = {
    "under", "below", "less", "fewer", "lower", "smaller", "younger", "shorter", "lighter",
    "cheaper", "slower",
}  # fmt: skip
_ABOVE = {
    "over", "above", "more", "greater", "higher", "older", "longer", "heavier", "larger", "beyond",
    "exceeding", "upwards", "up", "deeper", "wider", "taller", "bigger", "faster", "farther",
}  # fmt: skip
_MOST = {("up", "to"), ("at", "most")}
_MOST_WORDS = {"within", "maximum", "max"}
_LEAST_WORDS = {"minimum", "min"}
_TO = {"-", "to"}
_SYMBOLS = {"£", "$", "€", "%"}
_PERCENT = {"percent", "percentage"}
CURRENCIES = {"euro": "€", "eur": "€", "dollar": "$", "usd": "$", "gbp": "£"}  # by their stems
_SPOKEN = {"kilo": "kg"}  # by their stems
_NO_UNIT = STOP | _BELOW | _ABOVE | {"old", "x", "least", "d"}


class Value(NamedTuple):
    """A number of a question with the stems of its units; none where it has no unit."""

    number: float
    units: frozenset[str]

    def in_other_units(self) -> "Iterator[Value]":
        """Yield the same in the next smaller unit and, where it is whole, in the next larger one.

        Three weeks are 21 days, and 21 days three weeks.
        """
        for (large, small), factor in FACTORS.items():
            if large in self.units:
                yield Value(self.number * factor, frozenset({small}))
            if small in self.units and self.number % factor == 0:
                yield Value(self.number / factor, frozenset({large}))


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, both within it; of one number they are equal, `high` may be infinite.

    `units` are stems of the word behind the number, or else before it, a currency's sign, "%".
    """

    low: float
    high: float
    units: frozenset[str]
    sure: float  # `high`, but of "5+" 5: it may be "5 or more", or, as of hit dice, "5 and a bit"

    @property
    def is_range(self) -> bool:
        """Whether it holds more than one number."""
        return self.low != self.high

    @property
    def outside(self) -> "Interval | None":
        """What it leaves out, where that is one interval: of "more than 30" what is up to 30."""
        if self.high == math.inf and self.low > 0:
            low, high = 0.0, math.nextafter(self.low, 0)
        elif self.low == 0 and self.high < math.inf:
            low, high = math.nextafter(self.high, math.inf), math.inf
        else:
            return None
        return Interval(low, high, self.units, high)


class _Token(NamedTuple):
    number: float | None
    word: str


def values(text: str) -> tuple[Value, ...]:
    """Return the numbers of a text, of "8 to 12 days" both; "over 30" is a little more than 30."""
    found = [
        Value(bound, one.units)
        for one in intervals(text)
        for bound in (one.low, one.high)
        if math.isfinite(bound) and not (bound == 0 and one.is_range)
    ]
    return tuple(dict.fromkeys(found))


def intervals(text: str) -> Iterator[Interval]:
    """Yield the intervals of a text in order, of numbers in words and ordinals in digits as well.

    "31 or more" ends at infinity, "up to 12" begins at 0.
    """
    tokens = [
        _Token(float(match["number"]) if match["number"] else None, match[0])
        for match in _TOKEN.finditer(searchable(text).lower())
    ]
    at = 0
    while at < len(tokens):
        first, end = tokens[at].number, at + 1
        if first is not None:
            last = _last(tokens, at)
            if last is not None:
                end = last + 1
            highest = tokens[end - 1].number or first
            low, high = _opened(tokens, at, end, first, highest)
            sure = highest if _is_plus(tokens, end) else high
            yield Interval(low, high, _units(tokens, at, end), sure)
        at = end


def _is_plus(tokens: Sequence[_Token], at: int) -> bool:
    """Whether a plus stands there that ends a number: "5+ kg", and no "5 + 3"."""
    behind = tokens[at : at + 2]
    return bool(behind) and behind[0].word == "+" and all(t.number is None for t in behind[1:])


def _last(tokens: Sequence[_Token], at: int) -> int | None:
    """Where a range ends whose first number stands at `at`: "6 to 8", "6 kg-8 kg", "£6 to £8"."""
    joins = _TO | ({"and"} if at and tokens[at - 1].word == "between" else set())
    sign = at + 1
    if sign < len(tokens) and tokens[sign].number is None and tokens[sign].word not in joins:
        sign += 1  # a unit
    last = sign + 1
    last += last < len(tokens) and tokens[last].word in _SYMBOLS
    if last >= len(tokens) or tokens[sign].word not in joins:
        return None
    low, high = tokens[at].number, tokens[last].number
    return last if low is not None and high is not None and low < high else None


def _opened(
    tokens: Sequence[_Token], at: int, end: int, low: float, high: float
) -> tuple[float, float]:
    """The interval as the words before and behind it open it."""
    behind = [token.word for token in tokens[end : end + 4]]
    if _is_plus(tokens, end):
        return low, math.inf
    for sign, word in pairwise(behind):
        if sign in {"or", "and"} and word in _ABOVE:
            return low, math.inf
        if sign in {"or", "and"} and word in _BELOW:
            return 0.0, high
    before = [t.word for t in tokens[max(0, at - 4) : at] if t.word not in _SYMBOLS | {"than"}]
    two, one = tuple(before[-2:]), before[-1] if before else ""
    denied = not {"no", "not"}.isdisjoint(before[-2:-1])
    if two in _MOST or one in _MOST_WORDS or (denied and one in _ABOVE):
        return 0.0, high
    if two == ("at", "least") or one in _LEAST_WORDS or (denied and one in _BELOW):
        return low, math.inf
    if one in _BELOW:
        return 0.0, math.nextafter(low, 0)
    if one in _ABOVE:  # "over 20 to 35 kg" ends at 35
        is_one = low == high
        return math.nextafter(low, math.inf), math.inf if is_one else high
    return low, high


def _units(tokens: Sequence[_Token], at: int, end: int) -> frozenset[str]:
    """The sign before a number with the word behind it, or else the word before: "level 7"."""
    behind = [token for token in tokens[end : end + 3] if token.word not in {"-", "+"}]
    before = tokens[at - 1] if at else None
    units = {before.word} & _SYMBOLS if before else set()
    if [token.word for token in behind[:2]] == ["per", "cent"]:
        units.add("%")
    else:
        around = map(_unit, [*behind[:1], *([before] if before else [])])
        units.update([next(filter(None, around), "")])
    return frozenset(units - {""})


def _unit(token: _Token) -> str:
    if token.word in _PERCENT | {"%"}:
        return "%"
    is_unit = token.word.isalpha() and token.word not in _NO_UNIT
    unit = stem(WRITTEN.get(token.word, token.word)) if is_unit else ""
    return _SPOKEN.get(unit) or CURRENCIES.get(unit, unit)
