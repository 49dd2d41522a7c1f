"""How much the approximate index finds, now and after much change, and how fast.

Measured with vectors of real sentences and others scattered around them; random ones have no
neighbours. `make soak` measures at full size, on the sample vault: with `-s` the numbers of
docs/experiments.md.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from evals.labels import dataset
from evals.labels.options import RULES
from ingest.chunking import document
from ingest.read import vault
from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.encoder.bi_encoder import Embedder
from retrieval.index import hnsw
from retrieval.index.nearest import entries_query, nearest
from retrieval.index.store import Connection
from retrieval.models import Vectors
from retrieval.text.normalize import searchable
from tests.support.made.vectors import add, grouped, load, nearest_by_numpy, spread
from tests.support.source.promises_table import Runs

CHURN = 0.3  # of the chunks, each round
Held = tuple[Vectors, list[int]]  # the vectors of a generation's entries and their chunks


@contextmanager
def fresh(store: Store, *, forced: bool) -> Iterator[Connection]:
    """A new connection, `forced` to the index where the planner finds a few thousand too few."""
    with store.connect(autocommit=True) as conn:
        for way in ("seqscan", "bitmapscan", "sort") if forced else ():
            conn.execute("SELECT set_config(%s, 'off', false)", [f"enable_{way}"])
        yield conn


def recall(
    store: Store, generation_id: int, held: Held, asked: Vectors, limit: int, *, forced: bool
) -> float:
    """The share of the nearest chunks that are found, each question on a fresh connection.

    A cached plan would compare a search with itself.
    """
    found = 0
    for question in asked:
        ranked, _ = nearest_by_numpy(*held, question)
        with fresh(store, forced=forced) as conn:
            assert uses_index(conn, generation_id, question, 4 * limit)
            lines = {s.chunk.first_line for s in nearest(conn, generation_id, question, limit)}
        found += len(lines & set(ranked[:limit]))
    return found / (limit * len(asked))


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
    assert recall(store, generation_id, held, asked, 10, forced=True) >= 0.98
    held = churn(store, generation_id, held, sources, rounds=2)
    assert recall(store, generation_id, held, asked, 10, forced=True) >= 0.98
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


def vault_vectors(embedder: Embedder) -> Vectors:
    """The vectors of the sample vault's entries, as ingest makes them."""
    return embedder.embed([
        entry.text
        for file in vault.read(Path("vault")).files
        for item in document.index(file, entry_limit=254, count=embedder.tokens.count)
        for entry in item.entries
    ])  # fmt: skip


def asked_of_the_vault(embedder: Embedder) -> Vectors:
    """The vectors of the calibration questions."""
    questions = dataset.load(RULES)
    return embedder.embed([searchable(q.question) for q in questions if q.split == "calibration"])


@pytest.fixture(scope="module")
def large(store: Store, loaded: SearchContext) -> tuple[int, Held, Vectors]:
    """An indexed generation of the sample vault's entries and three more around each of them."""
    real = vault_vectors(loaded.embedder)
    vectors = np.concatenate([real, *(spread(real, len(real), seed) for seed in (1, 2, 3))])
    held = vectors, grouped(len(vectors))
    with store.connect(autocommit=True) as conn:
        generation_id = load(conn, *held)
        started = perf_counter()
        assert hnsw.build_if_large(conn, generation_id)
        seconds = perf_counter() - started
    print(f"\n{len(vectors):,} entries indexed in {seconds:.0f} s: {len(vectors) / seconds:.0f}/s")
    return generation_id, held, asked_of_the_vault(loaded.embedder)


@pytest.mark.soak
@pytest.mark.proves("row 19")
def test_recall_and_speed_at_full_size(
    store: Store, large: tuple[int, Held, Vectors], runs: Runs
) -> None:
    generation_id, held, asked = large
    at_10 = recall(store, generation_id, held, asked, 10, forced=False)
    at_50 = recall(store, generation_id, held, asked, 50, forced=False)
    print(f"recall@10 {at_10:.4f}, recall@50 {at_50:.4f}, {len(asked)} questions")
    exact, indexed = times(store, generation_id, asked)
    ratio = median(b / a for a, b in zip(exact, indexed, strict=True))
    print(f"p50 exact {median(exact):.1f} ms, indexed {median(indexed):.1f} ms, ratio {ratio:.2f}")
    assert at_10 >= 0.98
    assert at_50 >= 0.97
    assert ratio <= 0.5
    runs(2 * len(asked))


@pytest.mark.soak
@pytest.mark.proves("row 19")
def test_ten_rounds_of_change_at_full_size(
    store: Store, large: tuple[int, Held, Vectors], runs: Runs
) -> None:
    generation_id, held, asked = large
    held = churn(store, generation_id, held, held[0], rounds=10)
    with store.connect(autocommit=True) as conn:
        conn.execute("VACUUM (ANALYZE) entry")
        at_10 = recall(store, generation_id, held, asked, 10, forced=False)
        print(f"\nrecall@10 after 10 rounds {at_10:.4f}")
        assert reached(conn, generation_id, 384) == entries(conn, generation_id) == len(held[0])
    assert at_10 >= 0.98
    runs(10)


def times(store: Store, generation_id: int, asked: Vectors) -> tuple[list[float], list[float]]:
    """Milliseconds of each question's exact search and of the one through the index, in turns."""
    found: tuple[list[float], list[float]] = ([], [])
    with store.connect(autocommit=True) as exact, store.connect(autocommit=True) as indexed:
        exact.execute("SET hnsw.iterative_scan = off")  # then nearest() uses no index
        for number, question in enumerate(asked):
            turns = [(exact, found[0]), (indexed, found[1])]
            for conn, kept in turns if number % 2 else turns[::-1]:
                started = perf_counter()
                nearest(conn, generation_id, question, 50)
                kept.append(1000 * (perf_counter() - started))
    return found
