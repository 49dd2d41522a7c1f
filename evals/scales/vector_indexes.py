"""What other indexes of the same vectors would cost and find: each is built, asked and dropped."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from pgvector import Vector
from psycopg import sql

from retrieval.index.store import Connection
from retrieval.models import Vectors

_DEPTH = 10  # entries
_EXACT = """
    SELECT chunk_id, ordinal FROM entry WHERE generation_id = {generation}
    ORDER BY embedding <=> %(vector)s::vector LIMIT %(depth)s
"""
_CREATE = """
    CREATE INDEX entry_scale ON entry USING hnsw ({indexed}) WITH (m = 16, ef_construction = 128)
    WHERE generation_id = {generation}
"""
_HALF = "(embedding::halfvec({dimension})) halfvec_cosine_ops"
_HALF_QUERY = """
    SELECT chunk_id, ordinal FROM entry WHERE generation_id = {generation}
    ORDER BY embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension}) LIMIT %(depth)s
"""
_BITS = "(binary_quantize(embedding::vector({dimension}))::bit({dimension})) bit_hamming_ops"
_BITS_QUERY = """
    SELECT chunk_id, ordinal FROM (
        SELECT chunk_id, ordinal, embedding FROM entry WHERE generation_id = {generation}
        ORDER BY binary_quantize(embedding::vector({dimension}))::bit({dimension})
            <~> binary_quantize(%(vector)s::vector({dimension}))::bit({dimension}) LIMIT 800
    ) AS near ORDER BY embedding <=> %(vector)s::vector LIMIT %(depth)s
"""


@dataclass(frozen=True, slots=True)
class Built:
    """One kind of index."""

    kind: str
    seconds: float  # to build it
    megabytes: float
    recall: float  # of the nearest 10 entries, against the scan
    milliseconds: float  # of one question, in the median


def compared(conn: Connection, generation_id: int, asked: Sequence[Vectors]) -> list[Built]:
    """Build each kind of index in turn and ask it; none is left behind. In no transaction."""
    size = {"generation": sql.Literal(generation_id), "dimension": sql.Literal(len(asked[0]))}
    exact, milliseconds = _answers(conn, sql.SQL(_EXACT).format(**size), asked)
    half = sql.SQL(_CREATE).format(indexed=sql.SQL(_HALF).format(**size), **size)
    bits = sql.SQL(_CREATE).format(indexed=sql.SQL(_BITS).format(**size), **size)
    return [
        Built("none: a scan", 0.0, 0.0, 1.0, milliseconds),
        _built(conn, "halfvec", half, sql.SQL(_HALF_QUERY).format(**size), asked, exact),
        _built(
            conn, "bit, 800 read again", bits, sql.SQL(_BITS_QUERY).format(**size), asked, exact
        ),
    ]


def _built(
    conn: Connection, kind: str, create: sql.Composed, query: sql.Composed,
    asked: Sequence[Vectors], exact: Sequence[set[tuple[int, int]]],
) -> Built:  # fmt: skip
    conn.execute("SET maintenance_work_mem = '4GB'")
    conn.execute("SET max_parallel_maintenance_workers = 0")  # as hnsw.py builds
    started = perf_counter()
    try:
        conn.execute(create)
        seconds = perf_counter() - started
        row = conn.execute("SELECT pg_relation_size('entry_scale')").fetchone()
        assert row is not None  # a function gives a row
        answers, milliseconds = _answers(conn, query, asked)
    finally:
        conn.execute("DROP INDEX IF EXISTS entry_scale")
    shares = [len(one & other) / _DEPTH for one, other in zip(answers, exact, strict=True)]
    return Built(kind, seconds, row[0] / 1e6, float(np.mean(shares)), milliseconds)


def _answers(
    conn: Connection, query: sql.Composed, asked: Sequence[Vectors]
) -> tuple[list[set[tuple[int, int]]], float]:
    """The nearest entries of each question, and the milliseconds of one in the median."""
    found, took = [], []
    with conn.transaction():
        conn.execute("SET LOCAL statement_timeout = 0")
        conn.execute("SET LOCAL hnsw.ef_search = 1000")
        for vector in asked:
            values = {"vector": Vector(vector).to_text(), "depth": _DEPTH}
            started = perf_counter()
            rows = conn.execute(query, values, prepare=False).fetchall()
            took.append(1000 * (perf_counter() - started))
            found.append({(chunk, ordinal) for chunk, ordinal in rows})
    return found, float(np.median(took))
