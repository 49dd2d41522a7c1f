"""Connections to the database: a pool for readers, one of its own for each writer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from retrieval.errors import DatabaseUnreachableError
from retrieval.store import Connection

_Result = TypeVar("_Result")

_WAIT = 5.0  # seconds for a connection of the pool
_STATEMENT_MS = 10_000  # a search takes milliseconds; what takes longer waits for a lock
_POOL_SIZE = 8


class Store:
    """A pool of connections to one database."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pool = ConnectionPool(
            url,
            min_size=1,
            max_size=_POOL_SIZE,
            timeout=_WAIT,
            open=False,
            kwargs={"connect_timeout": 3, "autocommit": True},
            configure=_configure,
        )

    def open(self) -> None:
        """Begin to connect; a database that does not answer is an error of the first `read`."""
        self._pool.open()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    @contextmanager
    def connect(self, **options: Any) -> Iterator[Connection]:
        """Yield a connection of its own, outside of the pool, for writers and long locks.

        Raises DatabaseUnreachableError where it cannot be made, and where the database fails the
        caller's statements (it was stopped, its disk is full); errors in them are raised as they
        are.
        """
        try:
            conn = psycopg.connect(self._url, connect_timeout=3, **options)
        except psycopg.OperationalError as error:
            raise self._unreachable(error) from error
        try:
            with conn:
                yield conn
        except psycopg.OperationalError as error:
            raise DatabaseUnreachableError(
                f"the database at {self._shown()!r} failed: {_reason(error)}; "
                "see that it runs and try again"
            ) from error

    def read(self, work: Callable[[Connection], _Result]) -> _Result:
        """Return `work(connection)`, all of whose statements see one state of the index.

        Where a connection turns out dead (the database was restarted), the pool is drained and
        `work` is called once more. Raises DatabaseUnreachableError where there is no database, or
        where it is too busy to give a connection or to end a statement in time.
        """
        try:
            return self._once(work)
        except psycopg.errors.QueryCanceled as error:
            raise _busy(error) from error
        except PoolTimeout:
            with self.connect():  # raises with the reason, which the pool's time-out hides
                pass
        except psycopg.OperationalError:
            self._pool.drain()
        try:
            return self._once(work)
        except psycopg.errors.QueryCanceled as error:
            raise _busy(error) from error
        except PoolTimeout as error:
            with self.connect():  # it may have stopped only now
                pass
            raise _busy(error) from error
        except psycopg.OperationalError as error:
            raise self._unreachable(error) from error

    def _once(self, work: Callable[[Connection], _Result]) -> _Result:
        with self._pool.connection() as conn, conn.transaction():
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return work(conn)

    def _unreachable(self, error: Exception) -> DatabaseUnreachableError:
        return DatabaseUnreachableError(
            f"no database at {self._shown()!r}: {_reason(error)}; start it, or correct "
            "DATABASE_URL (without it, the embedded PostgreSQL is used)"
        )

    def _shown(self) -> str:
        where = conninfo_to_dict(self._url)
        return make_conninfo("", **{k: v for k, v in where.items() if k != "password"})


def _busy(error: Exception) -> DatabaseUnreachableError:
    return DatabaseUnreachableError(f"the database is busy: {_reason(error)}; try again")


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _configure(conn: Connection) -> None:
    conn.execute("SELECT set_config('statement_timeout', %s, false)", [str(_STATEMENT_MS)])
