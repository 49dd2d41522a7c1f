"""List what people said of answers, newest first: python -m evals.inbox --down

The API stores a rating at POST /feedback. With --json each is a line of JSON, for programs. Exit
status: 0 listed, also where there is nothing to list; 2 the database could not be read.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

from api.checks.sanitize import visible
from ingest.backup import refuse_without_database
from retrieval.context import database_url
from retrieval.database.pool import Store
from retrieval.errors import RulesError
from retrieval.index.feedback import Feedback, Rating, newest
from retrieval.settings import load

_LIMIT = 100
_NOBODY = "nobody has rated an answer yet: POST /feedback stores a rating\n"
_NONE_DOWN = "no answer was rated down\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    try:
        found = _read("down" if args.down else None, args.limit)
    except RulesError as error:
        print(f"evals.inbox: {error}", file=sys.stderr)
        return 2
    if args.json:
        sys.stdout.writelines(f"{json.dumps(record(one))}\n" for one in found)
    elif found:
        print("\n\n".join("\n".join(lines(one)) for one in found))
    else:
        sys.stdout.write(_NONE_DOWN if args.down else _NOBODY)
    return 0


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
    answer = one.answer
    return {
        "given_at": one.given_at.isoformat(timespec="seconds"),
        "request_id": answer.request_id,
        "rating": one.rating,
        "comment": one.comment,
        "question": answer.question,
        "generation": answer.generation,
        "certainty": answer.certainty,
        "guard": answer.guard,
        "cards": list(answer.cards),
    }


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
    parser.add_argument("--limit", type=int, default=_LIMIT, help=f"ratings; default {_LIMIT}")
    args = parser.parse_args(argv)
    if not 1 <= args.limit <= 100_000:
        parser.error(f"--limit is {args.limit}, not 1 to 100000")
    return args


if __name__ == "__main__":
    sys.exit(main())
