"""Find the page of the latest run, or set two runs side by side: python -m evals.report --open

A run is a folder that evals.retrieval wrote; --compare takes a file in the form of a baseline, too.
Exit status: 0 the page is there; 2 it is not.
"""

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from evals.reports import compared, stored
from retrieval import exit_status

_NAME, _COMPARED = "evals.report", "compare.html"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    return exit_status.of(_NAME, lambda: _shown(args), unwritten=f"{_NAME}: no page is written")


def _shown(args: argparse.Namespace) -> int:
    page = _compared(args) if args.compare else stored.latest(args.results)
    print(page)
    if args.open and not webbrowser.open(page.resolve().as_uri()):
        print(f"{_NAME}: no browser could be started here; open {page} in yours", file=sys.stderr)
        return 2
    return 0


def _compared(args: argparse.Namespace) -> Path:
    before, now = (stored.side(path) for path in args.compare)
    page: Path = args.output or args.results / _COMPARED
    page.parent.mkdir(parents=True, exist_ok=True)
    found = compared.write(before, now, page)
    print(f"{len(found.broken)} broken, {len(found.fixed)} fixed")
    return page


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.report", description=__doc__)
    parser.add_argument("--open", action="store_true", help="show the page in a browser")
    parser.add_argument(
        "--compare", nargs=2, type=Path, metavar=("BEFORE", "NOW"), help="two runs, or a baseline"
    )
    parser.add_argument(
        "--output", type=Path, help=f"the page of --compare; default: {_COMPARED} in --results"
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="the folder with the runs' folders"
    )
    args = parser.parse_args(argv)
    if args.output and not args.compare:
        parser.error("--output is for --compare; a run's page stands in its folder")
    return args


if __name__ == "__main__":
    sys.exit(main())
