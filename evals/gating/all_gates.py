"""Every gate of one run: the absolute rules, the integrity of index and passages, the baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.gating import absolute, compare, integrity
from evals.gating.compare import Comparison
from evals.gating.encoder_check import encoder_faults
from evals.measure import measurement
from evals.measure.card_faults import card_faults
from evals.measure.outcome import Outcome, Subject
from retrieval.context import SearchContext
from retrieval.index import generations


@dataclass(frozen=True, slots=True)
class Checked:
    """Why a run is no pass, a line a fault, and how it compares with a baseline that was named."""

    faults: tuple[str, ...]
    comparison: Comparison | None


def check(
    context: SearchContext,
    measured: Subject,
    outcomes: Sequence[Outcome],
    *,
    folder: Path,
    baseline: Path | None,
    min_recall: float,
    top_k: int | None,
) -> Checked:
    """Return what the gates say of a run; print how it compares with the baseline.

    `folder` is the vault that was measured; `top_k` is what `evaluate` was given. Raises
    DatasetError where `baseline` is named and cannot be read: a baseline that is gone is no pass.
    """
    limit = top_k or context.settings.rag_top_k
    found = list(absolute.faults(outcomes, min_recall))
    found += _integrity(context, measured, outcomes, folder, limit)
    comparison = None
    if baseline:
        asked = [outcome.question for outcome in outcomes]
        made_with = measurement.fingerprint(context, measured, asked, limit)
        now = measurement.measurement(outcomes, made_with)
        stored = measurement.read(baseline)
        comparison = compare.compare(stored, now)
        print("\n".join(compare.report(comparison, now)))
        found += [*comparison.faults, *comparison.altered, *compare.against_best(stored, now)]
    return Checked(tuple(found), comparison)


def _integrity(
    context: SearchContext, measured: Subject, outcomes: Sequence[Outcome], folder: Path, top_k: int
) -> Iterator[str]:
    """What needs no label: the index is that of the vault, passages are lines of it."""
    hashes = context.store.read(lambda conn: generations.file_hashes(conn, measured.generation_id))
    yield from integrity.index_faults(
        folder, hashes, {path: measured.chunks_of(path) for path in hashes}
    )
    yield from encoder_faults(context.embedder)
    yield from integrity.stage_faults(outcomes)
    for outcome in outcomes:
        yield from integrity.passage_faults(outcome, dict(measured.files), top_k)
        if outcome.reply:
            for fault in card_faults(outcome.reply, measured.files):
                yield f"{outcome.question.id}: {fault}"
