"""Measure search with labelled questions, through the very function that answers users.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.answer.card_reply import AskOptions, card_reply
from evals.gating import gate
from evals.labels import dataset, training_questions
from evals.labels.dataset import Question
from evals.labels.options import RULES as RULES  # other programs take them from here
from evals.labels.options import RULES_VAULT as RULES_VAULT
from evals.labels.options import add_options, share
from evals.labels.options import chosen as chosen
from evals.labels.options import vault_of as vault_of
from evals.measure import measurement, metrics, span_overlap
from evals.measure.judge import ChunksOf, judge
from evals.measure.outcome import Outcome as Outcome
from evals.measure.outcome import Subject as Subject
from evals.measure.run import Run
from evals.measure.shown import shown
from evals.reports import ci, console, results, stored
from ingest import pipeline
from ingest.progress import Meter
from ingest.read import vault
from retrieval.context import SearchContext, open_context
from retrieval.errors import DatasetError, IndexMissingError, RulesError, VaultError
from retrieval.index import generations, store
from retrieval.models import Chunk
from retrieval.search import search
from retrieval.settings import load

MIN_RECALL = 0.80


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
    asked = [outcome.question for outcome in outcomes]
    depends = measurement.fingerprint(context, measured, asked, limit)
    return Run(
        dataset_file, vault_folder, limit, measured, tuple(outcomes),
        values=metrics.score(outcomes, page_of, top_k=limit, candidates=candidates),
        page_of=page_of,
        config=results.config(context, made_with, measured.files, dataset_file, about),
        taken=measurement.measurement(outcomes, depends),
    )  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    try:
        run = _gated(args)
    except RulesError as error:
        print(f"evals.retrieval: nothing was measured: {error}", file=sys.stderr)
        return 2
    try:
        folder, sums = _write(run, args)
    except OSError as error:
        print(f"evals.retrieval: measured, but not written: {error}", file=sys.stderr)
        return 2
    ci.print_annotations(run)
    console.print_summary(run, sums, folder)
    return 1 if run.faults else 0


def _gated(args: argparse.Namespace) -> Run:
    questions = chosen(args.dataset, args.split)
    with open_context(load()) as context:
        given = args.generation is not None
        other = args.vault if given else args.vault or vault_of(context, args.dataset)
        with subject(context, other, args.generation) as measured:
            if given:
                _refuse_strange(questions, measured, args.dataset)
            print(console.heading(context, args.dataset, args.split, questions))
            run = measure(
                context, measured, questions, dataset_file=args.dataset, top_k=args.top_k,
                vault_folder=other or context.settings.vault,
                options={"split": args.split, "min_recall": args.min_recall},
            )  # fmt: skip
            gate_of_rules = args.dataset.resolve() == RULES.resolve() and args.split == "gate"
            baseline = args.baseline or (measurement.BASELINE if gate_of_rules else None)
            return gate.checked(context, run, baseline, args.min_recall)


def _write(run: Run, args: argparse.Namespace) -> tuple[Path, Mapping[str, Any]]:
    """Write all reports; return the run's folder and sums."""
    folder, sums = stored.write(run, args.results)
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / stored.ROWS, args.json)
    if args.junit:
        ci.write_junit("evals.retrieval", run.faults, ci.cases_of(run), args.junit)
    ci.append_summary(ci.markdown(run, sums))
    return folder, sums


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=__doc__)
    add_options(parser)
    parser.add_argument("--min-recall", type=share, default=MIN_RECALL, help="the gate, 0 to 1")
    parser.add_argument(
        "--generation", type=int, help="measure this one, made of --vault or VAULT; default: live"
    )
    parser.add_argument(
        "--baseline", type=Path, help="compare with this file; the gate of the rules has one"
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="a folder for each run goes in here"
    )
    parser.add_argument("--json", type=Path, help="write one line a question to this file, too")
    parser.add_argument(
        "--junit", type=Path, help="write JUnit XML; missed questions fail in it, gate or not"
    )
    return parser.parse_args(argv)


def _refuse_strange(questions: Sequence[Question], measured: Subject, path: Path) -> None:
    """Raise DatasetError where no file that the questions name is in the vault."""
    asked = dataset.resolved(questions, measured.files)
    golds = (gold for question in asked for place in question.places for gold in place)
    if not any(gold.path in measured.files for gold in golds):
        raise DatasetError(
            f"{path}: its questions are about another vault; name a file with your own: --dataset, "
            "or python -m ingest --gate --questions"
        )


@contextmanager
def subject(
    context: SearchContext, folder: Path | None, generation_id: int | None = None
) -> Iterator[Subject]:
    """Yield the live index, or a temporary one of `folder` that is gone afterwards.

    With `generation_id`: that generation of the index, which was made of `folder`, or of VAULT.
    Training texts are indexed without their questions.
    Raises IndexMissingError where it is gone, IndexMismatchError where other models made it.
    """
    if folder and folder.resolve().is_relative_to(training_questions.TEXTS):
        with TemporaryDirectory() as copy:
            training_questions.stripped(folder, Path(copy))
            with subject(context, Path(copy), generation_id) as measured:
                yield measured
        return
    found = vault.read(folder or context.settings.vault)
    files = {file.path: file.text for file in found.files}
    if not files:
        raise VaultError(f"no Markdown file in {str(folder or context.settings.vault)!r}")
    if folder is None or generation_id is not None:
        wanted = generation_id or context.store.read(store.live).id
        context.check(context.store.read(lambda conn: store.generation(conn, wanted)))
        yield _measured(context, wanted, files)
        return
    with context.store.connect(autocommit=True) as conn, Meter() as meter:
        report = pipeline.run_temporary(context, conn, folder, progress=meter.show)
        for error in report.rejected:
            print(f"REJECTED {error}")
        try:
            yield _measured(context, report.generation_id, files)
        finally:
            generations.drop(conn, report.generation_id)


def reader(context: SearchContext, generation_id: int) -> ChunksOf:
    """Return what gives the chunks of a file of that generation, each file read once."""

    @cache
    def chunks_of(path: str) -> tuple[Chunk, ...]:
        return context.store.read(lambda conn: store.chunks_of(conn, generation_id, path))

    return chunks_of


def _measured(context: SearchContext, generation_id: int, files: Mapping[str, str]) -> Subject:
    chunks_of = reader(context, generation_id)
    if not any(chunks_of(path) for path in files):
        raise IndexMissingError("the index holds none of the vault's files; run: python -m ingest")
    return Subject(generation_id, files, chunks_of)


if __name__ == "__main__":
    sys.exit(main())
