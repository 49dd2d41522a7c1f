"""The rows of a table that a column's marks, signs or ages choose: "which devices do 4K".

A wrong choice says the opposite of the rules. So a column chooses only where the question names it
whole, some of its cells say yes and others no, and at most one denial stands directly before its
name.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from api.answer.cards.blocks import Part
from api.answer.cards.folders import folders
from api.answer.cards.lists.cell_marks import bare, is_filled, is_marked, is_said
from api.answer.cards.lists.rows_by_age import asked_age, of_age
from api.answer.question.limits import AGED
from api.answer.question.modality import modality
from api.answer.question.plain_words import LIGHT, PLAIN
from retrieval.ranking.lines import QuestionWords
from retrieval.text import denials
from retrieval.text.normalize import searchable
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import stems_of

Table = Sequence[tuple[Part, Sequence[str]]]  # the rows of a table with their cells

_BARE = (["yes"], ["no"])  # of which others than a value may follow
_SET_TO = frozenset({"is", "are", "of", "to", "set", "equals"})  # "where the grade is greater"
_COMPARING = re.compile(
    r"\b(?:more|less|fewer|most|least|than|before|after|from|until|[a-z]{3,}er)\b", re.IGNORECASE
)
# What asks for a column's value, of which others have none: "gear that has a deposit".
HAS = re.compile(
    r"\b(?:ha(?:s|ve)|having|needs?|needing|requires?|requiring|with|gets?|pays?|offers?|includes?)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"\bbut\b", re.IGNORECASE)
_FREE = re.compile(r"\bfree\b", re.IGNORECASE)
_CALLED_FREE = frozenset(stems_of("free"))
_SEPARATORS = re.compile(r" ?[,;/&] ?| and | or ")
_FORBIDDEN = re.compile(r"(?:forbidden|not allowed|prohibited|banned)\b", re.IGNORECASE)
_DENIAL = re.compile(
    rf"\b(?:{denials.ASKED}|none|nothing|cant|dont|doesnt|forbidden|banned|prohibited)\b|n['’]t\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|cannot|cant|forbidden|banned|prohibited)\b|n['’]t\b", re.IGNORECASE)
# What says no in a word of its own, or of which one cannot tell what it is said of.
_UNCLEAR = re.compile(
    r"\b(?:free|allerg\w*|lacks?|lacking|neither|nor|or|except|besides|excluding|avoid|unsafe|"
    r"unable|missing|intoleran\w*|only)\b|\bnon-|\b(?:and|or)(?: what)? (?:not|cannot|\w+n['’]t)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b([^\W\d_]{3,}) (\d{1,3})\b(?!(?: ?,| or| and) \d)")  # "severity 1"


class Marked(NamedTuple):
    """Rows, with the stems of the question that chose them; `denied`: of these what it denies."""

    parts: tuple[Part, ...]
    said: frozenset[str]
    denied: frozenset[str] = frozenset()
    is_sign: bool = False  # whether a sign or a value chose them, and no yes or no


class _Column(NamedTuple):
    """A column that the question names: its cells, the rows with a sign that it names as well."""

    cells: tuple[str, ...]
    signed: tuple[Part, ...]
    said: frozenset[str]  # stems of the question that speak of it
    name: frozenset[str]


def marked_rows(
    columns: Sequence[tuple[str, ...]],
    table: Table,
    asked: QuestionWords,
    about: frozenset[str] = frozenset(),
    *,
    is_near: bool = False,
) -> Marked | None:
    """Return the rows with a yes in the columns that the question names, or a no where it denies.

    Or with the sign that it names ("severity 1"), for somebody of an age ("a 16 year old"), or that
    forbid something, where that is asked for. None where it is not plain, or all rows or none.
    `columns` has of each what it is called and what that stands for, `about` the stems of what
    stands above the table. `is_near`: search found the table nearest, so that a question of two of
    its columns need not name it.
    """
    named = list(_named(columns, table, asked))
    if AGED.search(searchable(asked.question)):
        return _for_age(columns, table, named, asked, about)
    valued = {n: found for n, one in enumerate(named) if (found := _with_value(one, table, asked))}
    if valued:  # "online yes and by phone no" is of two columns
        is_more = len(named) > len(valued) or bool(_BUT.search(asked.question))
        return None if is_more or len(valued) > 1 else next(iter(valued.values()))
    denials = _DENIAL.findall(asked.question)
    if len(denials) > 1 or _UNCLEAR.search(_without_names(asked.question, named)):
        return None
    if not denials and (signed := [one for one in named if one.signed]):
        first, *others = signed
        by_sign = None if others else _some(table, first.signed, first.said)
        return by_sign and by_sign._replace(is_sign=True)
    marked = [one for one in named if is_marked(one.cells)]
    is_limited = bool(denials or HAS.search(asked.question))
    if not _COMPARING.search(asked.question) and (is_limited or (not marked and len(named) == 1)):
        marked = [
            one for one in named
            if one in marked or is_filled(one.cells, in_words=is_limited)
        ]  # fmt: skip
    denied = [one for one in marked if denials and _denies(asked, one.said, about)]
    if denials and marked and not _is_last(denied, marked, asked):
        return None
    if not marked:
        said = asked.stems("forbidden")
        if not _is_all_understood(columns, table, asked, said, about, is_named=True):
            return None  # "which materials are forbidden" is asked of no table of buildings
        return _some(table, _forbidding(table, asked), said)
    said = frozenset().union(*(one.said for one in marked))
    is_named = is_near and (len(marked) > 1 or _is_unknown(asked))
    if not _is_all_understood(columns, table, asked, said, about, is_named=is_named):
        return None
    parts = [
        part
        for n, (part, _) in enumerate(table)
        if all(is_said(one.cells, n, denied=one in denied) for one in marked)
    ]
    found = _some(table, parts, said)
    no = frozenset[str]().union(*(one.said for one in denied))
    return found._replace(denied=no) if found else None


def _without_names(question: str, named: Sequence[_Column]) -> str:
    """A question without "free" where a column is called so: "Step-free"."""
    has_free = any(not one.name.isdisjoint(_CALLED_FREE) for one in named)
    return _FREE.sub(" ", question) if has_free else question


def _is_last(denied: Sequence[_Column], marked: Sequence[_Column], asked: QuestionWords) -> bool:
    """Whether one column is denied, and all others are asked for before that.

    "Underground and do not fight" is plain, "do not go underground and fight" is not.
    """
    found = _DENIAL.search(asked.question)
    before = asked.stems(asked.question[: found.start()]) if found else frozenset[str]()
    return len(denied) == 1 and all(one in denied or one.said <= before for one in marked)


def _for_age(
    columns: Sequence[tuple[str, ...]],
    table: Table,
    named: Sequence[_Column],
    asked: QuestionWords,
    about: frozenset[str],
) -> Marked | None:
    """The rows for somebody of an age, where nothing else is asked of them."""
    names = [name for name, *_ in columns]
    aged = asked_age(searchable(asked.question))
    things = about | asked.stems(f"{' '.join(names)} {aged.said if aged else ''} suitable")
    more = asked.words - things - PLAIN
    is_marked_too = any(is_marked(one.cells) for one in named)  # "paid jobs for a 14 year old"
    if aged is None or is_marked_too or len(more) > 1 or _UNCLEAR.search(asked.question):
        return None
    young = of_age(names, table, aged.years, denied=aged.is_denied)
    return _some(table, young, asked.stems(aged.said))


def also_marked(
    names: Sequence[str], table: Table, parts: Sequence[Part], asked: QuestionWords
) -> tuple[Part, ...] | None:
    """Return those of the rows with a yes in each other column of yes and no that is asked for.

    None where one is denied, too.
    """
    kept = list(parts)
    for column, name in enumerate(names):
        own = asked.stems(name)
        cells = [bare("".join(row[column : column + 1])) for _, row in table]
        if not (column and own and own <= asked.words and is_marked(cells)):
            continue
        if _DENIAL.search(asked.question):
            return None
        said = {p for n, (p, _) in enumerate(table) if is_said(cells, n, denied=False)}
        kept = [part for part in kept if part in said]
    return tuple(kept)


def _is_all_understood(
    columns: Sequence[tuple[str, ...]],
    table: Table,
    asked: QuestionWords,
    said: frozenset[str],
    about: frozenset[str],
    *,
    is_named: bool,
) -> bool:
    """Whether a question asks for the table's things, and holds no word that may turn its sense.

    "Which areas are closed to visitors" is no question for what they may enter.
    """
    things = (about | asked.stems(" ".join(name for name, *_ in columns))) - said
    if is_named and _is_unknown(asked):
        things |= _noun(asked)
    rows = asked.stems(" ".join(cell for _, row in table for cell in row))
    is_of_table = (
        is_named or not asked.words.isdisjoint(things) or modality(asked.question) == "must not"
    )
    return is_of_table and asked.words <= things | said | rows | PLAIN


def _is_unknown(asked: QuestionWords) -> bool:
    """Whether what a question opens with is part of no name: "guns" of a table of weapons."""
    noun = _noun(asked)
    return bool(noun) and noun.isdisjoint(asked.terms.named_words)


def _noun(asked: QuestionWords) -> frozenset[str]:
    opening = folders.OPENING.match(asked.question)
    return asked.stems(opening["noun"] or opening["last"]) if opening else frozenset()


def _some(table: Table, parts: Sequence[Part], said: frozenset[str]) -> Marked | None:
    return Marked(tuple(parts), said) if 0 < len(parts) < len(table) else None


def _named(
    columns: Sequence[tuple[str, ...]], table: Table, asked: QuestionWords
) -> Iterator[_Column]:
    """The columns that the question names."""
    for column, called in enumerate(columns):
        names = [own for name in called if (own := asked.stems(name)) and own <= asked.words]
        if not column or not names or _DENIAL.search(" ".join(called)):
            continue
        own = names[0]
        cells = [bare("".join(row[column : column + 1])) for _, row in table]
        signs = {sign for kind, sign in asked.codes if kind in own}
        signs |= {n for kind, n in _NUMBERED.findall(asked.question) if own & asked.stems(kind)}
        pairs = zip(table, cells, strict=True)
        signed = [part for (part, _), cell in pairs if cell.upper() in signs]
        said = own | asked.stems(" ".join(signs)) if signed else own
        yield _Column(tuple(cells), tuple(signed), said, own)


def _with_value(column: _Column, table: Table, asked: QuestionWords) -> Marked | None:
    """The rows with the cell that the question writes behind the column's name: "supervised yes".

    None where it says no besides.
    """
    words = WORD.findall(asked.question.lower())
    for cell in dict.fromkeys(column.cells):
        value = WORD.findall(cell.lower())
        at = next((n for n in _places(value, words) if _is_behind(column, words[:n], asked)), None)
        if not value or at is None:
            continue
        if value in _BARE and at + len(value) < len(words):  # "paid no matter how old"
            continue
        rest = " ".join([*words[:at], *words[at + len(value) :]])
        if _DENIAL.search(rest) or _UNCLEAR.search(rest):
            return None
        parts = [
            part for (part, _), own in zip(table, column.cells, strict=True)
            if own == cell or cell in _SEPARATORS.split(own.replace("*", ""))  # "dogs *or* cats"
        ]  # fmt: skip
        return _some(table, parts, asked.stems(" ".join(value)) or column.name)
    return None


def _places(value: Sequence[str], words: Sequence[str]) -> Iterator[int]:
    return (n for n in range(1, len(words)) if value and words[n : n + len(value)] == value)


def _is_behind(column: _Column, before: Sequence[str], asked: QuestionWords) -> bool:
    """Whether words end with the column's name, or with it and "is"."""
    said = [word for word in before[-3:] if word not in _SET_TO]
    return bool(said) and not asked.stems(said[-1]).isdisjoint(column.name)


def _denies(asked: QuestionWords, column: frozenset[str], about: frozenset[str]) -> bool:
    """Whether the question's one denial is of a column: nothing that says more is between them.

    What stands above the table says no more: "systems that cannot be repaired under way".
    """
    found = _DENIAL.search(asked.question)
    behind = WORD.findall(asked.question[found.end() :].lower()) if found else []
    until = next((n for n, word in enumerate(behind) if asked.stems(word) & column), None)
    return until is not None and all(
        word in LIGHT or asked.stems(word) <= about for word in behind[:until]
    )


def _forbidding(table: Table, asked: QuestionWords) -> list[Part]:
    """The rows whose only column of that kind forbids something: "what may I not store"."""
    if not (_NOT.search(asked.question) or modality(asked.question) == "must not"):
        return []
    found = [
        (part, column)
        for part, row in table
        for column, cell in enumerate(row)
        if column and _FORBIDDEN.match(cell.strip("`* "))
    ]
    one_column = len({column for _, column in found}) == 1
    return [part for part, _ in found] if one_column else []
