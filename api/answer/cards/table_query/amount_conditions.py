"""The rows whose amount meets a limit, or is the value that a question looks up."""

import math
import re
from collections.abc import Sequence

from api.answer.cards.lists.rows.by_amount import fits
from api.answer.cards.lists.rows.by_column import RATE, in_unit_of
from api.answer.cards.table_query.columns import NAMED, OF_UNIT, SAID, Met, is_money, said_of
from api.answer.cards.table_query.grids import Comparable
from api.answer.question.limits import MONEY, PEOPLE, Amount, amount, counted
from retrieval.ranking.lines import QuestionWords
from retrieval.text.quantities import Interval, Value
from retrieval.text.units import SIZES
from retrieval.vocabulary.terms import stems_of

_MOST_LIMITS = 2
_LEAST, _HALF, _THIRD = 2, 0.5, 3  # amounts of a column, and of how many of its rows
_FOR_PEOPLE = re.compile(
    r"\b(?:for|holds?|fits?|seats?|takes?) (?P<number>\d{1,4}) (?P<unit>[a-z]{3,12})\b",
    re.IGNORECASE,
)
# What is asked of an amount that names no unit: "jobs that earn more than 250".
_EARNS = re.compile(
    r"\b(?:earns?|paid|pays?|costs?|worth|spends?|for|under|points?)\b", re.IGNORECASE
)


def amounts(question: str) -> list[Amount]:
    """Return what limits a question's things, up to two: "under 10 gp and under 50 coins"."""
    found: list[Amount] = []
    rest = counted(question)
    while len(found) < _MOST_LIMITS and (one := amount(rest)):
        found.append(one)
        rest = rest.replace(one.said, " ; ", 1)
    return found


def room_for(question: str) -> Amount | None:
    """Return the number of people that there has to be room for: "for 25 people"; else None."""
    found = _FOR_PEOPLE.search(question)
    units = frozenset(stems_of(found["unit"])) if found else frozenset[str]()
    if found is None or not units <= PEOPLE:
        return None
    return Amount(Interval(float(found["number"]), math.inf, units, math.inf), found[0])


def by_limit(wanted: Amount, grid: Comparable, asked: QuestionWords) -> Met | None:
    """Return the rows whose amount meets the limit, in the column that fits it best.

    Of several columns of prices that fit alike in any of them. None where no column fits, or where
    all rows meet it or none.
    """
    bounds = {f"{one:g}" for one in (wanted.limit.low, wanted.limit.high)}
    best: Met | None = None
    for column, name in enumerate(grid.names):
        met = _within(grid, column, wanted, asked) if column and name not in bounds else None
        if met and (best is None or met.score > best.score):
            best = met
        elif met and best and met.score == best.score and not wanted.limit.units.isdisjoint(MONEY):
            best = best._replace(rows=best.rows | met.rows)
    return best


def _within(grid: Comparable, column: int, wanted: Amount, asked: QuestionWords) -> Met | None:
    name, cells, limit = grid.names[column], grid.cells(column), wanted.limit
    stems = asked.stems(RATE.sub(" ", name))
    of_money = not limit.units.isdisjoint(MONEY)
    of_price = is_money(name, cells)
    sizes = [in_unit_of(cell, stems, limit, is_price=of_price and of_money) for cell in cells]
    known = [one for one in sizes if one]
    score = _fit(stems, known, wanted, asked, of_price=of_price)
    is_named = not stems.isdisjoint(asked.words | asked.terms.in_full(wanted.fields))
    if not score or len(known) < (_LEAST if is_named else max(_LEAST, _HALF * len(cells))):
        return None
    rows = frozenset(n for n, one in enumerate(sizes) if one and fits(one, limit))
    return Met(score, rows, column) if 0 < len(rows) < len(cells) else None


def _fit(
    stems: frozenset[str],
    known: Sequence[Interval],
    wanted: Amount,
    asked: QuestionWords,
    *,
    of_price: bool,
) -> float:
    """How well a column fits a limit: by its unit, by its name, by what is said of money."""
    units = wanted.limit.units
    own = stems.union(*(one.units for one in known))
    score = 0.0
    if of_price and units & MONEY:
        score = NAMED
    elif asked.terms.in_full(units) & own or _measure_alike(units, own):
        score = OF_UNIT + SAID
    elif of_price and units.isdisjoint(SIZES.keys()) and _EARNS.search(asked.question):
        score = OF_UNIT
    if stems & asked.terms.in_full(wanted.fields):
        score = max(score, NAMED)
    return score + said_of(stems & asked.words - asked.stems(wanted.said), is_alone=not score)


def _measure_alike(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two of the units measure the same: hours and days."""
    kinds = ({SIZES[unit][0] for unit in units & SIZES.keys()} for units in (some, others))
    return bool(set.intersection(*kinds))


def by_value(
    value: Value, grid: Comparable, asked: QuestionWords, *, is_listed: bool = False
) -> Met | None:
    """Return the rows with a value of the question's, or with the least range that holds it.

    In a column that is called as the value is ("extension 16") or has its unit: "60 feet".
    `is_listed`: all that have it are asked for, however many.
    """
    best: Met | None = None
    for column, name in enumerate(grid.names):
        stems = asked.stems(RATE.sub(" ", name))
        limit = Interval(value.number, value.number, value.units, value.number)
        of_price = not value.units.isdisjoint(MONEY) and is_money(name, grid.cells(column))
        sizes = [in_unit_of(cell, stems, limit, is_price=of_price) for cell in grid.cells(column)]
        known = [one for one in sizes if one]
        own = stems.union(*(one.units for one in known))
        is_unit = bool(asked.terms.in_full(value.units) & own) or _measure_alike(value.units, own)
        is_named = is_listed and not stems.isdisjoint(asked.words)
        least = _LEAST if is_named else max(_LEAST, _HALF * len(sizes))
        if not (is_unit or of_price) or len(known) < least:
            continue
        holding = [
            (n, one) for n, one in enumerate(sizes) if one and one.low <= value.number <= one.high
        ]
        least = min((one.high - one.low for _, one in holding), default=0.0)
        rows = frozenset(n for n, one in holding if one.high - one.low == least)
        score = NAMED + (0.5 * SAID if stems & value.units else 0)
        if (
            rows
            and (is_listed or len(rows) <= max(1, len(sizes) // _THIRD))
            and (best is None or score > best.score)
        ):
            best = Met(score, rows, column)
    return best
