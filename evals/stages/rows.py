"""The rows of `evals.ablation`: what each configuration did, next to the shipped one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from evals.answers.program import Table
from evals.measure import stats
from evals.measure.stats import ALPHA, Interval
from evals.stages.configurations import SHIPPED, Configuration, ConfiguredSearch
from evals.stages.indexes import Indexed

_HEAD = (
    "configuration", "k", "hit@k", "MRR", "MRR against shipped (95 %)", "hits lost / won", "p",
    "against shipped", "refused: no answer / answer", "pieces returned", "p50 ms",
    "texts embedded", "token KB a chunk",
)  # fmt: skip
NOTES = (
    "Hits are counted among the k passages returned, MRR over the whole order, so k and the "
    "threshold leave it as it is. p: exact McNemar of the hits, adjusted by Holm for all rows; the "
    "intervals are each row's own. Rows that change a stage or the chunks have no threshold, which "
    "belongs to the scores of the whole. Longer passages hold more: read a hit beside the word "
    "pieces returned. Milliseconds are this machine's."
)
_RECORDED = ("hit", "rank", "lost_at", "refused", "late", "pieces", "milliseconds")


@dataclass(frozen=True, slots=True)
class AblationRow:
    """A configuration with what it did with every question, and what its index costs."""

    arm: Configuration
    index: Indexed
    asked: tuple[ConfiguredSearch, ...]

    @property
    def answerable(self) -> tuple[ConfiguredSearch, ...]:
        """The questions that hits and ranks are counted on."""
        return tuple(asked for asked in self.asked if asked.question.answerable)

    @property
    def hits(self) -> int:
        """How many of these are hits."""
        return sum(asked.hit for asked in self.answerable)

    @property
    def mrr(self) -> float:
        """The mean reciprocal rank, 0 to 1."""
        return fmean(asked.reciprocal_rank for asked in self.answerable)

    @property
    def p50(self) -> float:
        """The median of a search, in milliseconds."""
        return median(asked.milliseconds for asked in self.asked)

    @property
    def token_bytes(self) -> float:
        """What late interaction stores for a chunk, in bytes; 0 where it is off."""
        return self.index.token_bytes / self.index.chunks if self.arm.setup.late else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """A configuration against the shipped one, on the same questions."""

    difference: float  # of MRR; under 0 is worse than as shipped
    interval: Interval
    lost: int  # questions that are a hit as shipped and not here
    won: int
    p_value: float  # of lost against won, this row alone

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.difference:+.3f} ({low:+.3f} to {high:+.3f})"

    def verdict(self, adjusted: float) -> str:
        """Return what is shown, where `adjusted` is the p-value for all rows together."""
        shown = set()
        if not self.interval.low <= 0 <= self.interval.high:
            shown.add("better" if self.difference > 0 else "worse")
        if adjusted < ALPHA:
            shown.add("better" if self.won > self.lost else "worse")
        return "mixed" if len(shown) > 1 else next(iter(shown), "no difference shown")


def compare(shipped: AblationRow, row: AblationRow) -> Comparison:
    """Compare two rows, question by question; an unanswerable question says nothing."""
    pairs = list(zip(shipped.answerable, row.answerable, strict=True))
    before, after = zip(*((a.reciprocal_rank, b.reciprocal_rank) for a, b in pairs), strict=True)
    lost = sum(a.hit and not b.hit for a, b in pairs)
    won = sum(b.hit and not a.hit for a, b in pairs)
    return Comparison(
        fmean(after) - fmean(before), stats.difference_interval(before, after), lost, won,
        stats.mcnemar(lost, won),
    )  # fmt: skip


def table(rows: Sequence[AblationRow]) -> Table:
    """Return the whole table, the first row being the shipped one."""
    compared = {row.arm.name: compare(rows[0], row) for row in rows}
    adjusted = stats.holm({n: c.p_value for n, c in compared.items() if n != SHIPPED})
    return [_HEAD, *(
        _cells(row, compared[row.arm.name], adjusted.get(row.arm.name)) for row in rows
    )]  # fmt: skip


def better(whole: Table) -> str:
    """Return the line that names the rows of a table that are better than as shipped."""
    head, *lines = whole
    names = [line[0] for line in lines if line[head.index("against shipped")] == "better"]
    return f"Better than as shipped: {'; '.join(names) or 'none'}."


def record(rows: Sequence[AblationRow], number: int) -> Mapping[str, object]:
    """Return a question, by its number from 0, with what every row did with it."""
    did = {
        row.arm.name: {name: getattr(row.asked[number], name) for name in _RECORDED} for row in rows
    }
    return {"question": rows[0].asked[number].question.question, "rows": did}


def _cells(row: AblationRow, compared: Comparison, p_value: float | None) -> list[str]:
    """The cells of a row; `p_value` is None for the shipped one."""
    n = len(row.answerable)
    other = [asked for asked in row.asked if not asked.question.answerable]
    return [
        row.arm.title,
        str(row.arm.setup.top_k),
        f"{row.hits}/{n} = {row.hits / n:.3f}",
        f"{row.mrr:.3f}",
        str(compared),
        f"{compared.lost} / {compared.won}",
        f"{1.0 if p_value is None else p_value:.3f}",
        "itself" if p_value is None else compared.verdict(p_value),
        f"{_refused(other)} / {_refused(row.answerable)}",
        f"{fmean(asked.pieces for asked in row.asked):.0f}",
        f"{row.p50:.0f}",
        f"{row.index.texts:,}",
        f"{row.token_bytes / 1000:.1f}",
    ]


def _refused(asked: Sequence[ConfiguredSearch]) -> str:
    return f"{sum(one.refused for one in asked)} of {len(asked)}"
