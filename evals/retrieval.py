"""Measure search with labelled questions, through the very function that answers users.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2

from api.llm.listwise import open_ordered
from evals.answers import program
from evals.foreign import evaluation as foreign
from evals.foreign import retrievers
from evals.gating import gate
from evals.gating.gate import MIN_RECALL
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.labels.options import RULES, RULES_VAULT, add_options, chosen, share, vault_of
from evals.measure import measurement
from evals.measure.evaluation import measure
from evals.measure.outcome import Subject
from evals.measure.run import Run
from evals.measure.subject import subject
from evals.reports import ci, console, stored, trec
from ingest.read import vault
from retrieval.errors import DatasetError, VaultError
from retrieval.settings import load


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    return program.measuring("evals.retrieval", lambda: _measured(args))


def _measured(args: argparse.Namespace) -> int:
    sys.stdout.write(console.left_out(args.dataset, dataset.left_out(args.dataset)))
    run = _foreign(args) if args.retriever or args.endpoint else _gated(args)
    folder, sums = _write(run, args)
    ci.print_annotations(run)
    console.print_summary(run, sums, folder)
    if args.trec:
        print(f"again: {trec.command(args.trec, run.top_k)}")
    return 1 if run.faults else 0


def _gated(args: argparse.Namespace) -> Run:
    questions = chosen(args.dataset, args.split)
    with open_ordered(load()) as context:
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


def _foreign(args: argparse.Namespace) -> Run:
    """Return the run of a retriever that is not ours, which needs no database and no model."""
    if args.generation is not None:
        raise DatasetError("--generation is of our index; leave it out with a foreign retriever")
    given = chosen(args.dataset, args.split)
    questions = foreign.measurable(given)
    if not questions:
        raise DatasetError(f"{args.dataset}: only follow-ups have an answer; add other questions")
    settings = load()
    of_rules = RULES_VAULT if args.dataset.resolve() == RULES.resolve() else settings.vault
    folder = args.vault or of_rules
    files = {file.path: file.text for file in vault.read(folder).files}
    if not files:
        raise VaultError(f"no Markdown file in {str(folder)!r}; name the folder with --vault")
    name = args.retriever or args.endpoint
    print(
        f"{args.dataset.name}: {len(questions)} of {len(given)} questions asked of {name}; not "
        "measured from outside: replies, cards, refusals, follow-ups"
    )
    with retrievers.client() as client:
        run = foreign.measure(
            _retriever(args, client), name, questions, files,
            dataset_file=args.dataset, vault_folder=folder, top_k=args.top_k or settings.rag_top_k,
            options={"split": args.split, "min_recall": args.min_recall},
        )  # fmt: skip
    return gate.checked(None, run, args.baseline, args.min_recall)


def _retriever(args: argparse.Namespace, client: httpx2.Client) -> retrievers.Retrieve:
    if args.retriever:
        return retrievers.named(args.retriever)
    shape, knowledge_id = args.shape or "ours", args.knowledge_id or ""
    return retrievers.endpoint(args.endpoint, shape, client, knowledge_id)


def _write(run: Run, args: argparse.Namespace) -> tuple[Path, Mapping[str, Any]]:
    """Write all reports; return the run's folder and sums."""
    folder, sums = stored.write(run, args.results)
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / stored.ROWS, args.json)
    if args.junit:
        ci.write_junit("evals.retrieval", run.faults, ci.cases_of(run), args.junit)
    if args.trec:
        trec.write_trec(args.trec, run)
    ci.append_summary(ci.summary(run, sums))
    return folder, sums


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=__doc__)
    add_options(parser)
    _add_foreign(parser)
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
    parser.add_argument(
        "--trec", type=Path, help="write qrels.txt and run.txt into this folder, for ir_measures"
    )
    args = parser.parse_args(argv)
    if args.shape and not args.endpoint:
        parser.error("--shape is of an endpoint; name it with --endpoint URL")
    if args.knowledge_id is not None and args.shape != "dify":
        parser.error("--knowledge-id is of --shape dify; leave it out or name that shape")
    return args


def _add_foreign(parser: argparse.ArgumentParser) -> None:
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--retriever", help="measure module:function instead of our search")
    other.add_argument("--endpoint", help="measure what answers at this URL instead")
    parser.add_argument("--shape", choices=retrievers.SHAPES, help="of --endpoint; default: ours")
    parser.add_argument("--knowledge-id", help="of --shape dify: the knowledge base that is asked")


def _refuse_strange(questions: Sequence[Question], measured: Subject, path: Path) -> None:
    """Raise DatasetError where no file that the questions name is in the vault."""
    asked = dataset.resolved(questions, measured.files)
    golds = (gold for question in asked for place in question.places for gold in place)
    if not any(gold.path in measured.files for gold in golds):
        raise DatasetError(
            f"{path}: its questions are about another vault; name a file with your own: --dataset, "
            "or python -m ingest --gate --questions"
        )


if __name__ == "__main__":
    sys.exit(main())
