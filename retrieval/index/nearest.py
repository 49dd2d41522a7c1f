"""The chunks nearest to a question: by an exact scan, or through the index of a large generation.

An index only says which chunks come near. Their scores and their order are exact either way.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext

from pgvector import Vector
from psycopg import sql
from psycopg.rows import kwargs_row

from retrieval.index import chunk_bits, hnsw
from retrieval.index.store import COLUMNS, ORDER, Connection, ScoredChunk, scored
from retrieval.index.wide_scope import best_of
from retrieval.models import Scope, Vectors

_ENTRIES_A_CHUNK = 4  # asked for at first; 50 chunks were found among 90 entries (median), 250 most
_MOST_ENTRIES = 16  # a chunk; beyond, the exact scan is no slower
# Over so many entries the first round of a scan (hnsw.ef_search, 1,000 entries) misses whole groups
# of near copies: of 1,006,670 it found 0.93 of the nearest, with two more rounds 0.998 (E132).
_LARGE = 250_000
_THREE_ROUNDS = 2_500

_BEST = """
    SELECT chunk_id, max(1 - (embedding <=> %(vector)s::vector)) AS score
    FROM entry WHERE {which} GROUP BY chunk_id
"""
_OF_GENERATION = _BEST.format(which="generation_id = %(generation)s")
_OF_CHUNKS = _BEST.format(which="chunk_id = ANY(%(rows)s::bigint[])")
# Of all that are compared only the best are looked up by their paths, which put ties in order.
_RANKED = f"""
    WITH best AS ({{best}}), nearest AS (
        SELECT * FROM best ORDER BY score DESC FETCH FIRST %(limit)s ROWS WITH TIES
    )
    SELECT {COLUMNS}, score FROM nearest JOIN chunk AS c ON c.id = chunk_id
    ORDER BY {ORDER} LIMIT %(limit)s
"""  # noqa: S608  # constants of our modules, no values

_ROUNDED = 0.002  # two distances as halves are apart by less more: eleven bits are kept
# The expression and the condition as the index has them: with a parameter for the generation a
# cached plan could not use it.
_ENTRIES = sql.SQL("""
    SELECT chunk_id,
        embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension}) AS distance
    FROM entry WHERE generation_id = {generation} ORDER BY distance LIMIT %(entries)s
""")


def nearest(
    conn: Connection, generation_id: int, vector: Vectors, limit: int, scope: Scope | None = None
) -> list[ScoredChunk]:
    """Rank chunks by their nearest entry: cosine similarity (-1 to 1) to `vector`, best first.

    They are `limit` (1 or more) of `scope`, or all where that or the generation holds fewer.
    Through an index, or by bits, one of them may be a little farther away than one left out;
    docs/scale.md says how often. A scope that is small enough is scanned without.
    """
    if scope is not None:
        kept = best_of(scope, limit, lambda size: _nearest(conn, generation_id, vector, size, None))
        if kept is not None:
            return kept
    return _nearest(conn, generation_id, vector, limit, scope)


def _nearest(
    conn: Connection, generation_id: int, vector: Vectors, limit: int, scope: Scope | None
) -> list[ScoredChunk]:
    values: dict[str, object] = {
        "vector": Vector(vector).to_text(), "generation": generation_id, "limit": limit
    }  # fmt: skip
    best = _OF_GENERATION  # some milliseconds over ten thousand entries, and none is missed
    if scope is not None:
        best, values["rows"] = _OF_CHUNKS, scope.chunks
        if scope.entries > hnsw.LIMIT and hnsw.usable(conn, generation_id):
            near = chunk_bits.nearest(conn, vector, limit, scope)
            values["rows"] = scope.chunks if near is None else near
    elif indexed := hnsw.usable(conn, generation_id):
        query = entries_query(generation_id, len(vector))
        large = indexed > _LARGE
        with _any_order(conn) if large else nullcontext():
            rows = _through_index(conn, query, values, limit, _THREE_ROUNDS if large else 0)
        if rows is not None:
            best, values["rows"] = _OF_CHUNKS, rows
    # Unprepared: a plan for scopes of any size would be wrong for most.
    prepare = None if scope is None else False
    with conn.cursor(row_factory=kwargs_row(scored)) as cur:
        return cur.execute(_RANKED.format(best=best), values, prepare=prepare).fetchall()


def similarity(conn: Connection, rows: Sequence[int], vector: Vectors) -> dict[int, float]:
    """Return the score that `nearest` would give to the chunks with these row ids."""
    values = {"vector": Vector(vector).to_text(), "rows": list(rows)}
    return dict(conn.execute(_OF_CHUNKS, values).fetchall())


def entries_query(generation_id: int, dimension: int) -> sql.Composed:
    """Return the query for a generation's nearest entries, which its index answers.

    Its parameters are `vector` and `entries`, how many. To be run unprepared: the plan depends on
    how many.
    """
    return _ENTRIES.format(dimension=sql.Literal(dimension), generation=sql.Literal(generation_id))


@contextmanager
def _any_order(conn: Connection) -> Iterator[None]:
    """Let the index go on in any order: in a strict one it drops what it finds late (E106).

    It ends with the transaction, and outside of one it is without effect.
    """
    conn.execute("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)")
    yield
    conn.execute("SELECT set_config('hnsw.iterative_scan', 'strict_order', true)")


def _through_index(
    conn: Connection, query: sql.Composed, values: Mapping[str, object], limit: int, least: int
) -> list[int] | None:
    """Return the row ids of the `limit` nearest chunks, with all that may be as near as the last.

    The index holds halves, so what is as near but for their rounding is among them. At `least` so
    many entries are read. None where the index gives out before there are as many.
    """
    size = max(least, _ENTRIES_A_CHUNK * limit)
    while size <= max(least, _MOST_ENTRIES * limit):
        found = conn.execute(query, {**values, "entries": size}, prepare=False).fetchall()
        found.sort(key=lambda row: float(row[1]))
        nearest_of: dict[int, float] = {}
        for chunk_id, distance in found:
            nearest_of.setdefault(chunk_id, distance)
        over = len(found) < size
        if len(nearest_of) >= limit:
            edge = sorted(nearest_of.values())[limit - 1] + _ROUNDED
            if over or found[-1][1] > edge:
                return [chunk_id for chunk_id, far in nearest_of.items() if far <= edge]
        elif over:
            break
        size *= 2
    return None
