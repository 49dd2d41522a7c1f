"""One process of the embedded PostgreSQL: start it, find it again, stop it.

The callers hold start.lock, so that nobody else starts or stops it meanwhile.
"""

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from retrieval.database.embedded.files import open_log, socket_directory
from retrieval.database.embedded.place import ENVIRONMENT, ClusterPlace

_SETTINGS = {  # for a small index on one machine
    "fsync": "on",
    "jit": "off",  # compiling costs more than our queries
    "listen_addresses": "",  # no TCP
    "log_timezone": "UTC",
    "max_connections": "50",
    "port": "5432",  # without TCP only the name of the socket
    "timezone": "UTC",
    "unix_socket_permissions": "0700",
}
_LEAST_MB, _MOST_MB = 128, 4_096  # of pages in its memory; a million vectors' index has 1,200
_SHARE = 4  # of the memory that there is, one in so many
_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")
_PROCESSES = Path("/proc")
_STOP_SECONDS = 30.0  # for each of two signals

Child = subprocess.Popen[bytes] | None  # the server, if this process started it


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A running server."""

    pid: int
    port: int  # names the socket too


def launch(place: ClusterPlace) -> subprocess.Popen[bytes]:
    """Start a server, none being there, and return it; it does not answer yet."""
    settings = {"shared_buffers": f"{buffers()}MB"} | _SETTINGS
    settings["unix_socket_directories"] = str(socket_directory(place))
    command = [str(place.binaries / "postgres"), "-D", str(place.cluster)]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    # Left by a killed server. PostgreSQL would take its number, by now perhaps of another process
    # or a zombie, for a server. Shared memory still keeps two servers off one cluster.
    (place.cluster / "postmaster.pid").unlink(missing_ok=True)
    with open_log(place) as log:
        child = subprocess.Popen(
            command,
            cwd="/",
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for us: we stop it when we have finished
            **place.account.options(),
        )
    # Whoever stops it and whenever: without a parent that waits it would stay as a zombie.
    threading.Thread(target=child.wait, name="postgres-reaper", daemon=True).start()
    return child


def buffers() -> int:
    """Return how many megabytes of pages a server may keep: a share of the memory we may use.

    Those of the index of vectors that a search of a large vault reads do not fit into PostgreSQL's
    128, and each would be copied from the system's memory again. Pages that are not read take none,
    but for the list of them: a sixtieth.
    """
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_MOST_MB, max(_LEAST_MB, min([total, *_limits()]) // _SHARE // 2**20))


def _limits() -> list[int]:
    """The limits, in bytes, of our control groups: of a container, of a unit of systemd."""
    found = []
    with suppress(OSError):  # macOS has none
        for line in _OWN_GROUP.read_text().splitlines():
            _, kind, path = line.split(":", 2)
            root, name = (_GROUPS, "memory.max")
            if kind == "memory":  # version 1
                root, name = (_GROUPS / "memory", "memory.limit_in_bytes")
            elif kind:
                continue
            group = root / path.lstrip("/")
            for folder in (group, *group.parents):
                with suppress(OSError, ValueError):  # "max": none; in a container ours is the root
                    found.append(int((folder / name).read_text()))
    return found


def find(place: ClusterPlace) -> Postmaster | None:
    """Return the server that postmaster.pid names, if it is one and it is ours."""
    try:
        lines = (place.cluster / "postmaster.pid").read_text().splitlines()
        pid, port = int(lines[0]), int(lines[3])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    return Postmaster(pid, port) if is_server(pid, place.cluster) else None


def stop(place: ClusterPlace, child: Child) -> None:
    """Shut the server down, if one runs; one that will not end is left for the next to adopt."""
    postmaster = find(place)
    if postmaster is None:
        return
    for number in (signal.SIGINT, signal.SIGQUIT):  # a fast shutdown; if that hangs, immediate
        with suppress(ProcessLookupError):
            os.kill(postmaster.pid, number)
        if _ends(postmaster.pid, place.cluster):
            if child is not None:
                child.wait()
            return


def is_server(pid: int, cluster: Path) -> bool:
    """Say whether process `pid` is PostgreSQL on `cluster`; a zombie has no command line."""
    program, _, arguments = _command_line(pid).partition(" -D ")
    return Path(program).name == "postgres" and arguments.startswith(f"{cluster} -c ")


def _ends(pid: int, cluster: Path) -> bool:
    stop_by = time.monotonic() + _STOP_SECONDS
    while (alive := is_server(pid, cluster)) and time.monotonic() < stop_by:
        time.sleep(0.01)
    return not alive


def _command_line(pid: int) -> str:
    if not _PROCESSES.exists():  # macOS; a slim image of Linux has no ps
        command = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    try:
        line = os.fsdecode((_PROCESSES / str(pid) / "cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return line.replace("\0", " ")
