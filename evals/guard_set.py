"""Measure the guard on hand-made answers, half of them right, half wrong in one known way.

Both directions count: a guard that blocks everything catches all that is wrong. Build with
`--split dev` alone; the figures that are published are those of `held`.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.checks.guard.findings import Finding, check
from api.checks.passage_lines import Source
from evals.answers import program
from evals.answers.program import EvalReport, ReportRow
from evals.measure.summary import estimate
from evals.reports import results
from retrieval.errors import DatasetError

GUARD = Path(__file__).with_name("datasets") / "answers" / "guard.jsonl"
SPLITS = ("dev", "held")
MOST_BLOCKED, MIN_CAUGHT = 0.10, 0.78  # what is kept: the gate
# docs/experiments.md, E38: not reached
AIMS = "aims: at most 0.02 of the right answers blocked, at least 0.90 of the wrong ones caught"


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer over its passages; `fault` is its kind, "" for a right one."""

    id: str
    split: str
    question: str
    passages: tuple[Source, ...]
    answer: str
    fault: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A case with what the guard found in its answer."""

    case: LabelledAnswer
    findings: tuple[Finding, ...]

    @property
    def right(self) -> bool:
        """Whether the guard did what it is for: caught a wrong one, let a right one pass."""
        return bool(self.findings) == bool(self.case.fault)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.guard_set", description=__doc__)
    parser.add_argument("--dataset", type=Path, default=GUARD)
    parser.add_argument("--split", choices=SPLITS, default="held", help="default: held")
    parser.add_argument("--by-check", action="store_true", help="count each check by itself, too")
    parser.add_argument("--most-blocked", type=program.share, default=MOST_BLOCKED)
    parser.add_argument("--min-caught", type=program.share, default=MIN_CAUGHT)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--json", type=Path, help="write one line an answer to this file, too")
    parser.add_argument("--junit", type=Path, help="write JUnit XML to this file")
    args = parser.parse_args(argv)
    return program.run(args, "evals.guard_set", lambda: _measured(args))


def load(path: Path, split: str) -> list[LabelledAnswer]:
    """Return the cases of a split; DatasetError naming file and line, or where there is none."""
    try:
        rows = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error
    cases = [_case(f"{path}:{n}", row) for n, row in enumerate(rows, start=1) if row.strip()]
    found = [case for case in cases if case.split == split]
    if {bool(case.fault) for case in found} != {True, False}:
        raise DatasetError(f"{path}: split {split!r} has not both right and wrong answers")
    return found


def measure(cases: Sequence[LabelledAnswer]) -> list[Checked]:
    """Return every case with what the guard finds."""
    return [Checked(one, check(one.answer, one.passages, one.question)) for one in cases]


def faults(
    checked: Sequence[Checked],
    most_blocked: float = MOST_BLOCKED,
    min_caught: float = MIN_CAUGHT,
) -> list[str]:
    """Return why the gate is red, a line each.

    Raises DatasetError where there are not both right and wrong answers to check.
    """
    sound = [bool(one.findings) for one in checked if not one.case.fault]
    wrong = [bool(one.findings) for one in checked if one.case.fault]
    if not sound or not wrong:
        raise DatasetError("right and wrong answers are both wanted to measure a guard")
    blocked, caught = sum(sound) / len(sound), sum(wrong) / len(wrong)
    found = []
    if blocked > most_blocked:
        found.append(f"blocked {blocked:.3f} of the right answers, more than {most_blocked:g}")
    if caught < min_caught:
        found.append(f"caught {caught:.3f} of the wrong answers, less than {min_caught:g}")
    return found


def _measured(args: argparse.Namespace) -> EvalReport:
    checked = measure(load(args.dataset, args.split))
    rows = tuple(row(one) for one in checked)
    for one in rows:
        print(one.line)
    for line in by_check(checked) if args.by_check else ():
        print(line)
    config = {
        "program": "evals.guard_set",
        "commit": results.commit(),
        "dataset": args.dataset.name,
        "dataset_digest": hashlib.sha256(args.dataset.read_bytes()).hexdigest(),
        "split": args.split,
        "most_blocked": args.most_blocked,
        "min_caught": args.min_caught,
    }
    return report(checked, rows, faults(checked, args.most_blocked, args.min_caught), config)


def report(
    checked: Sequence[Checked],
    rows: Sequence[ReportRow],
    found: Sequence[str],
    config: Mapping[str, object],
) -> EvalReport:
    """Return the report of checked cases."""
    kinds = sorted({one.case.fault for one in checked if one.case.fault})
    groups = {"right, blocked": [one for one in checked if not one.case.fault]}
    groups["wrong, caught"] = [one for one in checked if one.case.fault]
    groups |= {f"  {kind}": [one for one in checked if one.case.fault == kind] for kind in kinds}
    table: list[tuple[str, ...]] = [("answers", "n", "stopped", "share (95 % interval)")]
    sums: dict[str, object] = {}
    for name, group in groups.items():
        stopped = [float(bool(one.findings)) for one in group]
        table.append((name, str(len(group)), f"{sum(stopped):.0f}",
                      program.spread(estimate(stopped))))  # fmt: skip
        sums[name.strip()] = {"n": len(group), "stopped": int(sum(stopped))}
    return EvalReport(
        "evals.guard_set", tuple(rows), tuple(table), (AIMS,), sums, tuple(found), config
    )


def by_check(checked: Sequence[Checked]) -> list[str]:
    """Return a table of what each check stopped, and what nothing else stopped (leave-one-out).

    A check earns its place where it catches at least twice as many wrong answers as right ones.
    """
    lines = [f"{'check':<22} {'caught':>7} {'alone':>6} {'blocked':>8} {'alone':>6}"]
    found = [(one.case.fault, {finding.check for finding in one.findings}) for one in checked]
    for name in sorted({name for _, names in found for name in names}):
        wrong, right = ([names for fault, names in found if bool(fault) == bad and name in names]
                        for bad in (True, False))  # fmt: skip
        counts = [len(wrong), wrong.count({name}), len(right), right.count({name})]
        lines.append("{:<22} {:>7} {:>6} {:>8} {:>6}".format(name, *counts))
    return lines


def row(one: Checked) -> ReportRow:
    """Return one case as the reports show it."""
    case = one.case
    wrong = ""
    if not one.right:
        wrong = f"{case.fault} not caught" if case.fault else f"blocked: {one.findings[0].message}"
    line = f"{'FAIL' if wrong else 'PASS'} ({case.fault or 'right'}) — {case.answer!r}"
    line += f" ({wrong})" if wrong else ""
    record = {
        "id": case.id, "fault": case.fault, "answer": case.answer,
        "findings": [{"kind": f.kind, "text": f.text, "message": f.message} for f in one.findings],
    }  # fmt: skip
    return ReportRow(case.id, case.fault or "right", line, wrong, record)


def _case(where: str, line: str) -> LabelledAnswer:
    try:
        row: Any = json.loads(line)
        passages = tuple(
            Source(one["path"], one["heading"], "", one["text"]) for one in row["passages"]
        )
        fault = row["fault"] or ""
        made = LabelledAnswer(
            row["id"], row["split"], row["question"], passages, row["answer"], fault
        )
        right = row["right"]
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{where}: is no case: {type(error).__name__}: {error}") from error
    if made.split not in SPLITS or right is not (not made.fault):
        raise DatasetError(
            f"{where}: split {made.split!r}, right {right!r}, fault {made.fault!r}: one of "
            f"{SPLITS} is wanted, and a fault exactly where it is not right"
        )
    return made


if __name__ == "__main__":
    sys.exit(main())
