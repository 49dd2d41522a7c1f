"""Search within a scope equals a full scan that is filtered, exactly and through the index."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from psycopg import sql

from retrieval.context import SearchContext
from retrieval.index import generations, hnsw, store
from retrieval.index import nearest as module
from retrieval.index.nearest import nearest
from retrieval.index.store import Connection
from retrieval.models import Scope, Vectors
from retrieval.ranking import bm25
from tests.support.made.vectors import load, nearest_by_numpy, spread
from tests.support.source.promises_table import Runs

ENTRIES = 8_000
SHARES = [1, 0.5, 0.1, 0.01, 0.001]
CLOSE = 1e-5  # PostgreSQL and numpy add up in another order
Held = tuple[int, Vectors, list[int]]  # the generation, its vectors and the chunk of each


@pytest.fixture(scope="module")
def held(conn: Connection, sources: Vectors) -> Iterator[Held]:
    vectors, chunks = spread(sources, ENTRIES, seed=1), [n // 2 for n in range(ENTRIES)]
    load(conn, spread(sources, 1_000, seed=2), list(range(1_000)))  # another generation beside it
    generation_id = load(conn, vectors, chunks)
    hnsw.build_if_large(conn, generation_id, limit=0)
    yield generation_id, vectors, chunks
    generations.drop(conn, generation_id)


def array(rows: Iterable[int]) -> str:
    return "{" + ",".join(map(str, rows)) + "}"


def drawn(conn: Connection, held: Held, share: float, seed: int) -> tuple[Scope, set[int]]:
    """Some of the chunks, as a scope and by their lines."""
    rows = dict(
        conn.execute(
            "SELECT first_line, id FROM chunk WHERE generation_id = %s", [held[0]]
        ).fetchall()
    )
    count = max(1, round(share * len(rows)))
    lines = {int(n) for n in np.random.default_rng(seed).permutation(len(rows))[:count]}
    kept = [rows[line] for line in lines]
    wide = share if seed % 2 else 0.0  # 0: as one that is sent whatever its size
    return Scope(frozenset(), array(kept), 2 * count, frozenset(kept), wide), lines


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.proves("row 18")
def test_the_nearest_of_a_scope_are_those_of_a_filtered_full_scan(
    conn: Connection,
    held: Held,
    share: float,
    indexed: bool,
    sources: Vectors,
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generation_id, vectors, chunks = held
    monkeypatch.setattr(hnsw, "LIMIT", 0 if indexed else ENTRIES)
    right = wanted_in_all = 0
    for seed in range(9):
        scope, lines = drawn(conn, held, share, seed)
        limit, question = (1, 10, 50)[seed % 3], spread(sources, 40, seed=100 + seed)[4 * seed]
        ranked, scores = nearest_by_numpy(vectors, chunks, question)
        wanted = [line for line in ranked if line in lines][:limit]
        with conn.transaction(force_rollback=True):
            for way in ("seqscan", "bitmapscan", "sort") if indexed else ():
                conn.execute(sql.SQL("SET LOCAL {} = off").format(sql.Identifier(f"enable_{way}")))
            found = nearest(conn, generation_id, question, limit, scope)
        assert len(found) == len({one.row_id for one in found}) == len(wanted)
        assert all(one.chunk.first_line in lines for one in found)
        assert [-one.score for one in found] == sorted(-one.score for one in found)
        for one in found:
            assert one.score == pytest.approx(scores[one.chunk.first_line], abs=CLOSE)
        edge = scores[wanted[-1]] - CLOSE
        right += sum(bool(scores[one.chunk.first_line] >= edge) for one in found)
        wanted_in_all += len(wanted)
        runs(1)
    assert right / wanted_in_all >= (0.98 if indexed else 1)


def test_over_very_many_entries_more_rounds_are_asked_for(
    conn: Connection, held: Held, sources: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    generation_id, vectors, chunks = held
    monkeypatch.setattr(hnsw, "LIMIT", 0)
    asked: list[object] = []
    execute = type(conn).execute

    def noted(self: Connection, query: Any, params: Any = None, **options: Any) -> Any:
        if isinstance(params, dict) and "entries" in params:
            asked.append(params["entries"])
        return execute(self, query, params, **options)

    monkeypatch.setattr(type(conn), "execute", noted)
    question = spread(sources, 1, seed=5)[0]
    monkeypatch.setattr(module, "_LARGE", ENTRIES)
    with conn.transaction(force_rollback=True):
        few = nearest(conn, generation_id, question, 10)
    monkeypatch.setattr(module, "_LARGE", ENTRIES - 1)
    with conn.transaction(force_rollback=True):
        for way in ("seqscan", "bitmapscan", "sort"):
            conn.execute(sql.SQL("SET LOCAL {} = off").format(sql.Identifier(f"enable_{way}")))
        many = nearest(conn, generation_id, question, 10)
        after = conn.execute("SHOW hnsw.iterative_scan").fetchone()
    assert asked == [40, 2_500]
    assert after == ("strict_order",)
    ranked, _ = nearest_by_numpy(vectors, chunks, question)
    assert [one.chunk.first_line for one in many] == ranked[:10]
    assert len(few) == 10


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0], ids=["sent", "half", "all"])
@pytest.mark.parametrize("paths", [{"1. Light/Torches.md"}, {"2. Arms/Hazards.md"}, set()])
def test_full_text_of_a_scope_is_the_filtered_list_with_the_same_scores(
    indexed_rules: SearchContext, paths: set[str], share: float
) -> None:
    question = "What does a fall or a torch cost in rounds?"

    def lists(conn: Connection) -> tuple[list[store.ScoredChunk], ...]:
        number = store.live(conn).id
        found = conn.execute(
            "SELECT id FROM chunk WHERE generation_id = %s AND path = ANY(%s)",
            [number, list(paths)],
        ).fetchall()
        rows = [row for (row,) in found]
        scope = Scope(frozenset(paths), array(rows), 0, frozenset(rows), share)
        every = bm25.full_text(conn, number, question, 50)
        return every, bm25.full_text(conn, number, question, 50, scope)

    every, some = indexed_rules.store.read(lists)
    assert len({one.chunk.path for one in every}) > 1
    assert some == [one for one in every if one.chunk.path in paths]
