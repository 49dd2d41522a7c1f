"""Whether fields of files can be compared as a question wants it; else a list would be wrong."""

from collections import Counter
from collections.abc import Sequence

from api.answer.cards.folders.file_table import FileTable
from api.answer.cards.lists.rows.by_column import BESIDES, PRICES
from api.answer.cards.table_query.columns import Fit, Met, is_money
from api.answer.question.limits import MONEY, Amount
from api.answer.question.superlatives import Superlative
from retrieval.ranking.lines import QuestionWords
from retrieval.text.quantities import intervals
from retrieval.text.units import SIZES
from retrieval.vocabulary.terms import stems_of

_HALF = 0.5  # of the things: what has to have an amount
_WORDED = 0.3  # of the things say it in words
_NEARLY = 0.95  # of the amounts are of one unit: others are slips
_PAID = frozenset(stems_of("cost costs price pay paid spend charge fee money cheap dear"))
_PLEDGED = frozenset(stems_of("deposit fine penalty late refund"))  # no price of a thing


def is_known(table: FileTable, fit: Fit, wanted: Superlative) -> bool:
    """Tell whether most things have an amount in a column, nearly all of one kind.

    What is said in words ("touch") may be less than any amount, and is seldom more.
    """
    known = sum(one is not None for one in fit.amounts)
    worded = table.worded[fit.column] / (table.worded[fit.column] + known)
    return (
        known >= _HALF * len(fit.amounts)
        and is_of_one_kind(table, fit.column)
        and worded <= (_WORDED if wanted.is_highest else 1 - _NEARLY)
    )


def is_of_one_kind(table: FileTable, column: int) -> bool:
    """Tell whether nearly all amounts of a column are of one unit, or of units of one kind."""
    cells = [BESIDES.sub("", cell) for cell in table.cells(column)]  # "8* (36hp)"
    first = [one for cell in cells if (one := next(intervals(cell), None))]
    kinds = Counter(
        frozenset(SIZES[unit][0] for unit in one.units & SIZES.keys()) or one.units for one in first
    )
    return max(kinds.values(), default=0) >= _NEARLY * kinds.total()


def of_prices(table: FileTable, fits: Sequence[Fit], asked: QuestionWords) -> list[Fit]:
    """Return those of the columns that are no deposit or fine, unless one is asked for."""
    pledged = [_PLEDGED.intersection(stems_of(table.names[one.column])) for one in fits]
    return [fit for fit, own in zip(fits, pledged, strict=True) if not own or own & asked.words]


def is_told(table: FileTable, met: Met, limit: Amount | None, asked: QuestionWords) -> bool:
    """Tell whether a question says which field its limit is of.

    Of several fields of prices it has to name one; and an amount of no money, or of a unit that is
    not known, is of a price only where something is paid.
    """
    paid = [
        n for n, name in enumerate(table.names)
        if n and (is_money(name, table.cells(n)) or not PRICES.isdisjoint(stems_of(name)))
    ]  # fmt: skip
    if met.column not in paid:
        return is_of_one_kind(table, met.column)
    own = asked.stems(table.names[met.column]) - PRICES
    if len(paid) > 1 and own.isdisjoint(asked.words):
        return False
    is_money_asked = limit is None or not limit.limit.units.isdisjoint(MONEY)
    return is_money_asked or not asked.words.isdisjoint(_PAID | own)
