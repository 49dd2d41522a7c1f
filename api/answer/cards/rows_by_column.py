"""The rows of a table that one of its columns chooses: the most of something, a mark, a sign."""

import re
from collections.abc import Sequence

from api.answer.cards.blocks import Part
from api.answer.question.limits import AGED, MONEY, superlative
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.text.quantities import Interval, intervals
from retrieval.text.units import SIZES
from retrieval.vocabulary.terms import stems_of

FREE = re.compile(r"\W*free\W*", re.IGNORECASE)
# "No, 1080p" says no, "No flow at open valve" is a name.
_NO_CELL = re.compile(r"(?:no|not)(?:\.?$| ?[,;:(])|[✗✘❌]", re.IGNORECASE)
_YES_CELL = re.compile(r"(?:yes|y|x)\b|[✓✔✅●]", re.IGNORECASE)
_NOTHING = re.compile(r"[-–—\s]*")
_BANNED = re.compile(r"\b(?:forbidden|banned|prohibited)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|no|never|without|cannot|cant|dont|doesnt)\b|n['’]t\b", re.IGNORECASE
)
_BOTH = re.compile(r"\b(?:and|or)(?: what)? (?:not|cannot|\w+n['’]t)\b", re.IGNORECASE)
_FORBIDDEN = re.compile(r"\W*(?:forbidden|not allowed|prohibited|banned)\b", re.IGNORECASE)
ASKS_FORBIDDEN = re.compile(
    r"(?:\b(?:not|never)|n['’]?t) (?:be )?(?:allowed|permitted)\b|"
    r"\b(?:forbidden|banned|prohibited)\b|"
    r"\b(?:may|must|can|should) (?:\w+ ){0,2}?(?:not|never)\b|\b(?:can|must|should)n?['’]?t\b|"
    r"\bcannot\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b([^\W\d_]{3,}) (\d{1,3})\b")  # "severity 1"
_MONTHS = frozenset(stems_of("month week"))
_AGE = frozenset(stems_of("age"))
_SAID = 0.5  # of the words of a column's name
_PRICE = frozenset(stems_of("price"))
_PRICES = frozenset(stems_of("cost price fee charge amount wage pay paid"))
_LEAST_ROWS = 3  # with an amount; of two a comparison asks
_DICE = re.compile(r"\b(\d*)d(\d+)(?: ?\+ ?(\d+))?")


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
    if column is None or not thing or not thing <= own:
        return None
    unit = asked.stems(names[column])
    given = [(part, _amount(cells[column], unit)) for part, cells in table if column < len(cells)]
    amounts = {part: amount for part, amount in given if amount}
    kinds = {kind for kind, size in amounts.values() if size}  # nothing is nothing in any unit
    if len(kinds) != 1 or len(amounts) < max(_LEAST_ROWS, len(table) / 2):
        return None
    choose = max if wanted.highest else min
    most = choose(size for _, size in amounts.values())
    parts = tuple(part for part, (_, size) in amounts.items() if size == most)
    return (parts, wanted.said) if len(parts) < len(amounts) else None


def marked_rows(
    names: Sequence[str], table: Sequence[tuple[Part, Sequence[str]]], asked: QuestionWords
) -> tuple[tuple[Part, ...], frozenset[str]] | None:
    """Return the rows with a yes in a column that the question names, and the words that name it.

    With a no where the question denies it. "Severity 1" is one of the column's signs, and "a 16
    year old" is of an age. None where no column is named whose cells are of that kind, and where it
    would choose all rows.
    """
    if aged := AGED.search(searchable(asked.question)):
        return _of_age(names, table, float(aged[1] or aged[2]), asked)
    if _BOTH.search(asked.question):  # "what can guests do and not do"
        return None
    # "Not allowed" and "forbidden" ask for a no, "not forbidden" for a yes.
    denied = bool(_DENIED.search(asked.question)) != bool(_BANNED.search(asked.question))
    chosen: list[tuple[tuple[Part, ...], frozenset[str]]] = []
    for column, name in enumerate(names):
        own = asked.stems(name) & asked.words
        if not column or not own or len(own) < _SAID * len(asked.stems(name)):
            continue
        cells = [(part, "".join(row[column : column + 1]).strip("`* ")) for part, row in table]
        signs = {sign for kind, sign in asked.codes if kind in own}
        signs |= {n for kind, n in _NUMBERED.findall(asked.question) if own & asked.stems(kind)}
        signed = tuple(part for part, cell in cells if cell.upper() in signs)
        if signed and len(signed) < len(cells) and not denied:
            return signed, own | asked.stems(" ".join(signs))
        if _is_marked([cell for _, cell in cells]):
            chosen.append((tuple(part for part, cell in cells if _is_no(cell) == denied), own))
    if len(chosen) > 1 and denied:  # "underground but do not fight": which of them is denied?
        return None
    wanted = tuple(part for part, _ in table if all(part in parts for parts, _ in chosen))
    if chosen and 0 < len(wanted) < len(table):
        return wanted, frozenset().union(*(own for _, own in chosen))
    return _forbidden(table, asked)


