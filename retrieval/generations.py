"""What ingest does to the index: install it, lock it, and write generations."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path

import psycopg
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb

from retrieval.errors import DatabaseUnreachableError, IndexMissingError, IngestRunningError
from retrieval.store import Connection, Generation, live

_SCHEMA = Path(__file__).with_name("schema.sql")
_LOCK_SPACE = 0x52554C45  # "RULE": advisory locks of this product, the second key says which
_LAST_ADDED = (  # of schema.sql; where it is, all is
    "SELECT FROM pg_attribute WHERE attrelid = to_regclass('file') AND attname = 'supersedes'"
)
_INGEST_LOCK = 0  # temporary generations lock their own id, which begins at 1


def install(conn: Connection) -> None:
    """Create the extension, the tables and the indexes of schema.sql where they are missing.

    Raises DatabaseUnreachableError where that is not allowed or pgvector is missing or too old.
    """
    try:
        with conn.transaction():
            # Two first ingests at once: CREATE … IF NOT EXISTS is no protection against itself.
            conn.execute("SELECT pg_advisory_xact_lock(%s, -1)", [_LOCK_SPACE])
            # DDL that changes nothing can deadlock with a running ingest's commit all the same.
            if conn.execute(_LAST_ADDED).fetchone() is None:
                conn.execute(_SCHEMA.read_bytes())
            version_of = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
            for (version,) in conn.execute(version_of):
                if tuple(int(part) for part in version.split(".")[:2]) < (0, 8):
                    raise DatabaseUnreachableError(
                        f"the database has pgvector {version}, too old; install 0.8 or newer on "
                        "its server and as superuser run ALTER EXTENSION vector UPDATE"
                    )
        register_vector(conn)
    except psycopg.Error as error:
        if conn.closed:  # the database went away, which is for Store.connect to say
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DatabaseUnreachableError(
            f"the index cannot be installed: {reason}; as superuser run CREATE EXTENSION vector "
            "(0.8 or newer) and grant CREATE on the schema"
        ) from error


def lock(conn: Connection) -> None:
    """Hold the one lock of writers on this connection until it closes.

    Raises IngestRunningError naming the holder where another process has it.
    """
    name = f"ingest, process {os.getpid()} on {socket.gethostname()}"
    conn.execute("SELECT set_config('application_name', %s, false)", [name[:63]])
    got = conn.execute(
        "SELECT pg_try_advisory_lock(%s, %s)", [_LOCK_SPACE, _INGEST_LOCK]
    ).fetchone()
    if got != (True,):
        raise IngestRunningError(f"another ingest is running ({_holder(conn)}); wait for its end")


def _holder(conn: Connection) -> str:
    row = conn.execute(
        "SELECT application_name, backend_start FROM pg_locks JOIN pg_stat_activity USING (pid) "
        "WHERE locktype = 'advisory' AND classid = %s AND objid = %s AND granted",
        [_LOCK_SPACE, _INGEST_LOCK],
    ).fetchone()
    return f"{row[0]}, since {row[1]:%Y-%m-%d %H:%M:%S %Z}" if row else "it ended just now"


def live_or_none(conn: Connection) -> Generation | None:
    """Return the live generation, if there is one; `conn` is in no transaction."""
    try:
        return live(conn)
    except IndexMissingError:
        return None


def file_hashes(conn: Connection, generation_id: int) -> dict[str, str]:
    """Return the sha256 of every file of a generation by its path."""
    rows = conn.execute("SELECT path, sha256 FROM file WHERE generation_id = %s", [generation_id])
    return {path: sha256 for path, sha256 in rows}


def size(conn: Connection, generation_id: int) -> tuple[int, int]:
    """Return how many files and chunks a generation holds."""
    row = conn.execute(
        "SELECT (SELECT count(*) FROM file WHERE generation_id = %(id)s), "
        "(SELECT count(*) FROM chunk WHERE generation_id = %(id)s)",
        {"id": generation_id},
    ).fetchone()
    assert row is not None  # counts always give a row
    return row[0], row[1]


def create(conn: Connection, fingerprint: Mapping[str, str | int], *, temporary: bool) -> int:
    """Return the id of a new, empty generation; a live one takes the place of the last.

    A temporary one is locked by this connection, and gone with `drop_abandoned` after it.
    """
    if not temporary:
        conn.execute("DELETE FROM generation WHERE state = 'live'")
    row = conn.execute(
        "INSERT INTO generation (state, fingerprint) VALUES (%s, %s) RETURNING id",
        ["temporary" if temporary else "live", Jsonb(dict(fingerprint))],
    ).fetchone()
    assert row is not None  # INSERT … RETURNING gives a row or raises
    if temporary:
        conn.execute("SELECT pg_advisory_lock(%s, %s)", [_LOCK_SPACE, row[0]])
    return int(row[0])


def drop(conn: Connection, generation_id: int) -> None:
    """Remove a generation with everything in it."""
    conn.execute("DELETE FROM generation WHERE id = %s", [generation_id])


def drop_abandoned(conn: Connection) -> None:
    """Remove temporary generations whose evaluation is no longer there to do it."""
    rows = conn.execute("SELECT id FROM generation WHERE state = 'temporary'").fetchall()
    for (generation_id,) in rows:
        with conn.transaction():
            got = conn.execute(
                "SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK_SPACE, generation_id]
            ).fetchone()
            if got == (True,):
                drop(conn, generation_id)
