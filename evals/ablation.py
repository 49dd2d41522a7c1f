"""Measure what each stage of search is worth: the same questions with stages left out or changed.

Every row goes through the search that answers users and is compared with the shipped configuration,
question by question. Weights are the shipped ones, not fitted again for a row. Nothing here is a
gate. Exit status: 0 measured; 2 nothing could be measured or written.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.answers import program
from evals.answers.program import EvalReport, ReportRow
from evals.labels.dataset import SPLITS, Question
from evals.labels.options import chosen, vault_of
from evals.reports import markdown, results
from evals.stages.configurations import NAMES, SHIPPED, Configuration, ask, configurations
from evals.stages.indexes import indexes
from evals.stages.rows import NOTES, AblationRow, better, record, table
from retrieval.context import SearchContext, open_context, with_reranker
from retrieval.errors import ConfigurationError, DatasetError
from retrieval.settings import BUNDLED, load

_DOCUMENT = Path(__file__).parents[1] / "docs" / "ablation.md"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.ablation", __doc__, splits=(*SPLITS, "all"), split="gate")
    parser.add_argument("--vault", type=Path, help="the folder to index; default: the dataset's")
    parser.add_argument(
        "--only", choices=NAMES, action="append", help="this row and the shipped one; repeatable"
    )
    parser.add_argument(
        "--document", type=Path, nargs="?", const=_DOCUMENT, metavar="FILE",
        help="write the table to this file, too; without FILE: docs/ablation.md",
    )  # fmt: skip
    return program.run(parser, argv, _measured)


def _measured(args: argparse.Namespace) -> EvalReport:
    if args.document and args.only:
        raise ConfigurationError("--document wants all rows, so not with --only")
    if args.document and not args.document.resolve().parent.is_dir():
        raise ConfigurationError(f"--document {args.document}: there is no such folder; make it")
    questions = chosen(args.dataset, None if args.split == "all" else args.split)
    if sum(question.answerable for question in questions) < 2:
        raise DatasetError(f"{args.dataset}: one answerable question shows no difference")
    with open_context(load()) as context:
        ours = _with_ours(context)
        arms = _chosen(context, ours, args.only)
        other = vault_of(context, args.dataset)
        folder = args.vault or other or context.settings.vault
        rows = measure(ours or context, folder, questions, arms)
        title = _title(context, args, rows)
        files = rows[0].index.measured.files
        about = program.given(args)
        data = results.origin(args.dataset, files)
        config = results.config(context, context.fingerprint, data, about)
    whole = table(rows)
    notes = [better(whole), NOTES]
    encoded = sorted({r.arm.title for r in rows for a in r.asked if a.late == "encoded"})
    if encoded:
        notes.append(f"Token vectors did not fit RAG_TOKEN_STORAGE_MB: {'; '.join(encoded)}.")
    if args.document:
        text = "\n\n".join([title, "\n".join(markdown.table(whole)), *notes])
        args.document.write_text(f"{text}\n", "utf-8")
    asked = [
        ReportRow(one.question.id, one.question.kind, "", "", record(rows, number))
        for number, one in enumerate(rows[0].asked)
    ]
    sums = {"rows": {row.arm.name: {"hits": row.hits, "mrr": row.mrr} for row in rows}}
    return EvalReport(asked, {title: whole}, sums, config, notes=notes)


def _with_ours(context: SearchContext) -> SearchContext | None:
    """The same rules with our cross-encoder, where none is set and a fit of it belongs to them."""
    if context.reranker or not context.settings.rag_late_interaction:
        return None
    ours = with_reranker(context, BUNDLED)
    return ours if ours.weights.rerank is not None else None


def _chosen(
    context: SearchContext, ours: SearchContext | None, only: Sequence[str] | None
) -> list[Configuration]:
    found = configurations(context, ours)
    missing = set(only or ()) - {arm.name for arm in found}
    if missing:
        raise ConfigurationError(
            f"no row {sorted(missing)}: it is equal to another one here, or the stage is off; see "
            "RAG_LATE_INTERACTION, and evals.calibrate for the threshold"
        )
    return [arm for arm in found if only is None or arm.name in {SHIPPED, *only}]


def measure(
    context: SearchContext,
    folder: Path,
    questions: Sequence[Question],
    arms: Sequence[Configuration],
) -> list[AblationRow]:
    """Return a row for each of `arms`."""
    rows = []
    with indexes(context, folder, {arm.setup.chunks for arm in arms}) as made:
        for arm in arms:
            print(f"measuring: {arm.title}", flush=True)
            index = made[arm.setup.chunks]
            asked = ask(context, index.measured, questions, arm.setup)
            rows.append(AblationRow(arm, index, asked))
    return rows


def _title(context: SearchContext, args: argparse.Namespace, rows: Sequence[AblationRow]) -> str:
    off = [] if context.settings.rag_late_interaction else ["late interaction is off"]
    off += [] if math.isfinite(context.threshold) else ["no threshold is fitted"]
    return (
        f"{args.dataset.name}, split {args.split}, {results.measured_on()}: "
        f"{len(rows[0].answerable)} answerable questions of {len(rows[0].asked)}; embedding: "
        f"{context.embedder.files.name}; {context.weights}; threshold: {context.threshold:g}."
        + (f" No row of its own where {' and '.join(off)}." if off else "")
    )


if __name__ == "__main__":
    sys.exit(main())
