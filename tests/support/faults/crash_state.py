"""What a database holds after a crash, as digests: to readers, and row by row."""

import time
from collections.abc import Sequence
from typing import Any, LiteralString

from retrieval.index import integrity
from retrieval.index.store import Connection

_SETTLE_SECONDS = 10.0  # for the server to see that a client is gone

_CONTENT = """
    WITH one AS (SELECT %s::bigint AS generation_id)
    SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
        SELECT concat_ws('|', 'file', path, sha256, status, edition, supersedes) AS line
        FROM file JOIN one USING (generation_id)
        UNION ALL
        SELECT concat_ws('|', 'chunk', path, first_line, piece, last_line, heading, text, context,
            length)
        FROM chunk JOIN one USING (generation_id)
        UNION ALL
        SELECT concat_ws('|', 'entry', c.path, c.first_line, c.piece, e.ordinal, e.kind, e.heading,
            e.first_line, e.last_line, e.quote, e.lead, e.trail, e.words, e.text_sha256,
            e.embedding, e.token_vectors, e.token_scale)
        FROM entry AS e JOIN one USING (generation_id) LEFT JOIN chunk AS c ON c.id = e.chunk_id
        UNION ALL
        SELECT concat_ws('|', 'posting', c.path, c.first_line, c.piece, p.lexeme, p.count)
        FROM posting AS p JOIN one USING (generation_id)
        LEFT JOIN chunk AS c ON c.id = p.chunk_id
    ) AS lines
"""


def content(conn: Connection) -> str | None:
    """Return the digest of all that readers see, without row numbers; None: no live generation."""
    return next((digest for state, digest in contents(conn) if state == "live"), None)


def contents(conn: Connection) -> list[tuple[str, str | None]]:
    """Return the state of every generation and the digest of what it holds, sorted by state."""
    if _missing(conn):
        return []
    found = conn.execute("SELECT state, id FROM generation ORDER BY state, id").fetchall()
    return [(state, _value(conn, _CONTENT, [one])) for state, one in found]


def wrong_counts(conn: Connection) -> list[str]:
    """Return what is counted wrongly of the generations; before migration 12 nothing is counted."""
    if _missing(conn) or not _has_counts(conn):
        return []
    found = conn.execute("SELECT id FROM generation").fetchall()
    odd = [integrity.odd(conn, integrity.ODD_COUNTS, generation=one) for (one,) in found]
    return [what for one in odd for what in one.first]


_ROWS = """
    SELECT md5(string_agg(row, ' ' ORDER BY row)) FROM (
        SELECT concat_ws(' ', tableoid, ctid, xmin) AS row FROM generation
        UNION ALL SELECT concat_ws(' ', tableoid, ctid, xmin) FROM file
        UNION ALL SELECT concat_ws(' ', tableoid, ctid, xmin) FROM chunk
        UNION ALL SELECT concat_ws(' ', tableoid, ctid, xmin) FROM entry
        UNION ALL SELECT concat_ws(' ', tableoid, ctid, xmin) FROM posting
{counts}    ) AS rows
"""


_COUNTS = """
        UNION ALL SELECT concat_ws(' ', tableoid, ctid, xmin) FROM word
        UNION ALL SELECT concat_ws(' ', tableoid, ctid, xmin) FROM corpus
        UNION ALL SELECT concat_ws(' ', tableoid, ctid, xmin) FROM chunk_bits
"""


def rows(conn: Connection) -> str | None:
    """Return a digest of where all rows stand and who wrote them; None: there are no tables.

    Any write changes it.
    """
    if _missing(conn):
        return None
    return str(_value(conn, _ROWS.format(counts=_COUNTS if _has_counts(conn) else "")))


_OTHERS = (
    "SELECT application_name, state, query FROM pg_stat_activity WHERE datname = "
    "current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
_LOCKS = (
    "SELECT l.* FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database "
    "WHERE datname = current_database() AND locktype = 'advisory'"
)


def settle(conn: Connection) -> None:
    """Wait until the server has seen that the ingest is gone, and assert that no lock is left."""
    give_up = time.monotonic() + _SETTLE_SECONDS
    while left := conn.execute(_OTHERS).fetchall():
        assert time.monotonic() < give_up, left
        time.sleep(0.002)
    assert locks(conn) == []


def locks(conn: Connection) -> list[tuple[Any, ...]]:
    """Return the advisory locks of this database."""
    return conn.execute(_LOCKS).fetchall()


def _has_counts(conn: Connection) -> bool:
    """Not so before migration 12."""
    return conn.execute("SELECT to_regclass('corpus')").fetchone() != (None,)


def _missing(conn: Connection) -> bool:
    return conn.execute("SELECT to_regclass('generation')").fetchone() == (None,)


def _value(conn: Connection, query: LiteralString, values: Sequence[int] = ()) -> str | None:
    row = conn.execute(query, values).fetchone()
    assert row is not None  # an aggregate always gives a row
    return None if row[0] is None else str(row[0])
