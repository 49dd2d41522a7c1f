"""The files of a folder that a question chooses by comparing their fields.

"Which boat is the longest", "first level spells with a range over 100 feet", "undead with more
than 4 hit dice", "boats under 100 eur that need no licence". They are compared as the rows of a
table are. All that is asked has to be understood: a condition that is left out makes the list a
wrong one.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from api.answer.cards.folders import comparable, file_scope, file_table, folders, saying
from api.answer.cards.folders.file_fields import (
    FREE_APART,
    Field,
    Read,
    Stated,
    has,
    tagged,
    words_of,
)
from api.answer.cards.folders.file_scope import Scope
from api.answer.cards.folders.file_table import FileTable
from api.answer.cards.folders.folders import MOST, Folder, ListedFile
from api.answer.cards.table_query import row_conditions
from api.answer.cards.table_query.columns import (
    NAMED,
    OF_UNIT,
    Fit,
    Met,
    best_of,
    fitting,
)
from api.answer.cards.table_query.most_rows import most_of
from api.answer.cards.table_query.query import asks_for_rows
from api.answer.question.plain_words import PLAIN
from api.answer.question.superlatives import Superlative, alike, superlatives
from retrieval.models import Terms
from retrieval.ranking.lines import QuestionWords
from retrieval.text import denials
from retrieval.text.normalize import searchable
from retrieval.text.reading_order import reading_order
from retrieval.vocabulary.terms import key, stems_of

_ONE_OF = re.compile(
    r"\bor (?!(?:more|less|fewer|over|under|up|higher|lower|later|longer|shorter|older|younger)\b)|"
    r"\b(?:nor|neither|either|unless|besides)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:\b(?:which|what|who|whose|list|show|all|any|the|is|are|do|does|has|have|that|a|an)\b|\W)+",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:not?|non)\b", re.IGNORECASE)  # "**Not undead:** …"
_LIGHT = (
    PLAIN
    | folders.SAID_WITH_IT
    | frozenset(stems_of("worth value world game all away exactly stop end die"))
)
_ALL = re.compile(r"\b(?:any|all|every|only)\b", re.IGNORECASE)
# Two conditions: "with a brake that allow horses".
_JOINED = re.compile(
    r"\b(?:and|but)\b|,|\bwith(?:out)?\b.{1,60}\bthat\b|\bthat\b.{1,60}\bwith(?:out)?\b",
    re.IGNORECASE,
)


class _Left(NamedTuple):
    """The rows that say the words of a question that compare nothing, and by which columns."""

    rows: frozenset[int]
    columns: tuple[int, ...]


def chosen(question: str, terms: Terms, read: Read, stated: Stated) -> tuple[Folder, ...]:
    """Return the files whose fields say what a question compares, by folder, with that line.

    None where it compares nothing, no folder is asked for, a word is not understood, no field or
    several may be meant, or where all files fit or none.
    """
    plain = folders.in_digits(searchable(question), terms)
    if not asks_for_rows(plain) or _ONE_OF.search(plain):
        return ()
    if any(key(one[0]) in terms.fields for one in FREE_APART.finditer(plain)):  # "step free"
        return ()
    scope = file_scope.of(plain, terms, stated)
    if not scope or not (_JOINED.search(scope.question) or _compares(scope.question, terms)):
        return ()
    table = file_table.of(scope.folders, terms, read)
    if not table:
        return ()
    met = _met(table, scope, terms, read, stated)
    if not met or not 0 < len(met.rows) < len(table.table):
        return ()
    every = (_listed(folder, table, met, scope, terms) for folder in scope.folders)
    return tuple(one for one in every if one.files)


def _compares(question: str, terms: Terms) -> bool:
    asked = QuestionWords.of(question, terms)
    conditions = row_conditions.read(asked, is_compared=False, of_things=True)
    return bool(conditions or superlatives(question))


def _met(table: FileTable, scope: Scope, terms: Terms, read: Read, stated: Stated) -> Met | None:
    """The rows that a question means, all of its words understood; the column is the last one."""
    asked, wanted = QuestionWords.of(scope.question, terms), superlatives(scope.question)
    conditions = row_conditions.read(asked, is_compared=bool(wanted), of_things=True)
    if any(asked.stems(name) <= asked.words for name in table.left_out):
        return None
    known: list[Met] = []
    for condition in conditions:
        met, limit = condition(table, asked), row_conditions.limit_of(condition)
        if not met or met.score < OF_UNIT or not comparable.is_told(table, met, limit, asked):
            return None
        if limit and met.column in [one.column for one in known]:  # of two things
            return None
        known.append(met)
    compared, fits = _best(table, wanted, asked)
    if wanted and not compared:
        return None
    columns = [*(one.column for one in known), *(one.column for one in fits)]
    names = asked.stems(" ".join(table.names[column] for column in columns))
    said = names.union(alike(names), *(asked.stems(one.said) for one in wanted))
    words = row_conditions.words_besides(asked, conditions) - said - _LIGHT
    if any(map(str.isdigit, words)):  # "the two cheapest"
        return None
    left = _called(table, words, asked, stated)
    if left is None and known:  # "that fly", where a sentence says it
        files = _saying(scope.folders, words, read)
        left = _Left(frozenset(n for n, path in enumerate(table.paths) if path in files), ())
    if left is None or not (known or compared or _are_conditions(left, scope)):
        return None
    rows = left.rows.intersection(*(one.rows for one in known))
    if not compared:
        return known[-1]._replace(rows=rows) if known else Met(NAMED, rows, left.columns[-1])
    ways = [most_of([fit], compared, rows) for fit in fits]
    # Which is the cheapest for an hour, and which for a day?
    return ways[0] if len({way and way.rows for way in ways}) == 1 else None


def _saying(scope: Sequence[str], words: frozenset[str], read: Read) -> frozenset[str]:
    """The files of these folders that say the words in an entry."""
    return frozenset().union(*(saying.best(folder, words, read) for folder in scope))


def _called(
    table: FileTable, words: frozenset[str], asked: QuestionWords, stated: Stated
) -> _Left | None:
    """The rows that say each of these words: by a field called so, a tag or a cell of this word.

    What is denied is not said. None where no row says one.
    """
    rows, columns = frozenset(range(len(table.table))), list[int]()
    for word in sorted(words, key=asked.question.lower().find):
        own, files = frozenset({word}), tagged(frozenset({word}), stated)
        # Several words may stand in cells that say something else of each.
        is_said = own.issubset if len(words) == 1 else own.__eq__
        named = [n for n, name in enumerate(table.names) if has(words_of(name), word)]
        columns += named[:1]
        telling = {
            n for n, (_, cells) in enumerate(table.table)
            if table.paths[n] in files
            or any((field := table.fields.get((n, one))) and not _is_denied(field) for one in named)
            or any(is_said(_said(cell, asked)) for cell in cells[1:])
        }  # fmt: skip
        if not telling:
            return None
        rows &= telling
    return _Left(rows, tuple(columns))


def _said(cell: str, asked: QuestionWords) -> frozenset[str]:
    """What a cell says and does not deny; "gluten-free" is one word."""
    return asked.terms.in_full(words_of(denials.stated(cell)))


def _are_conditions(left: _Left, scope: Scope) -> bool:
    """Whether fields alone are asked for, two of them or more, and not what is all of them."""
    return len(left.columns) > 1 and not _ALL.search(scope.question)


def _is_denied(field: Field) -> bool:
    return field.says_no or bool(_NOT.match(field.name))


def _best(
    table: FileTable, wanted: Sequence[Superlative], asked: QuestionWords
) -> tuple[Superlative | None, list[Fit]]:
    """What may be compared by which columns, all rows of each in one unit; none of no column."""
    for one in wanted:
        fits = best_of(comparable.of_prices(table, fitting(table, one, asked), asked))
        if not fits or fits[0].score < NAMED:
            continue
        if all(comparable.is_known(table, fit, one) for fit in fits):
            return one, fits
    return None, []


def _listed(folder: str, table: FileTable, met: Met, scope: Scope, terms: Terms) -> Folder:
    """The things of one folder, by path, each with the line of the field that was compared."""
    rows = [n for n in met.rows if table.paths[n].startswith(f"{folder}/")]
    rows.sort(key=lambda n: (reading_order(table.paths[n]), n))
    fields = [(table.paths[n], table.fields.get((n, met.column))) for n in rows]
    # Of things beside each other in a row the line stands once.
    lines = dict.fromkeys((path, field.entry if field else None) for path, field in fields)
    files = [ListedFile(path, terms.titles[path], entry) for path, entry in lines]
    words = _LEADING.sub("", scope.question, count=1).split()
    return Folder(folder, tuple(files[:MOST]), len({one.path for one in files}), tuple(words))
