"""Bring questions along from other tools, and take a measured run to them.

`import` reads a BEIR folder, or a JSON list as other projects keep it, and writes OUT/dataset.jsonl
and, of a BEIR folder, its corpus as OUT/vault. `export` asks the questions of a dataset and writes
OUT/qrels.txt and OUT/run.txt, as TREC's tools read them. Exit status: 0 done; 2 nothing was done.

In exported files an id has no white space: it is written as in a URL ("5.%20Adventures/…").
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from urllib.parse import quote

from evals import retrieval
from evals.labels import beir, dataset
from evals.labels.dataset import Question
from evals.measure import metrics
from evals.measure.run import Run
from retrieval.context import open_context
from retrieval.errors import RulesError
from retrieval.settings import load

RUN_NAME = "rules-oracle"  # the last cell of a TREC run's lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    try:
        if args.command == "import":
            _import(args.source, args.out)
        else:
            _export(args)
    except (RulesError, OSError) as error:
        print(f"evals.interchange: nothing was done: {error}", file=sys.stderr)
        return 2
    return 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m evals.interchange",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    importing = commands.add_parser("import", help="write questions in our format")
    importing.add_argument("source", type=Path, help="a BEIR folder, or a JSON list of questions")
    exporting = commands.add_parser("export", help="search, and write what other tools read")
    retrieval.add_options(exporting)
    for command in (importing, exporting):
        command.add_argument("--out", type=Path, required=True, help="a folder, made if missing")
    return parser.parse_args(argv)


def _import(source: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if not source.is_dir():
        questions = dataset.load(source)
        write_dataset(out / "dataset.jsonl", questions)
        print(f"{out / 'dataset.jsonl'}: {len(questions)} questions")
        return
    found = beir.read(source)
    write_dataset(out / "dataset.jsonl", found.questions)
    (out / "vault").mkdir(exist_ok=True)
    for path, text in found.files.items():
        (out / "vault" / path).write_text(text, "utf-8")
    print(f"{out / 'dataset.jsonl'}: {len(found.questions)} questions; "
          f"{found.unjudged} queries have no relevant document and were left out")  # fmt: skip
    print(f"{out / 'vault'}: {len(found.files)} files")
    for name in found.missing:
        print(f"not in the corpus, yet relevant: {name}")


def write_dataset(path: Path, questions: Sequence[Question]) -> None:
    """Write questions in our format; `dataset.load` returns them again."""
    with path.open("w", encoding="utf-8") as file:
        for item in questions:
            file.write(json.dumps(_row(item), ensure_ascii=False) + "\n")


def _row(item: Question) -> Mapping[str, object]:
    places = [[{"path": g.path, "quote": g.quote} for g in place] for place in item.places]
    return {
        "id": item.id, "question": item.question, "kind": item.kind, "answer": item.answer,
        "gold": places[0] if places else [], "alt": places[1:], "history": item.history,
        "split": item.split, "critical": item.critical, "must_include": item.must_include,
        "must_not_include": item.must_not_include, "forbidden": item.forbidden,
        "why_unanswerable": item.why_unanswerable or None, "absent": item.absent,
    }  # fmt: skip


def _export(args: argparse.Namespace) -> None:
    questions = retrieval.chosen(args.dataset, args.split)
    with open_context(load()) as context:
        folder = args.vault or retrieval.vault_of(context, args.dataset)
        with retrieval.subject(context, folder) as measured:
            run = retrieval.measure(
                context, measured, questions, dataset_file=args.dataset, top_k=args.top_k,
                vault_folder=folder or context.settings.vault,
            )  # fmt: skip
    write_trec(args.out, run)
    print(f"{args.out}: {len(run.outcomes)} questions, {len(run.answerable)} answerable")
    names = ir_measures_names(run.top_k)
    for name, measure in names.items():
        mean = fmean(row[name] or 0.0 for row in run.values.values())  # these are never None
        print(f"{measure}\t{mean:.4f}")
    files = f"{args.out / 'qrels.txt'} {args.out / 'run.txt'}"
    print(f"again: ir_measures {files} {' '.join(names.values())}")


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
