"""The first row of a table that has something: "from what age are children allowed to belay"."""

import re

from api.answer.cards.lists.rows.cell_marks import bare, is_said
from api.answer.cards.table_query.columns import NAMED, SAID, Met
from api.answer.cards.table_query.grids import Comparable
from retrieval.ranking.lines import QuestionWords
from retrieval.vocabulary.terms import stems_of

ASKED = re.compile(
    r"\b(?:(?:from|at) (?:what|which) (?P<of>[a-z]{3,12})|"
    r"first (?P<first>[a-z]{3,12}) (?:at|in|on) which|minimum (?P<least>age|level|grade|rank))\b",
    re.IGNORECASE,
)
_NUMBERED = 0.5  # of the rows: where more have a number first, they are in an order


def by_first(grid: Comparable, asked: QuestionWords) -> Met | None:
    """Return the first row that has what a question names, in a column of which those before have
    none; None where no such column is called so, or the rows are of no age or level.
    """
    found = ASKED.search(asked.question)
    if found is None or not _is_in_order(grid, asked.stems(found[found.lastgroup or 0])):
        return None
    noun = asked.stems(found[0])
    said = asked.words.union(f"{value.number:g}" for value in asked.values) - noun
    best: Met | None = None
    for column, name in enumerate(grid.names):
        stems = asked.stems(name) - noun
        cells = [bare(one) for one in grid.cells(column)]
        without = [is_said(cells, n, denied=True) for n in range(len(cells))]
        if not column or not stems & said or not without[0] or all(without):
            continue
        numbers = {one for one in stems if one.isdigit()}  # "Spells 3" of "third level magic"
        is_named = stems <= said or bool(numbers and numbers <= said)
        score = SAID * len(stems & said) + (NAMED if is_named else SAID)
        if best is None or score > best.score:
            best = Met(score, frozenset({without.index(False)}), column)
    return best


def _is_in_order(grid: Comparable, noun: frozenset[str]) -> bool:
    """Whether the rows are called by what is asked for: an age, a level."""
    firsts = grid.cells(0)
    are_numbers = sum(any(map(str.isdigit, cell)) for cell in firsts) > _NUMBERED * len(firsts)
    return are_numbers and not noun.isdisjoint(stems_of(grid.names[0]))
