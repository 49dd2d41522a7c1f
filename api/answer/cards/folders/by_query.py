"""The files of a folder that a question chooses by comparing their fields.

"Which boat is the longest", "first level spells with a range over 100 feet", "undead with more
than 4 hit dice". They are compared as the rows of a table are.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from typing import NamedTuple

from api.answer.cards.folders import file_table, folders
from api.answer.cards.folders.file_fields import Field, Read, Stated, tagged
from api.answer.cards.folders.file_table import FileTable
from api.answer.cards.folders.folders import MOST, Folder, ListedFile
from api.answer.cards.table_query import row_conditions
from api.answer.cards.table_query.columns import NAMED, OF_UNIT, Fit, Met, best_of, fitting
from api.answer.cards.table_query.most_rows import most_of
from api.answer.cards.table_query.query import asks_for_rows
from api.answer.question.plain_words import PLAIN
from api.answer.question.superlatives import Superlative, alike, superlatives
from retrieval.models import Terms
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.text.quantities import intervals
from retrieval.text.reading_order import reading_order
from retrieval.text.units import SIZES
from retrieval.vocabulary.terms import key, stems_of

_WORD = re.compile(r"[^\W_][\w'’-]*")
_CLAUSE = re.compile(
    r"\b(?:has|have|had|with|without|is|are|was|were|do|does|did|can|cannot|may|that|who)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:not?|non)\b", re.IGNORECASE)  # "**Not undead:** …"
_LIGHT = (
    PLAIN
    | folders.SAID_WITH_IT
    | frozenset(stems_of("worth value world game all away exactly stop end die"))
)
_FIGURE = re.compile(r"\d")
_BESIDES = re.compile(r"\([^()]{1,60}\)|\*")
_LEAST = 3  # things that a label is of
_HALF = 0.5  # of the things: what has to have an amount
_WORDED = 0.3  # of the things say it in words
_NEARLY = 0.95  # of the amounts are of one unit: others are slips
_NEAREST = 2  # folders that are called alike


class _Scope(NamedTuple):
    """The folders whose files are asked for, and the question without the words for them."""

    folders: tuple[str, ...]
    question: str


def chosen(question: str, terms: Terms, read: Read, stated: Stated) -> tuple[Folder, ...]:
    """Return the files whose fields say what a question compares, by folder, with that line.

    None where it compares nothing, no folder is asked for, a word is not understood, no field or
    several may be meant, or where all files fit or none.
    """
    plain = folders.in_digits(searchable(question), terms)
    if not asks_for_rows(plain) or not (_FIGURE.search(plain) or _compares(plain, terms)):
        return ()
    scope = _scope(plain, terms, stated)
    if not scope or not _compares(scope.question, terms):
        return ()
    table = file_table.of(scope.folders, terms, read)
    met = _met(table, scope.question, terms, stated) if table else None
    if not table or not met or not 0 < len(met.rows) < len(table.table):
        return ()
    return tuple(_listed(folder, table, met, scope, terms) for folder in scope.folders)


def _compares(question: str, terms: Terms) -> bool:
    asked = QuestionWords.of(question, terms)
    return bool(
        superlatives(question) or row_conditions.read(asked, is_compared=False, of_things=True)
    )


def _scope(question: str, terms: Terms, stated: Stated) -> _Scope | None:
    """The folders called as the first thing of a question, those that it says most of.

    Else the one in which some files have a label of that name: "undead".
    """
    words = [(one.span(), folders.meant(one[0], terms)) for one in _WORD.finditer(question)]
    words = [(span, stems) for span, stems in words if stems]
    called = folders.said_by(terms)
    known = frozenset[str]().union(*called.values())
    # Of "which undead has the lowest armour class" nothing behind the verb.
    begins = words[0][0][0] if words else 0
    ends = [one.start() for one in _CLAUSE.finditer(question) if one.start() > begins]
    thing = [stems for (at, _), stems in words if at < min(ends, default=len(question))]
    run = list(takewhile(known.issuperset, dropwhile(lambda one: not _is_of(one, known), thing)))
    if not run:
        return _labelled(question, thing, terms, stated)
    head = [one for one in run if _is_of(one, known)][-1]
    every = frozenset[str]().union(*(stems for _, stems in words))
    of = [one for one in called if head <= folders.name_stems(one.rsplit("/", 1)[-1])]
    inside = [one for one in called if any(one == top or one.startswith(f"{top}/") for top in of)]
    most = max((len(called[one] & every) for one in inside), default=0)
    best = [one for one in inside if len(called[one] & every) == most]
    above = [one for one in best if not any(one.startswith(f"{other}/") for other in best)]
    if not above or len(above) > _NEAREST:
        return None
    said = frozenset.intersection(*(called[one] for one in above))
    for (first, last), stems in reversed(words):
        if stems <= said:
            question = f"{question[:first]} {question[last:]}"
    return _Scope(tuple(sorted(above)), question)


def _is_of(stems: frozenset[str], known: frozenset[str]) -> bool:
    """Whether a word is of a folder's name, and no number alone."""
    return stems <= known and not all(map(str.isdigit, stems))


