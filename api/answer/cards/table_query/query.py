"""Which rows of which table a question means by comparing what they say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from api.answer.cards.blocks import Part
from api.answer.cards.lists.rows.by_amount import BLANK_SAID, is_of_a_folder
from api.answer.cards.lists.rows.table_rows import beside
from api.answer.cards.table_query import row_conditions
from api.answer.cards.table_query.grids import Grid, grids
from api.answer.cards.table_query.most_rows import most_rows
from api.answer.cards.table_query.row_conditions import Condition
from api.answer.question.superlatives import Superlative, superlatives
from retrieval.models import SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable

# What a table counts beside how well its columns fit: the share of the question that its title and
# columns say, and its rows' names; by how much less than the first passage its file was found.
_SHARE, _LABELS, _BEHIND = 3.0, 0.5, 2.0
_FIRST, _NEAR, _SECTIONS = 0.5, 0.7, -0.3
_LEAST = 3.5


# What asks for rows: "which boats", "so what costs most", "ships under 20 m"; not whether, or how.
_ROWS = re.compile(
    r"\b(?:which|what|whats|who|whos|whose|where|list|any)\b|"
    r"^\W*(?!(?:is|are|was|do|does|did|can|could|may|must|should|will|would|has|have|when|why|"
    r"how(?! many| much)|if|i|we|my|our|he|she|they|you|it|there)\b)\w+\b(?!.*(?:[.:;]| [-–—]) )",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows of a table, the lines of the file that say so, and how well the table fits."""

    grid: Grid
    rows: tuple[int, ...]
    column: int  # that was compared
    score: float

    @property
    def parts(self) -> tuple[Part, ...]:
        """The lines: of sections the one with the value."""
        starts = [self.grid.table[n][0] for n in self.rows]
        lines = self.grid.lines
        return tuple(starts if lines is None else (lines[one, self.column] for one in starts))


def answer(found: SearchResult, question: str) -> Answer | None:
    """Return the rows that a question means; None where it compares nothing, or no table fits."""
    asked = QuestionWords.of(question, found.terms)
    wanted = superlatives(question)
    conditions = row_conditions.read(asked, is_compared=bool(wanted))
    if not found.hits or not (wanted or conditions) or not _ROWS.search(searchable(question)):
        return None
    made = (_of_grid(grid, wanted, conditions, asked, found.hits[0].score) for grid in grids(found))
    every = [one for one in made if one and one.score >= _LEAST]
    return max(every, key=lambda one: one.score, default=None)


def _of_grid(
    grid: Grid,
    wanted: Sequence[Superlative],
    conditions: Sequence[Condition],
    asked: QuestionWords,
    top: float,
) -> Answer | None:
    is_lowest = bool(wanted) and not wanted[0].is_highest
    if is_lowest and BLANK_SAID.search(beside(grid.file, grid.block)):
        return None  # a blank may be nothing
    is_of_files = bool(wanted) and is_of_a_folder(grid.file, grid.block, asked)
    if is_of_files or not _is_known(grid, conditions, asked):
        return None
    met = [condition(grid, asked) for condition in conditions]
    known = [one for one in met if one]
    if len(known) < len(met):
        return None
    rows = frozenset(range(len(grid.table))).intersection(*(one.rows for one in known))
    rows = _called(grid, rows, wanted, asked)
    if wanted:
        ways = (most_rows(grid, one, asked, rows) for one in wanted)
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
    fit = sum(one.score for one in known) / len(known)
    return Answer(grid, tuple(sorted(rows)), column, fit + _near(grid, wanted, asked, top))


def _is_known(grid: Grid, conditions: Sequence[Condition], asked: QuestionWords) -> bool:
    """Whether the question's numbers are all in its conditions, or in what the table is called.

    "A box of 9 kilos, the cheapest way" is no question of all ways.
    """
    rest = row_conditions.without(asked.question, conditions)
    names = f"{grid.block.heading} {' '.join(grid.names)} {' '.join(grid.cells(0))}"
    return set(_NUMBER.findall(rest)) <= set(_NUMBER.findall(names))


def _near(grid: Grid, wanted: Sequence[Superlative], asked: QuestionWords, top: float) -> float:
    """What a table counts whatever its columns say: how near it is to the question."""
    things = asked.words.difference(*(asked.stems(one.said) for one in wanted))
    names = grid.above(asked) | asked.stems(" ".join(grid.names))
    return (
        _SHARE * asked.share(names & things)
        + _LABELS * asked.share(grid.labels(asked) & things)
        + _BEHIND * (grid.hit.score - top)
        + _FIRST * grid.is_first
        + _NEAR * grid.is_near
        + _SECTIONS * (grid.lines is not None)
    )


def _called(
    grid: Grid, rows: frozenset[int], wanted: Sequence[Superlative], asked: QuestionWords
) -> frozenset[int]:
    """Those of the rows that are called as more of the question than others: "the dearest sword".

    All where one alone is: it is compared with others.
    """
    other = asked.words - grid.above(asked) - asked.stems(" ".join(grid.names))
    for one in wanted:
        other -= asked.stems(one.said) | asked.terms.in_full(one.fields)
    said = [len(asked.stems(label) & other) for label in grid.cells(0)]
    most = max(said, default=0)
    named = frozenset(n for n, count in enumerate(said) if count == most)
    return rows & named if most and len(named) > 1 and rows & named else rows
