"""The rows of `evals.ablation`: what each configuration did, beside the shipped one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from evals.measure import stats
from evals.measure.stats import ALPHA, Interval
from evals.stages.configurations import Configuration, ConfiguredSearch, Indexed


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
    """A configuration beside the shipped one, on the same questions."""

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


def adjusted(rows: Sequence[AblationRow]) -> dict[str, float]:
    """Return Holm's p-value of each row by its name, 1 of the first, which is the shipped one.

    Rows of one setup are one comparison, and the shipped one with itself is none.
    """
    setups = {row.arm.name: str(row.arm.setup) for row in rows}
    same = str(rows[0].arm.setup)
    tests = {str(row.arm.setup): compare(rows[0], row).p_value for row in rows}
    found = {same: 1.0} | stats.holm({name: p for name, p in tests.items() if name != same})
    return {name: found[setup] for name, setup in setups.items()}


def summed(rows: Sequence[AblationRow]) -> dict[str, object]:
    """Return the numbers of the table as JSON writes them, by the row's name."""
    p_values = adjusted(rows)
    return {row.arm.name: _summed(row, compare(rows[0], row), p_values) for row in rows}


def _summed(
    row: AblationRow, compared: Comparison, p_values: Mapping[str, float]
) -> dict[str, object]:
    return {
        "title": row.arm.title,
        "top_k": row.arm.setup.top_k,
        "answerable": len(row.answerable),
        "hits": sum(asked.hit for asked in row.answerable),
        "mrr": row.mrr,
        "difference": compared.difference,
        "interval": list(compared.interval),
        "lost": compared.lost,
        "won": compared.won,
        "p_adjusted": p_values[row.arm.name],
        "p50_ms": row.p50,
        "texts_embedded": row.index.texts,
        "token_bytes_a_chunk": row.token_bytes,
    }
