"""The amounts of a table's columns, and which of them a limit is of."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from api.answer.question.limits import DICE, MONEY, highest
from retrieval.ranking.lines import QuestionWords
from retrieval.text.quantities import CURRENCIES, Interval, intervals
from retrieval.text.units import SIZES
from retrieval.vocabulary.terms import stems_of

RATE = re.compile(r"\b(?:an?|per|each) \w+|/ ?\w+", re.IGNORECASE)
FREE = re.compile(r"\W*free\W*", re.IGNORECASE)
ENDLESS = re.compile(
    r"(?:permanent(?:ly)?|unlimited|for ?ever|endless|no (?:limit|end)|for life)\b", re.IGNORECASE
)
BESIDES = re.compile(r"\([^()]{1,60}\)|\*")  # "8* (36hp)"
_HOURS = re.compile(
    r"\b(\d{1,3}) ?(?:h|hrs?|hours?)(?: and|,)? ?(\d{1,2}) ?(?:m|mins?|minutes?)\b", re.IGNORECASE
)
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_FRACTION = re.compile(r"(\d{1,9})? ?([½¼¾])")
PRICES = frozenset(stems_of("cost price fee charge amount wage pay paid"))


def asked_columns(
    names: Sequence[str],
    table: Sequence[Sequence[str]],
    limit: Interval,
    asked: QuestionWords,
) -> list[list[Interval]]:
    """Return the amounts of the column that is meant, a row each: of the unit, else of the name.

    Of columns of prices that fit alike ("Adults", "Juniors") those of all, else of the first. Of
    money, and of a number alone, a price is meant. A column has amounts in half of its rows.
    """
    bounds = {f"{bound:g}" for bound in (limit.low, limit.high)}  # "3 or more" names no column "3"
    further = {f"{value.number:g}" for value in asked.values}  # "first level": a column "1"
    words = (asked.words | further) - bounds
    fields = asked.fields | (PRICES if limit.units <= MONEY else frozenset())
    is_price = bool(limit.units) and (limit.units <= MONEY or not asked.fields.isdisjoint(PRICES))
    best: tuple[bool, int, bool] = (False, 0, False)
    amounts: list[list[Interval]] = [[] for _ in table]
    for place, name in enumerate(names):
        stems = asked.stems(RATE.sub(" ", name))  # "Times a day" are no days
        cells = [row[place] if place < len(row) else "" for row in table]
        found = [in_unit_of(cell, stems, limit) for cell in cells]
        if 2 * sum(one is not None for one in found) < len(table):
            continue
        signs = {CURRENCIES[stem] for stem in stems & CURRENCIES.keys()}
        own = frozenset().union(*(one.units for one in found if one))
        units = stems.union(signs, own)
        is_unit = not asked.terms.in_full(limit.units).isdisjoint(units)
        fits = (is_unit, len(stems & words), bool(stems & fields))
        is_named = not own and not stems.isdisjoint(words | fields)  # bare numbers below "Price"
        if fits < best or not any(fits) or not (is_unit or limit.units <= MONEY or is_named):
            continue
        if fits > best:
            best, amounts = fits, [[] for _ in table]
        elif not is_price:  # the first: they are of other things
            continue
        amounts = [[*row, *filter(None, [one])] for row, one in zip(amounts, found, strict=True)]
    return amounts


def in_unit_of(
    cell: str, column: frozenset[str], limit: Interval, *, is_price: bool = False
) -> Interval | None:
    """Return what a cell says, in the unit of the limit; None where it says nothing of that kind.

    `column` holds the stems of its column's name. `is_price`: both are of money, whatever unit the
    cell names.
    """
    if limit.units == DICE:
        most = highest(cell)
        return None if most is None else Interval(most, most, DICE, most)
    if FREE.fullmatch(cell):
        return Interval(0.0, 0.0, frozenset(), 0.0)
    if ENDLESS.match(cell):
        return Interval(math.inf, math.inf, limit.units, math.inf)
    found = next(intervals(written_out(cell)), None)
    if found and is_price:
        return replace(found, units=limit.units)
    return found and in_units_of(found, limit, column)


def in_units_of(
    found: Interval, limit: Interval, column: frozenset[str] = frozenset()
) -> Interval | None:
    """Return an amount in the unit of a limit; None for one of another kind.

    `column` holds the stems of what the amount stands below, which may have its unit.
    """
    if not limit.units:
        return found
    units = found.units or column & SIZES.keys()
    if units & limit.units or not units:
        return found
    for unit in units & SIZES.keys():
        for wanted in limit.units & SIZES.keys():
            (kind, size), (other, of) = SIZES[unit], SIZES[wanted]
            if kind == other:
                low, high = found.low * size / of, found.high * size / of
                return Interval(low, high, limit.units, high)
    return None if found.units else found


def written_out(cell: str) -> str:
    """Return a cell with its fractions in decimals, 3.5 of "3½", hours and minutes in minutes."""
    cell = _HOURS.sub(lambda one: f"{60 * int(one[1]) + int(one[2])} minutes", cell)
    return _FRACTION.sub(lambda one: f"{one[1] or 0}{_FRACTIONS[one[2]]}", cell)


def size(
    cell: str, column: frozenset[str], *, is_highest: bool = False
) -> tuple[str, float] | None:
    """Return the kind of unit of a cell's first amount, and its size in the kind's smallest unit.

    Of a range its beginning, `is_highest` its end; of "up to 60 days" these 60. Of several amounts
    ("60', flying; 120'") the first, `is_highest` the highest.

    The unit is the cell's own, else its column's; one of no known kind counts as none. Of dice the
    size is the most that they show.
    """
    cell = written_out(cell)
    if FREE.fullmatch(cell):
        return "", 0.0
    if ENDLESS.match(cell):
        return "", math.inf
    if is_highest and ";" in cell:
        parts = (size(part, column, is_highest=True) for part in cell.split(";"))
        return max(filter(None, parts), key=lambda part: part[1], default=None)
    if (most := highest(cell)) is not None:
        return "", most
    found = next(intervals(cell), None)
    if found is None:
        return None
    units = found.units & SIZES.keys() or column & SIZES.keys()
    known = [SIZES[unit] for unit in sorted(units)]
    kind, unit = known[0] if known else ("", 1.0)
    is_end = math.isfinite(found.high) and (is_highest or (found.low == 0 and found.is_range))
    return kind, (found.high if is_end else found.low) * unit
