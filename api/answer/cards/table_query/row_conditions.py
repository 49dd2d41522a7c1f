"""The rows that meet a condition: an amount, an age, nothing to pay, the same in two columns."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from api.answer.cards.lists.rows.by_age import asked_age, of_age
from api.answer.cards.lists.rows.by_column import FREE, in_units_of
from api.answer.cards.lists.rows.cell_marks import YES, bare, is_marked, is_said
from api.answer.cards.table_query.columns import NAMED, OF_UNIT, RATE, SAID, Met, is_money
from api.answer.cards.table_query.grids import Grid
from api.answer.question.limits import AGED, DICE, MONEY, Amount, amount, highest
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.text.quantities import Interval, Value, intervals
from retrieval.text.units import SIZES
from retrieval.vocabulary.terms import stems_of

Condition = Callable[[Grid, QuestionWords], Met | None]
_MOST_LIMITS = 2
_LEAST, _HALF = 2, 0.5  # amounts of a column, and of how many of its rows
_PRICES = frozenset(stems_of("cost price fee charge amount wage pay paid rate"))
_IN_YEAR = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|winter)\w{0,6}\b|"
    r"\bseason",
    re.IGNORECASE,
)
_IS_OF_AGE = re.compile(
    r"\b(?:is|am|are|['’]s|i['’]?m|turned|turns) (\d{1,2})"
    r"(?=[,.?!]| (?:and|what|which|who)\b|$)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:none|no|nil|nothing|free|never|not needed|0(?:[.,]0{1,3})?|[-–—−])(?: \(.{1,40}\))?",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"\b(?:costs?|costing|pay|paying) (?:\w+ )?(?:nothing|zero)\b|\bfree\b(?! \w+ing\b)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:without|no|never|zero|neither|nor|not|cannot|cant|dont|doesnt)\b|n['’]t\b",
    re.IGNORECASE,
)
# What is looked up the other way round, by a value: "which room has 20 m2".
_LOOKS_UP = re.compile(
    r"^\W*(?:with |at )?(?:which|who|how many|what"
    r"(?! (?:is|are|does|do|was|happens|if|about)\b))\b|"
    r", (?:which|who|what)\b",
    re.IGNORECASE,
)
_MEASURES = MONEY | SIZES.keys() | {"%"}
_BEHIND = 5  # words behind a denial that may name what is denied
_ONLY = re.compile(r"\bonly (?:the |an? )?(?P<who>[\w-]{2,20}(?: [\w-]{2,20})?)", re.IGNORECASE)
# What is asked of an amount that names no unit: "jobs that earn more than 250".
_EARNS = re.compile(
    r"\b(?:earns?|paid|pays?|costs?|worth|spends?|for|under|points?)\b", re.IGNORECASE
)
_SAME = re.compile(
    r"\b(?:same|equal|identical)\b(?! .{0,20}\bas (?:an? |the )?\w)|"
    r"\b(?:do|does|did)(?: not|n['’]?t)(?: \w+)? (?:change|differ|vary)\b|"
    r"\ball (?:year|season)s?\b",
    re.IGNORECASE,
)


def without(question: str, conditions: Sequence[Condition]) -> str:
    """Return a question without the amounts, values and age that its conditions are of."""
    rest = searchable(question)
    if any(getattr(one, "func", None) is by_value for one in conditions):
        return ""
    for one in amounts(question) if conditions else ():
        rest = rest.replace(one.said, " ", 1)
    return _IS_OF_AGE.sub(" ", AGED.sub(" ", rest))


def amounts(question: str) -> list[Amount]:
    """Return what limits a question's things, up to two: "under 10 gp and under 50 coins"."""
    found: list[Amount] = []
    rest = question
    while len(found) < _MOST_LIMITS and (one := amount(rest)):
        found.append(one)
        rest = searchable(rest).replace(one.said, " ; ", 1)
        if one.said in rest:
            break
    return found


