"""Whether a table's row is for a number of the question: 5 is one of "4-6" and of "up to 12"."""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache

from retrieval.models import Entry
from retrieval.text.quantities import Interval, Value, intervals
from retrieval.vocabulary.terms import cells, stems_of

# Stems with those that abbreviations stand for in their place: of `Terms.in_full`.
InFull = Callable[[AbstractSet[str]], frozenset[str]]


def named(
    entry: Entry, values: Iterable[Value], asked: AbstractSet[str], in_full: InFull = frozenset
) -> frozenset[float]:
    """Return those of a question's numbers that a row is for, of `asked`, the question's stems.

    What a row is for stands in its first cell. In a table by name and number ("Dwarf", "4-6") it
    stands in the second one, where the question holds that column's name. A number of another unit
    ("8 days" for "8 kg") is not meant.
    """
    label = _label(entry, asked, in_full) if entry.kind == "row" else None
    if label is None:
        return frozenset()
    span, _ = label
    return frozenset(
        value.number
        for value in values
        if span.low <= value.number <= span.sure and _may_be_one_unit(value, span)
    )


def in_range(
    entry: Entry, values: Iterable[Value], asked: AbstractSet[str], in_full: InFull = frozenset
) -> bool:
    """Tell whether a row's range or limit holds a number of the question that may be of its unit.

    It may where either has the other's unit, the column's name is the unit or is asked for, or the
    number has none. A column "CHA" is called charisma where `in_full` knows it.
    """
    label = _label(entry, asked, in_full) if entry.kind == "row" else None
    if label is None or not label[0].is_range:
        return False
    span, column = label
    return any(
        not value.units
        or not (span.units | column).isdisjoint(value.units)
        or not column.isdisjoint(asked)
        for value in values
        if span.low <= value.number <= span.high and _may_be_one_unit(value, span)
    )


def _may_be_one_unit(value: Value, span: Interval) -> bool:
    return not (value.units and span.units and span.units.isdisjoint(value.units))


def _label(
    entry: Entry, asked: AbstractSet[str], in_full: InFull
) -> tuple[Interval, frozenset[str]] | None:
    """What a row is for, with the stems of its column; None where it is no one number or range."""
    for place, (found, short) in enumerate(_labels(entry)):
        column = in_full(short)
        if found and (place == 0 or (column and column <= asked)):
            return (found[0], column) if len(found) == 1 else None
    return None


@lru_cache(maxsize=65_536)
def _labels(entry: Entry) -> tuple[tuple[tuple[Interval, ...], frozenset[str]], ...]:
    """The intervals of a row's first two cells, each with the stems of its column's name."""
    names = [*cells(entry.lead.split("\n")[0]), "", ""]
    return tuple(
        (tuple(intervals(cell)), frozenset(stems_of(name)))
        for cell, name in zip(cells(entry.quote)[:2], names, strict=False)
    )
