"""The vectors of a chunk's entries as one bit a number, for a scope of many chunks.

To read all vectors of a tenth of a large vault takes longer than a search of the whole through its
index, which does not know what a scope leaves. By their bits most chunks are seen to be far away.

Source: Charikar, "Similarity Estimation Techniques from Rounding Algorithms" (2002); here the signs
of the numbers themselves, pgvector's `binary_quantize`.
"""

from collections.abc import Sequence

from pgvector import Vector

from retrieval.index.store import Connection
from retrieval.models import Scope, Vectors

_LEARN = """
    INSERT INTO chunk_bits
        SELECT chunk_id, array_agg(binary_quantize(embedding) ORDER BY ordinal)
        FROM chunk JOIN entry ON chunk_id = id
        WHERE chunk.generation_id = %(generation)s AND path = ANY(%(paths)s) GROUP BY chunk_id
"""
# A reader may meet a database that no ingest of this version has changed yet.
_MAY_READ = "SELECT has_table_privilege(to_regclass('chunk_bits'), 'SELECT')"  # NULL: none there
# Entries that are read again, and for each chunk that is asked for: of 100,000 entries these hold
# 0.98 of the nearest 50 chunks (E143).
_LEAST, _EACH = 2_400, 48
_NEAREST = """
    WITH near AS MATERIALIZED (
        SELECT chunk_id, place
        FROM chunk_bits, unnest(bits) WITH ORDINALITY AS one (bits, place)
        WHERE chunk_id = ANY(%(rows)s::bigint[])
        ORDER BY one.bits <~> binary_quantize(%(vector)s::vector), chunk_id, place
        LIMIT %(entries)s
    )
    SELECT chunk_id FROM near JOIN entry USING (chunk_id) WHERE ordinal = place - 1
    GROUP BY chunk_id ORDER BY min(embedding <=> %(vector)s::vector)
    FETCH FIRST %(limit)s ROWS WITH TIES
"""


def learn(conn: Connection, generation_id: int, paths: Sequence[str]) -> None:
    """Keep the bits of the files of these paths. Call it after they are written."""
    conn.execute(_LEARN, {"generation": generation_id, "paths": list(paths)})


def nearest(conn: Connection, vector: Vectors, limit: int, scope: Scope) -> list[int] | None:
    """Return the row ids of the `limit` nearest chunks of a scope, with all as near as the last.

    The vectors of those entries are read whose bits are nearest. None where the database has no
    bits yet.
    """
    if conn.execute(_MAY_READ).fetchone() != (True,):
        return None
    values = {
        "vector": Vector(vector).to_text(), "rows": scope.chunks, "limit": limit,
        "entries": max(_LEAST, _EACH * limit),
    }  # fmt: skip
    return [row_id for (row_id,) in conn.execute(_NEAREST, values, prepare=False)]
