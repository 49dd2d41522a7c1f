"""The approximate index of a large generation: built after the load, dropped with it.

Up to LIMIT entries the exact scan is fast enough and never misses one. Each indexed generation has
a partial index of its own, so that building one touches no other and dropping it needs no VACUUM.

The method: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
Hierarchical Navigable Small World graphs", IEEE TPAMI 2020; here pgvector's.
"""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from psycopg import sql

from retrieval.index.store import Connection

LIMIT = 20_000  # entries of a generation; more are indexed (docs/decisions.md)
_M, _EF_CONSTRUCTION = 16, 128  # neighbours of a node, candidates for each of them
MOST_DIMENSIONS = 4_000  # that pgvector indexes as halves; longer vectors are searched exactly
SOUND = (0, 8, 4)  # pgvector: before it a VACUUM could damage an index
_MEMORY_KB = (65_536, 4_194_304)  # least and most for a build: a million entries take 1.8 GB
_NODE = 1_024  # bytes of an entry in the graph beside its vector, measured and rounded up

Say = Callable[[str], None]  # takes a line for the operator
_log = logging.getLogger(__name__)


def index_name(generation_id: int) -> str:
    """Return the name of a generation's index, whether it exists or not.

    In version 1.0 one of single precision was called entry_hnsw_ID: the next ingest drops it.
    """
    return f"entry_hnsw_half_{generation_id}"


def exists(conn: Connection, generation_id: int) -> bool:
    """Return whether the generation has a sound index. One look into the catalogue."""
    row = conn.execute(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)",
        [index_name(generation_id)],
    ).fetchone()
    return row == (True,)


def usable(conn: Connection, generation_id: int) -> int:
    """Return how many entries the generation's index holds, about; 0 where it may not be used.

    It must be there, and the connection must go on where a scan finds too little: see
    connection_settings.py, which sets that on every connection of a Store.
    """
    row = conn.execute(
        "SELECT greatest(c.reltuples, 1)::bigint FROM pg_index AS i JOIN pg_class AS c "
        "ON c.oid = i.indexrelid WHERE i.indexrelid = to_regclass(%s) AND i.indisvalid "
        "AND current_setting('hnsw.iterative_scan', true) = 'strict_order'",
        [index_name(generation_id)],
    ).fetchone()
    return row[0] if row else 0


def build_if_large(
    conn: Connection, generation_id: int, *, limit: int = LIMIT, say: Say = _log.info
) -> bool:
    """Index a generation of more than `limit` entries, drop the index of a smaller one.

    Returns whether it has one now. Call it after the entries are written, in no transaction;
    readers go on meanwhile, writers wait. A build takes about a minute for 50,000 entries; `say`
    gets a line before it and one after it.
    """
    size = sql.SQL("SELECT FROM entry WHERE generation_id = %s LIMIT %s")
    large = conn.execute(size, [generation_id, limit + 1]).rowcount > limit
    dimension = _dimension(conn, generation_id)
    if not large or dimension > MOST_DIMENSIONS:
        drop(conn, generation_id)
        return False
    if not exists(conn, generation_id):
        drop(conn, generation_id)  # what a broken REINDEX or DROP left
        _build(conn, generation_id, dimension, say)
    for line in warnings(conn):
        say(line)
    return True


def drop(conn: Connection, generation_id: int) -> None:
    """Drop a generation's index, if there is one, while readers go on. In no transaction."""
    _drop(conn, index_name(generation_id))


def drop_unneeded(conn: Connection) -> None:
    """Drop the indexes whose generation is gone, and halves that a crash left. In no transaction.

    Raises nothing where there is no index; each of them is dropped while readers go on.
    """
    rows = conn.execute(
        "SELECT c.relname, i.indisvalid FROM pg_index AS i "
        "JOIN pg_class AS c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = to_regclass('entry') AND c.relname ~ '^entry_hnsw_(half_)?[0-9]+'"
    ).fetchall()
    kept = {index_name(row[0]) for row in conn.execute("SELECT id FROM generation")}
    for name, valid in rows:
        if not valid or name not in kept:
            _drop(conn, name)


