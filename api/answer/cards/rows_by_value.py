"""The rows that have most of something, or an amount that fits, in the table that search found.

No list need be asked for, nor all of the question be understood: "which illness keeps an animal
longest". What is claimed of a list by its name is chosen in `lists.rows`.
"""

import re

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.card_content import OF_SEVERAL
from api.answer.cards.lists.rows.by_amount import fitting_rows
from api.answer.cards.lists.rows.by_column import column_of, most_of
from api.answer.cards.lists.rows.table_rows import named_table
from api.answer.question.intent import asks_for_some
from api.answer.question.limits import Superlative, superlative
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords

MAY_COMPARE = re.compile(r"\d|\b(?:most|least|worst|[a-z]{1,20}est)\b", re.IGNORECASE)  # few do
_LEAST = 2  # rows of which one has more
_LIMITS = re.compile(
    r"\b(?:under|over|above|below|than|least|most|within|up to|between|or (?:more|less))\b", re.I
)
_BEST = re.compile(r"\b(?:best|worst)\b", re.IGNORECASE)


def rows_by_value(file: IndexedFile, best: Entry, asked: QuestionWords) -> tuple[Entry, ...] | None:
    """Return the rows of the best row's table that a question means by what a column says.

    Those that have most, or least, or, where some are asked for, that are under or over a limit. Of
    "the most expensive sword" it is one of the swords. None where nothing is compared, or one row
    is named; () where none is known to be it: no column tells what is "best".
    """
    block = next((one for one in blocks(file) if one.holds(best)), None)
    if best.kind != "row" or block is None or block.kind != "table":
        return None
    if wanted := superlative(asked.question):
        parts = _with_most(file, block, wanted, asked)
    elif _BEST.search(asked.question):
        return ()
    elif _wants_some(asked.question):
        parts = fitting_rows(file, block, asked)
    else:
        return None
    if parts is None:
        return None
    return tuple(entry for entry in file.entries if any(part.holds(entry) for part in parts))


def _wants_some(question: str) -> bool:
    """Whether things are asked for, or what may be several beside a limit: "what costs over 5"."""
    is_limited = OF_SEVERAL.match(question) and _LIMITS.search(question)
    return bool(is_limited) or asks_for_some(question)


def _with_most(
    file: IndexedFile, block: Block, wanted: Superlative, asked: QuestionWords
) -> tuple[Part, ...] | None:
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    names, table = named_table(file, block, rows)
    over = above(file, block, asked)
    named = [row for row in table if (asked.stems("".join(row[1][:1])) - over) & asked.words]
    column = column_of(names, wanted.fields, over, asked)
    if len(named) == 1 or (column is None and not wanted.is_of_its_own):
        return None
    if column is None:
        return ()
    return most_of(
        names[column], column, named or table, asked, is_highest=wanted.highest, least=_LEAST
    )
