"""How often callers asked in their minute: counted in the database, by all processes together."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psycopg
from psycopg.rows import class_row

from retrieval.errors import ConfigurationError, IndexMissingError

Connection = psycopg.Connection[Any]
SECONDS = 60  # of a window, which begins with a caller's first request


@dataclass(frozen=True, slots=True)
class Window:
    """What a caller has used of its limit; with this request more than that is too much."""

    caller: str
    most: int  # requests in SECONDS
    used: int  # this one too
    seconds_left: float  # until the next window

    @property
    def is_over(self) -> bool:
        """Whether this request is one too many."""
        return self.used > self.most


# In the order of their names, so that two requests never wait for each other. A few rows that
# nobody needs any longer go each time, so that there are never many.
_COUNT = """
    WITH gone AS (
        DELETE FROM rate_window WHERE caller IN (
            SELECT caller FROM rate_window
            WHERE began_at < clock_timestamp() - interval '1 hour'
                AND caller <> ALL(%(callers)s::text[])
            LIMIT 4 FOR UPDATE SKIP LOCKED)
    ), counted AS (
        INSERT INTO rate_window AS old (caller, began_at, used)
        SELECT caller, statement_timestamp(), 1 FROM unnest(%(callers)s::text[]) AS caller
        ON CONFLICT (caller) DO UPDATE SET
            began_at = CASE WHEN old.began_at < statement_timestamp() - %(window)s::interval
                THEN statement_timestamp() ELSE old.began_at END,
            used = CASE WHEN old.began_at < statement_timestamp() - %(window)s::interval
                THEN 1 ELSE least(old.used, 1000000) + 1 END
        RETURNING caller, began_at, used
    )
    SELECT caller, most, used,
        extract(epoch FROM began_at + %(window)s::interval - clock_timestamp())::float8
            AS seconds_left
    FROM counted JOIN unnest(%(callers)s::text[], %(most)s::integer[]) AS given (caller, most)
        USING (caller)
    ORDER BY caller
"""


def count(conn: Connection, limits: Mapping[str, int]) -> list[Window]:
    """Count a request of each caller and return their windows; `limits` is the most by caller.

    It waits 5 s at most. Raises IndexMissingError where the table is not there yet, and
    ConfigurationError where the connection's role may not write it.
    """
    callers = sorted(limits)
    most = [limits[caller] for caller in callers]
    values = {"callers": callers, "most": most, "window": timedelta(seconds=SECONDS)}
    try:
        with conn.transaction(), conn.cursor(row_factory=class_row(Window)) as cur:
            conn.execute("SET LOCAL statement_timeout = '5s'")
            conn.execute("SET LOCAL synchronous_commit = off")  # a crash may forget a second
            return cur.execute(_COUNT, values).fetchall()
    except psycopg.errors.UndefinedTable as error:
        raise IndexMissingError(
            "the database has no table for limits yet; run: python -m ingest"
        ) from error
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction) as error:
        user = conn.info.user
        raise ConfigurationError(
            f"the database's role {user!r} may not count requests; as the tables' owner run: GRANT "
            f"SELECT, INSERT, UPDATE, DELETE ON rate_window TO {user}"
        ) from error
