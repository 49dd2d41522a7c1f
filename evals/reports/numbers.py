"""The numbers of a page, from the rows of a run: each a share or a mean with its interval."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from evals.measure.loss_stages import BUCKETS, OF_ANSWERS, Bucket
from evals.measure.summary import Estimate, estimate
from evals.reports.charts import Part
from evals.reports.stored import Json, Stored

CERTAINTIES = ("answered", "nearest", "refused")


@dataclass(frozen=True, slots=True)
class Number:
    """A figure under its name. `count` is of a share of yes and no, else None."""

    name: str
    about: str
    found: Estimate
    count: int | None
    gate: float | None = None  # what it must reach
    low_is_good: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: what search returned, and what replies showed of it."""

    name: str
    returned: Number
    shown: Number


@dataclass(frozen=True, slots=True)
class Loss:
    """A stage with the misses that it lost."""

    stage: str
    count: int
    bucket: Bucket

    @property
    def part(self) -> Part:
        """Its part of the stacked bar."""
        return Part(self.stage, self.count)


@dataclass(frozen=True, slots=True)
class Replies:
    """How many questions of a kind without an answer were answered, got the nearest, or refused."""

    kind: str
    asked: int
    counts: dict[str, int]  # by certainty

    @property
    def parts(self) -> list[Part]:
        """The parts of their bar, best first, empty ones too, so that each keeps its pattern."""
        return [Part(name, count) for name, count in reversed(self.counts.items())]


def headline(run: Stored) -> list[Number]:
    """Return what a page says first, the gate's number at its head."""
    asked = answerable(run.rows)
    top_k, off = run.sums["top_k"], [r for r in run.rows if r["kind"] == "offtopic"]
    found = [
        _share("Found and shown", "search returned all that is needed and the reply shows it",
               asked, lambda row: row["hit"]),
        _share(f"Recall@{top_k}", f"all that is needed is among the {top_k} passages of search",
               asked, lambda row: row["returned"], run.sums["min_recall"]),
        _share("Right card first", "the first card of the reply holds a line that answers",
               [row for row in asked if row.get("first_card") is not None],
               lambda row: row["first_card"]),
        _mean("MRR", "1 / the rank of the last passage that is needed", asked, "mrr"),
        _share("Off-topic refused", "questions on another subject that get no answer",
               off, lambda row: row["refused"]),
        _share("Refused by mistake", "questions with an answer that get none; few are good",
               asked, lambda row: row["refused"], low_is_good=True),
    ]  # fmt: skip
    return [number for number in found if number]


def kinds(run: Stored) -> list[Kind]:
    """Return all answerable questions together, and then by their kinds."""
    asked = answerable(run.rows)
    groups = {"all": asked}
    for name in sorted({row["kind"] for row in asked}):
        groups[name] = [row for row in asked if row["kind"] == name]
    found = []
    for name, rows in groups.items():
        returned = _share(name, "", rows, lambda row: row["returned"], run.sums["min_recall"])
        shown = _share(name, "", rows, lambda row: row["hit"])
        if returned and shown:
            found.append(Kind(name, returned, shown))
    return found


def losses(run: Stored) -> list[Loss]:
    """Return the stages that lost questions, in the order of the pipeline."""
    lost = [row["lost_at"] for row in run.rows]
    stages = [name for name in BUCKETS if name in lost or name not in OF_ANSWERS]
    found = [Loss(name, lost.count(name), BUCKETS[name]) for name in stages]
    return [loss for loss in found if loss.count]


def unanswerable(run: Stored) -> list[Replies]:
    """Return what became of the questions that have no answer, by their kinds."""
    rows = [row for row in run.rows if not row["answerable"] and row.get("certainty")]
    found = []
    for kind in sorted({row["kind"] for row in rows}):
        said = [row["certainty"] for row in rows if row["kind"] == kind]
        found.append(Replies(kind, len(said), {name: said.count(name) for name in CERTAINTIES}))
    return found


def answerable(rows: Iterable[Json]) -> list[Json]:
    """Return the rows of the questions that have an answer."""
    return [row for row in rows if row["answerable"]]


def _share(
    name: str,
    about: str,
    rows: Sequence[Json],
    is_so: Callable[[Json], bool],
    gate: float | None = None,
    *,
    low_is_good: bool = False,
) -> Number | None:
    """The share of the rows of which something is so; None where there is no row."""
    values = [float(bool(is_so(row))) for row in rows]
    if not values:
        return None
    return Number(name, about, estimate(values), int(sum(values)), gate, low_is_good)


def _mean(name: str, about: str, rows: Sequence[Json], metric: str) -> Number | None:
    values = [float(row["metrics"][metric]) for row in rows]
    return Number(name, about, estimate(values), None) if values else None
