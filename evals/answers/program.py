"""The frame of the programs that measure: options, rows, tables, folder, JUnit, step summary.

A program says what it measures and when its gate is red; the rest is here. Exit status: 0 the gate
passed, or there is none; 1 it failed; 2 nothing could be measured or written, never a pass.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from evals.labels.dataset import SPLITS
from evals.labels.options import RULES
from evals.labels.options import share as share  # an option of the programs
from evals.measure.outcome import Subject
from evals.measure.summary import estimate
from evals.reports import ci, markdown, results
from evals.reports.markdown import Table as Table  # of the programs
from retrieval import exit_status
from retrieval.context import SearchContext

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One question of a report. `fault` says why it counts against the gate, "" where not."""

    id: str
    kind: str
    line: str  # as the console shows it
    fault: str
    record: Mapping[str, object]  # what eval_results.jsonl holds besides id and kind


@dataclass(frozen=True, slots=True)
class EvalReport:
    """What one program measured: tables by their title, and why the gate is red, if it is.

    `sums` are written to summary.json, `config` to config.json.
    """

    rows: Sequence[ReportRow]
    tables: Mapping[str, Table]
    sums: Mapping[str, object]
    config: Mapping[str, object]
    faults: Sequence[str] = ()
    notes: Sequence[str] = ()


def parser(
    program: str, description: str | None, *, dataset: Path | None = RULES,
    splits: Sequence[str] = SPLITS, split: str | None = None,
) -> argparse.ArgumentParser:  # fmt: skip
    """Return a parser with the options that every program has; `split` is the default one.

    A program whose questions are fixed has no `dataset`, or no `splits` of it.
    """
    made = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    if dataset:
        made.add_argument("--dataset", type=Path, default=dataset, help="default: %(default)s")
    if splits:
        made.add_argument("--split", choices=splits, default=split, help="only this split")
    made.add_argument(
        "--results", type=Path, default=Path("results"), help="a folder for each run goes in here"
    )
    made.add_argument("--json", type=Path, help="write one line a question to this file, too")
    made.add_argument("--junit", type=Path, help="write JUnit XML to this file")
    return made


def add_judge(made: argparse.ArgumentParser) -> None:
    """Add the option of a program whose verdicts a language model may give."""
    made.add_argument(
        "--judge", action=argparse.BooleanOptionalAction, default=None,
        help="judge by OPENAI_MODEL; default: where it is set",
    )  # fmt: skip


def run(
    made: argparse.ArgumentParser, argv: Sequence[str] | None,
    measure: Callable[[argparse.Namespace], EvalReport],
) -> int:  # fmt: skip
    """Parse the arguments, measure, write and print; return the exit status."""
    args = made.parse_args(argv)
    name = made.prog.removeprefix("python -m ")
    return measuring(name, lambda: _printed(name, args, measure(args)))


def measuring(name: str, work: Callable[[], int | None]) -> int:
    """Do the work of a program that measures and return its exit status, 0 where it returns none.

    An error is 2 with its reason on stderr: for CI nothing was measured, which is never a pass.
    """
    return exit_status.of(
        f"{name}: nothing was measured", work,
        unwritten=f"{name}: not measured, or measured and not written",
    )  # fmt: skip


def _printed(name: str, args: argparse.Namespace, report: EvalReport) -> int:
    """Write a report, then print it; return the exit status."""
    folder = _write(name, report, args)
    for title, table in report.tables.items():
        print(f"\n{title}" if title else "")
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for cells in table:
            print("  ".join(c.ljust(width) for c, width in zip(cells, widths, strict=True)))
    print(*report.notes, f"results: {folder}", sep="\n")
    for fault in report.faults:
        print(f"GATE FAILED: {fault}")
    print(f"{name}: {'failed' if report.faults else 'passed'}, {len(report.rows)} measured")
    return 1 if report.faults else 0


def collected(items: Iterable[Item], row: Callable[[Item], ReportRow]) -> list[Item]:
    """Return the items in order, and print the line of each as it comes."""
    found = []
    for item in items:
        found.append(item)
        print(row(item).line, flush=True)
    return found


def grouped(
    items: Sequence[Item], kind: Callable[[Item], str], kinds: Iterable[str]
) -> dict[str, list[Item]]:
    """Return all items as "all", and those of each of `kinds` that has some."""
    groups = {name: [item for item in items if kind(item) == name] for name in kinds}
    return {"all": list(items)} | {name: group for name, group in groups.items() if group}


def table(
    groups: Mapping[str, Sequence[Item]],
    head: Sequence[str],
    cells: Callable[[Sequence[Item]], Sequence[str]],
) -> Table:
    """Return a row a group: its name, how many it holds, and `cells` of it under `head`."""
    rows = ((name, str(len(group)), *cells(group)) for name, group in groups.items())
    return [(head[0], "n", *head[1:]), *rows]


def config(
    context: SearchContext, measured: Subject, args: argparse.Namespace, **options: object
) -> dict[str, object]:
    """Return what a measurement of one index depends on, the program's own options with it."""
    about = {"top_k": context.settings.rag_top_k, **given(args), **options}
    data = results.origin(args.dataset, measured.files)
    return results.config(context, results.fingerprint(context, measured), data, about)


def spread(values: Sequence[float]) -> str:
    """Return the mean of at least one value with its 95 % interval as the tables show it."""
    found = estimate(values)
    if found.low is None or found.high is None:
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f})"


def given(args: argparse.Namespace) -> dict[str, object]:
    """Return the options that decide a result: files that are read or written are none of them."""
    return {
        name: value for name, value in vars(args).items()
        if not isinstance(value, Path) and name not in ("json", "junit")
    }  # fmt: skip


def _write(name: str, report: EvalReport, args: argparse.Namespace) -> Path:
    records = [{"id": row.id, "kind": row.kind, **row.record} for row in report.rows]
    sums = {"passed": not report.faults, "faults": list(report.faults), **report.sums}
    title = name.removeprefix("evals.") + (f"-{args.dataset.stem}" if "dataset" in args else "")
    config = {"program": name, **report.config}
    folder = results.write_folder(args.results, title, records, sums, config)
    if args.json:
        results.write_lines(records, args.json)
    if args.junit:
        cases = (
            ci.test_case(row.id, f"{name}.{row.kind}", row.line,
                         (row.fault, row.kind) if row.fault else None)
            for row in report.rows
        )  # fmt: skip
        ci.write_junit(name, report.faults, cases, args.junit)
    ci.append_summary(_summary(name, report))
    return folder


def _summary(name: str, report: EvalReport) -> Iterator[str]:
    yield f"## {name} {'failed' if report.faults else 'passed'}\n"
    yield from (f"- **{markdown.cell(fault)}**" for fault in report.faults)
    for title, table in report.tables.items():
        yield from ("", title, "", *markdown.table(table))
    yield from ("", *map(markdown.cell, report.notes))
