"""One run of the retrieval gate, as every report of it reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.gating.compare import Comparison
from evals.labels.dataset import Gold
from evals.measure import span_overlap
from evals.measure.judge import LOST_AT
from evals.measure.measurement import Measurement
from evals.measure.metrics import ScoredOutcome
from evals.measure.outcome import Outcome
from evals.measure.span_overlap import PageOf
from evals.measure.summary import Tables


@dataclass(frozen=True, slots=True)
class Run:
    """What was asked of which vault, what came of it, and which rules of the gate it broke."""

    dataset: Path
    vault: Path
    top_k: int  # passages asked for
    scored: tuple[ScoredOutcome, ...]
    faults: tuple[str, ...]
    config: Mapping[str, object]  # what it depends on, as config.json holds it
    files: Mapping[str, str]  # the vault's texts by path
    page_of: PageOf
    tables: Tables
    taken: Measurement | None = None  # the same, as a baseline keeps it
    comparison: Comparison | None = None  # with the baseline; None where there was none

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcome of every question, in order."""
        return [item.outcome for item in self.scored]

    @property
    def answerable(self) -> list[ScoredOutcome]:
        """The questions that have an answer: the gate counts these."""
        return [item for item in self.scored if item.needed]

    @property
    def missed(self) -> list[ScoredOutcome]:
        """The answerable questions that are no hit; the critical ones first."""
        found = [item for item in self.answerable if lost_at(item) is not None]
        return sorted(found, key=lambda item: not item.outcome.question.critical)

    @property
    def hits(self) -> int:
        """How many answerable questions are hits."""
        return len(self.answerable) - len(self.missed)


def lost_at(item: ScoredOutcome) -> str | None:
    """Return the stage that lost a question; None for a hit and for an unanswerable question."""
    return item.outcome.lost_at


def because(item: ScoredOutcome) -> str:
    """Return the stage that lost a missed question, what the trace says of it, and the cure."""
    judgement, bucket = item.outcome.judgement, item.outcome.lost_at
    if judgement is None or bucket is None:
        raise ValueError(f"{item.outcome.question.id} is no miss")
    detail = f" ({judgement.detail})" if judgement.detail else ""
    return f"lost at {bucket}{detail}: {LOST_AT[bucket]}"


def lost_gold(item: ScoredOutcome) -> Gold:
    """Return the gold of a missed question that was lost first; where search had all, its first."""
    judgement = item.outcome.judgement
    if judgement is None or item.outcome.lost_at is None:
        raise ValueError(f"{item.outcome.question.id} is no miss")
    return judgement.lost or item.outcome.question.places[0][0]


def place(run: Run, item: ScoredOutcome) -> tuple[Path, int]:
    """Return the file and line that a writer should look at for a missed question.

    That is the gold it lacks, or the question itself where its quote stands nowhere in the vault.
    """
    gold = lost_gold(item)
    lines = span_overlap.lines(gold, run.page_of)
    if lines:
        return run.vault / gold.path, lines[0]
    if not gold.quote and run.page_of(gold.path):
        return run.vault / gold.path, 1
    return run.dataset, item.outcome.question.line
