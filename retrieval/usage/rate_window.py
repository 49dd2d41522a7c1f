"""How much callers used in their minute and day: counted in the database, by all processes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import psycopg

from retrieval.index.store import Connection
from retrieval.rates import MINUTE
from retrieval.usage.tables import made_by_ingest, writing


@dataclass(frozen=True, slots=True)
class Window:
    """What a caller has used of a limit; a window begins with the first use."""

    caller: str  # "key anna"
    unit: str  # "requests", "reads", "tokens": what is counted
    most: int  # in `seconds`
    seconds: int
    amount: int  # of now
    used: int = 0  # that of now too
    seconds_left: float = 0.0  # until the next window

    @property
    def row(self) -> str:
        """Where it is counted."""
        is_first = (self.unit, self.seconds) == ("requests", MINUTE)
        return self.caller if is_first else f"{self.caller} {self.unit}/{self.seconds}"

    @property
    def is_over(self) -> bool:
        """Whether all that is allowed was used before."""
        return self.used - self.amount >= self.most


# In the order of their names, so that two requests never wait for each other. A few rows that
# nobody needs any longer go each time, so that there are never many.
_COUNT = """
    WITH gone AS (
        DELETE FROM rate_window WHERE caller IN (
            SELECT caller FROM rate_window
            WHERE began_at < clock_timestamp() - interval '25 hours'
                AND caller <> ALL(%(callers)s::text[])
            LIMIT 4 FOR UPDATE SKIP LOCKED)
    ), counted AS (
        INSERT INTO rate_window AS old (caller, began_at, used)
        SELECT caller, statement_timestamp(), amount
        FROM unnest(%(callers)s::text[], %(amounts)s::integer[]) AS given (caller, amount)
        ON CONFLICT (caller) DO UPDATE SET
            began_at = CASE WHEN old.began_at < statement_timestamp() - %(window)s::interval
                THEN statement_timestamp() ELSE old.began_at END,
            used = CASE WHEN old.began_at < statement_timestamp() - %(window)s::interval
                THEN excluded.used ELSE least(old.used, 1000000000) + excluded.used END
        RETURNING caller, began_at, used
    )
    SELECT caller, used,
        extract(epoch FROM began_at + %(window)s::interval - clock_timestamp())::float8
            AS seconds_left
    FROM counted
"""
_READ = """
    SELECT caller, used FROM rate_window WHERE caller = ANY(%(callers)s)
        AND began_at >= clock_timestamp() - %(window)s::interval
"""
_WHAT, _GRANT = "limits", "SELECT, INSERT, UPDATE, DELETE ON rate_window"
_MOST_AT_ONCE = 100_000_000  # so that the sum of what is counted stays an integer


def take(conn: Connection, windows: Sequence[Window]) -> list[Window]:
    """Count each window's amount where none is over, else nothing: who is refused uses up nothing.

    Return them with what is used of them by now. Raises what `count` raises.
    """
    counted: list[Window] = []
    with conn.transaction():
        counted = count(conn, windows)
        if any(one.is_over for one in counted):
            counted = [replace(one, used=one.used - one.amount, amount=0) for one in counted]
            raise psycopg.Rollback
    return counted


def count(conn: Connection, windows: Sequence[Window]) -> list[Window]:
    """Count each window's amount and return them with what is used of them by now.

    It waits 5 s at most. Raises IndexMissingError where the table is not there yet, and
    ConfigurationError where the connection's role may not write it.
    """
    counted: list[Window] = []
    with writing(conn, _WHAT, "count requests", _GRANT) as cur:
        cur.execute("SET LOCAL synchronous_commit = off")  # a crash may forget a second
        for seconds in sorted({one.seconds for one in windows}):
            counted += _counted(conn, [one for one in windows if one.seconds == seconds])
    return counted


def _counted(conn: Connection, windows: Sequence[Window]) -> list[Window]:
    in_order = sorted(windows, key=lambda one: one.row)
    values = {
        "callers": [one.row for one in in_order],
        "amounts": [min(one.amount, _MOST_AT_ONCE) for one in in_order],
        "window": timedelta(seconds=in_order[0].seconds),
    }
    rows = conn.execute(_COUNT, values).fetchall()
    now = {row: (used, left) for row, used, left in rows}
    return [replace(one, used=now[one.row][0], seconds_left=now[one.row][1]) for one in in_order]


def used(conn: Connection, rows: Sequence[str], seconds: int) -> dict[str, int]:
    """Return what was counted in rows whose window of so many seconds is not over.

    Raises IndexMissingError where the table is not there yet.
    """
    values = {"callers": list(rows), "window": timedelta(seconds=seconds)}
    with made_by_ingest(_WHAT):
        return dict(conn.execute(_READ, values).fetchall())
