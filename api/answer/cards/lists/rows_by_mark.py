"""The rows of a table that a column's marks, signs or ages choose: "which devices do 4K".

A wrong choice says the opposite of the rules. So a column chooses only where the question names it
whole, all of its cells say yes or no, and at most one denial stands directly before its name.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from api.answer.cards.blocks import Part
from api.answer.question.limits import AGED
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.text.quantities import intervals
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.terms import stems_of

Table = Sequence[tuple[Part, Sequence[str]]]  # the rows of a table with their cells

_NO = re.compile(
    r"(?:no|not|none|never|n/a|forbidden|prohibited|banned|refused)\b|[✗✘❌]|[-–—]?$", re.IGNORECASE
)
_YES = re.compile(r"(?:yes|allowed|permitted|included)\b|[✓✔✅●]|[xy]$", re.IGNORECASE)
_CROSS = re.compile(r"x$", re.IGNORECASE)  # a yes, or beside a tick a no
_FORBIDDEN = re.compile(r"(?:forbidden|not allowed|prohibited|banned)\b", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:not|no|never|without|cannot|cant|dont|doesnt|forbidden|banned|prohibited)\b|n['’]t\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|cannot|cant|forbidden|banned|prohibited)\b|n['’]t\b", re.IGNORECASE)
# What says no in a word of its own, or of which one cannot tell what it is said of.
_UNCLEAR = re.compile(
    r"\b(?:free|allerg\w*|lacks?|lacking|neither|nor|or|except|besides|excluding|avoid|unsafe|"
    r"unable|missing|intoleran\w*)\b|\bnon-|\b(?:and|or)(?: what)? (?:not|cannot|\w+n['’]t)\b",
    re.IGNORECASE,
)
# What may stand between a denial and what it denies: "not allowed to put in the hold".
_LIGHT_WORDS = (
    "have has get gets show shows do does include includes offer offers put need needs allow "
    "allows allowed permit permits permitted take any"
)
_LIGHT = STOP.union(_LIGHT_WORDS.split())
ASKS_FORBIDDEN = re.compile(
    r"(?:\b(?:not|never)|n['’]?t) (?:be )?(?:allowed|permitted)\b|"
    r"\b(?:forbidden|banned|prohibited)\b|"
    r"\b(?:may|must|can|should) (?:\w+ ){0,2}?(?:not|never)\b|\b(?:can|must|should)n?['’]?t\b|"
    r"\bcannot\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b([^\W\d_]{3,}) (\d{1,3})\b(?!(?: ?,| or| and) \d)")  # "severity 1"
_AGE = frozenset(stems_of("age"))
_HIGHEST = re.compile(r"\b(?:max|maximum|up to|until|oldest|highest)\b", re.IGNORECASE)
_ANY = re.compile(r"\W*(?:all(?: ages)?|any|everyone)?\W*", re.IGNORECASE)
_YOUNG = frozenset(stems_of("month week day"))


class Marked(NamedTuple):
    """Rows, with the stems of the question that chose them; `denied`: those that say no."""

    parts: tuple[Part, ...]
    said: frozenset[str]
    denied: bool = False


def marked_rows(names: Sequence[str], table: Table, asked: QuestionWords) -> Marked | None:
    """Return the rows with a yes in the columns that the question names, or a no where it denies.

    Or with the sign that it names ("severity 1"), for somebody of an age ("a 16 year old"), or that
    forbid something, where that is asked for. None where it is not plain, or all rows or none.
    """
    if aged := AGED.search(searchable(asked.question)):
        return _some(table, _of_age(names, table, float(aged[1] or aged[2])), asked, aged[0])
    denials = _DENIAL.findall(asked.question)
    if len(denials) > 1 or _UNCLEAR.search(asked.question):
        return None
    named = list(_named(names, table, asked))
    if not denials and (signed := [one for one in named if one[1]]):
        (_, parts, said), *others = signed
        return None if others else _some(table, parts, asked, " ".join(said))
    marked = [(cells, own) for cells, _, own in named if _is_marked(cells)]
    if denials and len(marked) == 1 and not _denies(asked, marked[0][1]):
        return None
    if denials and len(marked) > 1:  # "underground but do not fight": which of them is denied?
        return None
    if not marked:
        return _some(table, _forbidding(table, asked), asked, "forbidden")
    parts = [
        part
        for n, (part, _) in enumerate(table)
        if all(bool(_NO.match(cells[n])) == bool(denials) for cells, _ in marked)
    ]
    found = _some(table, parts, asked, " ".join(word for _, own in marked for word in own))
    return found._replace(denied=bool(denials)) if found else None


def _some(table: Table, parts: Sequence[Part], asked: QuestionWords, said: str) -> Marked | None:
    return Marked(tuple(parts), asked.stems(said)) if 0 < len(parts) < len(table) else None


def _named(
    names: Sequence[str], table: Table, asked: QuestionWords
) -> Iterator[tuple[list[str], list[Part], frozenset[str]]]:
    """The columns that the question names: their cells, the rows with its sign, what says so."""
    for column, name in enumerate(names):
        own = asked.stems(name)
        if not column or not own or not own <= asked.words or _DENIAL.search(name):
            continue
        cells = ["".join(row[column : column + 1]).strip("`* ") for _, row in table]
        signs = {sign for kind, sign in asked.codes if kind in own}
        signs |= {n for kind, n in _NUMBERED.findall(asked.question) if own & asked.stems(kind)}
        pairs = zip(table, cells, strict=True)
        signed = [part for (part, _), cell in pairs if cell.upper() in signs]
        yield cells, signed, own | asked.stems(" ".join(signs)) if signed else own


def _is_marked(cells: Sequence[str]) -> bool:
    """Whether all cells of a column say yes or no, and some say yes."""
    ticks = [cell for cell in cells if _YES.match(cell) and not _CROSS.match(cell)]
    crosses = [cell for cell in cells if _CROSS.match(cell)]
    if ticks and crosses:
        return False
    return bool(ticks or crosses) and all(_YES.match(cell) or _NO.match(cell) for cell in cells)


def _denies(asked: QuestionWords, column: frozenset[str]) -> bool:
    """Whether the question's one denial is of a column: nothing that says more is between them."""
    found = _DENIAL.search(asked.question)
    behind = WORD.findall(asked.question[found.end() :].lower()) if found else []
    until = next((n for n, word in enumerate(behind) if asked.stems(word) & column), None)
    return until is not None and all(word in _LIGHT for word in behind[:until])


