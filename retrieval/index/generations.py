"""The generations of the index: who may write, which are there, which one is live.

A generation is "building" until it is whole, then "live"; the one before it is "previous", the way
back. "temporary" ones belong to evaluations. Readers see the live one alone.
"""

import os
import socket
from collections.abc import Mapping, Sequence
from time import monotonic, sleep
from typing import Any, Literal

from psycopg import sql
from psycopg.rows import kwargs_row
from psycopg.types.json import Jsonb

from retrieval.errors import ConfigurationError, IndexMissingError, IngestRunningError
from retrieval.index.store import GENERATION, Connection, Generation, live
from retrieval.models import Aliases

LOCK_SPACE = 0x52554C45  # "RULE": advisory locks of this product, the second key says which
_DEAD_SHARE = 0.10  # of a table's rows
_DEAD_ROWS = 100  # fewer lie in a page or two, which costs no scan anything
_TABLES = ["file", "chunk", "posting", "entry", "word", "chunk_bits"]
_PATIENCE = 1.0  # seconds with a lock whose holder is gone
_INGEST_LOCK = 0  # temporary generations lock their own id, which begins at 1


def lock(conn: Connection) -> None:
    """Hold the one lock of writers on this connection until it closes.

    Raises IngestRunningError naming the holder where another process has it, or for longer than a
    second this one.
    """
    name = f"ingest, process {os.getpid()} on {socket.gethostname()}"[:63]
    conn.execute("SELECT set_config('application_name', %s, false)", [name])
    give_up = monotonic() + _PATIENCE
    while not _try_lock(conn):
        holder = writer(conn)
        is_other = holder is not None and not holder.startswith(f"{name}, since")
        if is_other or monotonic() > give_up:
            raise IngestRunningError(
                f"another ingest is running ({holder or 'it ended just now'}); wait for its end"
            )
        sleep(_PATIENCE / 20)  # the server has not seen yet that its client is gone
    conn.execute("SELECT set_config('rules_oracle.writer', %s, false)", [_token(conn)])


def _try_lock(conn: Connection) -> bool:
    query = "SELECT pg_try_advisory_lock(%s, %s)"
    return conn.execute(query, [LOCK_SPACE, _INGEST_LOCK]).fetchone() == (True,)


def require_lock(conn: Connection) -> None:
    """Raise ConfigurationError where `conn` is no longer the session that took `lock`.

    A pooler that gives each transaction another session keeps no lock, and may even give it to two
    ingests in turn; the last to take it is the one that may write.
    """
    found = conn.execute("SELECT current_setting('rules_oracle.writer', true)").fetchone()
    if found != (_token(conn),):
        raise ConfigurationError(
            "the database gives this ingest another session than the one that took its lock: a "
            "pooler in between works by transaction (PgBouncer: pool_mode). Nothing was written; "
            "set DATABASE_URL to the database itself, or the pooler to sessions"
        )


def _token(conn: Connection) -> str:
    return f"{socket.gethostname()} {os.getpid()} {id(conn)}"


def writer(conn: Connection) -> str | None:
    """Return who holds `lock` and since when; None where nobody does. Takes no lock."""
    row = conn.execute(
        "SELECT application_name, backend_start FROM pg_locks JOIN pg_stat_activity USING (pid) "
        "WHERE locktype = 'advisory' AND classid = %s AND objid = %s AND granted "
        "AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        [LOCK_SPACE, _INGEST_LOCK],
    ).fetchone()
    return f"{row[0]}, since {row[1]:%Y-%m-%d %H:%M:%S %Z}" if row else None


def live_or_none(conn: Connection) -> Generation | None:
    """Return the live generation, if there is one; `conn` is in no transaction."""
    try:
        return live(conn)
    except IndexMissingError:
        return None


def previous(conn: Connection) -> Generation:
    """Return the generation that was live before. Raises IndexMissingError where none is kept."""
    with conn.cursor(row_factory=kwargs_row(Generation)) as cur:
        found = cur.execute(GENERATION + "state = 'previous'").fetchone()
    if found is None:
        raise IndexMissingError(
            "no previous generation is kept: one is after python -m ingest --rebuild, --gate, or "
            "an ingest with another model; to build the index again: python -m ingest --rebuild"
        )
    return found


def file_hashes(conn: Connection, generation_id: int) -> dict[str, str]:
    """Return the sha256 of every file of a generation by its path."""
    rows = conn.execute("SELECT path, sha256 FROM file WHERE generation_id = %s", [generation_id])
    return {path: sha256 for path, sha256 in rows}


def mark(conn: Connection) -> str:
    """Return a text that differs after each transaction that changed the live generation.

    "" where there is no live one.
    """
    row = conn.execute(
        "SELECT concat_ws('.', id, revision, xmin) FROM generation WHERE state = 'live'"
    ).fetchone()
    return str(row[0]) if row else ""


def size(conn: Connection, generation_id: int) -> tuple[int, int]:
    """Return how many files and chunks a generation holds."""
    row = conn.execute(
        "SELECT (SELECT count(*) FROM file WHERE generation_id = %(id)s), "
        "(SELECT count(*) FROM chunk WHERE generation_id = %(id)s)",
        {"id": generation_id},
    ).fetchone()
    assert row is not None  # counts always give a row
    return row[0], row[1]


