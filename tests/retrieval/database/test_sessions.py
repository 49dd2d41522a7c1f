"""What every connection has set: read back, and refused where the operator set it wrong."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingest.__main__ import main
from retrieval.context import open_context
from retrieval.database.pool import Store
from retrieval.database.sessions import configure
from retrieval.errors import ConfigurationError, DatabaseUnreachableError
from retrieval.index import migrate
from retrieval.index.store import Connection
from retrieval.settings import Settings
from tests.conftest import new_database
from tests.support.source.promises_table import Runs

WANTED = {
    "hnsw.iterative_scan": "strict_order",
    "hnsw.ef_search": "1000",
    "hnsw.max_scan_tuples": "100000",
    "statement_timeout": "10s",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "15s",
}
WRONG = [
    ("hnsw.iterative_scan", "bogus"),
    ("hnsw.iterative_scan", "off"),
    ("hnsw.iterative_scan", "relaxed_order"),
    ("hnsw.ef_search", "40"),
    ("hnsw.ef_search", "many"),
    ("hnsw.max_scan_tuples", "100"),
]


@pytest.fixture(scope="module", params=["no extension yet", "with pgvector"])
def database_of_either_kind(request: pytest.FixtureRequest, server: str) -> Iterator[str]:
    """A database before and after the first ingest."""
    with new_database(server) as url:
        if request.param == "with pgvector":
            with Store(url).connect(autocommit=True) as conn:
                migrate.install(conn)
        yield url


def shown(conn: Connection) -> dict[str, str]:
    """The connection's settings as the server shows them, after pgvector was used."""
    conn.execute("SELECT '[1]'::vector")
    return {name: show(conn, name) for name in WANTED}


def show(conn: Connection, name: str) -> str:
    row = conn.execute("SELECT current_setting(%s)", [name]).fetchone()
    assert row
    return str(row[0])


def with_option(url: str, name: str, value: str) -> str:
    return make_conninfo(url, options=f"-c {name}={value}")


@pytest.mark.proves("row 20", "row 24")
def test_every_connection_of_the_pool_has_its_settings(database: str, runs: Runs) -> None:
    with Store(database).connect(autocommit=True) as conn:
        migrate.install(conn)
    together = threading.Barrier(8, timeout=20)
    seen: list[tuple[int, dict[str, str]]] = []

    def look(conn: Connection) -> None:
        together.wait()  # eight at once: each has a connection of its own
        seen.append((conn.info.backend_pid, shown(conn)))

    with closing(Store(database)) as store:
        store.open()
        threads = [threading.Thread(target=store.read, args=(look,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({pid for pid, _ in seen}) == 8
    assert all(settings == WANTED for _, settings in seen)
    runs(8)


@pytest.mark.proves("row 20")
def test_a_connection_older_than_the_extension_has_them_too(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.database.pool._POOL_SIZE", 1)
    with closing(Store(database)) as store:
        store.open()
        before = store.read(lambda conn: conn.info.backend_pid)
        with store.connect(autocommit=True) as conn:
            migrate.install(conn)
        assert store.read(lambda conn: (conn.info.backend_pid, shown(conn))) == (before, WANTED)


@pytest.mark.proves("row 20")
@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_setting_in_the_options_refuses_to_start(
    database_of_either_kind: str, name: str, value: str
) -> None:
    url = with_option(database_of_either_kind, name, value)
    settings = Settings.model_validate({"database_url": url})
    with pytest.raises(ConfigurationError) as refused, open_context(settings):
        pass
    assert f"{name} = '{value}'" in str(refused.value)
    assert str(conninfo_to_dict(url).get("password")) not in str(refused.value)


@pytest.mark.proves("row 20")
def test_one_set_for_the_whole_database_is_refused_by_the_program(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    name = sql.Identifier(str(conninfo_to_dict(database)["dbname"]))
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute(sql.SQL("ALTER DATABASE {} SET hnsw.iterative_scan = 'bogus'").format(name))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", database)
    assert main(["."]) == 2
    assert "hnsw.iterative_scan = 'bogus'" in capsys.readouterr().err


def test_a_setting_that_is_good_enough_stays(database_of_either_kind: str) -> None:
    url = with_option(database_of_either_kind, "hnsw.ef_search", "800")
    with Store(url).connect(autocommit=True) as conn:
        assert show(conn, "hnsw.ef_search") == "800"
        assert show(conn, "hnsw.iterative_scan") == "strict_order"


@pytest.mark.proves("row 20")
def test_a_value_that_reads_back_otherwise_is_an_error(database: str) -> None:
    with (
        psycopg.connect(database, autocommit=True) as conn,
        pytest.raises(ConfigurationError, match=r"row_security was set to 1 .* back as 'on'"),
    ):
        configure(conn, {"row_security": 1})


def test_a_database_that_is_down_is_no_error_of_open(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.database.pool._WAIT", 0.2)
    with closing(Store(make_conninfo(database, host="/nowhere"))) as store:
        store.open()
        with pytest.raises(DatabaseUnreachableError):
            store.read(shown)


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Hold a lock against all readers of `entry`."""
    with psycopg.connect(url) as conn:
        conn.execute("LOCK TABLE entry IN ACCESS EXCLUSIVE MODE")
        yield
        conn.rollback()


@pytest.mark.proves("row 24")
def test_a_reader_does_not_wait_for_a_lock_without_end(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.database.pool._LOCK_MS", 300)
    calls = []

    def count(conn: Connection) -> int:
        calls.append(conn)
        return len(conn.execute("SELECT 1 FROM entry").fetchall())

    with closing(Store(database)) as store:
        store.open()
        with store.connect(autocommit=True) as conn:
            migrate.install(conn)
        with locked(database):
            started = time.monotonic()
            with pytest.raises(DatabaseUnreachableError, match=r"busy: .*lock.*; try again"):
                store.read(count)
            assert time.monotonic() - started < 3
        assert len(calls) == 1  # what waits in vain is not repeated
        assert store.read(count) == 0


@pytest.mark.proves("row 24")
def test_a_reader_that_was_halted_in_the_middle_is_repeated(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.database.pool._IDLE_MS", 200)
    calls = []

    def slow_at_first(conn: Connection) -> int:
        calls.append(conn.info.backend_pid)
        if len(calls) == 1:
            time.sleep(1)  # the server ends the connection
        row = conn.execute("SELECT 7").fetchone()
        return int(row[0]) if row else 0

    with closing(Store(database)) as store:
        store.open()
        assert store.read(slow_at_first) == 7
    assert len(set(calls)) == 2
