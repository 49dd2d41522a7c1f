"""Bring the index into step with a folder of Markdown rules.

Exit status: 0 done; 1 done, but files were rejected (each is named); 2 nothing was done; 75 another
ingest is running; 130 interrupted.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ingest import pipeline
from ingest.pipeline import Plan, Report
from ingest.progress import Meter
from retrieval.errors import IngestRunningError, RulesError
from retrieval.rulebook import open_rulebook
from retrieval.settings import load

_LINES = 10  # of a list that is printed, unless asked for all


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m ingest", description=__doc__)
    parser.add_argument("vault", nargs="?", type=Path, help="the folder; default: VAULT, or vault/")
    parser.add_argument("--dry-run", action="store_true", help="print the plan, change nothing")
    parser.add_argument(
        "--allow-mass-delete",
        action="store_true",
        help="even if most files are gone from the folder",
    )
    args = parser.parse_args(argv)
    try:
        settings = load()
        with open_rulebook(settings) as rules, Meter() as meter:
            report = pipeline.run(
                rules,
                args.vault or settings.vault,
                dry_run=args.dry_run,
                allow_mass_delete=args.allow_mass_delete,
                progress=meter.show,
            )
    except IngestRunningError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return 75
    except RulesError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ingest: interrupted; the index is as it was before", file=sys.stderr)
        return 130
    _print_report(report, dry_run=args.dry_run)
    return 1 if report.rejected else 0


def _print_report(report: Report, *, dry_run: bool) -> None:
    plan = report.plan
    for error in report.rejected:
        print(f"REJECTED {error}")
    for note in report.notes:
        print(f"note: {note}")
    if report.ignored:
        print(f"ignored, not Markdown: {_listed(report.ignored)}")
    if dry_run:
        _print_plan(plan)
        return
    print(
        f"{report.files} files, {report.chunks} chunks: {len(plan.added)} added, "
        f"{len(plan.changed)} changed, {len(plan.removed)} removed, {len(plan.unchanged)} "
        f"unchanged, {len(report.rejected)} rejected; {report.embedded} texts embedded; "
        f"{report.seconds:.1f} s"
    )


def _print_plan(plan: Plan) -> None:
    if plan.rebuild:
        print("plan: build the whole index anew")
    for name in ("added", "changed", "removed"):
        for path in getattr(plan, name):
            print(f"plan: {name} {path}")
    print(f"plan: {len(plan.unchanged)} files unchanged; nothing was written")


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _LINES
    return ", ".join(paths[:_LINES]) + (f" and {more} more" if more > 0 else "")


if __name__ == "__main__":
    sys.exit(main())
