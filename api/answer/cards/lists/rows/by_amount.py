"""The rows or items whose amount fits: "under 20 gp", "for less than £4 without a deposit"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import Block, Part
from api.answer.cards.folders import folders
from api.answer.cards.lists.rows.by_column import asked_columns, in_units_of
from api.answer.cards.lists.rows.by_mark import also_marked, by_mark
from api.answer.cards.lists.rows.by_words import DENIED, NOT_BY_WORDS
from api.answer.cards.lists.rows.table_rows import Chosen, as_typed, beside, named_table
from api.answer.question.limits import Amount, amount, without
from retrieval.models import IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.denials import DENIES
from retrieval.text.quantities import Interval, intervals
from retrieval.text.units import MEASURES
from retrieval.vocabulary.terms import cells, stems_of, title

_OF_ITEM = re.compile(r"[:;—–] |\. ")  # "14 nights or more: 15 % off" is two amounts
# What limits the rows besides an amount and is not understood.
_MORE_ASKED = re.compile(
    rf"\b(?:{DENIED}|except|besides|unless|if|when|longer|cheaper|heavier)\b|n['’]t\b",
    re.IGNORECASE,
)
_SIGNS = {"pound": "£", "quid": "£", "buck": "$", "dollar": "$", "euro": "€"}  # by their stems
# What is said of any amount of money.
_COSTS = frozenset(stems_of("cost costs price prices charge pay fee"))
# "A blank charge means that nothing is paid": of such a column no amount is compared.
BLANK_SAID = re.compile(
    r"\b(?:blank|empty|dash)\b|\bno (?:figure|price|charge|entry)\b", re.IGNORECASE
)
_DAYS = frozenset(stems_of("monday tuesday wednesday thursday friday saturday sunday weekend"))


def by_amount(
    file: IndexedFile,
    block: Block,
    rows: Sequence[tuple[Part, str]],
    asked: QuestionWords,
    *,
    may_be_all: bool,
) -> Chosen | None:
    """Return the rows whose cell fits an amount: "under 20 gp", "for 10 gp", "from 3 to 5".

    Of them those alone that say what else is asked, where some do: "blunt weapons under 10 gp".
    None where all fit or none, or where a second limit is not understood.
    """
    wanted = amount(asked.question)
    if wanted is None or _is_a_column(wanted, file):
        return None
    if is_of_a_folder(file, block, asked) or BLANK_SAID.search(beside(file, block)):
        return None
    limit = wanted.limit
    names, table = named_table(file, block, rows)
    denial = DENIES.search(asked.question, asked.question.find(wanted.said) + len(wanted.said))
    # "Under £5 with no deposit" is no deposit under £5.
    of_amount = QuestionWords.of(asked.question[: denial.start()], asked.terms) if denial else asked
    limit = _as_written(limit, file, rows)
    amounts = asked_columns(names, [cells for _, cells in table], limit, of_amount)
    fitting = [any(fits(one, limit) for one in own) for own in amounts]
    is_all = all(one for one, found in zip(fitting, amounts, strict=True) if found)
    if not any(fitting) or (is_all and not may_be_all):
        return None
    left = [row for row, fits in zip(rows, fitting, strict=True) if fits]
    rest = QuestionWords.of(without(asked.question, wanted), asked.terms)
    if not wanted.denied and DENIES.search(rest.question):  # "for under £4 with no deposit"
        marks = by_mark(file, block, rows, rest)
        met = tuple(part for part, _ in left if marks and part in marks.parts)
        return Chosen(met, (*marks.said, *wanted.words)) if marks and met else None
    if not wanted.denied and _MORE_ASKED.search(rest.question):
        return None
    kept = also_marked(names, table, [part for part, _ in left], asked)
    if kept is None:
        return None
    left = [row for row in left if row[0] in kept]
    noun = _noun(asked) - above(file, block, asked)
    is_said = noun and any(noun <= asked.stems(row) for _, row in rows)
    if is_said:  # "dogs for under 30 gp"
        left = [row for row in left if noun <= asked.stems(row[1])]
    also = _besides(file, block, wanted, asked)
    both = [(part, row) for part, row in left if also and also <= asked.stems(row)]
    if not both and also & (asked.stems(" ".join(row for _, row in rows)) | _DAYS):
        return None  # "on friday": the others would be told as such
    said = as_typed((also if both else frozenset()) | (noun if is_said else frozenset()), asked)
    return Chosen(tuple(part for part, _ in both or left), (*said, *wanted.words)) if left else None


def _as_written(limit: Interval, file: IndexedFile, rows: Sequence[tuple[Part, str]]) -> Interval:
    """A limit in the table's own unit of money: pounds as £, none where the cells name none.

    "Under 30 marks" is under 30 where the file tells its prices in marks, and the table does not.
    """
    units = frozenset(_SIGNS.get(one, one) for one in limit.units)
    cells = frozenset(unit for _, row in rows for one in intervals(row) for unit in one.units)
    written = "".join(row for _, row in rows) + "".join(entry.lead for entry in file.entries)
    if units != limit.units and any(sign in written for sign in units):
        return replace(limit, units=units)
    if not units or units & (cells | MEASURES) or not units.isdisjoint(stems_of(written)):
        return limit
    said = (unit for entry in file.entries for one in intervals(entry.quote) for unit in one.units)
    return replace(limit, units=frozenset()) if not units.isdisjoint(said) else limit


def fits(one: Interval, limit: Interval) -> bool:
    """Tell whether an amount meets a limit: "up to an hour" is not less than 40 minutes."""
    if one.low == 0 and one.is_range:
        return limit.low <= one.high <= limit.high
    return one.low <= limit.high and one.high >= limit.low


def _is_a_column(wanted: Amount, file: IndexedFile) -> bool:
    """Whether a table of the file has a column of that name: the price "under 27", years of age."""
    leads = {entry.lead for entry in file.entries if entry.kind == "row"}
    names = {name.strip("* ").casefold() for lead in leads for name in cells(lead)}
    return any(wanted.said.casefold() in name for name in names)


def items_by_amount(file: IndexedFile, block: Block, asked: QuestionWords) -> Chosen | None:
    """Return the items of a list whose first amount in the question's unit fits: "under 50 marks".

    None where the question is of a folder's files, and the list is not called so, or where the list
    or an item denies something: "not to be given under 6 weeks".
    """
    wanted = amount(asked.question)
    if wanted is None or not wanted.limit.units or wanted.denied:
        return None
    if is_of_a_folder(file, block, asked):
        return None
    found = []
    for part in block.parts:
        text = "\n".join(file.lines.get(number, "") for number in part.numbers)
        amounts = (one for clause in _OF_ITEM.split(text) for one in intervals(clause) if one.units)
        sized = (in_units_of(one, wanted.limit) for one in amounts)
        found.append((part, next(filter(None, sized), None)))
    having = [(part, one) for part, one in found if one]
    fitting = tuple(part for part, one in having if wanted.holds(one))
    if not 0 < len(fitting) < len(found) or 2 * len(having) < len(found):
        return None
    told = [file.lines.get(number, "") for part in fitting for number in part.numbers]
    if DENIES.search("\n".join([block.heading, *told])):
        return None
    return Chosen(fitting, wanted.words)


def is_of_a_folder(file: IndexedFile, block: Block, asked: QuestionWords) -> bool:
    """Tell whether a question is of a folder's files, and neither file nor block is called so.

    "Boats under 5 m" are no rows of a table of courses.
    """
    called = folders.opening_nouns(asked.question, asked.terms)
    own = asked.stems(f"{title(file.path)} {block.heading.rsplit(' > ', 1)[-1]}")
    return any(own.isdisjoint(one) for one in called)


def _noun(asked: QuestionWords) -> frozenset[str]:
    """The stems of the plural that a question begins with; none of another one."""
    found = folders.OPENING.match(asked.question)
    return asked.stems(found["noun"] or found["last"]) if found else frozenset()


def _besides(
    file: IndexedFile, block: Block, wanted: Amount, asked: QuestionWords
) -> frozenset[str]:
    """What a question asks of the rows beside the amount; none where it denies or compares."""
    rest = without(asked.question, wanted)
    if wanted.denied or NOT_BY_WORDS.search(rest):
        return frozenset()
    amounts = asked.stems(wanted.said)
    words = (asked.words & asked.stems(rest)) - amounts - folders.SAID_WITH_IT - _COSTS
    return words - above(file, block, asked)
