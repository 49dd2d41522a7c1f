"""The rows of a table that are for somebody of an age: "paid jobs for a 14 year old"."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from api.answer.cards.blocks import Part
from api.answer.question.limits import AGED
from retrieval.text import denials
from retrieval.text.quantities import intervals
from retrieval.vocabulary.terms import stems_of

Table = Sequence[tuple[Part, Sequence[str]]]  # the rows of a table with their cells
_AGE = frozenset(stems_of("age"))
_HIGHEST = re.compile(r"\b(?:max|maximum|up to|until|oldest|highest)\b", re.IGNORECASE)
_ANY = re.compile(r"\W*(?:all(?: ages)?|any|everyone)?\W*", re.IGNORECASE)
# What somebody of an age may not do.
_DENIED = re.compile(
    r"\b(?:can|ca|may|must|could|should|do|does|is|are)(?:n?['’]?t| not)\b"
    r"(?! (?:need|have|require|cost|include))|\bcannot\b|"
    r"(?<=\bold) not\b|(?<=\byo) not\b|\bnot (?:allowed|permitted|suitable|open|for)\b",
    re.IGNORECASE,
)
_OTHER_DENIAL = re.compile(
    rf"\b(?:{denials.ASKED}|dont|doesnt|forbidden|banned|prohibited)\b|n['’]t\b", re.IGNORECASE
)
_YOUNG = frozenset(stems_of("month week day"))


class Aged(NamedTuple):
    """An age that a question says, and whether it asks for what is not for it."""

    years: float
    is_denied: bool
    said: str


def asked_age(question: str) -> Aged | None:
    """Return the age of who a question asks for; None where it denies anything else.

    "What can a 9 year old do without training" is not what somebody of that age may not do.
    """
    found = AGED.search(question)
    rest = _DENIED.sub(" ", question)
    denied = len(_DENIED.findall(question))
    if found is None or denied > 1 or _OTHER_DENIAL.search(rest):
        return None
    return Aged(float(found[1] or found[2]), bool(denied), found[0])


def is_age(name: Collection[str]) -> bool:
    """Tell whether the stems of a field's name are those of an age."""
    return not _AGE.isdisjoint(name)


def of_age(names: Sequence[str], table: Table, years: float, *, denied: bool = False) -> list[Part]:
    """Return the rows for an age: within a range, or not below the one age that is written.

    `denied`: those with an age that is not for it. None where no column or several are of ages.
    """
    columns = [n for n, name in enumerate(names) if n and is_age(stems_of(name))]
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
