"""Which rows of which table a question means by comparing what they say."""

import re
from dataclasses import dataclass

from api.answer.cards.blocks import Part
from api.answer.cards.folders import folders
from api.answer.cards.lists.rows.by_amount import BLANK_SAID
from api.answer.cards.lists.rows.by_mark import also_marked
from api.answer.cards.lists.rows.table_rows import beside
from api.answer.cards.table_query import row_conditions
from api.answer.cards.table_query.first_rows import by_first
from api.answer.cards.table_query.grids import Grid, grids
from api.answer.cards.table_query.most_rows import most_rows
from api.answer.cards.table_query.row_conditions import Condition
from api.answer.question.plain_words import PLAIN
from api.answer.question.superlatives import Superlative, superlatives
from retrieval.models import SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.vocabulary.terms import title

# What a table counts beside how well its columns fit: the share of the question that its title and
# columns say, and its rows' names; by how much less than the first passage its file was found.
_SHARE, _LABELS, _BEHIND = 3.0, 0.5, 2.0
_FIRST, _NEAR, _SECTIONS = 0.5, 0.7, -0.3
_LEAST, _SURE = 3.5, 4.0  # from where on rows are given, and are what is asked for
_UNDERSTOOD = 0.5  # of the question's words, before its rows are sure
# What asks for rows: "which boats", "so what costs most", "ships under 20 m"; not whether, or how.
_ROWS = re.compile(
    r"^\W{0,5}(?!(?:is|are|was|do|does|did|can|could|may|must|should|will|would|has|have|when|why|"
    r"how(?! many| much)|what (?:if|happens|about)|if)\b)"
    r"(?:.*\b(?:which|what|whats|who|whos|whose|where|list|any)\b|"
    r"(?!(?:i|we|my|our|he|she|they|you|it|there)\b)\w+\b(?!.*(?:[.:;]| [-–—]) ))",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:except|besides|apart from|aside from|other than|excluding|but not)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


def asks_for_rows(plain: str) -> bool:
    """Whether a question, as it is searched, asks for things: not whether, how or what else."""
    return bool(_ROWS.match(plain)) and not _BUT.search(plain)


