"""Compare two measurements of the same questions: what broke, and is it more than noise?

A drop within the noise warns. A critical question that was broken is a fault, and so is a drop of
a gating metric that is significant after Holm's correction for there being several of them. Right
is a hit, and for a question that has no answer a refusal: answering everything and refusing
everything are both red.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from evals.measure import stats
from evals.measure.measurement import FAR, REFUSED, Measurement, QuestionRow
from evals.measure.stats import ALPHA, Interval
from retrieval.errors import DatasetError

OFF_TOPIC = f"{REFUSED}offtopic"
# The reciprocal rank sees what the hits cannot: a worse order within the passages returned. Of the
# questions without an answer only those on another subject are for search to refuse; what the rules
# nearly say looks to it like what they say. How far those are from the rules (FAR) sees a drift
# towards answers before eight of a hundred are answered, which their refusals need.
GATING = ("hit", "reciprocal_rank", "first_card", "shown", OFF_TOPIC, FAR)
_NAMED = 5  # questions of a message
SMALL = 50  # answerable questions: of fewer a lost one is a fault, as no test could show a drop


@dataclass(frozen=True, slots=True)
class Change:
    """A metric's means over the pairs that define it, and what their difference is worth.

    `p_value` is of exact McNemar for metrics that are 0 or 1, else of a paired permutation test;
    `adjusted` is Holm's over the gating metrics, None for one that does not gate.
    """

    metric: str
    before: float
    after: float
    interval: Interval  # of after - before
    p_value: float
    adjusted: float | None

    @property
    def significant(self) -> bool:
        """Whether it counts for the gate, in either direction."""
        return self.adjusted is not None and self.adjusted < ALPHA


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two measurements. Questions are named by their ids.

    `broken` were right and are wrong now, `fixed` the other way round.
    """

    paired: int  # answerable questions in both
    refusable: int  # off-topic questions in both that were refused before
    broken: tuple[str, ...]
    fixed: tuple[str, ...]
    new: tuple[str, ...]  # these three are in no pair: only now, only before, or asked otherwise
    gone: tuple[str, ...]
    changed: tuple[str, ...]
    metrics: tuple[Change, ...]
    smallest: int | None  # net flips that McNemar could show at this n; None: none could be
    smallest_refusals: int | None  # the same of the refusable ones
    differing: tuple[str, ...]  # of the fingerprint: "search top_k: 4 -> 8"
    unguarded: tuple[str, ...]  # critical questions of the baseline that guard nothing any more
    faults: tuple[str, ...]
    altered: tuple[str, ...]  # what the set lost: red until a baseline of the new set is written
    warnings: tuple[str, ...]


def compare(before: Measurement, now: Measurement) -> Comparison:
    """Return what changed between two measurements, paired by question.

    A metric gates only where both have it. Raises DatasetError where fewer than two answerable
    questions are in both, since of those nothing can be said.
    """
    common = sorted(before.rows.keys() & now.rows.keys())
    same = [name for name in common if before.rows[name].digest == now.rows[name].digest]
    paired = sum(before.rows[name].answerable for name in same)
    if paired < 2:
        asked = sum(row.answerable for row in now.rows.values())
        raise DatasetError(
            f"{paired} of {asked} questions are in the baseline, too few to compare; "
            "is it that of another dataset or split?"
        )
    was = {name for name in same if before.rows[name].right}
    right = {name for name in same if now.rows[name].right}
    broken = tuple(sorted(was - right))
    changes = _changes([before.rows[name] for name in same], [now.rows[name] for name in same])
    alpha = ALPHA / max(1, sum(change.adjusted is not None for change in changes))
    refusable = sum(OFF_TOPIC in before.rows[name].metrics for name in was)
    return Comparison(
        paired=paired,
        refusable=refusable,
        broken=broken,
        fixed=tuple(sorted(right - was)),
        new=tuple(sorted(now.rows.keys() - before.rows.keys())),
        gone=tuple(sorted(before.rows.keys() - now.rows.keys())),
        changed=tuple(name for name in common if name not in same),
        metrics=changes,
        smallest=stats.smallest_detectable(paired, alpha=alpha),
        smallest_refusals=stats.smallest_detectable(refusable, alpha=alpha),
        differing=tuple(_differing(before, now)),
        faults=(
            *_critical(before, now, broken),
            *_lost(before, now, broken, paired),
            *_drops(changes, significant=True),
        ),
        unguarded=tuple(_unguarded(before, now)),
        altered=tuple(_altered(before, now, same)),
        warnings=(*_unguarded(before, now), *_drops(changes, significant=False)),
    )


