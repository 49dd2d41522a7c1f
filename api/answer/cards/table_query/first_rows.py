"""The first row of a table that has something: "from what age are children allowed to belay"."""

import re

from api.answer.cards.lists.rows.cell_marks import bare, is_said
from api.answer.cards.table_query.columns import NAMED, SAID, Met
from api.answer.cards.table_query.grids import Comparable
from retrieval.ranking.lines import QuestionWords
from retrieval.text.denials import DENIES
from retrieval.text.quantities import intervals
from retrieval.vocabulary.terms import stems_of

ASKED = re.compile(
    r"\b(?:(?:from|at) (?:what|which) (?P<of>[a-z]{3,12})|"
    r"first (?P<first>[a-z]{3,12}) (?:at|in|on) which|minimum (?P<least>age|level|grade|rank))\b",
    re.IGNORECASE,
)


def by_first(grid: Comparable, asked: QuestionWords) -> Met | None:
    """Return the first row that has what a question names, in a column of which those before have
    none.

    None where no column is called so, or several are; where the rows are of no age or level that
    goes up; and where the question names a thing that is called longer: "the slide race".
    """
    found = ASKED.search(asked.question)
    if found is None or DENIES.search(asked.question):
        return None
    if not _goes_up(grid, asked.stems(found[found.lastgroup or 0])):
        return None
    noun = asked.stems(found[0])
    said = asked.words.union(f"{value.number:g}" for value in asked.values) - noun
    met: list[Met] = []
    for column, name in enumerate(grid.names):
        stems = asked.stems(name) - noun
        numbers = {one for one in stems if one.isdigit()}  # "Spells 3" of "third level magic"
        is_named = bool(stems) and (stems <= said or bool(numbers and numbers <= said))
        cells = [bare(one) for one in grid.cells(column)]
        without = [is_said(cells, n, denied=True) for n in range(len(cells))]
        if column and is_named and not _is_longer(stems, asked) and without[0] and not all(without):
            score = SAID * len(stems & said) + NAMED
            met.append(Met(score, frozenset({without.index(False)}), column))
    return met[0] if len(met) == 1 else None


def _is_longer(stems: frozenset[str], asked: QuestionWords) -> bool:
    """Whether what the question names is called as a column, and more."""
    names = (name for stem in stems for name in asked.terms.named_from.get(stem, ()))
    return any(stems < {*name} <= asked.words for name in names)


def _goes_up(grid: Comparable, noun: frozenset[str]) -> bool:
    """Whether the rows are called by what is asked for, an age or a level, from the lowest on."""
    numbers = [next(intervals(cell), None) for cell in grid.cells(0)]
    lows = [one.low for one in numbers if one]
    is_up = len(lows) > len(numbers) // 2 and lows == sorted(lows)
    return is_up and not noun.isdisjoint(stems_of(grid.names[0]))
