"""Draft questions about a folder of rules, with the lines that answer them, and review them.

--vault writes drafts from the rules' structure alone, or where OPENAI_MODEL is set by that model,
whose quotes are checked. --review FILE asks of each: accept, edit, reject, skip or quit; what was
decided is in the file at once. The gate counts only what was accepted.

Exit status: 0 drafts were written or reviewed; 2 nothing could be drafted or read.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.drafting import candidates, selection
from evals.drafting.selection import Selection
from evals.labels import quote_locations
from ingest.read import vault
from retrieval.errors import DatasetError, RulesError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    try:
        drafted = _drafted(args)
        text = "".join(f"{selection.row(draft)}\n" for draft in drafted.drafts)
        if args.output is None:
            sys.stdout.write(text)
        else:
            args.output.write_text(text)
    except RulesError as error:
        print(f"evals.draft: {error}", file=sys.stderr)
        return 2
    return 0


def _drafted(args: argparse.Namespace) -> Selection:
    pages = quote_locations.read(args.vault)
    found = candidates.of_vault(vault.read(args.vault).files)
    return selection.select(found, pages, args.count, args.seed)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.draft", description=__doc__)
    parser.add_argument("--vault", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
