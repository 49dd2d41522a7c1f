"""Find the page of the latest run, and with --open show it: python -m evals.report --open

A run is a folder that evals.retrieval wrote. Exit status: 0 the page is there; 2 it is not.
"""

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from evals.reports import stored
from retrieval import exit_status

_NAME = "evals.report"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog=f"python -m {_NAME}", description=__doc__)
    parser.add_argument("--open", action="store_true", help="show the page in a browser")
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="the folder with the runs' folders"
    )
    args = parser.parse_args(argv)
    return exit_status.of(_NAME, lambda: _shown(args))


def _shown(args: argparse.Namespace) -> int:
    page = stored.latest(args.results)
    print(page)
    if args.open and not webbrowser.open(page.resolve().as_uri()):
        print(f"{_NAME}: no browser could be started here; open {page} in yours", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
