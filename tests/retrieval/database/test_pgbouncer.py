"""Readers behind a real PgBouncer that gives every transaction another session."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from evals.answers.running_apis import free_port
from retrieval.context import SearchContext
from retrieval.database.embedded.place import Account
from retrieval.database.pool import Store
from retrieval.index.store import Connection
from retrieval.search import search
from retrieval.settings import Settings
from tests.retrieval.database.test_sessions import WANTED, shown
from tests.support.index.embedded import open_folder
from tests.support.index.index_state import same_models

SESSIONS = 2  # of the server, for the eight connections of a pool
_START_SECONDS = 30.0


@pytest.fixture
def pooled(search_context: SearchContext) -> Iterator[str]:
    """The URL by which PgBouncer, in transaction mode, leads to the database of the small vault."""
    bouncer = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if bouncer is None:
        pytest.skip("no pgbouncer (Debian: apt-get install pgbouncer): no pooler is tried")
    assert search_context.settings.database_url is not None
    parts = conninfo_to_dict(search_context.settings.database_url.get_secret_value())
    where = " ".join(f"{name}='{value}'" for name, value in parts.items())
    owner = Path(str(parts["host"])).stat()  # the socket is its alone, and root may not run it
    port = free_port()
    with open_folder() as folder:
        file = folder / "pgbouncer.ini"
        file.write_text(
            f"[databases]\nrules = {where}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n"
            f"default_pool_size = {SESSIONS}\n"
        )
        shutil.chown(file, owner.st_uid, owner.st_gid)
        file.chmod(0o600)
        process = subprocess.Popen(
            [bouncer, str(file)],
            stderr=subprocess.DEVNULL,
            **Account(owner.st_uid, owner.st_gid).options(),
        )
        try:
            url = make_conninfo(host="127.0.0.1", port=port, dbname="rules", user="anybody")
            _wait(url, process)
            yield url
        finally:
            process.terminate()
            process.wait()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + _START_SECONDS
    while True:
        assert process.poll() is None, f"PgBouncer ended with {process.returncode}"
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            assert time.monotonic() < give_up
            time.sleep(0.02)


@pytest.mark.proves("row 10")
def test_every_read_has_its_settings_and_no_session_keeps_them(pooled: str) -> None:
    def look(conn: Connection) -> tuple[dict[str, str], object]:
        for number in range(8):  # the driver would prepare the sixth
            assert conn.execute("SELECT %s::integer", [number]).fetchone() == (number,)
        return shown(conn), conn.execute("SELECT pg_backend_pid()").fetchone()

    with closing(Store(pooled)) as store:
        store.open()
        with ThreadPoolExecutor(8) as threads:
            seen = list(threads.map(lambda _: store.read(look), range(64)))
    assert [settings for settings, _ in seen] == [WANTED] * 64
    assert 1 <= len({session for _, session in seen}) <= SESSIONS
    with psycopg.connect(pooled, autocommit=True) as conn:
        assert conn.execute("SHOW statement_timeout").fetchone() == ("0",)


@pytest.mark.proves("row 10")
def test_searches_find_what_they_find_without_it(
    pooled: str, search_context: SearchContext, vault: Path
) -> None:
    question = "How long does a torch burn?"
    direct = search(search_context, question)
    settings = Settings.model_validate({"database_url": pooled, "vault": vault})
    with same_models(search_context, settings) as context, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: search(context, question), range(32)))
        assert [[(h.chunk.id, h.score) for h in one.hits] for one in found] == [
            [(h.chunk.id, h.score) for h in direct.hits]
        ] * 32
