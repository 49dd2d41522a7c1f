"""Whether a table's row is for a number of the question: 5 is one of "4-6" and of "up to 12"."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from retrieval.models import Entry
from retrieval.text.quantities import Interval, Value, intervals, values
from retrieval.text.units import MEASURES
from retrieval.text.words import stem
from retrieval.vocabulary.terms import cells, stems_of, title

_NUMBER_AND_UNIT = re.compile(r"\W*\d[\d.,–-]* ?[^\W\d]+\W*")
_COUNTED = re.compile(r"^\W*(?:number|no\.?|count|size) of ", re.IGNORECASE)  # "Number of children"
_COLUMNS = 2  # for numbers of one unit, from which on they are what a table is by
_CLOCK = stem("time")  # "Time of day" is no number of days
# Stems with those that abbreviations stand for in their place: of `Terms.in_full`.
InFull = Callable[[AbstractSet[str]], frozenset[str]]


def named(
    entry: Entry,
    asked_values: Iterable[Value],
    asked: AbstractSet[str],
    in_full: InFull = frozenset,
) -> frozenset[float]:
    """Return those of a question's numbers that a row is for, of `asked`, the question's stems.

    What a row is for stands in its first cell. In a table by name and number ("Dwarf", "4-6") it
    stands in the second one, where the question holds that column's name. A number of another unit
    ("8 days" for "8 kg") is not meant, nor one that the heading says: below "Dungeon Level 2" the
    rows have numbers of their own.
    """
    numbers = tuple(asked_values)
    label = _label(entry, numbers, asked, in_full)
    if label is None:
        return frozenset()
    span, column = label
    return frozenset(
        value.number
        for value in _of_column(numbers, column)
        if any(span.low <= same.number <= span.sure for same in _in_units(value, span, column))
        and not _is_said(entry.heading, value, in_full)
        and not _is_said(_further_columns(entry.lead), value, in_full)
    )


def called(path: str, entry: Entry, codes: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return those signs that a row is called, where its column or its place is of their kind.

    A code is a kind's stem and a sign in upper case: of "type G" ("typ", "G").
    """
    if entry.kind != "row":
        return frozenset()
    name = next(iter(cells(entry.quote)), "").upper()
    return frozenset(
        sign
        for kind, sign in codes
        if sign == name and kind in _kinds(path, entry.heading, entry.lead)
    )


@lru_cache(maxsize=65_536)
def _kinds(path: str, heading: str, lead: str) -> frozenset[str]:
    """What a table's rows may be: the words of its first column, its headings and its file."""
    first = [cells(line)[:1] for line in lead.split("\n") if line]
    return frozenset(stems_of(" ".join([title(path), heading, *(c for f in first for c in f)])))


def _is_said(heading: str, value: Value, in_full: InFull) -> bool:
    units = in_full(value.units)
    return any(
        said.number == value.number and not said.units.isdisjoint(units)
        for said in _values_of(heading)
    )


@lru_cache(maxsize=65_536)
def _values_of(heading: str) -> tuple[Value, ...]:
    return values(heading)


def in_range(
    entry: Entry,
    asked_values: Iterable[Value],
    asked: AbstractSet[str],
    in_full: InFull = frozenset,
) -> bool:
    """Tell whether a row's range or limit holds a number of the question that may be of its unit.

    It may where either has the other's unit, the column's name is the unit or is asked for, or the
    number has none. A column "CHA" is called charisma where `in_full` knows it.
    """
    numbers = tuple(asked_values)
    label = _label(entry, numbers, asked, in_full)
    if label is None or not label[0].is_range:
        return False
    span, column = label
    return any(
        not value.units
        or not (span.units | column).isdisjoint(value.units)
        or not column.isdisjoint(asked)
        for asked_value in _of_column(numbers, column)
        if not _is_said(_further_columns(entry.lead), asked_value, in_full)
        for value in _in_units(asked_value, span, column)
        if span.low <= value.number <= span.high
    )


def _of_column(values: Sequence[Value], column: AbstractSet[str]) -> Sequence[Value]:
    """Those numbers whose unit a column is called by, where there are any: else all.

    Of "2 HD against a cleric of level 1" the 1 is the row's of "| Level |", and the 2 is not. A
    column "d% (levels 1-3)" counts no levels.
    """
    if any(word[0].isdigit() for word in column):
        return values
    return [value for value in values if not value.units.isdisjoint(column)] or values


def lacks_column(entry: Entry, asked_values: Iterable[Value]) -> bool:
    """Tell whether a row's table has a column for each of some numbers, but for none that is asked.

    "Level 2 | Level 3 | Level 9" say nothing of level 5; "each above 9" speaks of level 12.
    """
    if entry.kind != "row":
        return False
    columns = [span for name in cells(entry.lead.split("\n")[0])[1:] for span in intervals(name)]
    for value in asked_values:
        same = [span for span in columns if not span.units.isdisjoint(value.units)]
        is_held = any(span.low <= value.number <= span.high for span in columns)
        if len(same) >= _COLUMNS and not is_held:
            return True
    return False


@lru_cache(maxsize=65_536)
def _further_columns(lead: str) -> str:
    """The names of a table's columns behind the second that are a number and its unit: "2 zones"
    says one of them and is no row's.
    """
    further = cells(lead.split("\n")[0])[2:]
    return " | ".join(name for name in further if _NUMBER_AND_UNIT.fullmatch(name))


def _in_units(value: Value, span: Interval, column: AbstractSet[str]) -> Iterator[Value]:
    """A number where it may be of a row's unit, and the same in that unit: of three weeks 21 days.

    A column that is called "Day" gives its rows a unit; one called "Time of day" does not.
    """
    units = span.units or (column & MEASURES if _CLOCK not in column else frozenset())
    is_measured = bool(value.units & MEASURES) or bool(span.units)
    if not (value.units and units and is_measured) or not units.isdisjoint(value.units):
        yield value
    yield from (same for same in value.in_other_units() if same.units & (span.units | column))


def _label(
    entry: Entry, values: Sequence[Value], asked: AbstractSet[str], in_full: InFull
) -> tuple[Interval, frozenset[str]] | None:
    """What a row is for, with the stems of its column; None where it is no one number or range.

    The first cell, unless it has no number, or the second one's column is asked for by its name and
    has the unit of a number that is asked for: "ten years without a claim" of "| Class | Years
    without claim |".
    """
    if entry.kind != "row":
        return None
    first, second = ((found, in_full(short)) for found, short in _labels(entry))
    units = frozenset().union(*(value.units for value in values))
    is_asked = bool(second[0] and second[1]) and second[1] <= asked
    is_meant = is_asked and not units.isdisjoint(second[1]) and units.isdisjoint(first[1])
    found, column = second if is_meant or (is_asked and not first[0]) else first
    return (found[0], column) if len(found) == 1 else None


@lru_cache(maxsize=65_536)
def _labels(entry: Entry) -> tuple[tuple[tuple[Interval, ...], frozenset[str]], ...]:
    """The intervals of a row's first two cells, each with the stems of its column's name."""
    names = [*cells(entry.lead.split("\n")[0]), "", ""]
    return tuple(
        (tuple(intervals(cell)), frozenset(stems_of(_COUNTED.sub("", name))))
        for cell, name in zip([*cells(entry.quote), "", ""][:2], names, strict=False)
    )
