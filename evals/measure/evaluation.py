"""Ask labelled questions through the functions that answer users, and score what comes back."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from api.answer.card_reply import AskOptions, card_reply
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.measure import measurement, metrics, span_overlap
from evals.measure.judge import judge
from evals.measure.outcome import Outcome, Subject
from evals.measure.run import Run
from evals.measure.shown import shown
from evals.reports import results
from ingest.progress import Meter
from retrieval.context import SearchContext
from retrieval.search import search


def evaluate(
    context: SearchContext,
    measured: Subject,
    questions: Sequence[Question],
    *,
    top_k: int | None = None,
) -> Iterator[Outcome]:
    """Yield the outcome of every question, in order: the search that answers users, and the reply.

    Raises DatasetError where a question names a file by what fits several.
    """
    for item in dataset.resolved(questions, measured.files):
        number = measured.generation_id
        options = AskOptions(history=item.history, top_k=top_k, generation_id=number)
        reply = card_reply(context, item.question, options)
        # Where nothing was searched (taken for small talk) what search has is still to be judged.
        found = reply.found or search(context, item.question, top_k=top_k, generation_id=number)
        if not item.answerable:
            yield Outcome(item, found, None, reply)
            continue
        limit = top_k or context.settings.rag_top_k
        judgement = judge(item, found, measured.files, measured.chunks_of, limit)
        yield Outcome(item, found, judgement, reply, shown(item, reply))


def ask_all(
    context: SearchContext, measured: Subject, questions: Sequence[Question], top_k: int | None
) -> list[Outcome]:
    """Return the outcome of every question, and show on a terminal how many were asked."""
    outcomes: list[Outcome] = []
    with Meter() as meter:
        for outcome in evaluate(context, measured, questions, top_k=top_k):
            outcomes.append(outcome)
            meter.show("asking", len(outcomes), len(questions))
    return outcomes


def measure(
    context: SearchContext,
    measured: Subject,
    questions: Sequence[Question],
    *,
    dataset_file: Path,
    vault_folder: Path,
    top_k: int | None = None,
    options: Mapping[str, object] | None = None,
) -> Run:
    """Return one run: every question asked, scored, and what its numbers depend on.

    `measured` is the index of `vault_folder`; `options` are the program's, for config.json. No gate
    has looked at it: `gate.checked` does.
    """
    outcomes = ask_all(context, measured, questions, top_k)
    limit = top_k or context.settings.rag_top_k
    candidates = max(context.settings.rag_candidates, limit)
    page_of = span_overlap.pages_of(measured.files)
    about = {"program": "evals.retrieval", "top_k": limit, **(options or {})}
    made_with = results.fingerprint(context, measured)
    data = results.origin(dataset_file, measured.files)
    asked = [outcome.question for outcome in outcomes]
    depends = measurement.fingerprint(context, measured, asked, limit)
    return Run(
        dataset_file, vault_folder, limit, measured, tuple(outcomes),
        values=metrics.score(outcomes, page_of, top_k=limit, candidates=candidates),
        page_of=page_of,
        config=results.config(context, made_with, data, about),
        taken=measurement.measurement(outcomes, depends),
    )  # fmt: skip
