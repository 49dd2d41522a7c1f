"""The rows that meet a condition: an age, nothing to pay, a yes in one column alone, equal cells.

Which conditions a question states is read here, those of amounts as well.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial

from api.answer.cards.lists.rows.by_age import asked_age, is_age, of_age
from api.answer.cards.lists.rows.by_column import PRICES
from api.answer.cards.lists.rows.cell_marks import YES, bare, is_marked, is_said
from api.answer.cards.table_query import first_rows
from api.answer.cards.table_query.amount_conditions import amounts, by_limit, by_value, room_for
from api.answer.cards.table_query.columns import NAMED, SAID, Met, is_money
from api.answer.cards.table_query.grids import Comparable
from api.answer.question.limits import AGED, MONEY, Amount, counted
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.text.units import SIZES
from retrieval.vocabulary.terms import stems_of

Condition = Callable[[Comparable, QuestionWords], Met | None]
_IN_YEAR = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|winter)\w{0,6}\b|"
    r"\bseason",
    re.IGNORECASE,
)
_IS_OF_AGE = re.compile(
    r"\b(?:is|am|are|['’]s|i['’]?m|turned|turns) (\d{1,2})"
    r"(?=[,.?!]| (?:and|what|which|who)\b|$)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?:none|no|nil|nothing|free|never|not needed|0(?:[.,]0{1,3})?|[-–—−])"
    r"(?: \(.{1,40}\)|[;,] (?!.{0,40}\b(?:but|except|unless|apart)\b).{1,40})?",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"\b(?:costs?|costing|pay|paying) (?:\w+ )?(?:nothing|zero)\b|"
    r"(?<![-\w])(?<!feel )free\b(?! \w+ing\b)",
    re.IGNORECASE,
)
_NOT_FREE = re.compile(r"(?:\bnot|\bnever|n['’]t) (?:\w+ )?free\b", re.IGNORECASE)
_WITHOUT = re.compile(
    r"\b(?:without|no|never|zero|neither|nor|not|cannot|cant|dont|doesnt)\b|n['’]t\b",
    re.IGNORECASE,
)
# What is looked up the other way round, by a value: "which room has 20 m2".
_LOOKS_UP = re.compile(
    r"^\W*(?:with |at )?(?:which|who|how many|what"
    r"(?! (?:is|are|does|do|was|happens|if|about)\b))\b|"
    r", (?:which|who|what)\b",
    re.IGNORECASE,
)
_MEASURES = MONEY | SIZES.keys() | {"%"}
_FREE_WORD = frozenset(stems_of("free"))
_DENIED_WORDS = 5  # words behind a denial that may name what is denied
_ONLY = re.compile(
    r"\bonly (?:the |an? )?(?P<who>[a-z][\w-]{1,20}(?: [\w-]{2,20})?)", re.IGNORECASE
)
_ALWAYS = re.compile(r"\b(?:all|every|always)\b", re.IGNORECASE)
_SAME = re.compile(
    r"\b(?:same|equal|identical)\b(?! .{0,20}\bas (?:an? |the )?\w)|"
    r"\b(?:do|does|did)(?: not|n['’]?t)(?: \w+)? (?:change|differ|vary)\b|"
    r"\ball (?:year|season)s?\b",
    re.IGNORECASE,
)


def without(question: str, conditions: Sequence[Condition]) -> str:
    """Return a question without the amounts, values and age that its conditions are of."""
    if any(getattr(one, "func", None) is by_value for one in conditions):
        return ""
    rest = counted(question)
    for one in conditions:
        if limit := limit_of(one):
            said = limit.said
            denied = (f"{no} {said}" for no in ("no", "not") if f"{no} {said}" in rest)
            rest = rest.replace(next(denied, said), " ", 1)
    return _ORDINAL.sub(" ", _IS_OF_AGE.sub(" ", AGED.sub(" ", rest)))


def limit_of(condition: Condition) -> Amount | None:
    """Return the amount that a condition limits by; None for another one."""
    if isinstance(condition, partial) and condition.func is by_limit:
        limit: Amount = condition.args[0]
        return limit
    return None


def words_besides(asked: QuestionWords, conditions: Sequence[Condition]) -> frozenset[str]:
    """Return the stems of a question that its conditions do not say."""
    looked_up = [
        one.args[0] for one in conditions if isinstance(one, partial) and one.func is by_value
    ]
    if not looked_up:
        return asked.stems(without(asked.question, conditions))
    numbers = {f"{value.number:g}" for value in looked_up}
    return asked.words.difference(numbers, *(asked.terms.in_full(one.units) for one in looked_up))


def by_age(grid: Comparable, asked: QuestionWords) -> Met | None:
    """Return the rows for somebody of the age that a question says."""
    question = searchable(asked.question)
    aged = asked_age(_IS_OF_AGE.sub(r" \1 year old", question))
    if aged is None:
        return None
    parts = set(of_age(grid.names, grid.table, aged.years, denied=aged.is_denied))
    rows = frozenset(n for n, (part, _) in enumerate(grid.table) if part in parts)
    column = next((n for n, name in enumerate(grid.names) if n and is_age(stems_of(name))), 0)
    return Met(NAMED, rows, column) if 0 < len(rows) < len(grid.table) else None


def by_nothing(grid: Comparable, asked: QuestionWords) -> Met | None:
    """Return the rows with nothing in the column that a question denies: "no deposit", "free"."""
    question = searchable(asked.question)
    denial = _WITHOUT.search(question)
    behind = question[denial.end() :].split()[:_DENIED_WORDS] if denial else []
    denied = asked.stems(" ".join(behind))
    is_free = _FREE.search(question) and not _NOT_FREE.search(question)
    best: Met | None = None
    for column, name in enumerate(grid.names):
        cells = [bare(one) for one in grid.cells(column)]
        rows = frozenset(n for n, cell in enumerate(cells) if _NOTHING.fullmatch(cell))
        stems = asked.stems(name)
        if not column or not 0 < len(rows) < len(cells):
            continue
        score = NAMED if is_free and (is_money(name, cells) or stems & PRICES) else 0.0
        if stems <= denied or (stems & denied) - _FREE_WORD:  # "not free" is of no "step free"
            score = NAMED + SAID * (stems <= denied)
        if score and (best is None or score > best.score):
            best = Met(score, rows, column)
    return best


def by_only(grid: Comparable, asked: QuestionWords) -> Met | None:
    """Return the rows with a yes in the one column that "only" names, and no other."""
    only = _ONLY.search(asked.question)
    if not only:
        return None
    who = asked.stems(only["who"])
    marked = [n for n in range(1, len(grid.names)) if is_marked([bare(c) for c in grid.cells(n)])]
    named = [n for n in marked if (own := asked.stems(grid.names[n])) and own <= who]
    if len(named) != 1 or len(marked) < 2:
        return None
    cells = {n: [bare(c) for c in grid.cells(n)] for n in marked}
    rows = frozenset(
        row for row in range(len(grid.table))
        if YES.match(cells[named[0]][row])
        and all(is_said(cells[n], row, denied=True) for n in marked if n != named[0])
    )  # fmt: skip
    return Met(NAMED + SAID, rows, named[0]) if rows else None


def by_sameness(grid: Comparable, asked: QuestionWords) -> Met | None:
    """Return the rows that say the same in the columns that a question names.

    Else in those that are called as a time of the year, or in all for what is always the same.
    """
    if not _SAME.search(searchable(asked.question)):
        return None
    columns = [n for n in range(1, len(grid.names)) if _is_of_amounts(grid.cells(n))]
    named = [n for n in columns if asked.stems(grid.names[n]) & asked.words]
    dated = [n for n in columns if _IN_YEAR.search(grid.names[n])]
    groups = named if len(named) > 1 else dated
    if len(groups) < 2 and _ALWAYS.search(asked.question):
        groups = columns
    if len(groups) < 2:
        return None
    rows = frozenset(
        n for n, (_, row) in enumerate(grid.table)
        if len({"".join(row[c : c + 1]).strip() for c in groups}) == 1
        and all("".join(row[c : c + 1]).strip() for c in groups)
    )  # fmt: skip
    if not 0 < len(rows) < len(grid.table):
        return None
    return Met(NAMED + SAID * (len(named) > 1), rows, groups[0])


def _is_of_amounts(cells: Sequence[str]) -> bool:
    return 2 * sum(any(map(str.isdigit, cell)) for cell in cells) > len(cells)


def read(asked: QuestionWords, *, is_compared: bool, of_things: bool = False) -> list[Condition]:
    """Return the conditions that a question states; each row of a table meets one or not.

    `is_compared`: most or least of something is asked, so that a value is no condition.
    `of_things`: what has a value is asked for, however it is said.
    """
    question = searchable(asked.question)
    limits = amounts(question)
    if not limits and first_rows.ASKED.search(question):
        return [first_rows.by_first]
    if of_things and not limits and (room := room_for(question)):
        limits = [room]
    found: list[Condition] = [partial(by_limit, one) for one in limits]
    if AGED.search(question) or _IS_OF_AGE.search(question):
        found.append(by_age)
    elif _FREE.search(question) or _WITHOUT.search(without(question, found)):
        found.append(by_nothing)
    if _ONLY.search(question):
        found.append(by_only)
    if _SAME.search(question):
        found.append(by_sameness)
    is_looked_up = of_things or _LOOKS_UP.search(question)
    if not found and not is_compared and len(asked.values) == 1 and is_looked_up:
        meant = [one for one in asked.values if one.units & _MEASURES or (of_things and one.units)]
        found += [partial(by_value, one, is_listed=of_things) for one in meant]
    return found
