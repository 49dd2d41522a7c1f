"""Sum up scored questions: means with intervals by kind and folder, refusals, latency."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

import numpy as np

from evals.labels import dataset
from evals.measure import stats
from evals.measure.metrics import ScoredOutcome
from evals.measure.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` questions with its 95 % interval; None: one value shows no spread."""

    n: int
    mean: float
    low: float | None
    high: float | None
    method: str  # "wilson" for shares of yes and no, else "bootstrap"


Metrics = Mapping[str, Estimate]  # by the metric's name
Tables = Mapping[str, Mapping[str, Metrics]]  # "all", "kind" or "folder"; then the group's name


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of at least one value with its interval.

    Shares of yes and no get Wilson's interval: the bootstrap of 17 hits of 17 is 1.0 to 1.0, which
    claims to know what 17 questions cannot show. Everything else gets the bootstrap over questions.
    """
    n, mean = len(values), fmean(values)
    if set(values) <= {0.0, 1.0}:
        return Estimate(n, mean, *stats.wilson(round(sum(values)), n), "wilson")
    if n < 2:
        return Estimate(n, mean, None, None, "bootstrap")
    low, high = stats.mean_interval(values)
    return Estimate(n, mean, low, high, "bootstrap")


def tables(scored: Sequence[ScoredOutcome]) -> Tables:
    """Return the metrics over all questions and by the kind and the folder of them."""
    return {
        "all": grouped(scored, lambda _: "all"),
        "kind": grouped(scored, kind),
        "folder": grouped(scored, folder),
    }


def estimates(scored: Iterable[ScoredOutcome]) -> dict[str, Estimate]:
    """Return every metric over the questions that define it; a metric of none is left out."""
    values: dict[str, list[float]] = {}
    for item in scored:
        for name, value in item.values.items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return {name: estimate(found) for name, found in sorted(values.items())}


def grouped(
    scored: Iterable[ScoredOutcome], group: Callable[[ScoredOutcome], str]
) -> dict[str, dict[str, Estimate]]:
    """Return the metrics of the answerable questions by a group's name, sorted."""
    groups: dict[str, list[ScoredOutcome]] = {}
    for item in scored:
        if item.needed:
            groups.setdefault(group(item), []).append(item)
    return {name: estimates(groups[name]) for name in sorted(groups)}


def kind(item: ScoredOutcome) -> str:
    """Return the kind of a question."""
    return item.outcome.question.kind


def folder(item: ScoredOutcome) -> str:
    """Return the vault's top folder that a question's first gold stands in; "." for none."""
    top, slash, _ = item.outcome.question.places[0][0].path.partition("/")
    return top if slash else "."


def latency(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Return p50, p95 and p99 in milliseconds of every stage and of their sum, "total"."""
    rows = [asdict(outcome.found.timings) for outcome in outcomes]
    stages = {name.removesuffix("_ms"): [row[name] for row in rows] for name in rows[0]}
    stages["total"] = [sum(row.values()) for row in rows]
    return {
        name: {f"p{q}": float(np.percentile(found, q)) for q in (50, 95, 99)}
        for name, found in stages.items()
    }


def refused(outcomes: Sequence[Outcome]) -> dict[str, tuple[int, int]]:
    """Return how many were refused and asked, of every unanswerable kind and of "answerable"."""
    groups = {
        name: [o for o in outcomes if o.question.kind == name] for name in dataset.UNANSWERABLE
    }
    groups["answerable"] = [o for o in outcomes if o.question.answerable]
    return {
        name: (sum(o.refused for o in found), len(found)) for name, found in groups.items() if found
    }
