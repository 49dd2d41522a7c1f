"""The frame of the programs that measure answers: options, folder, JUnit, step summary, status.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.answers.collect import MODELS, QUOTES
from evals.labels.dataset import SPLITS
from evals.labels.options import RULES
from evals.labels.options import share as share  # an option of the programs
from evals.measure.outcome import Subject
from evals.measure.summary import Estimate
from evals.reports import ci, results
from retrieval.context import SearchContext
from retrieval.errors import RulesError


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One question of a report. `fault` says why it counts against the gate, "" where not."""

    id: str
    kind: str
    line: str  # as the console shows it
    fault: str
    record: Mapping[str, object]  # as eval_results.jsonl holds it


@dataclass(frozen=True, slots=True)
class EvalReport:
    """What one program measured.

    `table` has its head first; `faults` say why the gate is red; `figures` are SVG by file name.
    """

    program: str
    rows: tuple[ReportRow, ...]
    table: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    sums: Mapping[str, object]
    faults: tuple[str, ...]
    config: Mapping[str, object]
    figures: Mapping[str, str] = field(default_factory=dict)


def parser(
    program: str, description: str | None, *, models: bool = True
) -> argparse.ArgumentParser:
    """Return a parser with the options that every program has."""
    made = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    made.add_argument("--dataset", type=Path, default=RULES, help="questions, JSONL or JSON")
    made.add_argument("--split", choices=SPLITS, help="only the questions of this split")
    if models:
        made.add_argument(
            "--model", choices=MODELS, default=QUOTES,
            help="who answers: quotes (no model), configured (OPENAI_MODEL), or a script",
        )  # fmt: skip
    made.add_argument(
        "--results", type=Path, default=Path("results"), help="a folder for each run goes in here"
    )
    made.add_argument("--json", type=Path, help="write one line a question to this file, too")
    made.add_argument("--junit", type=Path, help="write JUnit XML to this file")
    return made


def run(args: argparse.Namespace, program: str, measure: Callable[[], EvalReport]) -> int:
    """Measure, write and print; return the exit status."""
    try:
        report = measure()
    except RulesError as error:
        print(f"{program}: nothing was measured: {error}", file=sys.stderr)
        return 2
    try:
        folder = _write(report, args)
    except OSError as error:
        print(f"{program}: measured, but not written: {error}", file=sys.stderr)
        return 2
    print()
    widths = [max(map(len, column)) for column in zip(*report.table, strict=True)]
    for cells in report.table:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)))
    print(*report.notes, f"results: {folder}", sep="\n")
    for fault in report.faults:
        print(f"GATE FAILED: {fault}")
    print(f"{program}: {'failed' if report.faults else 'passed'}, {len(report.rows)} measured")
    return 1 if report.faults else 0


def config(
    context: SearchContext, measured: Subject, args: argparse.Namespace, **options: object
) -> dict[str, object]:
    """Return what a measurement over the live index depends on; see `results.config`."""
    made_with = results.fingerprint(context, measured)
    about = {"split": args.split, "top_k": context.settings.rag_top_k, **options}
    return results.config(context, made_with, measured.files, args.dataset, about)


def spread(found: Estimate) -> str:
    """Return a mean with its 95 % interval as the tables show it."""
    if found.low is None or found.high is None:
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f})"


def _write(report: EvalReport, args: argparse.Namespace) -> Path:
    records = [row.record for row in report.rows]
    name = f"{report.program.removeprefix('evals.')}-{args.dataset.stem}"
    sums = {"passed": not report.faults, "faults": list(report.faults), **report.sums}
    folder = results.write_folder(args.results, name, records, sums, report.config)
    for file, text in report.figures.items():
        (folder / file).write_text(text, "utf-8")
    if args.json:
        results.write_lines(records, args.json)
    if args.junit:
        cases = (
            ci.test_case(row.id, f"{report.program}.{row.kind}", row.line,
                         (row.fault, row.kind) if row.fault else None)
            for row in report.rows
        )  # fmt: skip
        ci.write_junit(report.program, report.faults, cases, args.junit)
    ci.append_summary(_markdown(report))
    return folder


def _markdown(report: EvalReport) -> Iterator[str]:
    yield f"## {report.program} {'failed' if report.faults else 'passed'}\n"
    yield from (f"- **{ci.cell(fault)}**" for fault in report.faults)
    yield ""
    head, *rows = report.table
    for cells in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(map(ci.cell, cells)) + " |"
    yield from ("", *map(ci.cell, report.notes))


def shown(rows: Sequence[ReportRow]) -> tuple[ReportRow, ...]:
    """Print the line of every row and return the rows."""
    for row in rows:
        print(row.line, flush=True)
    return tuple(rows)
