"""What became of questions, a row each: written by the API, read by day and by the evals."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime

import psycopg
from psycopg.rows import class_row

from retrieval.errors import ConfigurationError
from retrieval.index.store import Connection
from retrieval.usage.tables import made_by_ingest, writing


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question by its end. `question` is None where its text is not to be stored."""

    request_id: str
    outcome: str  # "answered", "nearest", "refused", "error" or "abandoned"
    reason: str  # of a refusal or an error; "" for none
    milliseconds: float
    guard: str = ""  # its verdict; "" where no model wrote
    prompt_tokens: int = 0
    completion_tokens: int = 0
    key: str = ""
    generation: str = ""
    places: list[str] = field(default_factory=list)  # "path:first-last", the first ones
    question: str | None = None
    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Day:
    """The questions of a day in UTC."""

    day: date
    questions: int
    milliseconds: tuple[float, ...]  # the median, 95th and 99th percentile; () without an answer
    prompt_tokens: int
    completion_tokens: int
    counts: Mapping[str, Mapping[str, int]]  # by "outcome", "reason", "guard" and "rating"


_WRITE = """
    INSERT INTO telemetry (asked_at, request_id, outcome, reason, guard, milliseconds,
        prompt_tokens, completion_tokens, key, generation, places, question)
    VALUES (%(asked_at)s, %(request_id)s, %(outcome)s, %(reason)s, %(guard)s, %(milliseconds)s,
        %(prompt_tokens)s, %(completion_tokens)s, %(key)s, %(generation)s, %(places)s, %(question)s)
"""
_FORGET = """
    DELETE FROM telemetry WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM telemetry WHERE asked_at < now() - make_interval(days => %s) LIMIT 1000))
"""
_SINCE = """(date_trunc('day', now() AT TIME ZONE 'UTC') - make_interval(days => %(days)s - 1))
    AT TIME ZONE 'UTC'"""
_DAYS = f"""
    SELECT (asked_at AT TIME ZONE 'UTC')::date AS day, count(*),
        percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY milliseconds)
            FILTER (WHERE outcome IN ('answered', 'nearest', 'refused')),
        sum(prompt_tokens), sum(completion_tokens)
    FROM telemetry WHERE asked_at >= {_SINCE} GROUP BY day
"""  # noqa: S608  # constants of this module, no values
_COUNTS = f"""
    SELECT (at AT TIME ZONE 'UTC')::date AS day, kind, name, count(*) FROM (
        SELECT asked_at, 'outcome', outcome FROM telemetry
        UNION ALL SELECT asked_at, 'reason', reason FROM telemetry
        UNION ALL SELECT asked_at, 'guard', guard FROM telemetry
        UNION ALL SELECT given_at, 'rating', rating FROM feedback
    ) AS said (at, kind, name)
    WHERE at >= {_SINCE} AND name <> '' GROUP BY day, kind, name
"""  # noqa: S608  # constants of this module, no values
_MISSED = f"""
    FROM telemetry AS asked WHERE asked_at >= {_SINCE}
        AND (outcome IN ('nearest', 'refused') OR EXISTS (SELECT FROM feedback AS f
            WHERE f.request_id = asked.request_id AND rating = 'down'))
"""
_UNANSWERED = f"""
    SELECT request_id, outcome, reason, milliseconds, guard, prompt_tokens, completion_tokens, key,
        generation, places, question, asked_at
    {_MISSED} AND question IS NOT NULL
    ORDER BY asked_at DESC LIMIT %(limit)s
"""
_COUNT_MISSED = f"SELECT count(question), count(*) - count(question) {_MISSED}"
_WHAT = "telemetry"
_GRANT = "SELECT, INSERT, DELETE ON telemetry"
_OFF = "set TELEMETRY_DAYS=0, or as the tables' owner"


def write(conn: Connection, rows: Sequence[AskedQuestion], days: int) -> None:
    """Store rows, and remove some that are older than `days`.

    It waits 5 s at most. Raises IndexMissingError where the table is not there yet, and
    ConfigurationError where the connection's role may not write it.
    """
    try:
        with writing(conn, _WHAT, "store telemetry", _GRANT, before=_OFF) as cur:
            cur.execute("SET LOCAL synchronous_commit = off")  # a crash may forget a second
            cur.executemany(_WRITE, [asdict(row) for row in rows])
            cur.execute(_FORGET, [days])
    except psycopg.OperationalError:
        raise  # the database went away, which is for Store.connect to say
    except psycopg.Error as error:
        # Its detail may quote the row, and with it the question.
        what = f"{type(error).__name__}, SQLSTATE {error.sqlstate}"
        raise ConfigurationError(f"the table telemetry takes no such rows: {what}") from None


def by_day(conn: Connection, days: int) -> list[Day]:
    """Return the last `days` days on which something was asked or rated, the latest first.

    Raises IndexMissingError where the table is not there yet.
    """
    with made_by_ingest(_WHAT):
        numbers = conn.execute(_DAYS, {"days": days}).fetchall()
        counted = conn.execute(_COUNTS, {"days": days}).fetchall()
    counts: dict[date, dict[str, dict[str, int]]] = {}
    for day, kind, name, count in counted:
        counts.setdefault(day, {}).setdefault(kind, {})[name] = count
    asked = {day: rest for day, *rest in numbers}
    return [
        Day(day, *_numbers(*asked.get(day, (0, None, 0, 0))), counts.get(day, {}))
        for day in sorted({*asked, *counts}, reverse=True)
    ]


def unanswered(conn: Connection, days: int, limit: int) -> list[AskedQuestion]:
    """Return at most `limit` questions that were refused, got the nearest, or were rated down.

    The newest first; those without a text are left out. Raises IndexMissingError where the table
    is not there yet.
    """
    with made_by_ingest(_WHAT), conn.cursor(row_factory=class_row(AskedQuestion)) as cur:
        return cur.execute(_UNANSWERED, {"days": days, "limit": limit}).fetchall()


def count_unanswered(conn: Connection, days: int) -> tuple[int, int]:
    """Return how many were missed, as by `unanswered`: with a text, and without one."""
    stored, unstored = conn.execute(_COUNT_MISSED, {"days": days}).fetchone() or (0, 0)
    return stored, unstored


def _numbers(
    questions: int, milliseconds: list[float] | None, prompt: int, completion: int
) -> tuple[int, tuple[float, ...], int, int]:
    return questions, tuple(milliseconds or ()), int(prompt), int(completion)
