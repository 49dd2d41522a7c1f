"""The rows of a table that are for somebody of an age: "paid jobs for a 14 year old"."""

import re
from collections.abc import Sequence

from api.answer.cards.blocks import Part
from retrieval.text.quantities import intervals
from retrieval.vocabulary.terms import stems_of

Table = Sequence[tuple[Part, Sequence[str]]]  # the rows of a table with their cells
_AGE = frozenset(stems_of("age"))
_HIGHEST = re.compile(r"\b(?:max|maximum|up to|until|oldest|highest)\b", re.IGNORECASE)
_ANY = re.compile(r"\W*(?:all(?: ages)?|any|everyone)?\W*", re.IGNORECASE)
_YOUNG = frozenset(stems_of("month week day"))


def of_age(names: Sequence[str], table: Table, years: float, *, denied: bool = False) -> list[Part]:
    """Return the rows for an age: within a range, or not below the one age that is written.

    `denied`: those with an age that is not for it. None where no column or several are of ages.
    """
    columns = [n for n, name in enumerate(names) if n and _AGE & set(stems_of(name))]
    if len(columns) != 1 or _HIGHEST.search(names[columns[0]]):
        return []
    cells = [(part, "".join(row[columns[0] :][:1])) for part, row in table]
    if denied:
        return [part for part, cell in cells if any(intervals(cell)) and not _fits(cell, years)]
    return [part for part, cell in cells if _fits(cell, years)]


def _fits(cell: str, years: float) -> bool:
    ages = list(intervals(cell))
    if not ages:
        return bool(_ANY.fullmatch(cell))
    first = ages[0]
    if any(not _YOUNG.isdisjoint(age.units) for age in ages):  # months: of a small child
        return False
    return first.low <= years and (years <= first.high or not first.is_range)