def _forbidden(
    table: Sequence[tuple[Part, Sequence[str]]], asked: QuestionWords
) -> tuple[tuple[Part, ...], frozenset[str]] | None:
    """The rows that forbid something, where that is asked for: "what may I not store"."""
    said = ASKS_FORBIDDEN.search(asked.question) or _DENIED.search(asked.question)
    if said is None:
        return None
    wanted = tuple(part for part, row in table if any(map(_FORBIDDEN.match, row[1:])))
    return (wanted, asked.stems(said[0])) if 0 < len(wanted) < len(table) else None


def _of_age(
    names: Sequence[str],
    table: Sequence[tuple[Part, Sequence[str]]],
    years: float,
    asked: QuestionWords,
) -> tuple[tuple[Part, ...], frozenset[str]] | None:
    """The rows for somebody of an age: within a range, or not below the one age that is written."""
    column = next((n for n, name in enumerate(names) if n and _AGE & asked.stems(name)), None)
    if column is None:
        return None
    ages = ((part, next(intervals("".join(row[column:][:1])), None)) for part, row in table)
    wanted = tuple(
        part
        for part, age in ages
        if age
        and _MONTHS.isdisjoint(age.units)
        and age.low <= years
        and (years <= age.high or not age.is_range)
    )
    said = asked.stems(f"{years:g} year old")
    return (wanted, said) if 0 < len(wanted) < len(table) else None


def asked_column(
    names: Sequence[str],
    table: Sequence[Sequence[str]],
    limit: Interval,
    asked: QuestionWords,
) -> list[Interval | None]:
    """Return the amounts of the column that is meant, a row each: of the unit, else of the name.

    Of money, and of a number alone, a price is meant. A column has amounts in half of its rows at
    least.
    """
    bounds = {f"{bound:g}" for bound in (limit.low, limit.high)}  # "3 or more" names no column "3"
    further = {f"{value.number:g}" for value in asked.values}  # "first level": a column "1"
    words = (asked.words | further) - bounds
    fields = asked.fields | (_PRICES if limit.units <= MONEY else frozenset())
    best: tuple[tuple[bool, int, bool], list[Interval | None]] = ((False, 0, False), [])
    for place, name in enumerate(names):
        stems = asked.stems(name)
        cells = [row[place] if place < len(row) else "" for row in table]
        found = [_in_unit_of(cell, stems, limit) for cell in cells]
        if 2 * sum(one is not None for one in found) < len(table):
            continue
        units = stems.union(*(one.units for one in found if one))
        is_unit = not asked.terms.in_full(limit.units).isdisjoint(units)
        fits = (is_unit, len(stems & words), bool(stems & fields))
        if fits > best[0] and (is_unit or limit.units <= MONEY):
            best = (fits, found)
    return best[1]


def _in_unit_of(cell: str, column: frozenset[str], limit: Interval) -> Interval | None:
    """What a cell says, in the unit of the limit; None where it says nothing of that kind."""
    if FREE.fullmatch(cell):
        return Interval(0.0, 0.0, frozenset(), 0.0)
    found = next(intervals(cell), None)
    if found is None or not limit.units:
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


def _is_marked(cells: Sequence[str]) -> bool:
    """Whether a column says yes or no: some of its cells say no, or all are a mark or nothing."""
    if any(_NO_CELL.match(cell) for cell in cells if cell):
        return True
    marks = [cell for cell in cells if _YES_CELL.fullmatch(cell) and cell]
    return bool(marks) and all(cell in marks or _NOTHING.fullmatch(cell) for cell in cells)


def _is_no(cell: str) -> bool:
    return bool(_NOTHING.fullmatch(cell) or _NO_CELL.match(cell))


def _is_of(name: str, fields: frozenset[str], asked: QuestionWords) -> bool:
    """Whether a column is one of the fields; of prices one of money is: "Gp per month"."""
    units = MONEY if fields & _PRICE else frozenset()
    return not asked.stems(name).isdisjoint(asked.terms.in_full(fields) | units)


def _amount(cell: str, column: frozenset[str]) -> tuple[int, float] | None:
    """The kind of unit of a cell's first amount, and its size in the smallest one of that kind.

    The unit is the cell's own, else its column's; one of no known kind counts as none. Of dice the
    size is the most that they show.
    """
    if FREE.fullmatch(cell):
        return -1, 0.0
    if dice := _DICE.search(cell):
        return -1, float(int(dice[1] or 1) * int(dice[2]) + int(dice[3] or 0))
    found = next(intervals(cell), None)
    if found is None:
        return None
    units = found.units & SIZES.keys() or column & SIZES.keys()
    known = [SIZES[unit] for unit in sorted(units)]
    kind, size = known[0] if known else (-1, 1.0)
    return kind, found.low * size
