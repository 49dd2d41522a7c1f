"""A streaming replica of an embedded server, made by pg_basebackup, that can be held up."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from retrieval.database import cluster_copy
from retrieval.database.embedded.postgres import serve
from tests.support.index.embedded import home

_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Standby:
    """A server that replays what `primary` writes; `data_dir` is its own."""

    url: str
    primary: str
    data_dir: Path

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Apply nothing meanwhile; afterwards everything that was written until then."""
        with psycopg.connect(self.url, autocommit=True) as conn:
            conn.execute("SELECT pg_wal_replay_pause()")
            _until(conn, "SELECT pg_get_wal_replay_pause_state() = 'paused'")
            try:
                yield
            finally:
                conn.execute("SELECT pg_wal_replay_resume()")
        self.catch_up()

    def catch_up(self) -> None:
        """Wait until it has applied what is written now."""
        with psycopg.connect(self.primary) as conn:
            row = conn.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
        assert row is not None
        with psycopg.connect(self.url, autocommit=True) as conn:
            _until(conn, f"SELECT pg_last_wal_replay_lsn() >= '{row[0]}'::pg_lsn")


@contextmanager
def standby(primary: str, data_dir: Path, replica_dir: Path) -> Iterator[Standby]:
    """Yield a running replica, in the new `replica_dir`, of the running server of `data_dir`."""
    cluster_copy.write(primary, data_dir, replica_dir)
    cluster = home(replica_dir) / "cluster"
    where = make_conninfo("", **conninfo_to_dict(primary)).replace("'", "''")
    with (cluster / "postgresql.auto.conf").open("a") as configuration:
        configuration.write(f"primary_conninfo = '{where}'\n")
    (cluster / "standby.signal").touch()
    with serve(replica_dir) as url:
        yield Standby(url, primary, replica_dir)


def _until(conn: psycopg.Connection, query: str) -> None:
    give_up = time.monotonic() + _SECONDS
    while conn.execute(query).fetchone() != (True,):
        assert time.monotonic() < give_up, query
        time.sleep(0.005)