def _forbidding(table: Table, asked: QuestionWords) -> list[Part]:
    """The rows whose only column of that kind forbids something: "what may I not store"."""
    if not (_NOT.search(asked.question) or ASKS_FORBIDDEN.search(asked.question)):
        return []
    found = [
        (part, column)
        for part, row in table
        for column, cell in enumerate(row)
        if column and _FORBIDDEN.match(cell.strip("`* "))
    ]
    one_column = len({column for _, column in found}) == 1
    return [part for part, _ in found] if one_column else []


def _of_age(names: Sequence[str], table: Table, years: float) -> list[Part]:
    """The rows for somebody of an age: within a range, or not below the one age that is written."""
    columns = [n for n, name in enumerate(names) if n and _AGE & set(stems_of(name))]
    if len(columns) != 1 or _HIGHEST.search(names[columns[0]]):
        return []
    cells = [(part, "".join(row[columns[0] :][:1])) for part, row in table]
    return [part for part, cell in cells if _fits(cell, years)]


def _fits(cell: str, years: float) -> bool:
    ages = list(intervals(cell))
    if not ages:
        return bool(_ANY.fullmatch(cell))
    first = ages[0]
    if any(not _YOUNG.isdisjoint(age.units) for age in ages):  # months: of a small child
        return False
    return first.low <= years and (years <= first.high or not first.is_range)
