"""One run of questions over one vault: the record that gates, console and reports read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.gating.compare import Comparison
from evals.labels.dataset import Gold
from evals.measure import span_overlap
from evals.measure.loss_stages import ALL
from evals.measure.measurement import Measurement
from evals.measure.metrics import Values
from evals.measure.outcome import Outcome, Subject
from evals.measure.span_overlap import PageOf


@dataclass(frozen=True, slots=True)
class Run:
    """What was asked of which vault, what came of it, and which rules of the gate it broke."""

    dataset: Path
    vault: Path
    top_k: int  # passages asked for
    measured: Subject
    outcomes: tuple[Outcome, ...]
    values: Mapping[str, Values]  # metrics by the id of an answerable question
    page_of: PageOf
    config: Mapping[str, object]  # what it depends on, as config.json holds it
    taken: Measurement  # the same, as a baseline keeps it
    faults: tuple[str, ...] = ()
    foreign: bool = False  # a retriever that is not ours: no replies, and no refusals
    comparison: Comparison | None = None  # with the baseline; None where there was none

    @property
    def answerable(self) -> list[Outcome]:
        """The questions that have an answer: the gate counts these."""
        return [outcome for outcome in self.outcomes if outcome.judgement]

    @property
    def missed(self) -> list[Outcome]:
        """The answerable questions that are no hit or not shown; the critical ones first."""
        found = [outcome for outcome in self.answerable if not outcome.passed]
        return sorted(found, key=lambda outcome: not outcome.question.critical)

    @property
    def hits(self) -> int:
        """How many answerable questions are found and shown."""
        return len(self.answerable) - len(self.missed)


def because(outcome: Outcome) -> str:
    """Return the stage that lost a missed question, what the trace says of it, and the cure."""
    judgement, bucket = outcome.judgement, outcome.lost_at
    if judgement is None or bucket is None:
        raise ValueError(f"{outcome.question.id} is no miss")
    detail = f" ({judgement.detail})" if judgement.detail else ""
    return f"lost at {bucket}{detail}: {ALL[bucket].text}"


def lost_gold(outcome: Outcome) -> Gold:
    """Return the gold of a missed question that was lost first; where search had all, its first."""
    lost = outcome.judgement.lost if outcome.judgement else None
    return lost or outcome.question.places[0][0]


def place(run: Run, outcome: Outcome) -> tuple[Path, int]:
    """Return the file and line that a writer should look at for a missed question.

    That is the gold it lacks, or the question itself where its quote stands nowhere in the vault.
    """
    gold = lost_gold(outcome)
    lines = span_overlap.lines(gold, run.page_of)
    if lines:
        return run.vault / gold.path, lines[0]
    if not gold.quote and run.page_of(gold.path):
        return run.vault / gold.path, 1
    return run.dataset, outcome.question.line
