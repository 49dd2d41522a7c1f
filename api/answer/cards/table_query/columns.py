"""How well a column of a table fits what a question compares: by its name, its unit, its words."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from api.answer.cards.lists.rows.by_column import PRICES, RATE, size
from api.answer.cards.table_query.grids import Comparable
from api.answer.question.limits import MONEY
from api.answer.question.superlatives import Superlative
from retrieval.ranking.lines import QuestionWords
from retrieval.text.quantities import CURRENCIES, intervals
from retrieval.vocabulary.terms import stems_of

NAMED, OF_UNIT, SAID = 3.0, 2.0, 1.0  # what a column counts that fits so
_HALF, _QUARTER = 0.5, 0.25  # of the rows: what has to have an amount, fewer in a named column
_LEAST = 2
_MOSTLY = 0.5  # of a column's amounts are of one kind
_OF_TIME = frozenset({"second"})
_OWN_RATE = re.compile(r"\d (?:an?|per|each|for) [^\W\d]", re.IGNORECASE)
_SIGNS = frozenset(CURRENCIES.values())


class Met(NamedTuple):
    """The rows that meet a condition, by which column, and how well that fits the question."""

    score: float
    rows: frozenset[int]
    column: int


class Fit(NamedTuple):
    """A column with how well it fits and the amounts of its cells, None where there is none."""

    score: float
    column: int
    amounts: tuple[float | None, ...]


def is_money(name: str, cells: Sequence[str]) -> bool:
    """Tell whether a column is of prices: by its name, or by most of its cells."""
    of_money = MONEY | _SIGNS
    if not of_money.union(PRICES).isdisjoint(stems_of(name)) or any(one in name for one in _SIGNS):
        return True
    first = (next(intervals(cell), None) for cell in cells)
    told = sum(one is not None and not one.units.isdisjoint(of_money) for one in first)
    return told > _HALF * len(cells)


def fitting(grid: Comparable, wanted: Superlative, asked: QuestionWords) -> list[Fit]:
    """Return the columns that may be compared, the best fitting ones first, all with a fit.

    Where the heading says what is compared and no column does, those of amounts are of it: "Wages
    by race".
    """
    fields = asked.terms.in_full(wanted.fields)
    # "Boats" is no name of what the biggest boat has most of.
    behind = asked.stems(wanted.behind)
    is_above = wanted.kinds - {"people"} and not grid.above(asked).isdisjoint(fields)
    found: list[Fit] = []
    for column, name in enumerate(grid.names):
        if not column:
            continue
        cells, stems = grid.cells(column), asked.stems(name)
        if RATE.search(name):  # "12.00 a firing" is no charge by the hour
            cells = ["" if _OWN_RATE.search(cell) else cell for cell in cells]
        sizes = [size(cell, stems, is_highest=wanted.is_highest) for cell in cells]
        is_named = not stems.isdisjoint(fields) or bool(stems and stems <= behind)
        known = [one for one in sizes if one]
        least = 0.0 if is_above else _QUARTER if is_named else _HALF
        if len(known) < max(_LEAST, least * len(cells)):
            continue
        kinds = Counter(kind for kind, _ in known)
        kind = max(kinds, key=lambda one: (one in wanted.kinds, kinds[one]))
        if wanted.kinds == _OF_TIME and kind and kind not in _OF_TIME:  # a length in metres
            continue
        score = NAMED if is_named else 0.0
        if "money" in wanted.kinds and is_money(name, cells):
            score = NAMED
        elif kind and kind in wanted.kinds:
            score = max(score, OF_UNIT)
        if score or is_above or not (wanted.is_named or wanted.kinds):
            score += said_of(stems & asked.words - asked.stems(wanted.said), is_alone=not score)
        amounts = tuple(one[1] if one and (not one[1] or one[0] == kind) else None for one in sizes)
        if sum(one is not None for one in amounts) < len(known) * _MOSTLY:
            continue
        found.append(Fit(score, column, amounts))
    most = max((one.score for one in found), default=0.0)
    if most < OF_UNIT and is_above:
        found = [one._replace(score=one.score + OF_UNIT) for one in found]
    return sorted((one for one in found if one.score), key=lambda one: -one.score)


def said_of(words: frozenset[str], *, is_alone: bool = False) -> float:
    """Return what the words of a question count that a column's name has: "high season" of two.

    `is_alone`: where nothing else tells that it is meant.
    """
    more = 0.5 * SAID * (len(words) - 1)
    return (1.5 * SAID if is_alone else SAID) + more if words else 0.0


def best_of(fits: Sequence[Fit]) -> list[Fit]:
    """Return those that fit best, several where they fit alike."""
    return [one for one in fits if one.score == fits[0].score] if fits else []
