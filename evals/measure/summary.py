"""Sum up a run: means with intervals by kind and folder, misses, refusals, times, thresholds."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

import numpy as np

from evals.labels import dataset
from evals.measure import stats
from evals.measure.judge import losses
from evals.measure.outcome import Outcome
from evals.measure.run import Run

_STEPS = 60  # points of the threshold's curve


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
    return Estimate(n, mean, *stats.mean_interval(values), "bootstrap")


def tables(run: Run) -> Tables:
    """Return the metrics over all answerable questions, by their kind and by the top folder.

    The folder is that of a question's first gold, "." for none.
    """
    return {
        "all": _grouped(run, lambda _: "all"),
        "kind": _grouped(run, lambda outcome: outcome.question.kind),
        "folder": _grouped(run, _folder),
    }


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


def best_score(outcome: Outcome) -> float | None:
    """Return the highest score that the threshold is compared with; None: no candidate at all."""
    return max(_finals(outcome).values(), default=None)


def curve(outcomes: Sequence[Outcome], top_k: int) -> list[dict[str, float | None]]:
    """Return what thresholds over the range of all best scores would do, lowest first.

    `hits` and `answerable_refused` are shares of the answerable questions, 0 to 1, and
    `unanswerable_refused` of the others: None where no such question was asked.
    """
    best = [score for outcome in outcomes if (score := best_score(outcome)) is not None]
    if not best:
        return []
    steps = np.linspace(min(best), max(best), _STEPS)
    return [_point(outcomes, float(threshold), top_k) for threshold in steps]


def summed(run: Run) -> dict[str, object]:
    """Return the sums of a run as JSON writes them; summary.json holds them.

    `baseline` is the comparison with it, null where there was none.
    """
    asked = {} if run.foreign else refused(run.outcomes)
    return {
        "passed": not run.faults,
        "faults": list(run.faults),
        "answerable": len(run.answerable),
        "hits": run.hits,
        "lost_at": losses(outcome.lost_at for outcome in run.outcomes),
        "metrics": {
            by: {name: {m: asdict(e) for m, e in metrics.items()} for name, metrics in part.items()}
            for by, part in tables(run).items()
        },
        "refused": {name: {"refused": n, "asked": of} for name, (n, of) in asked.items()},
        "latency_ms": latency(run.outcomes),
        "top_k": run.top_k,
        "min_recall": run.config.get("min_recall"),
        "threshold": run.config.get("threshold"),
        "threshold_curve": [] if run.foreign else curve(run.outcomes, run.top_k),
        "baseline": asdict(run.comparison) if run.comparison else None,
    }


def _grouped(run: Run, group: Callable[[Outcome], str]) -> dict[str, dict[str, Estimate]]:
    """The metrics of the answerable questions by a group's name, sorted."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in run.answerable:
        groups.setdefault(group(outcome), []).append(outcome)
    return {name: _estimates(run, groups[name]) for name in sorted(groups)}


def _estimates(run: Run, outcomes: Iterable[Outcome]) -> dict[str, Estimate]:
    """Every metric over the questions that define it; a metric of none is left out."""
    values: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in run.values[outcome.question.id].items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return {name: estimate(found) for name, found in sorted(values.items())}


def _folder(outcome: Outcome) -> str:
    top, slash, _ = outcome.question.places[0][0].path.partition("/")
    return top if slash else "."


def _finals(outcome: Outcome) -> dict[str, float]:
    """The score that each candidate ended with, best first."""
    trace = outcome.found.trace
    return {row.chunk_id: row.final_score for row in trace if row.final_score is not None}


def _point(outcomes: Sequence[Outcome], threshold: float, top_k: int) -> dict[str, float | None]:
    over = [_over(outcome, threshold) for outcome in outcomes]
    answerable = [(o, ids) for o, ids in zip(outcomes, over, strict=True) if o.judgement]
    others = [not ids for o, ids in zip(outcomes, over, strict=True) if not o.judgement]
    return {
        "threshold": threshold,
        "hits": fmean(_hit(outcome, set(ids[:top_k])) for outcome, ids in answerable),
        "answerable_refused": fmean(not ids for _, ids in answerable),
        "unanswerable_refused": fmean(others) if others else None,
    }


def _over(outcome: Outcome, threshold: float) -> list[str]:
    return [name for name, score in _finals(outcome).items() if score >= threshold]


def _hit(outcome: Outcome, returned: set[str]) -> bool:
    places = outcome.judgement.places if outcome.judgement else ()
    return any(all(sought.holders & returned for sought in place) for place in places)
