"""Connections that notice a dead network: within seconds here, within half a minute on the server.

TCP alone notices after two hours, and a server that answers nothing is never noticed by a client
that waits for it. So a reader's connection has a deadline, and both ends ask one another for signs
of life: the server must let go of a vanished writer's lock.
"""

from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_Result = TypeVar("_Result")

_IDLE, _INTERVAL, _COUNT = 10, 5, 3  # seconds of silence, seconds between probes, lost probes
_UNACKNOWLEDGED_MS = 25_000  # of sent data; as long as the probes take
_INTERRUPTIBLE = 0.1  # seconds: how often psycopg looks for Ctrl-C

_CLIENT = {
    "keepalives_idle": _IDLE,
    "keepalives_interval": _INTERVAL,
    "keepalives_count": _COUNT,
    "tcp_user_timeout": _UNACKNOWLEDGED_MS,
}
_SERVER = {
    "tcp_keepalives_idle": _IDLE,
    "tcp_keepalives_interval": _INTERVAL,
    "tcp_keepalives_count": _COUNT,
    "tcp_user_timeout": _UNACKNOWLEDGED_MS,
}


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that waits for the server until `deadline`, and then is closed.

    The wait that meets the deadline raises psycopg.OperationalError. The server's own
    `statement_timeout` ends long statements earlier; this is for a server that says nothing.
    """

    deadline: float | None = None  # time.monotonic(); None: waits for ever

    def wait(
        self, gen: PQGen[_Result], interval: float = _INTERRUPTIBLE, timeout: float | None = None
    ) -> _Result:
        """Run one exchange with the server; all that blocks on a connection comes through here."""
        if self.deadline is None:
            return super().wait(gen, interval, timeout)
        left = max(0.0, self.deadline - monotonic())
        try:
            return super().wait(gen, interval, left if timeout is None else min(left, timeout))
        except psycopg.OperationalError as error:
            if monotonic() < self.deadline:
                raise
            self.pgconn.finish()  # half of a reply may be underway, so it is of no use
            raise psycopg.OperationalError("it answers nothing") from error


def with_keepalives(url: str) -> str:
    """Return `url` with the client's keepalives; those that it sets itself stay."""
    return make_conninfo("", **{**_CLIENT, **conninfo_to_dict(url)})


def keep_alive(conn: psycopg.Connection[Any]) -> None:
    """Let the server notice within 25 s that this client has gone; `conn` is in no transaction.

    Over a Unix socket there is nothing to set: the kernel tells.
    """
    conn.execute(
        "SELECT set_config(s.name, s.value, false) "
        "FROM unnest(%s::text[], %s::text[]) AS s(name, value)",
        [list(_SERVER), [str(value) for value in _SERVER.values()]],
    )
