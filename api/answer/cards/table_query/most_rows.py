"""The rows of a table with the most or the least of something: "which ship jumps furthest"."""

from collections.abc import Set

from api.answer.cards.table_query.columns import Met, best_of, fitting
from api.answer.cards.table_query.grids import Grid
from api.answer.question.superlatives import Superlative
from retrieval.ranking.lines import QuestionWords


def most_rows(grid: Grid, wanted: Superlative, asked: QuestionWords, among: Set[int]) -> Met | None:
    """Return those of the rows `among` that have most; None where no column fits or all are equal.

    Of several columns of prices that fit alike each is compared.
    """
    fits = best_of(fitting(grid, wanted, asked))
    fits = fits if wanted.is_price else fits[:1]
    choose = max if wanted.is_highest else min
    amounts: dict[int, float] = {}
    for n in sorted(among):
        own = [amount for fit in fits if (amount := fit.amounts[n]) is not None]
        if own:
            amounts[n] = choose(own)
    levels = sorted(set(amounts.values()), reverse=wanted.is_highest)
    if len(levels) <= max(wanted.place, 1 if len(among) > 1 else 0):
        return None
    found = frozenset(n for n, amount in amounts.items() if amount == levels[wanted.place])
    return Met(fits[0].score, found, fits[0].column)
