"""A table as a question is compared with it: its cells, its columns, and what is beside it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from api.answer.cards.asked_parts import header
from api.answer.cards.blocks import Block, Part
from retrieval.models import IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.legends import explained
from retrieval.vocabulary.terms import column_names, raw_cells

# "**G** goggles, **E** ear defenders": in the section of a table they name its columns.
_BOLD_SIGN = re.compile(
    r"\*\*([A-Z]\w{0,4})\*\*:? (?:[–—-] )?(\w{2,20}(?: \w{2,20}){0,2})(?=[,;.]|\s*$)", re.MULTILINE
)
SEPARATORS = re.compile(r" ?[,;/&] ?| and | or ")  # of the things of one cell
Table = Sequence[tuple[Part, Sequence[str]]]  # the rows of a table with their cells
_NAME_ENDS = re.compile(r":| (?:to|of|for|in|per) ")  # of "transferable to others"


class Chosen(NamedTuple):
    """Some of a table's rows, with what of the question chose them, as it was typed."""

    parts: tuple[Part, ...]
    said: tuple[str, ...]
    by_signs: bool = False  # whether signs of a legend chose them, and no likeness
    by_value: bool = False  # whether one value did that is all that is asked of them


def as_typed(words: frozenset[str], asked: QuestionWords) -> tuple[str, ...]:
    """Return those words of a question that say `words`."""
    split = [one.strip("?!.,;:") for one in asked.question.split()]
    return tuple(one for one in split if words & asked.stems(one))


def named_table(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]]
) -> tuple[list[str], list[tuple[Part, tuple[str, ...]]]]:
    """Return the names of a table's columns, signs in them explained, and its rows' cells."""
    table = [(part, raw_cells(row)) for part, row in rows]
    width = max(len(cells) for _, cells in table)
    names = column_names("\n".join(header(file, block)), width)
    texts = [entry.quote for entry in file.entries if entry.kind != "row"]
    told = [one for text in texts if "=" in text for one in explained(text)]
    own = [entry.quote for entry in file.entries if entry.heading == block.heading]
    told += [(sign, means) for text in own for sign, means in _BOLD_SIGN.findall(text)]
    meant = {sign: _NAME_ENDS.split(means)[0] for sign, means in told}
    return [meant.get(name, name) for name in names], table


def beside(file: IndexedFile, block: Block) -> str:
    """Return what a table's section says besides: it may explain signs, or be said of all rows."""
    return "\n".join(
        one.quote for one in file.entries
        if one.heading == block.heading and one.kind != "whole" and not block.holds(one)
    )  # fmt: skip


class Marked(NamedTuple):
    """Rows, with the stems of the question that chose them; `denied`: of these what it denies."""

    parts: tuple[Part, ...]
    said: frozenset[str]
    denied: frozenset[str] = frozenset()
    is_sign: bool = False  # whether a sign or a value chose them, and no yes or no


class Column(NamedTuple):
    """A column that the question names: its cells, the rows with a sign that it names as well."""

    cells: tuple[str, ...]
    signed: tuple[Part, ...]
    said: frozenset[str]  # stems of the question that speak of it
    name: frozenset[str]


def some(table: Table, parts: Sequence[Part], said: frozenset[str]) -> Marked | None:
    """Return rows of a table as chosen by these stems; None where they are none or all of it."""
    return Marked(tuple(parts), said) if 0 < len(parts) < len(table) else None
