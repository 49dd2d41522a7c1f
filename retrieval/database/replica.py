"""Reads of users from a replica of the database, unless it is away or behind what they have seen.

What they have seen is an index version: a count that rises with every change of the index.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import monotonic
from typing import TypeVar

import psycopg
from psycopg_pool import PoolTimeout

from retrieval.database.pool import LOST, READING, Store
from retrieval.errors import (
    ConfigurationError,
    DatabaseUnreachableError,
    IndexMismatchError,
    IndexMissingError,
)
from retrieval.index.store import Connection

_Result = TypeVar("_Result")
_Work = Callable[[Connection], _Result]
_log = logging.getLogger(__name__)

_WAIT = 0.5  # seconds for a connection: the primary is there instead
_READ = 3.0  # seconds for one read, for the same reason
_PAUSE = 5.0  # seconds between two looks for a replica that is away; one request's each
_WARNED = 60.0  # seconds between two lines of the log about it
# A replica ends what stands in the way of what it applies.
_CANCELLED = (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected)
# A reader may meet a database whose table lacks the column: it was not ingested into since.
_VERSION = """
    SELECT coalesce((to_jsonb(generation) ->> 'index_version')::bigint, 0)
    FROM generation WHERE state = 'live'
"""


@dataclass(slots=True)
class CallerView:
    """Of one request: what its caller has seen of the index before, and what it is shown."""

    # An index version: an older one is read nowhere, unless the primary has no newer.
    least: int = 0
    shown: int | None = None  # the one that was read last; None: none, or there is no replica
    primary: bool = False  # it is read from, once and then until the end of the request


CALLER: ContextVar[CallerView] = ContextVar("caller")


class _BehindError(Exception):
    """The replica has not applied yet what the caller has seen."""


class _ReplicaStore(Store):
    def once(self, work: _Work[_Result]) -> _Result:
        """Return `work(connection)`; what fails is for somebody else to try again."""
        return self._once(work, monotonic() + _READ, READING, _WAIT)

    def drain(self) -> None:
        """Connect anew: of a server that was restarted all connections are dead."""
        self._pool.drain()


class Replica:
    """A replica of the database of `primary`, which is read from where the replica cannot be."""

    def __init__(self, primary: Store, url: str) -> None:
        self._primary = primary
        self._replica = _ReplicaStore(url)
        self._lock = Lock()
        self._is_away = False
        self._look_at = self._warn_at = 0.0  # monotonic seconds

    @property
    def is_away(self) -> bool:
        """Whether it did not answer when it was last asked."""
        return self._is_away

    def open(self) -> None:
        """Begin to connect; one that does not answer is left out until it does.

        Raises ConfigurationError where it answers and is no replica of the primary.
        """
        self._replica.open()
        with suppress(DatabaseUnreachableError), self._replica.connect(autocommit=True) as conn:
            ours, theirs = self._primary.read(_installed), _installed(conn)
            if None not in (ours, theirs) and ours != theirs:
                raise ConfigurationError(
                    "DATABASE_READ_URL is no replica of DATABASE_URL: its tables were made at "
                    f"{theirs} and not at {ours}; correct it, or leave it out"
                )

    def close(self) -> None:
        """Close all connections to the replica."""
        self._replica.close()

    def read(self, work: _Work[_Result]) -> _Result:
        """Return `work(connection)`, all of whose statements see one state of one server's index.

        A request that was once read from the primary stays there. Raises what `Store.read` raises
        of the primary.
        """
        caller = CALLER.get(CallerView())
        if not caller.primary and self._is_asked():
            # Also of this request: there may be several replicas behind one address.
            least = max(caller.least, caller.shown or 0)
            try:
                found = self._replica.once(partial(_noted, work, caller, least))
                self._let_in()
                return found
            except (_BehindError, IndexMissingError, IndexMismatchError):
                self._let_in()  # the primary may have what is missing
            except LOST as error:
                if not isinstance(error, _CANCELLED):
                    self._left_out(error)
        caller.primary = True
        return self._primary.read(partial(_noted, work, caller, 0))

    def _is_asked(self) -> bool:
        """Whether to try it: of an absent one, by one request at a time and not often."""
        with self._lock:
            if self._is_away and monotonic() < self._look_at:
                return False
            self._look_at = monotonic() + _PAUSE
            return True

    def _let_in(self) -> None:
        if self._is_away:
            self._is_away = False
            _log.info("the replica of DATABASE_READ_URL answers again")

    def _left_out(self, error: psycopg.Error) -> None:
        with self._lock:
            self._is_away, now = True, monotonic()
            self._look_at = now + _PAUSE
            is_told = now < self._warn_at
            self._warn_at = self._warn_at if is_told else now + _WARNED
        if not isinstance(error, PoolTimeout):
            self._replica.drain()
        if not is_told:
            reason = " ".join(str(error).split()) or type(error).__name__
            _log.warning("the replica of DATABASE_READ_URL is left out: %s", reason)


def _noted(work: _Work[_Result], caller: CallerView, least: int, conn: Connection) -> _Result:
    try:
        row = conn.execute(_VERSION).fetchone()
    except psycopg.errors.UndefinedTable:
        row = None
    if row is None:
        raise IndexMissingError("the database holds no rules; run: python -m ingest")
    if row[0] < least:
        raise _BehindError
    found = work(conn)
    caller.shown = row[0]
    return found


def _installed(conn: Connection) -> object:
    """When the tables were made; None where there are none."""
    if conn.execute("SELECT to_regclass('migration')").fetchone() == (None,):
        return None
    row = conn.execute("SELECT applied_at FROM migration WHERE number = 1").fetchone()
    return row and row[0]