def _labelled(
    question: str, words: Sequence[frozenset[str]], terms: Terms, stated: Stated
) -> _Scope | None:
    """The folder with some files that have an entry or a tag called as the first word."""
    name = words[0] if words else frozenset[str]()
    files = (terms.names.get(tuple(name), frozenset()) | tagged(name, stated)) & terms.titles.keys()
    inside = Counter(path.rpartition("/")[0] for path in files)
    folder, count = max(inside.items(), key=lambda one: one[1], default=("", 0))
    return _Scope((folder,), question) if folder and count >= _LEAST else None


def _met(table: FileTable, question: str, terms: Terms, stated: Stated) -> Met | None:
    """The rows that a question means, all of its words understood; the column is the last one."""
    asked, wanted = QuestionWords.of(question, terms), superlatives(question)
    conditions = row_conditions.read(asked, is_compared=bool(wanted), of_things=True)
    met = [condition(table, asked) for condition in conditions]
    known = [one for one in met if one and one.score >= OF_UNIT]
    if len(known) < len(met) or not (known or wanted):
        return None
    compared, fits = _best(table, wanted, asked)
    if wanted and not compared:
        return None
    columns = [*(one.column for one in known), *(one.column for one in fits)]
    names = asked.stems(" ".join(table.names[column] for column in columns))
    said = names.union(alike(names), *(asked.stems(one.said) for one in wanted))
    left = asked.stems(row_conditions.without(question, conditions)) - said - _LIGHT
    rows = frozenset(range(len(table.table))).intersection(*(one.rows for one in known))
    for word in left:
        rows &= _called(table, word, asked, stated)
    if not compared:
        return known[-1]._replace(rows=rows)
    ways = [most_of([fit], compared, rows) for fit in fits]
    # Which is the cheapest for an hour, and which for a day?
    return ways[0] if len({way and way.rows for way in ways}) == 1 else None


def _called(table: FileTable, word: str, asked: QuestionWords, stated: Stated) -> frozenset[int]:
    """The rows with a field called so that does not say no, a cell or a tag that says no more."""
    own, files = frozenset({word}), tagged(frozenset({word}), stated)
    named = {column for column, name in enumerate(table.names) if key(name) == (word,)}
    return frozenset(
        n for n, (_, cells) in enumerate(table.table)
        if table.paths[n] in files
        or any((field := table.fields.get((n, one))) and not _is_denied(field) for one in named)
        or any(asked.stems(cell) == own for cell in cells[1:])
    )  # fmt: skip


def _is_denied(field: Field) -> bool:
    return field.says_no or bool(_NOT.match(field.name))


def _best(
    table: FileTable, wanted: Sequence[Superlative], asked: QuestionWords
) -> tuple[Superlative | None, list[Fit]]:
    """What may be compared by which columns, all rows of each in one unit; none of no column."""
    for one in wanted:
        fits = best_of(fitting(table, one, asked))
        if fits and fits[0].score >= NAMED and all(_is_known(table, fit, one) for fit in fits):
            return one, fits
    return None, []


def _is_known(table: FileTable, fit: Fit, wanted: Superlative) -> bool:
    """Whether most rows have an amount in a column, hardly one of another kind or in words.

    What is said in words ("touch") may be less than any amount, and is seldom more.
    """
    known = [one for one in fit.amounts if one is not None]
    cells = [_BESIDES.sub("", cell) for cell in table.cells(fit.column)]  # "8* (36hp)"
    first = [one for cell in cells if (one := next(intervals(cell), None))]
    units = Counter(one.units for one in first if one.units.isdisjoint(SIZES))
    most = max(units.values(), default=0)
    worded = table.worded[fit.column] / (table.worded[fit.column] + len(known))
    return (
        len(known) >= _HALF * len(fit.amounts)
        and most >= _NEARLY * units.total()
        and worded <= (_WORDED if wanted.is_highest else 1 - _NEARLY)
    )


def _listed(folder: str, table: FileTable, met: Met, scope: _Scope, terms: Terms) -> Folder:
    """The things of one folder, by path, each with the line of the field that was compared."""
    rows = [n for n in met.rows if table.paths[n].startswith(f"{folder}/")]
    rows.sort(key=lambda n: (reading_order(table.paths[n]), n))
    lines = [(table.paths[n], table.fields[n, met.column].entry) for n in rows]
    files = tuple(ListedFile(path, terms.titles[path], entry) for path, entry in lines)
    count = len({path for path, _ in lines})
    return Folder(folder, files[:MOST], count, tuple(scope.question.split()))
