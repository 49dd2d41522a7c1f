"""The approximate index of a large generation: made, used by readers, mended and dropped."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from psycopg import sql

from retrieval.database.pool import Store
from retrieval.index import generations, hnsw, migrate
from retrieval.index.generations import vacuum_if_worn
from retrieval.index.nearest import nearest
from retrieval.index.store import Connection
from retrieval.models import Vectors
from tests.support.made.vectors import grouped, load, spread


def small(conn: Connection) -> int:
    """A generation of 200 entries."""
    return load(conn, spread(np.eye(16, dtype=np.float32), 200, seed=5), grouped(200))


def file_of(conn: Connection, generation_id: int) -> int:
    """The number of the file that holds the index."""
    name = hnsw.index_name(generation_id)
    row = conn.execute("SELECT pg_relation_filenode(%s::regclass)", [name]).fetchone()
    assert row
    return int(row[0])


def test_the_index_is_there_above_the_limit_alone(conn: Connection) -> None:
    generation_id = small(conn)
    said: list[str] = []
    assert not hnsw.build_if_large(conn, generation_id, limit=200, say=said.append)
    assert (hnsw.exists(conn, generation_id), said) == (False, [])
    assert hnsw.build_if_large(conn, generation_id, limit=199, say=said.append)
    assert hnsw.exists(conn, generation_id)
    assert said == ["indexing 200 vectors", "indexed 200 vectors in 0 s"]
    built = file_of(conn, generation_id)
    assert hnsw.build_if_large(conn, generation_id, limit=199)
    assert file_of(conn, generation_id) == built  # not again
    assert not hnsw.build_if_large(conn, generation_id, limit=200)
    assert not hnsw.exists(conn, generation_id)


def test_each_generation_has_an_index_of_its_own_which_goes_with_it(conn: Connection) -> None:
    kept, gone = small(conn), small(conn)
    for generation_id in (kept, gone):
        assert hnsw.build_if_large(conn, generation_id, limit=0)
    built = file_of(conn, kept)
    generations.drop(conn, gone)
    hnsw.drop_unneeded(conn)
    assert not hnsw.exists(conn, gone)
    assert file_of(conn, kept) == built


def test_an_index_of_single_precision_is_used_no_longer_and_dropped(conn: Connection) -> None:
    generation_id = small(conn)
    name = f"entry_hnsw_{generation_id}"  # as up to version 1.0
    made = sql.SQL(
        "CREATE INDEX {} ON entry USING hnsw ((embedding::vector(16)) vector_cosine_ops) "
        "WHERE generation_id = {}"
    )
    conn.execute(made.format(sql.Identifier(name), sql.Literal(generation_id)))
    assert hnsw.usable(conn, generation_id) == 0
    hnsw.drop_unneeded(conn)
    assert conn.execute("SELECT to_regclass(%s)", [name]).fetchone() == (None,)


def test_an_index_that_broke_is_no_index_and_is_made_again(conn: Connection) -> None:
    generation_id = small(conn)
    assert hnsw.build_if_large(conn, generation_id, limit=0)
    conn.execute(  # as a REINDEX or DROP that was killed leaves it
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
        [hnsw.index_name(generation_id)],
    )
    assert not hnsw.usable(conn, generation_id)
    assert hnsw.build_if_large(conn, generation_id, limit=0)
    assert hnsw.usable(conn, generation_id)


@pytest.mark.proves("row 19")
def test_reindex_makes_it_anew_while_a_reader_reads(store: Store, conn: Connection) -> None:
    generation_id = small(conn)
    assert not hnsw.reindex(conn, generation_id)
    assert hnsw.build_if_large(conn, generation_id, limit=0)
    built = file_of(conn, generation_id)
    asked = np.eye(16, dtype=np.float32)[0]
    before = nearest(conn, generation_id, asked, 10)
    with searching(store, generation_id, asked) as counts:
        assert hnsw.reindex(conn, generation_id)
    assert file_of(conn, generation_id) != built
    assert set(counts) <= {10}
    assert nearest(conn, generation_id, asked, 10) == before


@contextmanager
def searching(store: Store, generation_id: int, asked: Vectors) -> Iterator[list[int]]:
    """Search all the time in another thread; yield how many chunks each search found."""
    done = threading.Event()
    counts: list[int] = []

    def search() -> None:
        while not done.is_set():
            found = store.read(lambda conn: nearest(conn, generation_id, asked, 10))
            counts.append(len(found))

    thread = threading.Thread(target=search)
    thread.start()
    try:
        yield counts
    finally:
        done.set()
        thread.join()


def test_an_old_pgvector_with_an_index_is_warned_of(conn: Connection) -> None:
    hnsw.drop_unneeded(conn)
    generation_id = small(conn)
    assert hnsw.build_if_large(conn, generation_id, limit=0)
    assert hnsw.warnings(conn) == []
    with conn.transaction(force_rollback=True):
        conn.execute("UPDATE pg_extension SET extversion = '0.8.3' WHERE extname = 'vector'")
        (line,) = hnsw.warnings(conn)
    assert "pgvector 0.8.3" in line
    assert "0.8.4 or newer" in line


@pytest.mark.proves("row 19")
def test_a_table_with_many_dead_rows_is_vacuumed(conn: Connection) -> None:
    migrate.install(conn)
    conn.execute(
        "TRUNCATE generation, file, chunk, posting, entry, word, corpus, chunk_bits"
    )  # of others
    generation_id = small(conn)
    for name in ("chunk", "posting", "entry", "word"):  # the server's own may come first
        conn.execute(sql.SQL("ALTER TABLE {} SET (autovacuum_enabled = false)").format(
            sql.Identifier(name)
        ))  # fmt: skip
    vacuum_if_worn(conn)
    assert vacuum_if_worn(conn) == ()
    before = dead_rows(conn)
    conn.execute("DELETE FROM chunk WHERE generation_id = %s", [generation_id])
    vacuumed = vacuum_if_worn(conn)
    assert "entry" in vacuumed
    assert dead_rows(conn) <= before


def dead_rows(conn: Connection) -> int:
    row = conn.execute(
        "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'entry'"
    ).fetchone()
    assert row
    return int(row[0])
