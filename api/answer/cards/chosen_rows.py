"""Choose the rows of a table that a question asks for: by their words, or by an amount."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from api.answer.cards.asked_parts import column_names
from api.answer.cards.blocks import Block, Part
from api.answer.cards.card import part_numbers
from api.answer.question.intent import MONEY, amount
from retrieval.index.terms import raw_cells, stems_of, title
from retrieval.models import IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.quantities import Interval, intervals

_LEAST_ROWS = 2  # that say what is asked; one alone is found by search
_NOT_BY_WORDS = re.compile(
    r"\b(?:not|no|never|without|besides|except|but|over|under|above|below|between|up to|at|before|"
    r"after|more|less|than)\b|n['’]t\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<!\w)\d[\d.,]*\b")
_FREE = re.compile(r"\W*free\W*", re.IGNORECASE)
_PRICE = frozenset(stems_of("cost price fee charge amount wage pay paid"))
# Units of one kind, by their size: a cell of another unit than the question's is brought to that.
_KINDS: tuple[dict[str, float], ...] = (
    {"second": 1, "minute": 60, "min": 60, "hour": 3600, "day": 86_400, "week": 604_800,
     "month": 2_592_000, "year": 31_536_000},
    {"cp": 1, "sp": 10, "ep": 50, "gp": 100, "pp": 500},
    {"mm": 1, "cm": 10, "m": 1_000, "km": 1_000_000},
    {"inch": 1, "foot": 12, "yard": 36, "mile": 63_360},
    {"g": 1, "kg": 1_000}, {"oz": 1, "lb": 16, "pound": 16},
    {"kb": 1, "mb": 1e3, "gb": 1e6, "tb": 1e9},
)  # fmt: skip
_SIZES = {stems_of(unit)[0]: (n, s) for n, kind in enumerate(_KINDS) for unit, s in kind.items()}


class Chosen(NamedTuple):
    """Some of a table's rows, with what of the question chose them, as it was typed."""

    parts: tuple[Part, ...]
    said: tuple[str, ...]


def chosen(file: IndexedFile, block: Block, asked: QuestionWords) -> Chosen | None:
    """Return the rows of a table, or the headings, that are asked for.

    None where that is all or none of them, and of a list.
    """
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    if block.kind == "headings":
        return _by_words(file, block, rows, asked)
    if block.kind != "table":
        return None
    return _by_amount(file, block, rows, asked) or _by_words(file, block, rows, asked)


def _by_words(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """The rows alone that say what the table's name and columns do not.

    None where these words are none, deny or compare something, and where one row or all say so. A
    number has to be a whole cell.
    """
    if _NOT_BY_WORDS.search(asked.question):
        return None
    above = " ".join(_header(file, block))
    words = asked.words - _stems(f"{title(file.path)} {block.heading} {above}", asked)
    figures = set(_NUMBER.findall(asked.question))
    saying = tuple(
        part
        for part, row in rows
        if words <= _stems(row, asked) and figures <= {cell.strip("`* ") for cell in raw_cells(row)}
    )
    if not words or not _LEAST_ROWS <= len(saying) < len(rows):
        return None
    split = [one.strip("?!.,;:") for one in asked.question.split()]
    return Chosen(saying, tuple(one for one in split if words & _stems(one, asked)))


def _by_amount(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """The rows whose cell fits an amount: "under 20 gp", "for 10 gp", "from 3 to 5"."""
    wanted = amount(asked.question)
    if wanted is None:
        return None
    limit = wanted.limit
    table = [raw_cells(row) for _, row in rows]
    names = column_names("\n".join(_header(file, block)), max(map(len, table)))
    amounts = _asked_column(names, table, limit, asked)
    fitting = [
        one is not None and one.low <= limit.high and one.high >= limit.low for one in amounts
    ]
    if not any(fitting) or all(one for one, found in zip(fitting, amounts, strict=True) if found):
        return None
    parts = tuple(part for (part, _), fits in zip(rows, fitting, strict=True) if fits)
    return Chosen(parts, wanted.words)


def _asked_column(
    names: Sequence[str],
    table: Sequence[Sequence[str]],
    limit: Interval,
    asked: QuestionWords,
) -> list[Interval | None]:
    """The amounts of the column that is meant, a row each: the one of the unit, else of the name.

    Of money, and of a number alone, a price is meant. A column has amounts in half of its rows at
    least.
    """
    fields = asked.fields | (_PRICE if limit.units <= MONEY else frozenset())
    best: tuple[tuple[bool, int, bool], list[Interval | None]] = ((False, 0, False), [])
    for place, name in enumerate(names):
        stems = _stems(name, asked)
        cells = [row[place] if place < len(row) else "" for row in table]
        found = [_amount(cell, stems, limit) for cell in cells]
        if 2 * sum(one is not None for one in found) < len(table):
            continue
        units = stems.union(*(one.units for one in found if one))
        is_unit = not asked.terms.in_full(limit.units).isdisjoint(units)
        fits = (is_unit, len(stems & asked.words), bool(stems & fields))
        if fits > best[0] and (is_unit or limit.units <= MONEY):
            best = (fits, found)
    return best[1]


def _amount(cell: str, column: frozenset[str], limit: Interval) -> Interval | None:
    """What a cell says, in the unit of the limit; None where it says nothing of that kind."""
    if _FREE.fullmatch(cell):
        return Interval(0.0, 0.0, frozenset(), 0.0)
    found = next(intervals(cell), None)
    if found is None or not limit.units:
        return found
    units = found.units or column & _SIZES.keys()
    if units & limit.units or not units:
        return found
    for unit in units & _SIZES.keys():
        for wanted in limit.units & _SIZES.keys():
            (kind, size), (other, of) = _SIZES[unit], _SIZES[wanted]
            if kind == other:
                low, high = found.low * size / of, found.high * size / of
                return Interval(low, high, limit.units, high)
    return None if found.units else found


def _header(file: IndexedFile, block: Block) -> list[str]:
    return [file.lines.get(n, "") for n in part_numbers(block.lead)] if block.lead else []


def _stems(text: str, asked: QuestionWords) -> frozenset[str]:
    return asked.terms.in_full(stems_of(text))