def _changes(old: Sequence[QuestionRow], new: Sequence[QuestionRow]) -> tuple[Change, ...]:
    names = dict.fromkeys(name for row in new for name in row.metrics)
    pairs = {name: pair for name in names if len((pair := _pairs(old, new, name))[0]) > 1}
    p_values = {name: _p_value(*pair) for name, pair in pairs.items()}
    adjusted = stats.holm({name: p_values[name] for name in pairs if name in GATING})
    return tuple(
        Change(
            metric=name,
            before=fmean(first),
            after=fmean(second),
            interval=stats.difference_interval(first, second),
            p_value=p_values[name],
            adjusted=adjusted.get(name),
        )
        for name, (first, second) in pairs.items()
    )


def _pairs(
    old: Sequence[QuestionRow], new: Sequence[QuestionRow], name: str
) -> tuple[list[float], list[float]]:
    """A metric's values before and after, of the questions that define it both times."""
    before, after = [], []
    for row, now in zip(old, new, strict=True):
        first, second = row.metrics.get(name), now.metrics.get(name)
        if first is not None and second is not None:
            before.append(first)
            after.append(second)
    return before, after


def _p_value(before: Sequence[float], after: Sequence[float]) -> float:
    if {*before, *after} <= {0.0, 1.0}:
        flips = [second - first for first, second in zip(before, after, strict=True)]
        return stats.mcnemar(flips.count(-1), flips.count(1))
    return stats.paired_permutation(before, after)


def _drops(changes: Sequence[Change], *, significant: bool) -> Iterator[str]:
    for change in changes:
        if change.adjusted is None or change.after >= change.before:
            continue
        if change.significant == significant:
            what = "dropped significantly" if significant else "dropped, within the noise"
            yield f"{change.metric} {what}: {numbers(change)}"


def _critical(before: Measurement, now: Measurement, broken: Sequence[str]) -> Iterator[str]:
    for name in broken:
        if before.rows[name].critical or now.rows[name].critical:
            yield f"critical question broken: {name}, a hit in the baseline"


def _lost(
    before: Measurement, now: Measurement, broken: Sequence[str], paired: int
) -> Iterator[str]:
    """Of a small set each question that passed and does so no more."""
    if paired < SMALL:
        for name in broken:
            critical = before.rows[name].critical or now.rows[name].critical
            if now.rows[name].answerable and not critical:
                yield f"question lost: {name}, of {paired}, too few to allow for noise"


def _unguarded(before: Measurement, now: Measurement) -> Iterator[str]:
    for name, row in before.rows.items():
        if row.critical and (name not in now.rows or not now.rows[name].critical):
            yield f"{name} was critical and is {'so no more' if name in now.rows else 'gone'}"


def _altered(before: Measurement, now: Measurement, same: Sequence[str]) -> Iterator[str]:
    """Questions that measure nothing any more: a set that shrinks passes too easily."""
    lost = sorted(before.rows.keys() - now.rows.keys())
    other = sorted((before.rows.keys() & now.rows.keys()) - set(same))
    for names, what in ((lost, "gone"), (other, "asked otherwise")):
        if names:
            shown = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
            yield (
                f"{len(names)} of {len(before.rows)} questions of the baseline are {what} "
                f"({shown}); if that is meant: python -m evals.baseline --update --why REASON, "
                "with this run's --dataset and --baseline"
            )


def against_best(stored: Measurement, now: Measurement) -> list[str]:
    """Return the significant drops against the best baseline that the file keeps.

    Small drops, each within the noise of the last baseline, add up. Raises DatasetError as
    `compare` does.
    """
    best = replace(stored, rows=stored.best or stored.rows)
    drops = _drops(compare(best, now).metrics, significant=True) if stored.best else ()
    return [f"against the best baseline: {drop}" for drop in drops]


def _differing(before: Measurement, now: Measurement) -> Iterator[str]:
    for part in sorted({*before.fingerprint, *now.fingerprint}):
        old, new = before.fingerprint.get(part, {}), now.fingerprint.get(part, {})
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                yield f"{part} {name}: {old.get(name)} -> {new.get(name)}"


def numbers(change: Change) -> str:
    """Return a metric before and now, with the interval of the difference and its p-value."""
    low, high = change.interval
    adjusted = "" if change.adjusted is None else f", with Holm {change.adjusted:.4f}"
    return (
        f"{change.before:.3f} -> {change.after:.3f} "
        f"({change.after - change.before:+.3f}, 95 % {low:+.3f} to {high:+.3f}; "
        f"p {change.p_value:.4f}{adjusted})"
    )
