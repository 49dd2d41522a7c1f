"""A database whose disk is full: what was there is served, and the next ingest mends the rest."""

import dataclasses
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from api.main import create_app
from api.state import open_app_state
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.database.embedded.postgres import serve
from retrieval.database.pool import Store
from retrieval.errors import DatabaseUnreachableError
from retrieval.index.store import Connection
from retrieval.settings import Settings
from tests.conftest import RULES, write_vault
from tests.support.index.embedded import clean, home
from tests.support.index.index_state import content
from tests.support.servers.serving import serving
from tests.support.source.promises_table import Runs

MB = 1_000_000
DISK = 100 * MB  # an empty database takes 43
SEGMENT = 16 * 1024 * 1024  # bytes of the write-ahead log come in files of this size
QUESTION = {"question": "How long does a torch burn?"}
OLD, NEW = "burns for one hour", "burns for two hours"
TORCHES = "1. Light/Torches.md"


@pytest.fixture
def disk(parent: Path) -> Iterator[Path]:
    """A folder on a disk of its own, of 100 MB."""
    folder = parent / "disk"
    folder.mkdir()
    options = f"size={DISK},mode=755"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("a disk of 100 MB cannot be mounted without the right to mount")
    try:
        yield folder
        clean(folder / "data")
    finally:
        subprocess.run(["umount", folder], check=True)


def embedded(data_dir: Path, vault: Path) -> Settings:
    return Settings.model_validate({"rag_data_dir": data_dir, "vault": vault, "rag_threshold": -9})


def fill(disk: Path, *, leave: int) -> Path:
    """Write one file that leaves so many bytes of the disk."""
    status = os.statvfs(disk)
    ballast = disk / "ballast"
    ballast.write_bytes(b"\0" * (status.f_bavail * status.f_frsize - leave))
    return ballast


def use_up_the_log(context: SearchContext, data_dir: Path) -> None:
    """Write until the next 500 KB need a new file of the write-ahead log."""
    log = home(data_dir) / "cluster" / "pg_wal"
    with context.store.connect(autocommit=True) as conn:
        while True:
            at, used = conn.execute(
                "SELECT pg_walfile_name(p), (pg_walfile_name_offset(p)).file_offset "
                "FROM pg_current_wal_insert_lsn() AS p"
            ).fetchone() or ("", 0)
            left = SEGMENT - used - MB // 2
            if max(path.name for path in log.glob("0*")) == at and left < MB // 10:
                return
            words = "x" * max(left, MB // 2)
            conn.execute("SELECT pg_logical_emit_message(false, 'filler', %s)", [words])


def answered(client: httpx2.Client) -> str:
    """The rule that a user gets now."""
    reply = client.post("/ask", json=QUESTION)
    assert reply.status_code == 200, reply.text
    text: str = reply.json()["passages"][0]["text"]
    return text


def edit(vault: Path) -> None:
    """Change a rule, and add 400 KB that cannot be compressed, as a picture in its source is."""
    picture = random.Random(7).randbytes(20_000)
    pasted = "\n\n".join(f"## Map {n}\n\n{picture[n:].hex()}" for n in range(10))
    write_vault(
        vault,
        {TORCHES: RULES[TORCHES].replace(OLD, NEW), "Maps.md": f"# Maps\n\n{pasted}\n"},
    )


def refused(context: SearchContext, vault: Path) -> str:
    with pytest.raises(DatabaseUnreachableError) as raised:
        pipeline.run(context, vault)
    return str(raised.value)


@pytest.fixture
def fresh_store(database: str) -> Iterator[Store]:
    """An empty database on a disk with room."""
    store = Store(database)
    store.open()
    yield store
    store.close()


@pytest.mark.proves("row 14", "promise 1", "promise 2")
@pytest.mark.parametrize("full", ["tables", pytest.param("log", marks=pytest.mark.soak)])
def test_a_full_disk_is_named_and_what_was_there_is_served(
    disk: Path, made: Path, vault: Path, fresh_store: Store, full: str, runs: Runs
) -> None:
    data_dir = disk / "data"
    subprocess.run(["cp", "-a", made, data_dir], check=True)
    settings = embedded(data_dir, vault)
    with open_app_state(settings) as oracle, serving(settings, create_app(oracle)) as client:
        context = oracle.rules
        pipeline.run(context, vault)
        before = content(context)
        if full == "log":
            use_up_the_log(context, data_dir)
        ballast = fill(disk, leave=MB // 5 if full == "tables" else SEGMENT - MB)
        edit(vault)
        reason = refused(context, vault)
        assert "No space left on device" in reason
        assert "free space on the disk of the database, then try again" in reason
        if full == "tables":
            assert OLD in answered(client)
            assert content(context) == before
        ballast.unlink()
        with serve(data_dir):  # as every program does: it starts a server that gave up
            pipeline.run(context, vault)
        assert NEW in answered(client)
        fresh = dataclasses.replace(context, store=fresh_store)
        pipeline.run(fresh, vault)
        assert [row[:-1] for row in content(context)] == [row[:-1] for row in content(fresh)]
    runs(1)


@pytest.mark.proves("row 14")
@pytest.mark.parametrize(
    ("state", "mend"),
    [
        ("53100", "free space on the disk of the database"),
        ("53200", "give the database's server more memory, or end what else needs it"),
        ("58030", "mend the disk of the database (its server's log says more)"),
        ("57P03", "see that it runs"),
    ],
)
def test_what_the_database_lacks_is_told_with_what_to_do(
    fresh_store: Store, state: str, mend: str
) -> None:
    """The server itself raises the error, with this SQLSTATE."""
    calls = []

    def fail(conn: Connection) -> None:
        calls.append(conn)
        conn.execute(f"DO $$ BEGIN RAISE EXCEPTION 'oh' USING ERRCODE = '{state}'; END $$")

    with pytest.raises(DatabaseUnreachableError) as writing, fresh_store.connect() as conn:
        fail(conn)
    reasons = [str(writing.value)]
    del calls[:]
    with pytest.raises(DatabaseUnreachableError) as reading:
        fresh_store.read(fail)
    if state != "57P03":  # which a reader tries again
        reasons.append(str(reading.value))
        assert len(calls) == 1
    for reason in reasons:
        assert " failed: oh" in reason
        assert reason.endswith(f"; {mend}, then try again")