def reindex(conn: Connection, generation_id: int, *, say: Say = _log.info) -> bool:
    """Build a generation's index again while readers and writers go on. In no transaction.

    For an index that many edits have made worse; `say` gets lines as in `build_if_large`. Returns
    False where there is none.
    """
    if not exists(conn, generation_id):
        return False
    name = sql.Identifier(index_name(generation_id))
    with _building(conn, generation_id, _dimension(conn, generation_id), say):
        conn.execute(sql.SQL("REINDEX INDEX CONCURRENTLY {}").format(name))
    return True


def warnings(conn: Connection) -> list[str]:
    """Return what the operator should know of this database's approximate indexes; mostly none."""
    row = conn.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector' AND EXISTS ("
        "SELECT FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid "
        "JOIN pg_am AS a ON a.oid = c.relam "
        "WHERE a.amname = 'hnsw' AND i.indrelid = to_regclass('entry'))"
    ).fetchone()
    if row is None or numbers(row[0]) >= SOUND:
        return []
    sound = ".".join(map(str, SOUND))
    return [
        f"the index of vectors is served by pgvector {row[0]}, which may damage it while entries "
        f"change; install {sound} or newer, then run ALTER EXTENSION vector UPDATE and "
        "python -m ingest --reindex"
    ]


def numbers(version: str) -> tuple[int, ...]:
    """Return a version to compare with others: "0.8.5" as (0, 8, 5); of "" ()."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _entries(conn: Connection, generation_id: int) -> int:
    row = conn.execute(
        "SELECT count(*) FROM entry WHERE generation_id = %s", [generation_id]
    ).fetchone()
    assert row is not None  # an aggregate always gives a row
    return int(row[0])


def _dimension(conn: Connection, generation_id: int) -> int:
    """Return the length of a generation's vectors; 0 where it holds none."""
    row = conn.execute(
        "SELECT vector_dims(embedding) FROM entry WHERE generation_id = %s LIMIT 1",
        [generation_id],
    ).fetchone()
    return row[0] if row else 0


def _build(conn: Connection, generation_id: int, dimension: int, say: Say) -> None:
    statement = sql.SQL(
        "CREATE INDEX {name} ON entry "
        "USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) "
        "WITH (m = {m}, ef_construction = {ef}) WHERE generation_id = {generation}"
    ).format(
        name=sql.Identifier(index_name(generation_id)),
        dimension=sql.Literal(dimension),
        m=sql.Literal(_M),
        ef=sql.Literal(_EF_CONSTRUCTION),
        generation=sql.Literal(generation_id),
    )
    with _building(conn, generation_id, dimension, say):
        conn.execute(statement)


@contextmanager
def _building(conn: Connection, generation_id: int, dimension: int, say: Say) -> Iterator[None]:
    """Give a build what it needs, and tell of it."""
    entries = _entries(conn, generation_id)
    started = monotonic()
    say(f"indexing {entries:,} vectors")
    with _memory(conn, entries, dimension):
        yield
    say(f"indexed {entries:,} vectors in {monotonic() - started:.0f} s")


@contextmanager
def _memory(conn: Connection, entries: int, dimension: int) -> Iterator[None]:
    """Give a build memory for the whole graph, and time; what does not fit is built on disk.

    No parallel workers: they need as much of /dev/shm, of which a container has 64 MB.
    """
    least, most = _MEMORY_KB
    needed = min(most, max(least, entries * (2 * dimension + _NODE) // 1024))
    conn.execute(
        "SELECT set_config('maintenance_work_mem', greatest(setting::bigint, %s)::text, false), "
        "set_config('max_parallel_maintenance_workers', '0', false), "
        "set_config('statement_timeout', '0', false) "
        "FROM pg_settings WHERE name = 'maintenance_work_mem'",
        [needed],
    )
    try:
        yield
    finally:
        if not conn.closed:
            conn.execute("RESET maintenance_work_mem")
            conn.execute("RESET max_parallel_maintenance_workers")
            conn.execute("RESET statement_timeout")


def _drop(conn: Connection, name: str) -> None:
    if conn.execute("SELECT FROM pg_class WHERE oid = to_regclass(%s)", [name]).rowcount:
        statement = sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}")
        conn.execute(statement.format(sql.Identifier(name)))
