"""Bring the index into step with a folder of Markdown rules.

Exit status: 0 done; 1 done, but files were rejected (each is named); 2 nothing was done; 3 the gate
refused the new generation, and the old one stays; 70 a bug, whose traceback is printed; 75 another
ingest is running; 130 interrupted. --watch ends with 130 at Ctrl-C and with 143 at SIGTERM, --check
with 1 where it found something, --metadata with 1 where it names a value that no filter sees.
"""

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from ingest import arguments, gate, pipeline
from ingest.doctor import checks
from ingest.facts import facts
from ingest.on_ray import open_ingest_context
from ingest.pipeline import IngestReport
from ingest.plan import Plan
from ingest.progress import Meter
from ingest.read import metadata, vault
from ingest.watching import watch
from retrieval.context import SearchContext
from retrieval.errors import GateRefusedError, IngestRunningError, RulesError, VaultError
from retrieval.settings import load

_LINES = 10  # of a list that is printed, unless asked for all
_STATUS: dict[type[RulesError], int] = {GateRefusedError: 3, IngestRunningError: 75}
_BUG = 70  # EX_SOFTWARE of sysexits.h, as 75 is EX_TEMPFAIL; Python's own would be 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    given = sys.argv[1:] if argv is None else argv
    if "--check" in given:
        return checks.main([one for one in given if one != "--check"])
    args = arguments.parse(given, __doc__)
    try:
        if args.facts:
            print("\n".join(facts(args.facts)))
            return 0
        settings = load()
        root = args.vault or settings.vault
        if args.metadata:
            return _metadata(root)
        if args.watch:
            return watch.keep(settings, root)
        with open_ingest_context(settings) as context:
            if args.reindex:
                return _reindex(context)
            return _roll_back(context, root) if args.rollback else _ingest(context, root, args)
    except RulesError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return _STATUS.get(type(error), 2)
    except KeyboardInterrupt:
        # After the commit there is some work left, and nobody can say which side of it this was.
        print(
            "ingest: interrupted; the index is whole, as it was or as it was to be; to go on, run "
            "it again",
            file=sys.stderr,
        )
        return 130


def _ingest(context: SearchContext, root: Path, args: argparse.Namespace) -> int:
    def measure(generation_id: int, vault: Path) -> int:
        return gate.measure(generation_id, vault, args.questions, args.baseline)

    with Meter() as meter:
        report = pipeline.run(
            context,
            root,
            dry_run=args.dry_run,
            allow_mass_delete=args.allow_mass_delete,
            replace_vault=args.replace,
            rebuild=args.rebuild,
            gate=measure if args.gate else None,
            progress=meter.show,
            say=meter.say,
        )
    _print_report(report, dry_run=args.dry_run)
    return 1 if report.rejected else 0


def _metadata(root: Path) -> int:
    found = vault.read(root)
    fields, faults = metadata.report(found.files)
    print("\n".join([*fields, *faults, *map(str, found.rejected)]))
    return 1 if faults or found.rejected else 0


def _roll_back(context: SearchContext, root: Path) -> int:
    earlier = pipeline.roll_back(context)
    print(f"generation {earlier.id} is live again, as it was; --rollback once more goes forward")
    try:
        plan = pipeline.run(context, root, dry_run=True).plan
    except VaultError as error:
        print(f"note: it was not compared with the files: {error}")
        return 0
    if differ := len(plan.added) + len(plan.changed) + len(plan.removed):
        print(f"note: {differ} files are not in it as they stand now; python -m ingest mends that")
    if plan.rebuild:
        print("note: another model or chunker made it; python -m ingest makes it again")
    return 0


def _reindex(context: SearchContext) -> int:
    with Meter() as meter:
        indexed = pipeline.reindex(context, say=meter.say)
    if indexed:
        print("the live generation's index of vectors was built again")
    else:
        print("the live generation is small and searched exactly: it has no index of vectors")
    return 0


def _print_report(report: IngestReport, *, dry_run: bool) -> None:
    plan = report.plan
    for error in report.rejected:
        print(f"REJECTED {error}")
    for note in report.notes:
        print(f"note: {note}")
    if report.ignored:
        print(f"ignored, not Markdown or hidden: {_listed(report.ignored)}")
    if dry_run:
        _print_plan(plan)
        return
    print(
        f"{report.files} files, {report.chunks} chunks: {len(plan.added)} added, "
        f"{len(plan.changed)} changed, {len(plan.removed)} removed, {len(plan.unchanged)} "
        f"unchanged, {len(report.rejected)} rejected; {report.embedded} texts embedded; "
        f"{report.seconds:.1f} s"
    )
    if plan.rebuild:
        print(
            f"generation {report.generation_id} was built{' and measured' * report.gated} and is "
            "live; python -m ingest --rollback goes back to the one before, where there was one"
        )


def _print_plan(plan: Plan) -> None:
    if plan.rebuild:
        print("plan: build the whole index again")
    for name in ("added", "changed", "removed"):
        for path in getattr(plan, name):
            print(f"plan: {name} {path}")
    print(f"plan: {len(plan.unchanged)} files unchanged; nothing was written")


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _LINES
    return ", ".join(paths[:_LINES]) + (f" and {more} more" if more > 0 else "")


def _end_of_a_bug(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an unexpected error as Python does, and end with a status of its own."""
    if not issubclass(kind, Exception):
        sys.__excepthook__(kind, error, trace)
        return
    traceback.print_exception(kind, error, trace)
    sys.exit(_BUG)


if __name__ == "__main__":
    sys.excepthook = _end_of_a_bug
    sys.exit(main())
