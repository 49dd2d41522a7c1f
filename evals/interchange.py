"""Take a measured run to other tools: ask the questions of a dataset and write TREC's files.

OUT/qrels.txt says which passages each question needs, OUT/run.txt how search ranked them; an id has
no white space in them: it is written as in a URL ("5.%20Adventures/…"). Exit status: 0 done;
2 nothing was done.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from urllib.parse import quote

from evals.labels.options import add_options, chosen, vault_of
from evals.measure import metrics
from evals.measure.evaluation import measure
from evals.measure.run import Run
from evals.measure.subject import subject
from retrieval.context import open_context
from retrieval.errors import RulesError
from retrieval.settings import load

RUN_NAME = "rules-oracle"  # the last cell of a TREC run's lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.interchange", description=__doc__)
    add_options(parser)
    parser.add_argument("--out", type=Path, required=True, help="a folder, made if missing")
    args = parser.parse_args(argv)
    try:
        run = _measured(args)
        write_trec(args.out, run)
    except (RulesError, OSError) as error:
        print(f"evals.interchange: nothing was done: {error}", file=sys.stderr)
        return 2
    print(f"{args.out}: {len(run.outcomes)} questions, {len(run.answerable)} answerable")
    names = ir_measures_names(run.top_k)
    for name, called in names.items():
        mean = fmean(row[name] or 0.0 for row in run.values.values())  # these are never None
        print(f"{called}\t{mean:.4f}")
    files = f"{args.out / 'qrels.txt'} {args.out / 'run.txt'}"
    print(f"again: ir_measures {files} {' '.join(names.values())}")
    return 0


def _measured(args: argparse.Namespace) -> Run:
    questions = chosen(args.dataset, args.split)
    with open_context(load()) as context:
        folder = args.vault or vault_of(context, args.dataset)
        with subject(context, folder) as measured:
            return measure(
                context, measured, questions, dataset_file=args.dataset, top_k=args.top_k,
                vault_folder=folder or context.settings.vault,
            )  # fmt: skip


def ir_measures_names(top_k: int) -> dict[str, str]:
    """Return what ir-measures calls those of our metrics that it computes as well."""
    return {
        f"gold_recall@{top_k}": f"R@{top_k}", f"precision@{top_k}": f"P@{top_k}", "mrr_first": "RR",
        f"ndcg@{metrics.DEPTH}": f"nDCG@{metrics.DEPTH}", "map": "AP",
    }  # fmt: skip


def write_trec(folder: Path, run: Run) -> None:
    """Write qrels.txt and run.txt, whose numbers are those that were measured.

    A run's score is its negated rank: trec_eval orders by score alone, in 32 bits, and equal ones
    by id. What is needed and was never found stands in the qrels all the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    needed = metrics.qrels(run.outcomes, run.top_k)
    qrels = [f"{_id(q.query_id)} 0 {_id(q.doc_id)} {q.relevance}\n" for q in needed]
    (folder / "qrels.txt").write_text("".join(qrels), "utf-8")
    ranked = [
        f"{_id(d.query_id)} Q0 {_id(d.doc_id)} {-d.score:.0f} {d.score:g} {RUN_NAME}\n"
        for d in metrics.run(run.outcomes, run.top_k)
    ]
    (folder / "run.txt").write_text("".join(ranked), "utf-8")


def _id(name: str) -> str:
    """An id without white space, which parts the cells of TREC files; one that can be read."""
    return quote(name, safe="/:#,&()'")


if __name__ == "__main__":
    sys.exit(main())
