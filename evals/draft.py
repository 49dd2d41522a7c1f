"""Draft questions about a folder of rules, with the lines that answer them, and review them.

--vault writes drafts from the rules' structure alone, or where OPENAI_MODEL is set by that model,
whose quotes are checked. --review FILE asks of each: accept, edit, reject, lacking, skip or quit;
what was decided is in the file at once. The gate counts only what was accepted.

Exit status: 0 drafts were written or reviewed; 2 nothing was.
"""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from evals.drafting import by_model, candidates, selection
from evals.drafting.review import lacking_file, review
from evals.drafting.selection import Selection
from evals.labels import quote_locations
from ingest.read import vault
from retrieval import atomic_write, exit_status
from retrieval.errors import DatasetError
from retrieval.settings import load

_COUNT = 60


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    work = partial(_review, args.review) if args.review else partial(_draft, args)
    return exit_status.of("evals.draft", work)


def _review(path: Path) -> None:
    counts = review(path)
    print(
        f"{path}: {counts['accepted']} accepted, {counts['rejected']} rejected, "
        f"{counts['draft']} drafts are left"
    )
    if counts["lacking"]:
        print(f"{counts['lacking']} that the rules lack: {lacking_file(path)}")
    if counts["accepted"]:
        print(f"measure: python -m evals.retrieval --vault FOLDER --dataset {path}")


def _draft(args: argparse.Namespace) -> None:
    if args.output and args.output.exists():
        raise DatasetError(f"{args.output} is there already; review it, or name another file")
    drafted = _drafted(args)
    if not drafted.drafts:
        reasons = (
            _reasons(drafted) or "its files hold no row, field, list or sentence of a known form"
        )
        raise DatasetError(f"{args.vault}: nothing can be drafted: {reasons}")
    text = "".join(f"{selection.row(draft)}\n" for draft in drafted.drafts)
    if args.output:
        atomic_write.write(args.output, text)
    else:
        sys.stdout.write(text)
    files = len({draft.places[0][0].path for draft in drafted.drafts})
    said = [f"{len(drafted.drafts)} drafts about {files} files", _reasons(drafted)]
    print("; ".join(filter(None, said)), file=sys.stderr)
    if args.output:
        print(f"review them: python -m evals.draft --review {args.output}", file=sys.stderr)


def _drafted(args: argparse.Namespace) -> Selection:
    settings = load()
    pages = quote_locations.read(args.vault)
    found = vault.read(args.vault)
    for error in found.rejected:
        print(f"evals.draft: left out: {error}", file=sys.stderr)
    unread = 0
    if settings.openai_model:
        written, unread = by_model.of_vault(found.files, settings, args.count, args.seed)
    else:
        written = candidates.of_vault(found.files)
    drafted = selection.select(written, pages, args.count, args.seed)
    if unread:
        drafted.left_out["replies of the model that are not of the form"] = unread
    return drafted


def _reasons(drafted: Selection) -> str:
    counts = [f"{count} {reason}" for reason, count in drafted.left_out.items()]
    return f"left out: {', '.join(counts)}" if counts else ""


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.draft", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--vault", type=Path, help="write drafts about this folder")
    what.add_argument("--review", type=Path, help="ask about each draft of this file")
    parser.add_argument("--output", type=Path, help="a new file for the drafts; default: stdout")
    parser.add_argument("--count", type=_count, default=_COUNT, help=f"drafts; default {_COUNT}")
    parser.add_argument("--seed", type=int, default=1, help="another one chooses others")
    return parser.parse_args(argv)


def _count(text: str) -> int:
    if not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text} is not 1 to 10000")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
