"""Who uses and who stops the embedded server: real processes that are really killed."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from retrieval.database.embedded import server as postgres_server
from retrieval.database.embedded.postgres import serve
from retrieval.errors import DatabaseUnreachableError
from tests.support.index.embedded import (
    HAS_PROC,
    alive,
    answers,
    home,
    kill,
    leave,
    owner_of,
    said,
    server,
    servers,
    until,
)


@pytest.mark.proves("row 25")
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
    assert not alive(pid)
    assert not list(home(fresh).glob("staging-*"))


@pytest.mark.proves("row 25")
def test_the_process_that_started_the_server_may_leave_first_and_reaps_it(data_dir: Path) -> None:
    with contextlib.ExitStack() as second:
        with serve(data_dir):
            url = second.enter_context(serve(data_dir))
            pid = server(data_dir)
        assert answers(url)
    assert not alive(pid)
    until = time.monotonic() + 60  # the thread that waits for it is another one
    while Path(f"/proc/{pid}").exists():  # not a zombie of ours either
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.proves("row 25")
def test_a_killed_owner_does_not_keep_the_server_running(
    data_dir: Path, use: Callable[[Path], subprocess.Popen[str]]
) -> None:
    owner = use(data_dir)
    said(owner)
    with serve(data_dir) as url:
        kill(owner)
        assert answers(url)
    assert not answers(url)


@pytest.mark.proves("row 25")
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
    assert not alive(pid)


@pytest.mark.proves("row 25")
def test_a_killed_server_recovers_within_seconds_with_all_data(
    data_dir: Path, use: Callable[[Path], subprocess.Popen[str]]
) -> None:
    with serve(data_dir):
        pass
    started = time.monotonic()
    with serve(data_dir):
        usual = time.monotonic() - started  # on this machine, with what else it does
    owner = use(data_dir)
    with psycopg.connect(said(owner)) as connection:
        connection.execute("CREATE TABLE n AS SELECT generate_series(1, 1000)")
    os.kill(server(data_dir), signal.SIGKILL)
    kill(owner)
    started = time.monotonic()
    with serve(data_dir) as url, psycopg.connect(url) as connection:
        taken = time.monotonic() - started
        assert taken < 3 + 10 * usual  # measured: 2.7 and 0.16 s; no time-out is waited for
        assert connection.execute("SELECT count(*) FROM n").fetchone() == (1000,)


@pytest.mark.proves("row 25")
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


@pytest.mark.proves("row 25")
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


@pytest.mark.proves("row 25")
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
