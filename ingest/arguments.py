"""The arguments of `python -m ingest`."""

import argparse
from collections.abc import Sequence
from pathlib import Path


def parse(argv: Sequence[str], about: str | None) -> argparse.Namespace:
    """Return the arguments; `about` stands above them in the help.

    Ends the process, with 2 where they are wrong or contradict each other, with 0 after the help.
    """
    parser = argparse.ArgumentParser(prog="python -m ingest", description=about)
    parser.add_argument("vault", nargs="?", type=Path, help="the folder; default: VAULT, or vault/")
    parser.add_argument("--dry-run", action="store_true", help="print the plan, change nothing")
    parser.add_argument(
        "--allow-mass-delete",
        action="store_true",
        help="even if most files are gone from the folder",
    )
    parser.add_argument(
        "--replace", action="store_true", help="even if the index is that of another vault"
    )
    _add_ways(parser)
    parser.add_argument(
        "--questions", type=Path, help="what --gate asks; default: the sample rules' questions"
    )
    parser.add_argument(
        "--baseline", type=Path, help="what --gate compares --questions with; a lost one is red"
    )
    args = parser.parse_args(argv)
    if args.questions and not args.gate:
        parser.error("--questions is for --gate")
    if args.baseline and not args.questions:
        parser.error("--baseline is for --gate with --questions: it has what these found")
    if args.dry_run and (args.rollback or args.reindex or args.metadata):
        parser.error("--rollback, --reindex and --metadata have no plan to print")
    allowed = args.allow_mass_delete or args.replace
    if args.facts and (args.vault or args.dry_run or allowed):
        parser.error("--facts reads one file and ingests nothing: give it alone")
    if args.watch and (args.dry_run or allowed):
        parser.error(
            "--watch takes none of --dry-run, --allow-mass-delete, --replace: run these once"
        )
    return args


def _add_ways(parser: argparse.ArgumentParser) -> None:
    """Add what to do instead of one plain ingest, of which there can be one."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--rebuild", action="store_true", help="make the whole index again, beside the old one"
    )
    how.add_argument(
        "--gate",
        action="store_true",
        help="the same, and promote it only if python -m evals.retrieval passes on it",
    )
    how.add_argument(
        "--rollback", action="store_true", help="make the previous generation the live one again"
    )
    how.add_argument(
        "--watch", action="store_true", help="go on, and ingest again whenever a file changes"
    )
    how.add_argument(
        "--reindex", action="store_true", help="build the live generation's vector index again"
    )
    how.add_argument(
        "--facts", type=Path, metavar="FILE", help="print what is understood of a file's tables"
    )
    how.add_argument(
        "--metadata",
        action="store_true",
        help="show the fields that questions can be filtered by, change nothing",
    )
    how.add_argument(
        "--check", action="store_true", help="compare index, models and files, change nothing"
    )
