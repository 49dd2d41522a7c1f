"""Connections to the database: a pool for readers, one of its own for each writer."""

import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from retrieval.database.keepalive import LimitedConnection, keep_alive, with_keepalives
from retrieval.database.sessions import configure, is_pooled
from retrieval.errors import DatabaseUnreachableError
from retrieval.index import hnsw
from retrieval.index.store import Connection

_Result = TypeVar("_Result")
_Work = Callable[[Connection], _Result]
_log = logging.getLogger(__name__)

_WAIT = 5.0  # seconds for a connection of the pool
_CONNECT = 3.0  # seconds for a new connection
_READ = 12.0  # seconds for one `read`, the second attempt included
_STATEMENT_MS = 10_000  # a search takes milliseconds
_LOCK_MS = 5_000  # nothing of ours holds a lock against readers for longer than a query
_IDLE_MS = 15_000  # between two statements of a `read`; a process that was halted takes longer
_POOL_SIZE = 8
READING = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_WRITING = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"  # a counter that others count, too
_SCARCE: dict[type[psycopg.Error], str] = {  # what it lacks; asked again, it lacks it still
    psycopg.errors.DiskFull: "free space on the disk of the database",
    psycopg.errors.OutOfMemory: "give the database's server more memory, or end what else needs it",
    psycopg.errors.IoError: "mend the disk of the database (its server's log says more)",
}
LOST = (psycopg.OperationalError, psycopg.errors.IdleInTransactionSessionTimeout)
_TOO_SLOW = (psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable)
# Another attempt mends nothing, or makes it worse.
_NOT_AGAIN: tuple[type[psycopg.Error], ...] = (*_TOO_SLOW, *_SCARCE)


