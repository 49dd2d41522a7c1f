"""The rows that have the most or the least of something, in the table that search found.

No list need be asked for, nor all of the question be understood: "which illness keeps an animal
longest". What is claimed of a list by its name is `lists.rows.by_column`.
"""

import re

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import blocks
from api.answer.cards.lists.rows.by_column import column_of, most_of
from api.answer.cards.lists.rows.table_rows import named_table
from api.answer.question.limits import superlative
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords

MAY_BE_OF_MOST = re.compile(r"\b(?:most|least|worst|[a-z]{1,20}est)\b", re.IGNORECASE)  # few do
_LEAST = 2  # rows of which one has more
_BEST = re.compile(r"\b(?:best|worst)\b", re.IGNORECASE)


def rows_with_most(
    file: IndexedFile, best: Entry, asked: QuestionWords
) -> tuple[Entry, ...] | None:
    """Return the rows of the best row's table that have most, or least, of what is asked for.

    Of "the most expensive sword" it is one of the swords. None where nothing is compared, or one
    row is named; () where no column tells, as of "best", so that no row is known to be it.
    """
    if best.kind != "row":
        return None
    wanted = superlative(asked.question)
    if wanted is None:
        return () if _BEST.search(asked.question) else None
    block = next((one for one in blocks(file) if one.holds(best)), None)
    if block is None or block.kind != "table":
        return None
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    names, table = named_table(file, block, rows)
    over = above(file, block, asked)
    named = [row for row in table if (asked.stems("".join(row[1][:1])) - over) & asked.words]
    column = column_of(names, wanted.fields, over, asked)
    if len(named) == 1 or (column is None and not wanted.is_of_its_own):
        return None
    if column is None:
        return ()
    parts = most_of(
        names[column], column, named or table, asked, is_highest=wanted.highest, least=_LEAST
    )
    return tuple(entry for entry in file.entries if any(part.holds(entry) for part in parts))
