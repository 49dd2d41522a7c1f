"""Measure what each stage of search is worth: the same questions with stages left out or changed.

Every row goes through the search that answers users and is compared with the shipped configuration,
question by question. Weights are the shipped ones, not fitted again for a row. Nothing here is a
gate. Exit status: 0 measured; 2 nothing could be measured or written.
"""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from evals import retrieval
from evals.labels.dataset import SPLITS, Question
from evals.reports import document, results
from evals.retrieval import RULES
from evals.stages import report
from evals.stages.configurations import (
    NAMES,
    SHIPPED,
    Configuration,
    ConfiguredSearch,
    StageSettings,
    ask,
    configurations,
    indexes,
)
from evals.stages.rows import AblationRow, summed
from retrieval.context import SearchContext, open_context, with_bundled_reranker
from retrieval.errors import ConfigurationError, DatasetError, RulesError
from retrieval.settings import load

_COMMAND = "make ablation"  # which the document names


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    split = None if args.split == "all" else args.split
    try:
        if args.document:
            document.check(args.document, _COMMAND)
        questions = retrieval.chosen(args.dataset, split)
        if sum(question.answerable for question in questions) < 2:
            raise DatasetError(f"{args.dataset}: one answerable question shows no difference")
        with open_context(load()) as context:
            ours = _with_ours(context)
            chosen = _chosen(context, ours, args.only)
            other = retrieval.vault_of(context, args.dataset)
            folder = args.vault or other or context.settings.vault
            rows = measure(ours or context, folder, questions, chosen)
            text = _heading(context, args.dataset, args.split, rows) + report.table(rows)
            about = {"program": "evals.ablation", "split": args.split}
            files = rows[0].index.measured.files
            config = results.config(context, context.fingerprint, files, args.dataset, about)
        print(f"\n{text}", end="")
        _write(args, rows, text, config)
    except RulesError as error:
        print(f"evals.ablation: nothing was measured: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"evals.ablation: measured, but not written: {error}", file=sys.stderr)
        return 2
    return 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.ablation", description=__doc__)
    parser.add_argument("--dataset", type=Path, default=RULES, help="questions, JSONL or JSON")
    parser.add_argument(
        "--split", choices=(*SPLITS, "all"), default="gate",
        help="only the questions of this split; default: gate, on which nothing is fitted",
    )  # fmt: skip
    parser.add_argument("--vault", type=Path, help="the folder to index; default: the dataset's")
    parser.add_argument(
        "--only", choices=NAMES, action="append", help="this row beside the shipped one; repeatable"
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="a folder for each run goes in here"
    )
    parser.add_argument("--json", type=Path, help="write one line a question to this file, too")
    parser.add_argument("--markdown", type=Path, help="write the table to this file, too")
    parser.add_argument("--svg", type=Path, help="draw the differences to this file")
    parser.add_argument(
        "--document", type=Path, nargs="?", const=document.EVALS,
        help="replace the few rows of this document, which lies beside ablation.md and "
        "ablation.svg; without FILE: docs/evals.md", metavar="FILE",
    )  # fmt: skip
    args = parser.parse_args(argv)
    if args.document and args.only:
        parser.error("--document wants all rows, so not with --only")
    return args


def _with_ours(context: SearchContext) -> SearchContext | None:
    """The same rules with our cross-encoder, where none is set and a fit of it belongs to them."""
    if context.reranker or not context.settings.rag_late_interaction:
        return None
    ours = with_bundled_reranker(context)
    return ours if ours.weights.rerank is not None else None


def _chosen(
    context: SearchContext, ours: SearchContext | None, only: Sequence[str] | None
) -> list[Configuration]:
    found = configurations(context, ours)
    missing = set(only or ()) - {arm.name for arm in found}
    if missing:
        raise ConfigurationError(
            f"no row {sorted(missing)}: the stage is off here; see RAG_LATE_INTERACTION, and "
            "evals.calibrate for the threshold"
        )
    return [arm for arm in found if only is None or arm.name in {SHIPPED, *only}]


def measure(
    context: SearchContext,
    folder: Path,
    questions: Sequence[Question],
    chosen: Sequence[Configuration],
) -> list[AblationRow]:
    """Return a row for each of `chosen`; those of the same setup share one measurement."""
    done: dict[StageSettings, tuple[ConfiguredSearch, ...]] = {}
    with indexes(context, folder, {arm.setup.chunks for arm in chosen}) as made:
        for arm in chosen:
            if arm.setup not in done:
                print(f"measuring: {arm.title}", flush=True)
                done[arm.setup] = ask(context, made[arm.setup.chunks], questions, arm.setup)
        return [AblationRow(arm, made[arm.setup.chunks], done[arm.setup]) for arm in chosen]


def _heading(context: SearchContext, path: Path, split: str, rows: Sequence[AblationRow]) -> str:
    off = [] if context.settings.rag_late_interaction else ["late interaction is off"]
    off += [] if math.isfinite(context.threshold) else ["no threshold is fitted"]
    return (
        f"{path.name}, split {split}, {results.measured_on()}: {len(rows[0].answerable)} "
        f"answerable questions of {len(rows[0].asked)}; embedding: {context.embedder.files.name}; "
        f"{context.weights}; threshold: {context.threshold:g}."
        + (f" No row of its own where {' and '.join(off)}." if off else "")
        + "\n\n"
    )


def _write(
    args: argparse.Namespace, rows: Sequence[AblationRow], text: str, config: Mapping[str, object]
) -> None:
    """Write the run's folder, and whatever else was asked for."""
    measured = results.measured_on()  # before a file of the repository is changed by it
    lines = report.lines(rows)
    name = f"ablation-{args.dataset.stem}"
    folder = results.write_folder(args.results, name, lines, {"rows": summed(rows)}, config)
    print(f"results: {folder}")
    if args.json:
        results.write_lines(lines, args.json)
    drawn = report.svg(rows)
    files = {folder / "ablation.md": text.encode(), folder / "ablation.svg": drawn.encode(),
             args.markdown: text.encode(), args.svg: drawn.encode()}  # fmt: skip
    for path, data in files.items():
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    if args.document:
        shown = report.few_rows(rows, args.dataset.name, args.split, measured)
        document.put(args.document, _COMMAND, shown)


if __name__ == "__main__":
    sys.exit(main())
