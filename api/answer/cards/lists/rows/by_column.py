"""The amounts of a table's columns: the rows that have most of one, and which one is meant."""

import math
import re
from collections.abc import Sequence

from api.answer.cards.blocks import Part
from api.answer.question.limits import DICE, MONEY, highest, superlative
from retrieval.ranking.lines import QuestionWords
from retrieval.text.quantities import CURRENCIES, Interval, intervals
from retrieval.text.units import SIZES
from retrieval.vocabulary.terms import stems_of

_RATE = re.compile(r"\b(?:an?|per|each) \w+|/ ?\w+", re.IGNORECASE)
FREE = re.compile(r"\W*free\W*", re.IGNORECASE)
_PRICE = frozenset(stems_of("price"))
_PRICES = frozenset(stems_of("cost price fee charge amount wage pay paid"))
_LEAST_ROWS = 3  # with an amount; of two a comparison asks
_LENGTHS = frozenset(stems_of("length duration time"))
_MEASURED = frozenset({"second", "metre", "foot"})  # kinds of units that say how long
_ALSO_WORDS = {"min", "second"}  # "Min age", "second stop": units where they stand alone
# What is said of a thing and is no part of its name: "which engines need the fewest crew".
_SAID_OF_IT = frozenset(stems_of("need require have get take give use cost pay type kind sort"))


def extreme_rows(
    names: Sequence[str],
    table: Sequence[tuple[Part, Sequence[str]]],
    own: frozenset[str],
    asked: QuestionWords,
) -> tuple[tuple[Part, ...], str] | None:
    """Return the rows, of equal ones all, and the word of the question that chose them.

    `names` are those of the columns, `own` the stems of its heading and columns: a file "Mounts and
    Tack" has a table of tack. None where the question has no superlative or asks for something
    else, and where less than half of the rows have an amount or these are of two kinds.
    """
    wanted = superlative(asked.question)
    if wanted is None:
        return None
    column = next((n for n, name in enumerate(names) if _is_of(name, wanted.fields, asked)), None)
    thing = asked.words - asked.stems(wanted.said) - asked.terms.in_full(wanted.fields)
    thing -= _SAID_OF_IT
    if column is None or not thing or not thing <= own:
        return None
    parts = most_of(names[column], column, table, asked, is_highest=wanted.highest)
    return (parts, wanted.said) if parts else None


def column_of(
    names: Sequence[str], fields: frozenset[str], above: frozenset[str], asked: QuestionWords
) -> int | None:
    """Return which column has the fields: by its name, or by its unit where they say how long.

    Where the stems `above` a table say so, the column that the question names: "High season" of a
    table of fees. None where no column is told by these.
    """
    by_name = (n for n, name in enumerate(names) if _is_of(name, fields, asked))
    if (column := next(by_name, None)) is not None:
        return column
    stems = [asked.stems(name) for name in names]
    if fields & _LENGTHS:
        units = [stem & SIZES.keys() - (_ALSO_WORDS if len(stem) > 1 else set()) for stem in stems]
        of = [n for n, own in enumerate(units) if any(SIZES[u][0] in _MEASURED for u in own)]
        return of[0] if len(of) == 1 else None
    if above.isdisjoint(asked.terms.in_full(fields)):
        return None
    said = [len(stem & asked.words) for stem in stems[1:]]
    most = max(said, default=0)
    return said.index(most) + 1 if most and said.count(most) == 1 else None


def most_of(
    name: str,
    column: int,
    table: Sequence[tuple[Part, Sequence[str]]],
    asked: QuestionWords,
    *,
    is_highest: bool,
    least: int = _LEAST_ROWS,
) -> tuple[Part, ...]:
    """Return the rows that have most, or least, of the column called `name`, of equal ones all.

    () where less than half of the rows, or fewer than `least`, have an amount, or where these are
    of two kinds, or equal.
    """
    unit = asked.stems(name)
    given = [
        (part, size(cells[column], unit, is_highest=is_highest))
        for part, cells in table
        if column < len(cells)
    ]
    amounts = {part: amount for part, amount in given if amount}
    kinds = {kind for kind, most in amounts.values() if most}  # nothing is nothing in any unit
    if len(kinds) != 1 or len(amounts) < max(least, len(table) / 2):
        return ()
    choose = max if is_highest else min
    most = choose(amount for _, amount in amounts.values())
    parts = tuple(part for part, (_, amount) in amounts.items() if amount == most)
    return parts if len(parts) < len(amounts) else ()


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
    fields = asked.fields | (_PRICES if limit.units <= MONEY else frozenset())
    is_price = bool(limit.units) and (limit.units <= MONEY or not asked.fields.isdisjoint(_PRICES))
    best: tuple[bool, int, bool] = (False, 0, False)
    amounts: list[list[Interval]] = [[] for _ in table]
    for place, name in enumerate(names):
        stems = asked.stems(_RATE.sub(" ", name))  # "Times a day" are no days
        cells = [row[place] if place < len(row) else "" for row in table]
        found = [_in_unit_of(cell, stems, limit) for cell in cells]
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


def _in_unit_of(cell: str, column: frozenset[str], limit: Interval) -> Interval | None:
    """What a cell says, in the unit of the limit; None where it says nothing of that kind."""
    if limit.units == DICE:
        most = highest(cell)
        return None if most is None else Interval(most, most, DICE, most)
    if FREE.fullmatch(cell):
        return Interval(0.0, 0.0, frozenset(), 0.0)
    found = next(intervals(cell), None)
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


def _is_of(name: str, fields: frozenset[str], asked: QuestionWords) -> bool:
    """Whether a column is one of the fields; of prices one of money is: "Gp per month"."""
    units = MONEY if fields & _PRICE else frozenset()
    return not asked.stems(name).isdisjoint(asked.terms.in_full(fields) | units)


def size(
    cell: str, column: frozenset[str], *, is_highest: bool = False
) -> tuple[str, float] | None:
    """Return the kind of unit of a cell's first amount, and its size in the kind's smallest unit.

    Of a range its beginning, `is_highest` its end; of "up to 60 days" these 60.

    The unit is the cell's own, else its column's; one of no known kind counts as none. Of dice the
    size is the most that they show.
    """
    if FREE.fullmatch(cell):
        return "", 0.0
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
