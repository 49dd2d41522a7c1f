"""DATABASE_URL: a second server over TCP with a password, as Compose wires it."""

import logging
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.errors import DatabaseUnreachableError
from retrieval.index import migrate
from retrieval.index.store import Connection, live
from retrieval.search import search
from retrieval.settings import Settings
from tests.support.index.embedded import serve_over_tcp

QUESTION = "How long does a torch burn?"
PASSWORD = "canary-77c1"


@pytest.fixture(scope="module")
def tcp_url() -> Iterator[str]:
    """The URL of a server that listens at a port and asks for a password."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="rules-tcp-"))
    folder.chmod(0o711)  # where the tests run as root, the server runs as somebody else
    try:
        with serve_over_tcp(folder / "pg", port) as url:
            yield url
    finally:
        shutil.rmtree(folder)


def test_ingest_and_search_over_tcp(
    tcp_url: str, vault: Path, tmp_path: Path, open_rules: Callable[[Settings], SearchContext]
) -> None:
    unused = tmp_path / "unused"
    settings = Settings.model_validate(
        {"database_url": tcp_url, "vault": vault, "rag_data_dir": unused}
    )
    assert conninfo_to_dict(tcp_url)["host"] == "127.0.0.1"
    rules = open_rules(settings)
    report = pipeline.run(rules, vault)
    assert (report.files, report.rejected) == (3, ())
    assert report.embedded > 0
    found = search(rules, QUESTION)
    assert found.hits[0].chunk.path == "1. Light/Torches.md"
    assert pipeline.run(rules, vault).embedded == 0
    assert not unused.exists()  # no embedded server was made beside it


def wrong_password(url: str) -> str:
    return make_conninfo(url, password=PASSWORD)


def wrong_port(url: str) -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return make_conninfo(url, password=PASSWORD, port=free.getsockname()[1])


def wrong_database(url: str) -> str:
    return make_conninfo(url, dbname="nothing")


def wrong_host(url: str) -> str:
    return make_conninfo(url, password=PASSWORD, host="no-such-host.invalid")


@pytest.mark.proves("row 37")
@pytest.mark.parametrize("spoil", [wrong_password, wrong_port, wrong_database, wrong_host])
def test_a_database_that_lets_nobody_in_is_named_without_its_password(
    tcp_url: str, spoil: Callable[[str], str]
) -> None:
    url = spoil(tcp_url)
    with pytest.raises(DatabaseUnreachableError) as refused, Store(url).connect():
        pass
    check(refused.value, url)


def test_a_reader_is_told_as_much_and_nothing_more_is_logged(
    tcp_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    url = wrong_password(tcp_url)
    with caplog.at_level(logging.DEBUG), closing(Store(url)) as store:
        store.open()
        with pytest.raises(DatabaseUnreachableError) as refused:
            store.read(live)
    check(refused.value, url)
    assert PASSWORD not in caplog.text


@pytest.mark.proves("row 24")
def test_a_statement_that_takes_too_long_is_not_repeated(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.database.pool._STATEMENT_MS", 100)
    monkeypatch.setattr("retrieval.database.pool._POOL_SIZE", 1)
    calls = []

    def slow(conn: Connection) -> None:
        calls.append(conn)
        conn.execute("SELECT pg_sleep(5)")

    with closing(Store(database)) as store:
        store.open()
        with pytest.raises(DatabaseUnreachableError, match=r"busy: .*timeout; try again"):
            store.read(slow)
        assert store.read(lambda conn: conn in calls)  # the pool still has it
    assert len(calls) == 1


@pytest.mark.proves("row 23", "promise 8")
def test_a_pool_that_has_no_connection_is_busy(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.database.pool._WAIT", 0.2)
    monkeypatch.setattr("retrieval.database.pool._POOL_SIZE", 1)
    with closing(Store(database)) as store:
        store.open()
        with pytest.raises(DatabaseUnreachableError, match=r"busy: .*; try again"):
            store.read(lambda _: store.read(live))


def test_a_server_that_ends_a_writers_connection_is_named(database: str) -> None:
    with (
        pytest.raises(DatabaseUnreachableError, match=r"database at .* failed: "),
        Store(database).connect(autocommit=True) as conn,
        conn.transaction(),
    ):
        conn.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_an_index_that_may_not_be_installed_says_what_to_do(database: str) -> None:
    with Store(database).connect() as conn:
        conn.execute("CREATE ROLE nobody_much")
        conn.execute("SET ROLE nobody_much")
        with pytest.raises(DatabaseUnreachableError, match="grant CREATE on the schema"):
            migrate.install(conn)
        conn.rollback()


def test_an_old_pgvector_is_refused(database: str) -> None:
    with Store(database).connect(autocommit=True) as conn:
        migrate.install(conn)
        conn.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
        with pytest.raises(DatabaseUnreachableError, match=r"pgvector 0\.7\.4.*ALTER EXTENSION"):
            migrate.install(conn)


def test_a_second_install_waits_for_no_ingest(database: str) -> None:
    with Store(database).connect(autocommit=True) as conn, conn.cursor() as cur:
        migrate.install(conn)
        with Store(database).connect() as running:
            running.execute("LOCK TABLE generation, file, chunk, entry IN ROW EXCLUSIVE MODE")
            cur.execute("SET lock_timeout = 100")
            migrate.install(conn)


def check(error: Exception, url: str) -> None:
    """The error says where and what to do; no part of it holds the password."""
    where = conninfo_to_dict(url)
    assert "DATABASE_URL" in str(error)
    assert str(where["host"]) in str(error)
    everything = f"{error} {error!r} {error.__cause__} {error.__context__}"
    assert str(where["password"]) not in everything


def test_the_server_wants_the_password(tcp_url: str) -> None:
    without = {key: value for key, value in conninfo_to_dict(tcp_url).items() if key != "password"}
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(make_conninfo("", **without), connect_timeout=3)
