"""Every gate of one run: the absolute rules, the integrity of index and passages, the baseline."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from evals.gating import compare, integrity, thresholds
from evals.gating.encoder_check import encoder_faults
from evals.measure import measurement
from evals.measure.card_faults import card_faults
from evals.measure.run import Run
from retrieval.context import SearchContext
from retrieval.index import generations

MIN_RECALL = 0.80


def checked(
    context: SearchContext | None, run: Run, baseline: Path | None, min_recall: float
) -> Run:
    """Return a run with its faults and, where a baseline is named, how it compares with that.

    `context` is None for a foreign retriever, whose index is not ours to check.
    Raises DatasetError where `baseline` cannot be read: a baseline that is gone is no pass.
    """
    faults = thresholds.faults(run.outcomes, min_recall)
    if context:
        faults += _integrity(context, run)
    if baseline is None:
        return replace(run, faults=tuple(faults))
    stored = measurement.read(baseline)
    found = compare.compare(stored, run.taken)
    faults += [*found.faults, *found.altered, *compare.against_best(stored, run.taken)]
    return replace(run, faults=tuple(faults), comparison=found)


def _integrity(context: SearchContext, run: Run) -> Iterator[str]:
    """What needs no label: the index is that of the vault, passages are lines of it."""
    number, chunks_of = run.measured.generation_id, run.measured.chunks_of
    hashes = context.store.read(lambda conn: generations.file_hashes(conn, number))
    yield from integrity.index_faults(run.vault, hashes, {path: chunks_of(path) for path in hashes})
    yield from encoder_faults(context.embedder)
    yield from integrity.stage_faults(run.outcomes)
    for outcome in run.outcomes:
        yield from integrity.passage_faults(outcome, run.measured.files, run.top_k)
        if outcome.reply:
            for fault in card_faults(outcome.reply, run.measured.files):
                yield f"{outcome.question.id}: {fault}"
