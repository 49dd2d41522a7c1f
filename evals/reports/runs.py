"""Make a run of measured outcomes: their metrics, their sums, and what they depend on."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from evals import measurement, metrics, results, spans, summary
from evals.compare import Comparison
from evals.outcome import Outcome, Subject
from evals.run import Run
from retrieval.rulebook import Rulebook


def made_run(
    rules: Rulebook,
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
    asked = [outcome.question for outcome in outcomes]
    limit = top_k or rules.settings.rag_top_k
    candidates = max(rules.settings.rag_candidates, limit)
    page_of = spans.pages_of(measured.files)
    scored = metrics.score(outcomes, measured, page_of, top_k=limit, candidates=candidates)
    made_with = results.fingerprint(rules, measured)
    about = {"program": "evals.retrieval", "top_k": limit, **options}
    config = results.config(rules, made_with, measured.files, dataset_file, about)
    return Run(
        dataset=dataset_file,
        vault=vault_folder,
        top_k=limit,
        scored=tuple(scored),
        faults=tuple(faults),
        config=config,
        files=measured.files,
        page_of=page_of,
        tables=summary.tables(scored),
        taken=measurement.measurement(
            outcomes, measurement.fingerprint(rules, measured, asked, limit)
        ),
        comparison=comparison,
    )
