"""Measure the guard on hand-made answers, half of them right, half wrong in one known way.

Both directions count: a guard that blocks everything catches all that is wrong. Build with
`--split dev` alone; the figures that are published are those of `held`. `new.jsonl` is for a last
look, `--dataset evals/datasets/answers/new.jsonl --split fresh`: nothing is ever built on it.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from api.checks.guard.findings import Finding, check
from evals.answers import marked, program
from evals.answers.marked import GUARD, GUARD_SPLITS, NEW_SPLIT, MarkedAnswer
from evals.answers.program import EvalReport, ReportRow, Table
from evals.reports import results
from retrieval.errors import DatasetError

MOST_BLOCKED, MIN_CAUGHT = 0.10, 0.78  # what is kept: the gate
# docs/experiments.md, E38: not reached
AIMS = "aims: at most 0.02 of the right answers blocked, at least 0.90 of the wrong ones caught"


@dataclass(frozen=True, slots=True)
class Checked:
    """A case with what the guard found in its answer."""

    case: MarkedAnswer
    findings: tuple[Finding, ...]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser(
        "evals.guard_set", __doc__, dataset=GUARD, splits=(*GUARD_SPLITS, NEW_SPLIT), split="held"
    )
    parser.add_argument("--by-check", action="store_true", help="count each check by itself, too")
    parser.add_argument("--most-blocked", type=program.share, default=MOST_BLOCKED)
    parser.add_argument("--min-caught", type=program.share, default=MIN_CAUGHT)
    return program.run(parser, argv, _measured)


def checked(case: MarkedAnswer) -> Checked:
    """Return a case with what the guard finds."""
    return Checked(case, check(case.answer, case.passages, case.question))


def faults(
    cases: Sequence[Checked], most_blocked: float = MOST_BLOCKED, min_caught: float = MIN_CAUGHT
) -> list[str]:
    """Return why the gate is red, a line each.

    Raises DatasetError where there are not both right and wrong answers to check.
    """
    sound = [bool(one.findings) for one in cases if not one.case.fault]
    wrong = [bool(one.findings) for one in cases if one.case.fault]
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
    cases = program.collected(map(checked, marked.guard_answers(args.dataset, args.split)), row)
    kinds = sorted({one.case.fault for one in cases if one.case.fault})
    groups = {"right, blocked": [one for one in cases if not one.case.fault]}
    groups["wrong, caught"] = [one for one in cases if one.case.fault]
    groups |= {f"  {kind}": [one for one in cases if one.case.fault == kind] for kind in kinds}
    tables = {"": program.table(groups, ("answers", "stopped", "share (95 % interval)"), _cells)}
    if args.by_check:
        tables["by check"] = by_check(cases)
    sums = {
        name.strip(): {"n": len(group), "stopped": sum(bool(one.findings) for one in group)}
        for name, group in groups.items()
    }
    config = {
        "commit": results.commit(),
        "dataset": args.dataset.name,
        "dataset_digest": hashlib.sha256(args.dataset.read_bytes()).hexdigest(),
        "split": args.split,
        "most_blocked": args.most_blocked,
        "min_caught": args.min_caught,
    }
    wrong = faults(cases, args.most_blocked, args.min_caught)
    return EvalReport([row(one) for one in cases], tables, sums, config, wrong, (AIMS,))


def by_check(cases: Sequence[Checked]) -> Table:
    """Return a table of what each check stopped, and what nothing else stopped (leave-one-out).

    A check earns its place where it catches at least twice as many wrong answers as right ones.
    """
    rows: list[Sequence[str]] = [("check", "caught", "alone", "blocked", "alone")]
    found = [(one.case.fault, {finding.check for finding in one.findings}) for one in cases]
    for name in sorted({name for _, names in found for name in names}):
        wrong, right = ([names for fault, names in found if bool(fault) == bad and name in names]
                        for bad in (True, False))  # fmt: skip
        counts = [len(wrong), wrong.count({name}), len(right), right.count({name})]
        rows.append((name, *map(str, counts)))
    return rows


def _cells(group: Sequence[Checked]) -> list[str]:
    stopped = [float(bool(one.findings)) for one in group]
    return [f"{sum(stopped):.0f}", program.spread(stopped)]


def row(one: Checked) -> ReportRow:
    """Return one case as the reports show it."""
    case, wrong = one.case, ""
    if bool(one.findings) != bool(case.fault):
        wrong = f"{case.fault} not caught" if case.fault else f"blocked: {one.findings[0].message}"
    line = f"{'FAIL' if wrong else 'PASS'} ({case.fault or 'right'}) — {case.answer!r}"
    line += f" ({wrong})" if wrong else ""
    record = {
        "fault": case.fault, "answer": case.answer,
        "findings": [{"kind": f.kind, "text": f.text, "message": f.message} for f in one.findings],
    }  # fmt: skip
    return ReportRow(case.id, case.fault or "right", line, wrong, record)


if __name__ == "__main__":
    sys.exit(main())
