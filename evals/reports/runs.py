"""Make a run of measured outcomes: their metrics, their sums, and what they depend on."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from evals.gating.compare import Comparison
from evals.measure import measurement, metrics, span_overlap, summary
from evals.measure.outcome import Outcome, Subject
from evals.measure.run import Run
from evals.reports import results
from retrieval.context import SearchContext


def made_run(
    context: SearchContext,
    measured: Subject,
    outcomes: Sequence[Outcome],
    faults: Sequence[str],
    *,
    dataset_file: Path,
    vault_folder: Path,
    top_k: int | None,
    options: Mapping[str, object],
    comparison: Comparison | None = None,
) -> Run:
    """Return outcomes with their metrics, as the reports read them.

    `top_k` is what `evaluate` was given; `options` goes into config.json.
    """
    limit = top_k or context.settings.rag_top_k
    candidates = max(context.settings.rag_candidates, limit)
    page_of = span_overlap.pages_of(measured.files)
    scored = metrics.score(outcomes, measured, page_of, top_k=limit, candidates=candidates)
    return Run(
        dataset=dataset_file,
        vault=vault_folder,
        top_k=limit,
        scored=tuple(scored),
        faults=tuple(faults),
        config=_config(context, measured, dataset_file, {"top_k": limit, **options}),
        files=measured.files,
        page_of=page_of,
        tables=summary.tables(scored),
        taken=_taken(context, measured, outcomes, limit),
        comparison=comparison,
    )


def _config(
    context: SearchContext, measured: Subject, dataset_file: Path, options: Mapping[str, object]
) -> dict[str, object]:
    """What the run depends on: code, models, files and options."""
    made_with = results.fingerprint(context, measured)
    about = {"program": "evals.retrieval", **options}
    return results.config(context, made_with, measured.files, dataset_file, about)


def _taken(
    context: SearchContext, measured: Subject, outcomes: Sequence[Outcome], limit: int
) -> measurement.Measurement:
    """The run as a baseline keeps it."""
    asked = [outcome.question for outcome in outcomes]
    made_with = measurement.fingerprint(context, measured, asked, limit)
    return measurement.measurement(outcomes, made_with)