def create(
    conn: Connection,
    fingerprint: Mapping[str, str | int],
    state: Literal["building", "temporary"],
    off_topic: Sequence[Mapping[str, Any]] = (),
    aliases: Aliases | None = None,
) -> int:
    """Return the id of a new, empty generation that no reader sees.

    One that is building is the caller's for as long as it holds `lock`; a temporary one is locked
    by this connection. After that `drop_abandoned` removes it.
    """
    row = conn.execute(
        "INSERT INTO generation (state, fingerprint, off_topic, aliases) "
        "VALUES (%s, %s, %s, %s) RETURNING id",
        [state, Jsonb(dict(fingerprint)), Jsonb(list(off_topic)), Jsonb(dict(aliases or {}))],
    ).fetchone()
    assert row is not None  # INSERT … RETURNING gives a row or raises
    if state == "temporary":
        conn.execute("SELECT pg_advisory_lock(%s, %s)", [LOCK_SPACE, row[0]])
    return int(row[0])


def put_off_topic(
    conn: Connection, generation_id: int, off_topic: Sequence[Mapping[str, Any]]
) -> None:
    """Replace what was fitted for a generation's vault; readers see it from their next search."""
    conn.execute(
        "UPDATE generation SET off_topic = %s WHERE id = %s",
        [Jsonb(list(off_topic)), generation_id],
    )


def put_aliases(conn: Connection, generation_id: int, aliases: Aliases | None) -> bool:
    """Replace what a generation's aliases.yaml files say and return whether it was another.

    None keeps what there is: one of the files cannot be read. Raises ConfigurationError where the
    lock is lost.
    """
    if aliases is None:
        return False
    given = {"id": generation_id, "aliases": Jsonb(dict(aliases))}
    same = "SELECT FROM generation WHERE id = %(id)s AND aliases = %(aliases)s"
    if conn.execute(same, given).fetchone() is not None:
        return False
    require_lock(conn)
    conn.execute(
        "UPDATE generation SET aliases = %(aliases)s, revision = revision + 1 WHERE id = %(id)s",
        given,
    )
    return True


def promote(conn: Connection, generation_id: int) -> None:
    """Make a generation the live one, in one transaction that changes three rows at most.

    The live one becomes the previous one. The previous one before it becomes a temporary one that
    nobody holds: it is for `drop_abandoned` to delete, which takes longer. Raises IndexMissingError
    where the generation is gone, and ConfigurationError where `lock` is.
    """
    states = [("previous", "temporary"), ("live", "previous")]
    with conn.transaction():
        require_lock(conn)
        # First out of the way: of "live" and of "previous" there may be one at any moment.
        _set_state(conn, generation_id, "building")
        for state, then in states:
            conn.execute("UPDATE generation SET state = %s WHERE state = %s", [then, state])
        _set_state(conn, generation_id, "live")


def _set_state(conn: Connection, generation_id: int, state: str) -> None:
    done = conn.execute(
        "UPDATE generation SET state = %s WHERE id = %s", [state, generation_id]
    ).rowcount
    if not done:
        raise IndexMissingError(f"generation {generation_id} is gone from the database")


def drop(conn: Connection, generation_id: int) -> None:
    """Remove a generation with everything in it."""
    conn.execute("DELETE FROM generation WHERE id = %s", [generation_id])


def drop_abandoned(conn: Connection) -> None:
    """Remove what is left of ingests and evaluations that are no longer there to do it.

    The caller holds `lock`, so no generation is building.
    """
    rows = conn.execute(
        "SELECT id, state FROM generation WHERE state IN ('building', 'temporary')"
    ).fetchall()
    for generation_id, state in rows:
        with conn.transaction():
            got = conn.execute(
                "SELECT pg_try_advisory_xact_lock(%s, %s)", [LOCK_SPACE, generation_id]
            ).fetchone()
            if state == "building" or got == (True,):
                drop(conn, generation_id)


def vacuum_if_worn(conn: Connection) -> tuple[str, ...]:
    """Run VACUUM (ANALYZE) on each table of which over 10 % is dead, and return their names.

    `conn` is in no transaction. Readers and writers go on meanwhile; what a long transaction of
    somebody could still see stays until the next time.
    """
    if conn.info.server_version >= 150_000:  # before, the counts are at most a second old
        conn.execute("SELECT pg_stat_force_next_flush()")
        conn.execute("SELECT 1")  # the end of this statement's transaction sends them
    rows = conn.execute(
        "SELECT relname FROM pg_stat_user_tables, unnest(%s::text[]) AS ours "
        "WHERE relid = to_regclass(ours) AND n_dead_tup >= %s "
        "AND n_dead_tup > %s * (n_live_tup + n_dead_tup) ORDER BY relname",
        [_TABLES, _DEAD_ROWS, _DEAD_SHARE],
    ).fetchall()
    for (name,) in rows:
        conn.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(name)))
    return tuple(name for (name,) in rows)