class Store:
    """A pool of connections to one database.

    `revive` gets a number of seconds in which to start the database again, where that is ours to
    do; it is called when the database does not answer.
    """

    def __init__(self, url: str, revive: Callable[[float], None] | None = None) -> None:
        self._url = url
        self._revive = revive
        self._lively = with_keepalives(url)
        self._pool = ConnectionPool(
            self._lively,
            connection_class=LimitedConnection,
            min_size=1,
            max_size=_POOL_SIZE,
            timeout=_WAIT,
            # Its pause before the next try doubles: without a limit the pool would find a database
            # that was gone for an hour half an hour after it is back.
            reconnect_timeout=_WAIT,
            open=False,
            kwargs={"connect_timeout": int(_CONNECT), "autocommit": True},
            configure=_configure,
        )

    def open(self) -> None:
        """Begin to connect; a database that does not answer is an error of the first `read`.

        Raises ConfigurationError where it answers and its settings are not what search needs.
        """
        with suppress(DatabaseUnreachableError), self.connect(autocommit=True) as conn:
            for line in hnsw.warnings(conn):
                _log.warning(line)
        self._pool.open()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    @contextmanager
    def connect(self, **options: Any) -> Iterator[Connection]:
        """Yield a connection of its own, outside of the pool, for writers and long locks.

        Raises DatabaseUnreachableError where it cannot be made or gives no answer within 12 s, and
        where the database fails the caller's statements (it was stopped, its disk is full); errors
        in them are raised as they are.
        """
        try:
            conn = self._connected(options)
        except psycopg.OperationalError as error:
            raise self._unreachable(error) from error
        try:
            with conn:
                yield conn
        except psycopg.OperationalError as error:
            raise self._failed(error) from error

    def _connected(self, options: dict[str, Any]) -> Connection:
        with ExitStack() as stack:
            conn = LimitedConnection.connect(
                self._lively, connect_timeout=int(_CONNECT), **{**options, "autocommit": True}
            )
            stack.callback(conn.close)
            conn.deadline = monotonic() + _READ
            keep_alive(conn)
            _prepare(conn, {})
            conn.deadline = None
            conn.autocommit = options.get("autocommit", False)
            stack.pop_all()
        return conn

    def read(self, work: _Work[_Result]) -> _Result:
        """Return `work(connection)`, all of whose statements see one state of the index.

        Where a connection turns out dead (the database was restarted), the pool is drained, an
        embedded server that died is started, and `work` is called once more. Raises
        DatabaseUnreachableError where there is no database, where it is too busy to give a
        connection or to end a statement in time, where it lacks disk or memory, or where nothing
        comes back from it: all of it within 12 s, whatever it is waited for.
        """
        return self._twice(work, READING)

    def write(self, work: _Work[_Result]) -> _Result:
        """Return `work(connection)`, in a transaction that may write; else as `read` does it."""
        return self._twice(work, _WRITING)

    def _twice(self, work: _Work[_Result], begin: LiteralString) -> _Result:
        give_up = monotonic() + _READ
        try:
            return self._once(work, give_up, begin)
        except PoolTimeout:
            self._start_again(give_up)
            self._look(give_up)
        except LOST as error:
            if isinstance(error, _NOT_AGAIN) or monotonic() >= give_up:
                raise self._told(error) from error
            self._pool.drain()
            self._start_again(give_up)
        try:
            return self._once(work, give_up, begin)
        except PoolTimeout as error:
            self._look(give_up)  # it may have stopped only now
            raise _busy(error) from error
        except LOST as error:
            raise self._told(error) from error

    def _start_again(self, give_up: float) -> None:
        if self._revive:
            self._in_time(give_up, self._revive)

    def _look(self, give_up: float) -> None:
        """Connect, to raise with the reason that the pool's time-out hides, if there is one."""

        def connect(_: float) -> None:
            with self.connect():
                pass

        self._in_time(give_up, connect)

    def _in_time(self, give_up: float, work: Callable[[float], None]) -> None:
        """Call `work` with the seconds left and wait for it no longer; if none are, do nothing.

        On a thread of its own: names are looked up, all addresses of a host tried and a server
        started without regard to our time. Raises what `work` raises.
        """
        left = give_up - monotonic()
        if left <= 0:
            return
        thread = ThreadPoolExecutor(1)
        try:
            thread.submit(work, left).result(left)
        except TimeoutError as error:
            raise self._unreachable(TimeoutError("it answers nothing")) from error
        finally:
            thread.shutdown(wait=False)

    def _once(
        self, work: _Work[_Result], give_up: float, begin: LiteralString, wait: float | None = None
    ) -> _Result:
        wait = min(_WAIT if wait is None else wait, give_up - monotonic())
        with self._pool.connection(wait) as conn:
            conn.deadline = give_up
            with conn.transaction():
                conn.execute(begin)
                if conn.prepare_threshold is None:  # as `_prepare` left it
                    configure(conn, _limits(), local=True)
                return work(conn)

    def _told(self, error: psycopg.Error) -> DatabaseUnreachableError:
        if isinstance(error, _TOO_SLOW):
            return _busy(error)
        return self._failed(error) if isinstance(error, _NOT_AGAIN) else self._unreachable(error)

    def _unreachable(self, error: Exception) -> DatabaseUnreachableError:
        return DatabaseUnreachableError(
            f"no database at {self._shown()!r}: {_reason(error)}; start it, or correct "
            "DATABASE_URL (without it, the embedded PostgreSQL is used)"
        )

    def _failed(self, error: Exception) -> DatabaseUnreachableError:
        scarce = (mend for kind, mend in _SCARCE.items() if isinstance(error, kind))
        return DatabaseUnreachableError(
            f"the database at {self._shown()!r} failed: {_reason(error)}; "
            f"{next(scarce, 'see that it runs')}, then try again"
        )

    def _shown(self) -> str:
        where = conninfo_to_dict(self._url)
        return make_conninfo("", **{k: v for k, v in where.items() if k != "password"})


def _busy(error: Exception) -> DatabaseUnreachableError:
    busy = DatabaseUnreachableError(f"the database is busy: {_reason(error)}; try again")
    busy.public = "the database is busy; try again"
    return busy


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _configure(conn: LimitedConnection) -> None:
    conn.deadline = monotonic() + _CONNECT  # it runs on one of the pool's few threads
    keep_alive(conn)
    _prepare(conn, _limits())


def _limits() -> dict[str, int]:
    return {
        "statement_timeout": _STATEMENT_MS,
        "lock_timeout": _LOCK_MS,
        "idle_in_transaction_session_timeout": _IDLE_MS,
    }


def _prepare(conn: Connection, limits: Mapping[str, int]) -> None:
    """Set what a connection needs; behind a pooler nothing may be left in a session of the server.

    There each transaction may have another session, so `read` sets it in each, and no statement is
    prepared.
    """
    if not is_pooled(conn):
        configure(conn, limits)
        return
    conn.prepare_threshold = None
    with conn.transaction():
        configure(conn, limits, local=True)
