"""The numbers of a page: each a share or a mean with its interval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evals.measure.judge import losses as lost_by_stage
from evals.measure.loss_stages import ALL, Bucket
from evals.measure.outcome import Outcome
from evals.measure.replies import certainties
from evals.measure.run import Run
from evals.measure.summary import Estimate, estimate


@dataclass(frozen=True, slots=True)
class Number:
    """A figure under its name. `count` is of a share of yes and no, else None."""

    name: str
    about: str
    found: Estimate
    count: int | None
    gate: float | None = None  # what it must reach
    low_is_good: bool = False


class Kind(NamedTuple):
    """A kind of question: what search returned, and what replies showed of it."""

    name: str
    returned: Number
    shown: Number


class Loss(NamedTuple):
    """A stage with the misses that it lost."""

    stage: str
    misses: int
    bucket: Bucket


class Replies(NamedTuple):
    """How the questions of a kind without an answer were replied to."""

    kind: str
    asked: int
    counts: dict[str, int]  # by certainty


def headline(run: Run) -> list[Number]:
    """Return what a page says first, the gate's number at its head."""
    asked = run.answerable
    replied = [] if run.foreign else asked
    off = [outcome for outcome in run.outcomes if outcome.question.kind == "offtopic"]
    ranks = [run.values[outcome.question.id]["mrr"] or 0.0 for outcome in asked]
    shares = [
        _share("Found and shown", "search returned all that is needed and the reply shows it",
               replied, lambda one: one.passed),
        _share(f"Recall@{run.top_k}", f"all that is needed is among the {run.top_k} passages of "
               "search", asked, _returned, _gate(run)),
        _share("Right card first", "the first card of the reply holds a line that answers",
               [one for one in asked if one.shown], lambda one: one.shown and one.shown.first),
        Number("MRR", "1 / the rank of the last passage that is needed", estimate(ranks), None),
        _share("Off-topic refused", "questions on another subject that get no answer",
               off, lambda one: one.refused),
        _share("Refused by mistake", "questions with an answer that get none; few are good",
               replied, lambda one: one.refused, low_is_good=True),
    ]  # fmt: skip
    return [number for number in shares if number]


def kinds(run: Run) -> list[Kind]:
    """Return all answerable questions together, and then by their kinds."""
    groups = {"all": run.answerable}
    for name in sorted({outcome.question.kind for outcome in run.answerable}):
        groups[name] = [one for one in run.answerable if one.question.kind == name]
    return [
        Kind(name, returned, shown)
        for name, outcomes in groups.items()
        if (returned := _share(name, "", outcomes, _returned, _gate(run)))
        and (shown := _share(name, "", outcomes, lambda one: one.passed))
    ]


def losses(run: Run) -> list[Loss]:
    """Return the stages that lost questions, in the order of the pipeline."""
    counts = lost_by_stage(outcome.lost_at for outcome in run.outcomes)
    return [Loss(n, count, ALL[n]) for n, count in counts.items() if count]


def unanswerable(run: Run) -> list[Replies]:
    """Return what became of the questions that have no answer, by their kinds."""
    return [
        Replies(kind, sum(counts.values()), counts)
        for kind, counts in certainties(run.outcomes).items()
    ]


def _returned(outcome: Outcome) -> bool:
    return bool(outcome.judgement and outcome.judgement.hit)


def _gate(run: Run) -> float | None:
    least = run.config.get("min_recall")
    return float(str(least)) if least is not None else None


def _share(
    name: str,
    about: str,
    outcomes: Sequence[Outcome],
    is_so: Callable[[Outcome], object],
    gate: float | None = None,
    *,
    low_is_good: bool = False,
) -> Number | None:
    """The share of the questions of which something is so; None where there is none."""
    values = [float(bool(is_so(outcome))) for outcome in outcomes]
    if not values:
        return None
    return Number(name, about, estimate(values), int(sum(values)), gate, low_is_good)
