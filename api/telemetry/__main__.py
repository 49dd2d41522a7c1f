"""Print by day what was asked, what it took, and what was not answered: python -m api.telemetry.

It reads what a running API stores (TELEMETRY_DAYS). With --json each day is a line of JSON. Exit
status: 0 printed, also where there is nothing; 2 the database could not be read.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from api.telemetry import summary
from retrieval import exit_status
from retrieval.context import database_url
from retrieval.database.pool import Store
from retrieval.settings import Settings, load
from retrieval.usage.telemetry import Day, by_day

_DAYS = 7
_MOST_DAYS = 3_650


def main(argv: Sequence[str] | None = None) -> int:
    """Print the days and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m api.telemetry", description=__doc__)
    parser.add_argument("--days", type=int, default=_DAYS, help=f"default {_DAYS}")
    parser.add_argument("--json", action="store_true", help="a line of JSON a day")
    args = parser.parse_args(argv)
    if not 1 <= args.days <= _MOST_DAYS:
        parser.error(f"--days is {args.days}, not 1 to {_MOST_DAYS}")
    return exit_status.of("api.telemetry", lambda: _listed(args))


def _listed(args: argparse.Namespace) -> None:
    settings = load()
    found = _read(settings, args.days)
    if args.json:
        sys.stdout.writelines(f"{json.dumps(asdict(day), default=str)}\n" for day in found)
    elif found:
        _print([summary.OUTCOMES, *map(summary.outcomes, found)])
        print()
        rows = (summary.reasons(day, settings.model_prices) for day in found)
        _print([summary.REASONS, *rows])
    else:
        print(f"nothing was asked in {args.days} days, or TELEMETRY_DAYS is 0")


def _read(settings: Settings, days: int) -> list[Day]:
    with database_url(settings) as url, Store(url).connect() as conn:
        return by_day(conn, days)


def _print(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    sys.exit(main())
