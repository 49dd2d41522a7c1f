"""Choose the rows or items that a question asks for: by words or a number."""

import re
from collections.abc import Sequence

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import Block, Part
from api.answer.cards.lists import heading_lists
from api.answer.cards.lists.rows.by_amount import (
    by_amount,
    is_of_a_folder,
    items_by_amount,
)
from api.answer.cards.lists.rows.by_code import by_code
from api.answer.cards.lists.rows.by_mark import HAS, by_mark
from api.answer.cards.lists.rows.by_words import (
    DENIED,
    NOT_BY_WORDS,
    NUMBER,
    by_cell,
    by_value_alone,
    by_words,
)
from api.answer.cards.lists.rows.table_rows import Chosen, as_typed
from api.answer.question.limits import AGED, amount, without
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.denials import DENIES

_BONUS = re.compile(r"(?<![\w.])[+−-]\d")  # "swords +3" is no number that a range holds
_EXTREME = re.compile(
    r"\b(?:latest|earliest|soonest|lowest|highest|fewest|largest|smallest|biggest|cheapest|dearest|"
    r"longest|shortest|heaviest|lightest|fastest|slowest|best|worst)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(rf"\b(?:{DENIED}|from|to|least|most)\b|n['’]t\b", re.IGNORECASE)


def chosen(
    file: IndexedFile,
    block: Block,
    asked: QuestionWords,
    *,
    is_likeliest: bool = True,
    is_whole: bool = False,
    nearest: Entry | None = None,
    may_be_all: bool = False,
    only_codes: bool = False,
    by_value: bool = True,
) -> Chosen | None:
    """Return the rows of a table, or the headings, that are asked for.

    None where that is all or none of them; of a list items by an amount alone. `is_whole`: its
    name, its columns among it, says all that is asked, so that marks alone choose. A number falls
    into ranges of many tables, so of one that is not the likeliest it chooses none. `nearest` is
    the row that search found nearest: words choose it alone, too. `may_be_all`: an amount may fit
    every row, where other tables are beside it. `only_codes`: of a table signs and values alone
    choose, and of values none without `by_value`.
    """
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    if block.kind == "headings":
        found, said = heading_lists.labelled(file, block, asked)
        if found and not NOT_BY_WORDS.search(asked.question):
            return Chosen(found, as_typed(said, asked))
        return by_words(file, block, rows, asked)
    if block.kind == "list":
        return items_by_amount(file, block, asked)
    if block.kind != "table":
        return None
    wanted = amount(asked.question)
    text = without(asked.question, wanted) if wanted else asked.question
    coded = by_code(file, block, rows, asked, text)
    if coded and not (coded.parts and wanted):
        return coded if coded.parts else None
    may_value = by_value and not coded and not wanted
    if may_value and (valued := by_value_alone(file, block, rows, asked)):
        return valued
    if only_codes and not coded:
        return None
    if (AGED.search(asked.question) or _EXTREME.search(asked.question)) and is_of_a_folder(
        file, block, asked
    ):
        return None
    if is_whole:
        return by_mark(file, block, rows, asked)
    is_near = is_likeliest and nearest is not None
    if coded:
        left = [row for row in rows if row[0] in coded.parts]
        both = by_amount(file, block, left, asked, may_be_all=True)
        return both and both._replace(said=(*coded.said, *both.said), by_signs=True)
    if wanted:  # what no amount fits is not found by its number
        return by_amount(file, block, rows, asked, may_be_all=may_be_all)
    if _EXTREME.search(asked.question):  # of which rows no word tells
        return None
    return (
        by_mark(file, block, rows, asked, is_near=is_near)
        or (_by_range(file, block, rows, asked) if is_likeliest else None)
        or by_cell(file, block, rows, asked)
        or by_words(file, block, rows, asked, nearest)
    )


def of_value(file: IndexedFile, block: Block, asked: QuestionWords) -> Chosen | None:
    """Return the rows of a table with the one value that is asked for; None of others."""
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    return by_value_alone(file, block, rows, asked)


def by_sign_or_mark(file: IndexedFile, block: Block, asked: QuestionWords) -> Chosen | None:
    """Return the rows of a table with the signs or marks that are asked for; None of others.

    The table is the one that search found nearest, and no list need be asked for.
    """
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    coded = by_code(file, block, rows, asked, asked.question)
    if coded:
        return coded if coded.parts else None
    limits = (HAS, DENIES, AGED)
    is_limited = any(one.search(asked.question) for one in limits)
    return by_mark(file, block, rows, asked, is_near=True) if is_limited else None


def _by_range(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """The rows whose range holds the question's number: "charisma 9" is one of "9-12".

    Of them those alone that say what else is asked and stands in the table: "fighters at level 4".
    """
    if len(asked.values) != 1 or _COMPARES.search(asked.question) or _BONUS.search(asked.question):
        return None
    ranges = [entry for entry in file.entries if asked.in_range(entry)]
    figures = set(NUMBER.findall(asked.question))
    if figures & above(file, block, asked):  # "Dungeon Level 2" is the table's name
        return None
    words = asked.words - above(file, block, asked) - asked.stems(" ".join(figures))
    words &= asked.stems(" ".join(row for _, row in rows))
    saying = tuple(
        part
        for part, row in rows
        if any(part.holds(entry) for entry in ranges) and words <= asked.stems(row)
    )
    if not saying or len(saying) == len(rows):
        return None
    return Chosen(saying, (*as_typed(words, asked), *sorted(figures)))
