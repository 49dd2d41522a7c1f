"""Choose the rows or items that a question asks for: by words, a number or a superlative."""

import re
from collections.abc import Sequence
from dataclasses import replace

from api.answer.cards.asked_parts import above, header
from api.answer.cards.blocks import Block, Part
from api.answer.cards.folders import folders
from api.answer.cards.lists import heading_lists
from api.answer.cards.lists.rows_by_code import by_code
from api.answer.cards.lists.rows_by_column import asked_columns, extreme_rows, in_units_of
from api.answer.cards.lists.rows_by_mark import HAS, also_marked, marked_rows
from api.answer.cards.lists.rows_by_words import DENIED, NOT_BY_WORDS, NUMBER, by_cell, by_words
from api.answer.cards.lists.table_rows import Chosen, as_typed, beside, named_table
from api.answer.question.limits import AGED, Amount, amount, without
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.denials import DENIES
from retrieval.text.quantities import Interval, intervals
from retrieval.text.units import MEASURES
from retrieval.vocabulary.terms import cells, column_names, stems_of, title

_OF_ITEM = re.compile(r"[:;—–] |\. ")  # "14 nights or more: 15 % off" is two amounts
_BONUS = re.compile(r"(?<![\w.])[+−-]\d")  # "swords +3" is no number that a range holds
# What limits the rows besides an amount and is not understood.
_MORE_ASKED = re.compile(
    rf"\b(?:{DENIED}|except|besides|unless|if|when|longer|cheaper|heavier)\b|n['’]t\b",
    re.IGNORECASE,
)
_SIGNS = {"pound": "£", "quid": "£", "buck": "$", "dollar": "$", "euro": "€"}  # by their stems
_COSTS = frozenset(
    stems_of("cost costs price prices charge pay fee")
)  # said of any amount of money
_EXTREME = re.compile(
    r"\b(?:latest|earliest|soonest|lowest|highest|fewest|largest|smallest|biggest|cheapest|dearest|"
    r"longest|shortest|heaviest|lightest|fastest|slowest|best|worst)\b",
    re.IGNORECASE,
)
# "A blank charge means that nothing is paid": of such a column no amount is compared.
_BLANK_SAID = re.compile(
    r"\b(?:blank|empty|dash)\b|\bno (?:figure|price|charge|entry)\b", re.IGNORECASE
)
_DAYS = frozenset(stems_of("monday tuesday wednesday thursday friday saturday sunday weekend"))
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
) -> Chosen | None:
    """Return the rows of a table, or the headings, that are asked for.

    None where that is all or none of them; of a list items by an amount alone. `is_whole`: its
    name, its columns among it, says all that is asked, so that marks alone choose. A number falls
    into ranges of many tables, so of one that is not the likeliest it chooses none. `nearest` is
    the row that search found nearest: words choose it alone, too. `may_be_all`: an amount may fit
    every row, where other tables are beside it. `only_codes`: of a table signs alone choose.
    """
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    if block.kind == "headings":
        found, said = heading_lists.labelled(file, block, asked)
        if found and not NOT_BY_WORDS.search(asked.question):
            return Chosen(found, as_typed(said, asked))
        return by_words(file, block, rows, asked)
    if block.kind == "list":
        return _items_by_amount(file, block, asked)
    if block.kind != "table":
        return None
    wanted = amount(asked.question)
    text = without(asked.question, wanted) if wanted else asked.question
    coded = by_code(file, block, rows, asked, text)
    if coded and not (coded.parts and wanted):
        return coded if coded.parts else None
    if only_codes and not coded:
        return None
    if (AGED.search(asked.question) or _EXTREME.search(asked.question)) and _is_of_a_folder(
        file, block, asked
    ):
        return None
    if is_whole:
        return _by_mark(file, block, rows, asked)
    is_near = is_likeliest and nearest is not None
    if coded:
        left = [row for row in rows if row[0] in coded.parts]
        both = _by_amount(file, block, left, asked, may_be_all=True)
        return both and both._replace(said=(*coded.said, *both.said), by_signs=True)
    if wanted:  # what no amount fits is not found by its number
        return _by_amount(file, block, rows, asked, may_be_all=may_be_all)
    if _EXTREME.search(asked.question):  # of which rows no word tells
        return _by_superlative(file, block, rows, asked)
    return (
        _by_superlative(file, block, rows, asked)
        or _by_mark(file, block, rows, asked, is_near=is_near)
        or (_by_range(file, block, rows, asked) if is_likeliest else None)
        or by_cell(file, block, rows, asked)
        or by_words(file, block, rows, asked, nearest)
    )


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
    return _by_mark(file, block, rows, asked, is_near=True) if is_limited else None


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


