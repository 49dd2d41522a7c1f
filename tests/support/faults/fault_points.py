"""Where the crash tests make an ingest fail: in front of its statements and commits, and wherever
`crash_child` wraps what it reads, parses and embeds.
"""

import os
import signal
import socket
import stat
import sys
from pathlib import Path

EXIT_STATUS = 86  # of `exit`; no program of ours ends with it
_kind, _left = "", 0  # points until it happens


class FaultError(Exception):
    """What `raise` raises: an error that no code expects."""


def arm(fault: str) -> None:
    """Let the n-th point from now fail: "raise:3", "exit:3", "kill:3", "interrupt:3", "drop:3"."""
    global _kind, _left
    _kind, _, number = fault.partition(":")
    _left = int(number or 0)


def point(name: str) -> None:
    """Mark a place between two effects of an ingest, or make the fault happen here."""
    global _left
    _left -= 1
    if _left > 0:
        print(f"passed: {name}", file=sys.stderr, flush=True)
    if _left != 0:
        return
    print(f"fault point: {_kind} at {name}", file=sys.stderr, flush=True)
    match _kind:
        case "raise":
            raise FaultError(name)
        case "exit":
            os._exit(EXIT_STATUS)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "interrupt":
            os.kill(os.getpid(), signal.SIGINT)
        case "drop":
            _drop_connections()
        case _:
            raise ValueError(f"no kind of fault: {_kind!r}")


def _drop_connections() -> None:
    """Shut down the sockets of this process that lead to a named peer, which is the database."""
    for path in Path("/dev/fd").iterdir():
        descriptor = int(path.name)
        try:
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                continue
            with socket.socket(fileno=os.dup(descriptor)) as connection:
                if connection.getpeername():
                    connection.shutdown(socket.SHUT_RDWR)
        except OSError:  # closed since it was listed, or not connected
            continue