def by_limit(wanted: Amount, grid: Grid, asked: QuestionWords) -> Met | None:
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


def _within(grid: Grid, column: int, wanted: Amount, asked: QuestionWords) -> Met | None:
    name, cells, limit = grid.names[column], grid.cells(column), wanted.limit
    stems = asked.stems(RATE.sub(" ", name))
    of_money = not limit.units.isdisjoint(MONEY)
    of_price = is_money(name, cells)
    sizes = [_in_unit(cell, stems, limit, is_price=of_price and of_money) for cell in cells]
    known = [one for one in sizes if one]
    score = _fit(stems, known, wanted, asked, of_price=of_price)
    is_named = not stems.isdisjoint(asked.words | asked.terms.in_full(wanted.fields))
    if not score or len(known) < (_LEAST if is_named else max(_LEAST, _HALF * len(cells))):
        return None
    ignored = limit.units if of_money else frozenset[str]()
    rows = frozenset(
        n for n, one in enumerate(sizes)
        if one and wanted.holds(one, ignoring=ignored if one.units else limit.units)
    )  # fmt: skip
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
    if stems & asked.words - asked.stems(wanted.said):
        score += SAID if score else 1.5 * SAID
    return score


def _measure_alike(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two of the units measure the same: hours and days."""
    kinds = ({SIZES[unit][0] for unit in units & SIZES.keys()} for units in (some, others))
    return bool(set.intersection(*kinds))


def _in_unit(
    cell: str, stems: frozenset[str], limit: Interval, *, is_price: bool
) -> Interval | None:
    """What a cell says, in the unit of the limit; None where it says nothing of that kind."""
    if limit.units == DICE:
        most = highest(cell)
        return None if most is None else Interval(most, most, DICE, most)
    if FREE.fullmatch(cell):
        return Interval(0.0, 0.0, frozenset(), 0.0)
    found = next(intervals(cell), None)
    if found is None:
        return None
    if is_price:
        return replace(found, units=limit.units)
    return in_units_of(found, limit, stems)


def by_age(grid: Grid, asked: QuestionWords) -> Met | None:
    """Return the rows for somebody of the age that a question says."""
    question = searchable(asked.question)
    said = _IS_OF_AGE.search(question)
    aged = asked_age(f"{said[1]} year old" if said else question)
    if aged is None:
        return None
    parts = set(of_age(grid.names, grid.table, aged.years, denied=aged.is_denied))
    rows = frozenset(n for n, (part, _) in enumerate(grid.table) if part in parts)
    return Met(NAMED, rows, 0) if 0 < len(rows) < len(grid.table) else None


def by_nothing(grid: Grid, asked: QuestionWords) -> Met | None:
    """Return the rows with nothing in the column that a question denies: "no deposit", "free"."""
    question = searchable(asked.question)
    denial = _WITHOUT.search(question)
    behind = question[denial.end() :].split()[:_BEHIND] if denial else []
    denied = asked.stems(" ".join(behind))
    is_free = _FREE.search(question)
    best: Met | None = None
    for column, name in enumerate(grid.names):
        cells = [bare(one) for one in grid.cells(column)]
        rows = frozenset(n for n, cell in enumerate(cells) if _NOTHING.fullmatch(cell))
        stems = asked.stems(name)
        if not column or not 0 < len(rows) < len(cells):
            continue
        score = NAMED if is_free and (is_money(name, cells) or stems & _PRICES) else 0.0
        if stems & denied:
            score = NAMED + SAID * (stems <= denied)
        if score and (best is None or score > best.score):
            best = Met(score, rows, column)
    return best


def by_only(grid: Grid, asked: QuestionWords) -> Met | None:
    """Return the rows with a yes in the one column that "only" names, and no other."""
    only = _ONLY.search(asked.question)
    if not only:
        return None
    who = asked.stems(only["who"])
    marked = [n for n in range(1, len(grid.names)) if is_marked([bare(c) for c in grid.cells(n)])]
    named = [n for n in marked if (own := asked.stems(grid.names[n])) and own <= who]
    if len(named) != 1 or len(marked) < 2:
        return None
    cells = {n: [bare(c) for c in grid.cells(n)] for n in marked}
    rows = frozenset(
        row for row in range(len(grid.table))
        if YES.match(cells[named[0]][row])
        and all(is_said(cells[n], row, denied=True) for n in marked if n != named[0])
    )  # fmt: skip
    return Met(NAMED + SAID, rows, named[0]) if rows else None


def by_sameness(grid: Grid, asked: QuestionWords) -> Met | None:
    """Return the rows that say the same in the columns that a question names, else in all alike."""
    if not _SAME.search(searchable(asked.question)):
        return None
    columns = [n for n in range(1, len(grid.names)) if _is_of_amounts(grid.cells(n))]
    named = [n for n in columns if asked.stems(grid.names[n]) & asked.words]
    dated = [n for n in columns if _IN_YEAR.search(grid.names[n])]
    groups = named if len(named) > 1 else dated if len(dated) > 1 else columns
    if len(groups) < 2:
        return None
    rows = frozenset(
        n for n, (_, row) in enumerate(grid.table)
        if len({"".join(row[c : c + 1]).strip() for c in groups}) == 1
        and all("".join(row[c : c + 1]).strip() for c in groups)
    )  # fmt: skip
    if not 0 < len(rows) < len(grid.table):
        return None
    return Met(NAMED + SAID * (len(named) > 1), rows, groups[0])


def _is_of_amounts(cells: Sequence[str]) -> bool:
    return 2 * sum(any(map(str.isdigit, cell)) for cell in cells) > len(cells)


def by_value(value: Value, grid: Grid, asked: QuestionWords) -> Met | None:
    """Return the rows with a value of the question's, or with the least range that holds it.

    In a column that is called as the value is ("extension 16") or has its unit: "60 feet".
    """
    best: Met | None = None
    for column, name in enumerate(grid.names):
        stems = asked.stems(RATE.sub(" ", name))
        limit = Interval(value.number, value.number, value.units, value.number)
        of_price = not value.units.isdisjoint(MONEY) and is_money(name, grid.cells(column))
        sizes = [_in_unit(cell, stems, limit, is_price=of_price) for cell in grid.cells(column)]
        known = [one for one in sizes if one]
        own = stems.union(*(one.units for one in known))
        is_unit = bool(asked.terms.in_full(value.units) & own) or _measure_alike(value.units, own)
        if not (is_unit or of_price) or len(known) < max(_LEAST, _HALF * len(sizes)):
            continue
        holding = [
            (n, one) for n, one in enumerate(sizes) if one and one.low <= value.number <= one.high
        ]
        least = min((one.high - one.low for _, one in holding), default=0.0)
        rows = frozenset(n for n, one in holding if one.high - one.low == least)
        score = NAMED + (0.5 * SAID if stems & value.units else 0)
        if rows and len(rows) <= max(1, len(sizes) // 3) and (best is None or score > best.score):
            best = Met(score, rows, column)
    return best


def read(asked: QuestionWords, *, is_compared: bool) -> list[Condition]:
    """Return the conditions that a question states; each row of a table meets one or not.

    `is_compared`: most or least of something is asked, so that a value is no condition.
    """
    question = searchable(asked.question)
    found: list[Condition] = [partial(by_limit, one) for one in amounts(question)]
    if AGED.search(question) or _IS_OF_AGE.search(question):
        found.append(by_age)
    if _FREE.search(question) or _WITHOUT.search(question):
        found.append(by_nothing)
    if _ONLY.search(question):
        found.append(by_only)
    if _SAME.search(question):
        found.append(by_sameness)
    if not found and not is_compared and len(asked.values) == 1 and _LOOKS_UP.search(question):
        found += [partial(by_value, one) for one in asked.values if one.units & _MEASURES]
    return found
