"""The rows that have most of something, or an amount that fits, in the table that search found.

No list need be asked for, nor all of the question be understood: "which illness keeps an animal
longest". What is claimed of a list by its name is chosen in `lists.rows`.
"""

import re
from collections.abc import Sequence

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.card_content import OF_SEVERAL
from api.answer.cards.lists.rows.by_amount import fitting_rows
from api.answer.cards.lists.rows.by_column import column_of, most_of
from api.answer.cards.lists.rows.table_rows import Table, named_table
from api.answer.question.intent import asks_for_some
from api.answer.question.limits import Superlative, superlative
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.denials import DENIES

MAY_COMPARE = re.compile(r"\d|\b(?:most|least|worst|[a-z]{1,20}est)\b", re.IGNORECASE)  # few do
_MONEY = re.compile(r"[£$€]|\b(?:gp|sp|cp)\b")
_LEAST = 2  # rows of which one has more
_LIMITS = re.compile(
    r"\b(?:under|over|above|below|than|least|most|within|up to|between|or (?:more|less))\b", re.I
)
_BEST = re.compile(
    r"(?:^\W*|\b(?:which|what)\b(?: [\w'’-]{1,20}){0,4} )(?:best|worst)\b"
    r"(?! (?:way|time|place|price|day)\b)",
    re.IGNORECASE,
)
_RANKED = re.compile(  # "the second cheapest"
    r"\b(?:second|third|fourth|next|\dnd|\drd|\dth)[ -](?:most|least|[a-z]{2,20}est)\b", re.I
)


def rows_by_value(file: IndexedFile, best: Entry, asked: QuestionWords) -> tuple[Entry, ...] | None:
    """Return the rows of the best row's table that a question means by what a column says.

    Those that have most, or least, or, where some are asked for, that are under or over a limit. Of
    "the most expensive sword" it is one of the swords. None where nothing is compared, something is
    denied, or one row is named; () where no row is known to be it, since no column tells: "best".
    """
    block = next((one for one in blocks(file) if one.holds(best)), None)
    if best.kind != "row" or block is None or block.kind != "table":
        return None
    if DENIES.search(asked.question):
        return None
    wanted = superlative(asked.question)
    if wanted or _BEST.search(asked.question):
        parts = _with_most(file, block, wanted, asked)
    else:
        parts = fitting_rows(file, block, asked) if _wants_some(asked.question) else None
    if parts is None:
        return None
    return tuple(entry for entry in file.entries if any(part.holds(entry) for part in parts))


def _wants_some(question: str) -> bool:
    """Whether things are asked for, or what may be several beside a limit: "what costs over 5"."""
    is_limited = OF_SEVERAL.match(question) and _LIMITS.search(question)
    return bool(is_limited) or asks_for_some(question)


def _with_most(
    file: IndexedFile, block: Block, wanted: Superlative | None, asked: QuestionWords
) -> tuple[Part, ...] | None:
    """The rows with most of what is `wanted`; where that is None, it is what is "best"."""
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    names, table = named_table(file, block, rows)
    over = above(file, block, asked)
    other = asked.words - over
    said = [len(asked.stems("".join(cells[:1])) & other) for _, cells in table]
    most = max(said)
    named = [row for row, n in zip(table, said, strict=True) if n == most] if most else table
    if len(named) == 1:
        return None
    if wanted is None or _RANKED.search(asked.question):
        return ()
    column = column_of(names, wanted.fields, over, asked)
    if column is None:
        return () if wanted.is_of_its_own and not _names_a_column(names, table, asked) else None
    return most_of(names[column], column, named, asked, is_highest=wanted.highest, least=_LEAST)


def _names_a_column(names: Sequence[str], table: Table, asked: QuestionWords) -> bool:
    """Whether a column of money is named that is not understood: "the cheapest adult pass"."""
    named = [n for n, name in enumerate(names) if n and asked.stems(name) & asked.words]
    cells_of = ("".join(cells[n : n + 1]) for _, cells in table for n in named)
    return any(map(_MONEY.search, cells_of))