def _by_superlative(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """The row that has the most or the least of a field: "the cheapest armour"."""
    names, table = named_table(file, block, rows)
    own = asked.stems(" ".join([block.heading.rsplit(" > ", 1)[-1], *header(file, block)]))
    if _BLANK_SAID.search(beside(file, block)):
        return None
    found = extreme_rows(names, table, own, asked)
    return Chosen(found[0], tuple(found[1].split())) if found else None


def _by_mark(
    file: IndexedFile,
    block: Block,
    rows: Sequence[tuple[Part, str]],
    asked: QuestionWords,
    *,
    is_near: bool = False,
) -> Chosen | None:
    """The rows marked in a column that the question names: "which devices have 4K".

    Of them those alone that say what else is asked and stands in the table. `is_near`: search found
    the table nearest.
    """
    meant, table = named_table(file, block, rows)
    written = column_names("\n".join(header(file, block)), len(meant))
    about = above(file, block, asked)
    names = list(zip(written, meant, strict=True))
    found = marked_rows(names, table, asked, about, is_near=is_near)
    if found is None:
        return None
    words = asked.words - about - found.said
    words &= asked.stems(" ".join(row for _, row in rows))
    kept = also_marked(meant, table, found.parts, asked) if found.is_sign else found.parts
    both = tuple(p for p, row in rows if p in (kept or ()) and words <= asked.stems(row))
    typed = list(as_typed(words | found.said, asked) or ("forbidden",))
    if found.denied:  # "step free no projector"
        at = (n for n, word in enumerate(typed) if asked.stems(word) & found.denied)
        typed.insert(next(at, 0), "no")
    return Chosen(both, tuple(typed)) if both else None


def _by_amount(
    file: IndexedFile,
    block: Block,
    rows: Sequence[tuple[Part, str]],
    asked: QuestionWords,
    *,
    may_be_all: bool,
) -> Chosen | None:
    """The rows whose cell fits an amount: "under 20 gp", "for 10 gp", "from 3 to 5".

    Of them those alone that say what else is asked, where some do: "blunt weapons under 10 gp".
    """
    wanted = amount(asked.question)
    if wanted is None or _is_a_column(wanted, file):
        return None
    if _is_of_a_folder(file, block, asked) or _BLANK_SAID.search(beside(file, block)):
        return None
    limit = wanted.limit
    names, table = named_table(file, block, rows)
    denial = DENIES.search(asked.question, asked.question.find(wanted.said) + len(wanted.said))
    # "Under £5 with no deposit" is no deposit under £5.
    of_amount = QuestionWords.of(asked.question[: denial.start()], asked.terms) if denial else asked
    limit = _as_written(limit, file, rows)
    amounts = asked_columns(names, [cells for _, cells in table], limit, of_amount)
    fitting = [any(_fits(one, limit) for one in own) for own in amounts]
    is_all = all(one for one, found in zip(fitting, amounts, strict=True) if found)
    if not any(fitting) or (is_all and not may_be_all):
        return None
    left = [row for row, fits in zip(rows, fitting, strict=True) if fits]
    rest = QuestionWords.of(without(asked.question, wanted), asked.terms)
    if not wanted.denied and DENIES.search(rest.question):  # "for under £4 with no deposit"
        marks = _by_mark(file, block, rows, rest)
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


def _fits(one: Interval, limit: Interval) -> bool:
    """Whether an amount meets a limit: "up to an hour" is not less than 40 minutes."""
    if one.low == 0 and one.is_range:
        return limit.low <= one.high <= limit.high
    return one.low <= limit.high and one.high >= limit.low


def _is_a_column(wanted: Amount, file: IndexedFile) -> bool:
    """Whether a table of the file has a column of that name: the price "under 27", years of age."""
    leads = {entry.lead for entry in file.entries if entry.kind == "row"}
    names = {name.strip("* ").casefold() for lead in leads for name in cells(lead)}
    return any(wanted.said.casefold() in name for name in names)


def _items_by_amount(file: IndexedFile, block: Block, asked: QuestionWords) -> Chosen | None:
    """The items of a list whose first amount in the question's unit fits: "under 50 marks".

    None where the question is of a folder's files, and the list is not called so.
    """
    wanted = amount(asked.question)
    if wanted is None or not wanted.limit.units or wanted.denied:
        return None
    if _is_of_a_folder(file, block, asked):
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
    return Chosen(fitting, wanted.words)


def _is_of_a_folder(file: IndexedFile, block: Block, asked: QuestionWords) -> bool:
    """Whether a question is of a folder's files, and neither the file nor the block is called so.

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
