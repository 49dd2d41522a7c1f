"""What people said of answers: written by the API, read by the evals."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from psycopg.rows import kwargs_row
from psycopg.types.json import Jsonb

from retrieval.index.store import Connection
from retrieval.metadata.filters import Given as Filter
from retrieval.usage.tables import made_by_ingest, writing

Rating = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """The answer that somebody rates. `question` is None where it is not to be stored."""

    request_id: str
    question: str | None
    generation: str  # "ID.REVISION" of the index that answered
    certainty: str  # "answered", "nearest" or "refused"
    guard: str  # the guard's verdict
    cards: tuple[str, ...]  # "path:first-last", in the reply's order


@dataclass(frozen=True, slots=True)
class Feedback:
    """A rating with the answer that it is about."""

    answer: RatedAnswer
    rating: Rating
    comment: str  # "" for none
    given_at: datetime  # in UTC


_REMEMBER = """
    INSERT INTO given_answer (request_id, question, generation, certainty, guard, cards, access)
    VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (request_id) DO UPDATE SET
        (given_at, question, generation, certainty, guard, cards, access) = (now(),
        excluded.question, excluded.generation, excluded.certainty, excluded.guard, excluded.cards,
        excluded.access)
"""
_FORGET = """
    DELETE FROM given_answer WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM given_answer WHERE given_at < now() - interval '1 day' LIMIT 1000))
"""
_PUT = """
    INSERT INTO feedback
        (request_id, rating, comment, question, generation, certainty, guard, cards)
    SELECT request_id, %(rating)s, %(comment)s, question, generation, certainty, guard, cards
    FROM given_answer
    WHERE request_id = %(id)s AND (%(access)s::jsonb IS NULL OR access = %(access)s::jsonb)
    ON CONFLICT (request_id) DO UPDATE SET (rating, comment, question, generation, certainty, guard,
        cards, given_at) = (excluded.rating,
        coalesce(nullif(excluded.comment, ''), feedback.comment), excluded.question,
        excluded.generation, excluded.certainty, excluded.guard, excluded.cards, now())
"""
_NEWEST = """
    SELECT request_id, rating, comment, question, generation, certainty, guard, cards, given_at
    FROM feedback WHERE %(rating)s::text IS NULL OR rating = %(rating)s
    ORDER BY given_at DESC, request_id LIMIT %(limit)s
"""
_WHAT = "feedback"


def remember(conn: Connection, answers: Sequence[tuple[RatedAnswer, Filter | None]]) -> None:
    """Let answers be rated for a day, each with the filter of the key that asked.

    Two may have one id, as callers may choose it: the later one is meant. It waits 5 s at most.
    Raises IndexMissingError where the table is not there yet, and ConfigurationError where the
    connection's role may not write it.
    """
    rows = [
        (one.request_id, one.question, one.generation, one.certainty, one.guard, list(one.cards),
         None if access is None else Jsonb(access))
        for one, access in answers
    ]  # fmt: skip
    with writing(
        conn, _WHAT, "let answers be rated", "INSERT, UPDATE, DELETE ON given_answer"
    ) as cur:
        cur.execute("SET LOCAL synchronous_commit = off")  # a crash may forget a second
        cur.executemany(_REMEMBER, rows)
        cur.execute(_FORGET)


def put(
    conn: Connection, request_id: str, access: Filter | None, rating: Rating, comment: str
) -> bool:
    """Store a rating, in the place of an earlier one of the same answer; False without that answer.

    A key with a filter, `access`, rates answers under the same filter alone. It waits 5 s at most.
    Raises IndexMissingError where the table is not there yet, and ConfigurationError where the
    connection's role may not write it.
    """
    values = {"id": request_id, "rating": rating, "comment": comment,
              "access": None if access is None else Jsonb(access)}  # fmt: skip
    with writing(conn, _WHAT, "store feedback", "INSERT, UPDATE ON feedback") as cur:
        return cur.execute(_PUT, values).rowcount == 1


def newest(conn: Connection, *, rating: Rating | None, limit: int) -> list[Feedback]:
    """Return at most `limit` ratings, newest first; with `rating` only those.

    Raises IndexMissingError where the table is not there yet.
    """
    with made_by_ingest(_WHAT), conn.cursor(row_factory=kwargs_row(_feedback)) as cur:
        return cur.execute(_NEWEST, {"rating": rating, "limit": limit}).fetchall()


def _feedback(
    *,
    rating: Rating,
    comment: str,
    given_at: datetime,
    cards: list[str],
    request_id: str,
    question: str | None,
    generation: str,
    certainty: str,
    guard: str,
) -> Feedback:
    answer = RatedAnswer(request_id, question, generation, certainty, guard, tuple(cards))
    return Feedback(answer, rating, comment, given_at.astimezone(UTC))
