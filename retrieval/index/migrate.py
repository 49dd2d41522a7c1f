"""The tables of the index: ordered SQL files, each run once in a database.

The files are `migrations/NUMBER_name.sql`; table `migration` says which of them a database has. A
file that was released is never changed again: what is to be different is a new file.
"""

from pathlib import Path
from time import sleep
from typing import NamedTuple

import psycopg
from pgvector.psycopg import register_vector
from psycopg.errors import DeadlockDetected, LockNotAvailable

from retrieval.errors import DatabaseUnreachableError, SchemaNewerError
from retrieval.index.generations import LOCK_SPACE
from retrieval.index.store import Connection

_FOLDER = Path(__file__).with_name("migrations")
_MIGRATION_LOCK = -1  # ingest has 0, temporary generations have their ids
_LOCK_WAIT_MS = 500  # half of PostgreSQL's deadlock_timeout: we give way before a reader has to
_TRIES = 40
_PAUSE = 0.1  # seconds in which readers get what they wait for
PGVECTOR = (0, 8)  # iterative scans came with it


class Migration(NamedTuple):
    """A file of SQL; `number` gives the order."""

    number: int
    name: str  # of the file


def install(conn: Connection) -> None:
    """Run the migrations that the database does not have, all or none, in order.

    Two processes may call it at once, and others may read meanwhile. Raises SchemaNewerError where
    the database has one that this program does not know, and DatabaseUnreachableError where
    creating is not allowed, pgvector is missing or too old, or another session keeps a table.
    """
    try:
        _run_beside_readers(conn)
        register_vector(conn)
    except (LockNotAvailable, DeadlockDetected) as error:
        raise DatabaseUnreachableError(
            f"the tables could not be brought forward in {_TRIES} tries, for another session keeps "
            f"one in use ({error.diag.message_primary}); end its transaction and run it again"
        ) from error
    except psycopg.Error as error:
        if conn.closed:  # the database went away, which is for Store.connect to say
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DatabaseUnreachableError(
            f"the index cannot be installed: {reason}; as superuser run CREATE EXTENSION vector "
            "(0.8 or newer) and grant CREATE on the schema"
        ) from error


def _run_beside_readers(conn: Connection) -> None:
    """Run what is missing; where readers and we wait for each other, undo it all and try again.

    A search reads several tables in one transaction, and a migration changes several: no order of
    theirs is without a deadlock.
    """
    for tries_left in reversed(range(_TRIES)):
        try:
            with conn.transaction():
                # Two first ingests at once: CREATE … IF NOT EXISTS is no protection against itself.
                conn.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCK_SPACE, _MIGRATION_LOCK])
                _run(conn, check(conn))
                _check_pgvector(conn)
            return
        except (LockNotAvailable, DeadlockDetected):
            if not tries_left:
                raise
            sleep(_PAUSE)


def check(conn: Connection) -> tuple[Migration, ...]:
    """Return the migrations that the database lacks, in order; nothing is changed.

    Raises SchemaNewerError where it has one that this program does not know.
    """
    ours = known()
    has = applied(conn)
    strange = sorted(set(has) - set(ours))
    if strange:
        raise SchemaNewerError(
            f"the database's tables are at migration {strange[-1].number} ({strange[-1].name}), "
            f"and this program knows those up to {ours[-1].number}; install the newer program, or "
            "give it a database of its own: set DATABASE_URL or RAG_DATA_DIR"
        )
    return tuple(one for one in ours if one not in has)


def known() -> tuple[Migration, ...]:
    """Return all migrations of this program, in order."""
    names = sorted(path.name for path in _FOLDER.glob("*.sql"))
    return tuple(Migration(int(name.split("_")[0]), name) for name in names)


def applied(conn: Connection) -> tuple[Migration, ...]:
    """Return the migrations that a database has, in order; none where it was never installed."""
    # DDL that changes nothing can deadlock with a running ingest's commit: so no IF NOT EXISTS.
    if conn.execute("SELECT to_regclass('migration')").fetchone() == (None,):
        return ()
    rows = conn.execute("SELECT number, name FROM migration ORDER BY number")
    return tuple(Migration(number, name) for number, name in rows)


def _run(conn: Connection, missing: tuple[Migration, ...]) -> None:
    if not missing:
        return
    conn.execute(f"SET LOCAL lock_timeout = {_LOCK_WAIT_MS}")
    conn.execute(
        "CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY, name text NOT NULL, "
        "applied_at timestamptz NOT NULL DEFAULT now())"
    )
    for migration in missing:
        conn.execute((_FOLDER / migration.name).read_bytes())
        conn.execute("INSERT INTO migration (number, name) VALUES (%s, %s)", migration)


def _check_pgvector(conn: Connection) -> None:
    for (version,) in conn.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'"):
        if tuple(int(part) for part in version.split(".")[:2]) < PGVECTOR:
            raise DatabaseUnreachableError(
                f"the database has pgvector {version}, too old; install 0.8 or newer on "
                "its server and as superuser run ALTER EXTENSION vector UPDATE"
            )
