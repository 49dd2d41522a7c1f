"""Measure a retriever that is not ours with labelled questions: the same numbers, the same gate."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

from evals.foreign import passages
from evals.foreign.passages import LIMIT, Placed
from evals.foreign.retrievers import Retrieve
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.measure import measurement, metrics, span_overlap
from evals.measure.judge import Loss, LossOf, Sought, judge
from evals.measure.outcome import Outcome, Subject
from evals.measure.run import Run
from evals.measure.span_overlap import PageOf
from evals.reports import results
from ingest.progress import Meter
from retrieval.models import Chunk, Hit, SearchResult
from retrieval.search_trace import Candidate, Timings


def measure(
    retrieve: Retrieve,
    name: str,
    questions: Sequence[Question],
    files: Mapping[str, str],
    *,
    dataset_file: Path,
    vault_folder: Path,
    top_k: int,
    options: Mapping[str, object],
) -> Run:
    """Return a run of the questions that `measurable` leaves; no gate has looked at it.

    `files` are the vault's texts by path, `name` is the retriever's for config and baseline. Raises
    RetrieverError for a retriever that fails, DatasetError where no question is left.
    """
    page_of, paths = span_overlap.pages_of(files), sorted(files)
    asked = dataset.resolved(questions, files)
    outcomes: list[Outcome] = []
    with Meter() as meter:
        for question in asked:
            outcomes.append(_outcome(question, retrieve, files, paths, page_of, top_k))
            meter.show("asking", len(outcomes), len(questions))
    about: dict[str, object] = {
        "program": "evals.retrieval", "retriever": name, "top_k": top_k, **options,
    }  # fmt: skip
    depends: measurement.Fingerprint = {
        "retriever": {"name": name},
        "search": {"top_k": top_k},
        "data": measurement.data_digests([one.question for one in outcomes], files),
    }
    return Run(
        dataset_file, vault_folder, top_k, Subject(0, files, lambda _: ()), tuple(outcomes),
        values=metrics.score(outcomes, page_of, top_k=top_k, candidates=LIMIT),
        page_of=page_of,
        config=results.dated(results.origin(dataset_file, files), about),
        taken=measurement.measurement(outcomes, depends),
        foreign=True,
    )  # fmt: skip


def measurable(questions: Sequence[Question]) -> list[Question]:
    """Return those with an answer that need no question before them.

    A retriever from outside returns something to every question, so refusals say nothing of it, and
    it is not told what was asked before.
    """
    return [one for one in questions if one.answerable and not one.history]


def _outcome(
    question: Question,
    retrieve: Retrieve,
    files: Mapping[str, str],
    paths: Sequence[str],
    page_of: PageOf,
    top_k: int,
) -> Outcome:
    start = perf_counter()
    returned = retrieve(question.question)
    taken = 1000 * (perf_counter() - start)
    found = passages.placed(passages.passages(returned), page_of, paths)
    result = _result(question, found, top_k, taken)

    def chunks_of(path: str) -> list[Chunk]:
        return [one.chunk for one in found if path in one.files]

    judged = judge(question, result, files, chunks_of, top_k, _attribution(found, top_k))
    return Outcome(question, result, judged)


def _attribution(found: Sequence[Placed], top_k: int) -> LossOf:
    """What can be said from outside of a gold that is not among the passages that count."""

    def loss(sought: Sought) -> Loss:
        gold = sought.gold
        if sought.rank is not None:
            return Loss("further-down", f"rank {sought.rank}, wanted {top_k}", gold)
        strange = [p for p in found if not p.files and p.claimed in (None, gold.path)]
        if strange:
            detail = (
                f"{len(strange)} of {len(found)} passages, one is {strange[0].chunk.text[:60]!r}"
            )
            return Loss("not-of-the-vault", detail, gold)
        return Loss("never-returned", f"{len(found)} passages were returned", gold)

    return loss


def _result(question: Question, found: Sequence[Placed], top_k: int, taken: float) -> SearchResult:
    """What was returned as a search of ours, of which nothing but the order is known."""
    return SearchResult(
        question.question,
        tuple(Hit(one.chunk, 1 / rank, ()) for rank, one in enumerate(found[:top_k], start=1)),
        tuple(_candidate(one.chunk.id, rank, top_k) for rank, one in enumerate(found, start=1)),
        late="off",
        rerank="off",
        threshold=float("-inf"),
        generation="",
        timings=Timings(0.0, taken, 0.0),
    )


def _candidate(name: str, rank: int, top_k: int) -> Candidate:
    return Candidate(
        name, None, 0.0, None, None, None, rank, 1 / rank, None, None, None,
        "returned" if rank <= top_k else "budget",
    )  # fmt: skip
