"""Embedded servers of their own, for tests that kill and break them: fixtures and questions.

A pytest plugin, so that the tests need not import the fixtures.
"""

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from retrieval.database.embedded import place
from retrieval.database.embedded import server as postgres_server
from retrieval.database.embedded.postgres import serve

ROOT = Path(__file__).parents[3]
IS_ROOT = os.geteuid() == 0
HAS_PROC = Path("/proc/self").exists()

# A process that uses the database of argv[1]: says its URL, and leaves when its input ends.
# A shell starts what it puts in the background with Ctrl-C ignored, so it is taken back here.
USE = """
import signal
import sys
from pathlib import Path
from retrieval.database.embedded.postgres import serve
signal.signal(signal.SIGINT, signal.default_int_handler)
with serve(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def serve_over_tcp(data_dir: Path, port: int) -> Iterator[str]:
    """As `serve` does, but the server listens at a port of this machine, and the URL is that."""
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(postgres_server._SETTINGS, "listen_addresses", "127.0.0.1")
            patch.setitem(postgres_server._SETTINGS, "port", str(port))
            url = stack.enter_context(serve(data_dir))
        yield make_conninfo(url, host="127.0.0.1")


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every account can pass through; pytest's tmp_path is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name).resolve()
        path.chmod(0o755)
        yield path


@pytest.fixture
def parent() -> Iterator[Path]:
    with open_folder() as path:
        yield path


@pytest.fixture
def fresh(parent: Path) -> Iterator[Path]:
    """A data directory that is not there yet."""
    path = parent / "data"
    yield path
    clean(path)


@pytest.fixture(scope="session")
def made() -> Iterator[Path]:
    with open_folder() as folder:
        with serve(folder / "data"):
            pass
        yield folder / "data"


@pytest.fixture
def data_dir(fresh: Path, made: Path) -> Path:
    """A data directory with a database; a copy, since initdb takes most of a test's time."""
    subprocess.run(["cp", "-a", made, fresh], check=True)
    return fresh


@pytest.fixture
def use() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Start processes that use a database; whatever is left of them is killed."""
    with contextlib.ExitStack() as stack:

        def start(data_dir: Path) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", USE, str(data_dir)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield start


def home(data_dir: Path) -> Path:
    record = data_dir / "location"
    return Path(record.read_text().strip()) if record.exists() else data_dir


def server(data_dir: Path) -> int:
    return int((home(data_dir) / "cluster" / "postmaster.pid").read_text().split()[0])


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    if not Path("/proc/self/cmdline").exists():
        return True
    try:
        # Of a zombie it is empty: init takes its time.
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):  # it ended between the two looks
        return False


def clean(data_dir: Path) -> None:
    """End a server that a failed test left, and remove the folder that root got elsewhere."""
    cluster = home(data_dir) / "cluster"
    with contextlib.suppress(FileNotFoundError, ValueError, IndexError):
        if postgres_server.is_server(pid := server(data_dir), cluster):
            os.kill(pid, signal.SIGQUIT)
    elsewhere = home(data_dir)
    ours = elsewhere.parent == place._SYSTEM and ".." not in elsewhere.parts
    if ours and (elsewhere / "data_dir").read_bytes() == os.fsencode(data_dir):
        shutil.rmtree(elsewhere)


def servers(data_dir: Path) -> list[int]:
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if postgres_server.is_server(pid, home(data_dir) / "cluster")]


def setting(connection: psycopg.Connection, name: str) -> str:
    row = connection.execute("SELECT current_setting(%s)", [name]).fetchone()
    assert row is not None
    return str(row[0])


def answers(url: str) -> bool:
    try:
        with psycopg.connect(url, connect_timeout=2) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def said(user: subprocess.Popen[str]) -> str:
    assert user.stdout is not None
    return user.stdout.readline().strip()


def leave(user: subprocess.Popen[str]) -> None:
    user.communicate(timeout=20)
    assert user.returncode == 0


def kill(user: subprocess.Popen[str]) -> None:
    user.kill()
    user.wait()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def modes(folder: Path) -> list[tuple[Path, int]]:
    return [(path, stat.S_IMODE(path.stat().st_mode)) for path in (folder, *folder.parents)]


def owner_of(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_uid, status.st_gid