@dataclass(frozen=True, slots=True)
class Query:
    """What a question asks of the rows of any table."""

    asked: QuestionWords
    wanted: tuple[Superlative, ...]
    conditions: tuple[Condition, ...]
    numbers: frozenset[str]  # of no condition: the table has to be called so
    things: frozenset[str]  # its stems that say neither what is compared nor by how much
    top: float  # the score of the first passage
    folders: tuple[frozenset[str], ...]  # names of folders whose files are asked for

    @classmethod
    def of(cls, found: SearchResult, question: str) -> "Query | None":
        """Return what a question compares; None where it compares nothing, or asks for no rows."""
        plain = searchable(question)
        if not found.hits or not asks_for_rows(plain):
            return None
        asked, wanted = QuestionWords.of(question, found.terms), superlatives(question)
        conditions = row_conditions.read(asked, is_compared=bool(wanted))
        if not (wanted or conditions):
            return None
        rest = row_conditions.without(question, conditions)
        said = [asked.stems(one.said) | asked.terms.in_full(one.fields) for one in wanted]
        return cls(
            asked, wanted, tuple(conditions), frozenset(_NUMBER.findall(rest)),
            asked.words.intersection(asked.stems(rest) or asked.words).difference(*said),
            found.hits[0].score, tuple(folders.opening_nouns(question, found.terms)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows of a table, the lines of the file that say so, and how well the table fits."""

    grid: Grid
    rows: tuple[int, ...]
    column: int  # that was compared
    score: float
    is_sure: bool

    @property
    def parts(self) -> tuple[Part, ...]:
        """The lines: of sections the one with the value."""
        starts = [self.grid.table[n][0] for n in self.rows]
        lines = self.grid.lines
        return tuple(starts if lines is None else (lines[one, self.column] for one in starts))


def answer(found: SearchResult, question: str) -> Answer | None:
    """Return the rows that a question means; None where it compares nothing, or no table fits."""
    query = Query.of(found, question)
    made = (_of_grid(grid, query) for grid in grids(found)) if query else ()
    every = [one for one in made if one and one.score >= _LEAST]
    return max(every, key=lambda one: one.score, default=None)


def _of_grid(grid: Grid, query: Query) -> Answer | None:
    if not _may_be_asked(grid, query):
        return None
    met = [condition(grid, query.asked) for condition in query.conditions]
    known = [one for one in met if one]
    if len(known) < len(met):
        return None
    rows = frozenset(range(len(grid.table))).intersection(*(one.rows for one in known))
    rows = _also_marked(grid, _called(grid, rows, query), query)
    if query.wanted:
        ways = (most_rows(grid, one, query.asked, rows) for one in query.wanted)
        best = max(filter(None, ways), key=lambda one: one.score, default=None)
        if best is None:
            return None
        known.append(best)
        rows = best.rows
    column = known[-1].column
    if grid.lines is not None:
        rows = frozenset(n for n in rows if (grid.table[n][0], column) in grid.lines)
    if not 0 < len(rows) < len(grid.table):
        return None
    score = sum(one.score for one in known) / len(known) + _near(grid, query)
    is_told = grid.is_near and query.conditions == (by_first,)  # the order of its rows says it
    is_sure = score >= _SURE and (is_told or _is_understood(grid, rows, query))
    return Answer(grid, tuple(sorted(rows)), column, score, is_sure)


def _may_be_asked(grid: Grid, query: Query) -> bool:
    """Whether a question's numbers are all in its conditions, or in what the table is called.

    "A box of 9 kilos, the cheapest way" is no question of all ways. Nor is a table asked for what
    the files of a folder have, or for the least where a blank may be nothing.
    """
    names = f"{grid.block.heading} {' '.join(grid.names)} {' '.join(grid.cells(0))}"
    if not query.numbers.issubset(_NUMBER.findall(searchable(names))):
        return False
    if not query.wanted:
        return True
    is_least = not query.wanted[0].is_highest
    if is_least and BLANK_SAID.search(beside(grid.file, grid.block)):
        return False
    own = query.asked.stems(f"{title(grid.file.path)} {grid.block.heading.rsplit(' > ', 1)[-1]}")
    return not any(own.isdisjoint(one) for one in query.folders)


def _names(grid: Grid, query: Query) -> frozenset[str]:
    return grid.above(query.asked) | query.asked.stems(" ".join(grid.names))


def _near(grid: Grid, query: Query) -> float:
    """What a table counts whatever its columns say: how near it is to the question."""
    said = frozenset[str]().union(*(query.asked.stems(one.said) for one in query.wanted))
    things = query.asked.words - said
    return (
        _SHARE * query.asked.share(_names(grid, query) & things)
        + _LABELS * query.asked.share(grid.labels(query.asked) & things)
        + _BEHIND * (grid.hit.score - query.top)
        + _FIRST * grid.is_first
        + _NEAR * grid.is_near
        + _SECTIONS * (grid.lines is not None)
    )


def _called(grid: Grid, rows: frozenset[int], query: Query) -> frozenset[int]:
    """Those of the rows that are called as more of the question than others: "the dearest sword".

    None where all that are called so fail a condition, or where of one that is named most is asked.
    One that has a word of the question may have it by chance.
    """
    other = query.things - _names(grid, query)
    labels = [query.asked.stems(label) for label in grid.cells(0)]
    said = [len(label & other) for label in labels]
    most = max(said, default=0)
    named = frozenset(n for n, count in enumerate(said) if most and count == most)
    if len(named) > 1:
        return rows & named
    is_whole = any(labels[n] <= query.asked.words for n in named)
    return frozenset() if is_whole and query.wanted else rows


def _also_marked(grid: Grid, rows: frozenset[int], query: Query) -> frozenset[int]:
    """Those of the rows with a yes in each column of yes and no that a question names besides."""
    if query.conditions:
        return rows
    parts = {grid.table[n][0]: n for n in sorted(rows)}
    kept = also_marked(grid.names, grid.table, list(parts), query.asked)
    return frozenset(parts[part] for part in kept or ())


def _is_understood(grid: Grid, rows: frozenset[int], query: Query) -> bool:
    """Whether most of the question is said by the table, and other rows say nothing of the rest."""
    asked = query.asked
    chosen = asked.stems(" ".join(grid.table[n][1][0] for n in sorted(rows) if grid.table[n][1]))
    left = query.things - _names(grid, query) - chosen - PLAIN
    others = (cell for n, (_, row) in enumerate(grid.table) if n not in rows for cell in row)
    if not left.isdisjoint(asked.stems(" ".join(others))):
        return False
    return 1 - asked.share(left) >= _UNDERSTOOD
