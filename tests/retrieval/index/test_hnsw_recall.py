"""How much the approximate index finds, now and after much change.

Measured with vectors of real sentences and others scattered around them; random ones have no
neighbours. `python -m evals.scale` measures at full size.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from retrieval.database.pool import Store
from retrieval.index import hnsw
from retrieval.index.nearest import entries_query, nearest
from retrieval.index.store import Connection
from retrieval.models import Vectors
from tests.support.made.vectors import add, grouped, load, nearest_by_numpy, spread
from tests.support.source.promises_table import Runs

CHURN = 0.3  # of the chunks, each round
Held = tuple[Vectors, list[int]]  # the vectors of a generation's entries and their chunks


@contextmanager
def fresh(store: Store) -> Iterator[Connection]:
    """A new connection, forced to the index: the planner finds a few thousand too few."""
    with store.connect(autocommit=True) as conn:
        for way in ("seqscan", "bitmapscan", "sort"):
            conn.execute("SELECT set_config(%s, 'off', false)", [f"enable_{way}"])
        yield conn


def recall(store: Store, generation_id: int, held: Held, asked: Vectors) -> float:
    """The share of the nearest ten chunks that are found, each question on a fresh connection.

    A cached plan would compare a search with itself.
    """
    found = 0
    for question in asked:
        ranked, _ = nearest_by_numpy(*held, question)
        with fresh(store) as conn:
            assert uses_index(conn, generation_id, question, 40)
            lines = {s.chunk.first_line for s in nearest(conn, generation_id, question, 10)}
        found += len(lines & set(ranked[:10]))
    return found / (10 * len(asked))


def uses_index(conn: Connection, generation_id: int, question: Vectors, entries: int) -> bool:
    """Whether the plan of a search has the index in it."""
    values = {"vector": "[" + ",".join(map(str, question)) + "]", "entries": entries}
    query = sql.SQL("EXPLAIN {}").format(entries_query(generation_id, len(question)))
    plan = "\n".join(row[0] for row in conn.execute(query, values))
    return f"Index Scan using {hnsw.index_name(generation_id)} on entry" in plan


def reached(conn: Connection, generation_id: int, dimension: int) -> int:
    """How many entries a scan of the index comes to, each once: equal ones may lie as far."""
    with conn.transaction(force_rollback=True):
        for name, value in (
            ("hnsw.iterative_scan", "relaxed_order"), ("hnsw.ef_search", "1000"),
            ("hnsw.max_scan_tuples", "2147483647"), ("hnsw.scan_mem_multiplier", "1000"),
            ("enable_seqscan", "off"), ("enable_bitmapscan", "off"), ("enable_sort", "off"),
        ):  # fmt: skip
            conn.execute("SELECT set_config(%s, %s, true)", [name, value])
        asked = np.ones(dimension, np.float32)
        assert uses_index(conn, generation_id, asked, 10**8)
        values = {"vector": str(asked.tolist()), "entries": 10**8, "generation": generation_id}
        found = conn.execute(entries_query(generation_id, dimension), values).fetchall()
        every = conn.execute(
            "SELECT chunk_id, embedding <=> %(vector)s::vector FROM entry "
            "WHERE generation_id = %(generation)s",
            values,
        ).fetchall()
    chunks, distances = zip(*sorted(found), strict=True)
    assert chunks == tuple(chunk for chunk, _ in sorted(every))
    exact = [distance for _, distance in sorted(every)]
    assert np.allclose(distances, exact, rtol=0, atol=0.001)  # the index holds halves
    return len(found)


def entries(conn: Connection, generation_id: int) -> int:
    row = conn.execute(
        "SELECT count(*) FROM entry WHERE generation_id = %s", [generation_id]
    ).fetchone()
    assert row
    return int(row[0])


@contextmanager
def vacuuming(store: Store) -> Iterator[None]:
    """VACUUM again and again in another thread."""
    done = threading.Event()

    def vacuum() -> None:
        with store.connect(autocommit=True) as conn:
            while not done.wait(0.05):
                conn.execute("VACUUM entry")

    thread = threading.Thread(target=vacuum)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def churn(store: Store, generation_id: int, held: Held, sources: Vectors, rounds: int) -> Held:
    """Delete 30 % of the chunks and insert as many, `rounds` times; return what is held then."""
    vectors, chunks = held[0], np.asarray(held[1])
    random = np.random.default_rng(7)
    with vacuuming(store), store.connect(autocommit=True) as conn:
        for number in range(1, rounds + 1):
            lines = np.unique(chunks)
            gone = random.choice(lines, int(CHURN * len(lines)), replace=False)
            stay = ~np.isin(chunks, gone)
            new = spread(sources[random.permutation(len(sources))], int((~stay).sum()), number)
            places = chunks.max() + 1 + np.asarray(grouped(len(new)))
            conn.execute(
                "DELETE FROM chunk WHERE generation_id = %s AND first_line = ANY(%s)",
                [generation_id, gone.tolist()],
            )
            add(conn, generation_id, new, places.tolist())
            vectors = np.concatenate([vectors[stay], new])
            chunks = np.concatenate([chunks[stay], places])
    return vectors, chunks.tolist()


@pytest.mark.proves("row 19")
def test_it_finds_what_is_near_and_still_does_after_much_change(
    store: Store, conn: Connection, sources: Vectors, runs: Runs
) -> None:
    held = spread(sources, 3_000, seed=4), grouped(3_000)
    generation_id = load(conn, *held)
    assert hnsw.build_if_large(conn, generation_id, limit=2_999)
    asked = spread(sources, 20, seed=99)
    assert recall(store, generation_id, held, asked) >= 0.98
    held = churn(store, generation_id, held, sources, rounds=2)
    assert recall(store, generation_id, held, asked) >= 0.98
    assert reached(conn, generation_id, 384) == entries(conn, generation_id) == len(held[0])
    runs(2)


def test_a_fresh_connection_plans_with_the_index(
    database_url: str, conn: Connection, sources: Vectors
) -> None:
    generation_id = load(conn, spread(sources, 3_000, seed=4), grouped(3_000))
    assert hnsw.build_if_large(conn, generation_id, limit=0)
    # With fewer candidates a scan is cheap enough for the planner at this size already.
    url = make_conninfo(database_url, options="-c hnsw.ef_search=100")
    with Store(url).connect(autocommit=True) as fresh:
        assert uses_index(fresh, generation_id, sources[0], 40)
