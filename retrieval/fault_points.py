"""Named places where the crash tests make an ingest fail; nothing happens at them otherwise.

The environment variable RULES_FAULT, which those tests alone set, says at which fault point what
happens: `raise:3`, `exit:3`, `kill:3`, `interrupt:3`, `drop:3`; `list:0` writes down all points
instead. It is read once, when this module is imported.
"""

import os
import signal
import socket
import stat
import sys
from pathlib import Path

_kind, _, _number = os.environ.get("RULES_FAULT", "").partition(":")
_left = int(_number or 0)  # points until it happens
EXIT_STATUS = 86  # of `exit`; no program of ours ends with it


class FaultError(Exception):
    """What `raise` raises: an error that no code expects."""


def point(name: str) -> None:
    """Mark a place between two effects of an ingest; costs one look at a global."""
    if _kind:
        _reach(name)


def _reach(name: str) -> None:
    global _left
    _left -= 1
    if _kind == "list" or _left == 0:
        print(f"fault point: {_kind} at {name}", file=sys.stderr, flush=True)
    if _left == 0:
        _fail(name)


def _fail(name: str) -> None:
    """Make the fault happen. Raises ValueError for a kind that there is not."""
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
            raise ValueError(f"RULES_FAULT names no kind of fault: {_kind!r}")


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
