"""List what people said of answers, newest first, or with --missed what they asked and did not get.

The API stores a rating at POST /feedback. With --json each is a line of JSON, for programs.

--missed clusters by meaning what was refused, got only the nearest lines or was rated down, the
largest first, each with its nearest lines. It needs TELEMETRY_STORES_QUESTIONS=on, or for what was
rated down FEEDBACK_STORES_QUESTIONS=on. --output writes drafts of questions, to be reviewed.
--review asks of each draft, also of those that --output has from before: what is accepted is
appended to --dataset, the file that the gate asks, and leaves the drafts; what is open stays.

Exit status: 0 listed or reviewed, also where there is nothing; 2 it could not be done.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from api.checks.sanitize import visible
from evals.labels.options import RULES
from evals.missed import clusters, deciding
from evals.missed.clusters import Cluster
from ingest.backup import refuse_without_database
from retrieval import atomic_write, exit_status
from retrieval.context import database_url, open_context
from retrieval.database.pool import Store
from retrieval.errors import DatasetError
from retrieval.index.store import Connection
from retrieval.settings import load
from retrieval.usage import telemetry
from retrieval.usage.feedback import Feedback, Rating, newest
from retrieval.usage.telemetry import AskedQuestion

_LIMIT = 1_000
_DAYS = 30
_DRAFTS = Path("missed.jsonl")
_MOST_SHOWN = 5  # questions of a cluster
_NOBODY = "nobody has rated an answer yet: POST /feedback stores a rating\n"
_NONE_DOWN = "no answer was rated down\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    return exit_status.of("evals.inbox", lambda: (_missed if args.missed else _rated)(args))


def _rated(args: argparse.Namespace) -> None:
    found = _read("down" if args.down else None, args.limit + 1)
    if len(found) > args.limit:
        print(f"evals.inbox: only the newest {args.limit}; --limit lists more", file=sys.stderr)
        found = found[: args.limit]
    if args.json:
        sys.stdout.writelines(f"{json.dumps(record(one))}\n" for one in found)
    elif found:
        print("\n\n".join("\n".join(lines(one)) for one in found))
    else:
        sys.stdout.write(_NONE_DOWN if args.down else _NOBODY)


def _missed(args: argparse.Namespace) -> None:
    if args.output and args.output.exists() and not args.review:
        raise DatasetError(f"{args.output} is there already; --review goes on with it")
    settings = load()
    refuse_without_database(settings)
    with open_context(settings) as context:
        if args.review:
            deciding.refuse_another_vault(context, args.dataset)
        missed, left_out = context.store.read(
            lambda conn: (_unanswered(conn, args), _left_out(conn, args))
        )
        found = clusters.clusters(context, missed)
    for reason in left_out:
        print(f"evals.inbox: {reason}", file=sys.stderr)
    for number, one in enumerate(found, start=1):
        print("\n".join(_of_cluster(number, one)))
    if not found:
        print(f"nothing was missed in {args.days} days of which the text was stored")
    if args.review:
        deciding.of_missed(found, args.output or _DRAFTS, args.dataset, settings.vault)
    elif found and args.output:
        atomic_write.write(args.output, "".join(f"{clusters.row(one)}\n" for one in found))
        print(f"\nreview them: python -m evals.inbox --missed --review --output {args.output}")


def _unanswered(conn: Connection, args: argparse.Namespace) -> list[AskedQuestion]:
    """What the telemetry has, and what else was rated down."""
    missed = telemetry.unanswered(conn, args.days, args.limit)
    known = {one.request_id for one in missed}
    since = datetime.now(UTC) - timedelta(days=args.days)
    for one in newest(conn, rating="down", limit=args.limit):
        answer = one.answer
        if one.given_at >= since and answer.question and answer.request_id not in known:
            missed.append(
                AskedQuestion(answer.request_id, "answered", "", 0.0, question=answer.question)
            )
    return missed


def _left_out(conn: Connection, args: argparse.Namespace) -> list[str]:
    """What was missed and is not shown, in words."""
    stored, unstored = telemetry.count_unanswered(conn, args.days)
    said = []
    if unstored:
        said.append(
            f"{unstored} were missed whose text is not stored; TELEMETRY_STORES_QUESTIONS=on "
            "stores that of later ones"
        )
    if stored > args.limit:
        said.append(f"the newest {args.limit} of {stored} are read; --limit {stored} reads all")
    return said


def _of_cluster(number: int, one: Cluster) -> Iterator[str]:
    ends = ", ".join(f"{count} {end}" for end, count in one.ends.most_common())
    yield f"\n{number}. asked {one.size} times: {ends}"
    for question in one.questions[:_MOST_SHOWN]:
        yield f"  question  {_on_one_line(question)}"
    if len(one.questions) > _MOST_SHOWN:
        yield f"            and {len(one.questions) - _MOST_SHOWN} more"
    for path, evidence in one.nearest:
        entry = evidence.entry
        yield f"  nearest   {_on_one_line(path)}:{entry.first_line}  {_on_one_line(entry.quote)}"


def lines(one: Feedback) -> Iterator[str]:
    """Yield a rating as people read it; nothing in it is obeyed by a terminal."""
    answer = one.answer
    yield (
        f"{one.given_at:%Y-%m-%d %H:%M} UTC  {one.rating:<4}  {answer.certainty}, "
        f"guard {answer.guard}, generation {answer.generation}, request {answer.request_id}"
    )
    asked = answer.question if answer.question is not None else "(not stored)"
    yield f"  question  {_on_one_line(asked)}"
    if one.comment:
        yield f"  comment   {_on_one_line(one.comment)}"
    for place in answer.cards:
        yield f"  card      {_on_one_line(place)}"


def record(one: Feedback) -> dict[str, object]:
    """Return a rating as --json writes it; `question` is null where it was not to be stored."""
    given_at = one.given_at.isoformat(timespec="seconds")
    said = {"given_at": given_at, "rating": one.rating, "comment": one.comment}
    return said | asdict(one.answer)


def _on_one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def _read(rating: Rating | None, limit: int) -> list[Feedback]:
    settings = load()
    refuse_without_database(settings)
    with database_url(settings) as url, Store(url).connect() as conn:
        return newest(conn, rating=rating, limit=limit)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.inbox", description=__doc__)
    parser.add_argument("--down", action="store_true", help="only answers that did not help")
    parser.add_argument("--json", action="store_true", help="a line of JSON each")
    parser.add_argument("--limit", type=int, default=_LIMIT, help=f"rows read; default {_LIMIT}")
    parser.add_argument("--missed", action="store_true", help="what was asked and not answered")
    parser.add_argument("--days", type=int, default=_DAYS, help=f"of --missed; default {_DAYS}")
    parser.add_argument("--output", type=Path, help="of --missed: a file for drafts, a new one "
                        f"but for --review, whose default is {_DRAFTS}")  # fmt: skip
    parser.add_argument("--review", action="store_true", help="of --missed: decide about drafts")
    parser.add_argument(
        "--dataset", type=Path, help=f"of --review: what the gate asks, to add to; default {RULES}"
    )
    args = parser.parse_args(argv)
    if not 1 <= args.days <= 3_650:
        parser.error(f"--days is {args.days}, not 1 to 3650")
    if (args.output or args.review) and not args.missed:
        parser.error("--output and --review are of --missed")
    if args.dataset and not args.review:
        parser.error("--dataset is of --review")
    if args.missed and (args.json or args.down):
        parser.error("--json and --down list ratings; --missed has neither")
    args.dataset = args.dataset or RULES
    if not 1 <= args.limit <= 100_000:
        parser.error(f"--limit is {args.limit}, not 1 to 100000")
    return args


if __name__ == "__main__":
    sys.exit(main())
