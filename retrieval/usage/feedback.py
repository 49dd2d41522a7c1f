"""What people said of answers: written by the API, read by the evals."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import psycopg
from psycopg.rows import kwargs_row

from retrieval.errors import ConfigurationError, IndexMissingError
from retrieval.index.store import Connection

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


_PUT = """
    INSERT INTO feedback
        (request_id, rating, comment, question, generation, certainty, guard, cards)
    VALUES (%(request_id)s, %(rating)s, %(comment)s, %(question)s, %(generation)s, %(certainty)s,
        %(guard)s, %(cards)s)
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
_INGEST = "the database has no table for feedback yet; run: python -m ingest"


def put(conn: Connection, answer: RatedAnswer, rating: Rating, comment: str) -> None:
    """Store a rating, in the place of an earlier one of the same answer.

    It waits 5 s at most. Raises IndexMissingError where the table is not there yet, and
    ConfigurationError where the connection's role may not write it.
    """
    values = {
        "request_id": answer.request_id, "rating": rating, "comment": comment,
        "question": answer.question, "generation": answer.generation,
        "certainty": answer.certainty, "guard": answer.guard, "cards": list(answer.cards),
    }  # fmt: skip
    try:
        with conn.transaction():
            conn.execute("SET LOCAL statement_timeout = '5s'")
            conn.execute(_PUT, values)
    except psycopg.errors.UndefinedTable as error:
        raise IndexMissingError(_INGEST) from error
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction) as error:
        raise ConfigurationError(
            f"the database's role {conn.info.user!r} may not store feedback; as the tables' owner "
            f"run: GRANT INSERT, UPDATE ON feedback TO {conn.info.user}"
        ) from error


def newest(conn: Connection, *, rating: Rating | None, limit: int) -> list[Feedback]:
    """Return at most `limit` ratings, newest first; with `rating` only those.

    Raises IndexMissingError where the table is not there yet.
    """
    try:
        with conn.cursor(row_factory=kwargs_row(_feedback)) as cur:
            return cur.execute(_NEWEST, {"rating": rating, "limit": limit}).fetchall()
    except psycopg.errors.UndefinedTable as error:
        raise IndexMissingError(_INGEST) from error


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
