"""The rows of a table with the most or the least of something: "which ship jumps furthest"."""

from collections.abc import Sequence, Set

from api.answer.cards.table_query.columns import Fit, Met, best_of, fitting
from api.answer.cards.table_query.grids import Comparable
from api.answer.question.superlatives import Superlative
from retrieval.ranking.lines import QuestionWords


def most_rows(
    grid: Comparable, wanted: Superlative, asked: QuestionWords, among: Set[int]
) -> Met | None:
    """Return those of the rows `among` that have most; None where no column fits or all are equal.

    Of several columns of prices that fit alike each is compared.
    """
    fits = best_of(fitting(grid, wanted, asked))
    return most_of(fits if wanted.is_price else fits[:1], wanted, among)


def most_of(fits: Sequence[Fit], wanted: Superlative, among: Set[int]) -> Met | None:
    """Return those of the rows `among` that have most in any of these columns; None of none."""
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
