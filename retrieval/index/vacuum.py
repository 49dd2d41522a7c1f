"""VACUUM after an ingest: rows that nobody sees any more make every scan longer."""

from psycopg import sql

from retrieval.index.store import Connection

_DEAD_SHARE = 0.10  # of a table's rows
_DEAD_ROWS = 100  # fewer lie in a page or two, which costs no scan anything
_TABLES = ["file", "chunk", "posting", "entry"]


def vacuum_if_worn(conn: Connection) -> tuple[str, ...]:
    """Run VACUUM (ANALYZE) on each table of which over 10 % is dead, and return their names.

    `conn` is in no transaction. Readers and writers go on meanwhile; what a long transaction of
    somebody could still see stays until the next time.
    """
    if conn.info.server_version >= 150_000:  # before, the counts are at most a second old
        conn.execute("SELECT pg_stat_force_next_flush()")
        conn.execute("SELECT 1")  # the end of this statement's transaction sends them
    rows = conn.execute(
        "SELECT relname FROM pg_stat_user_tables, unnest(%s::text[]) AS ours "
        "WHERE relid = to_regclass(ours) AND n_dead_tup >= %s "
        "AND n_dead_tup > %s * (n_live_tup + n_dead_tup) ORDER BY relname",
        [_TABLES, _DEAD_ROWS, _DEAD_SHARE],
    ).fetchall()
    for (name,) in rows:
        conn.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(name)))
    return tuple(name for (name,) in rows)
