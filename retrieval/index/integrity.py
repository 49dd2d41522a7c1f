"""What a check of the index asks the database; it writes nothing and waits for no lock.

Each question is for what should not be there, so of a sound index every answer is empty.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import LiteralString

from psycopg.rows import kwargs_row

from retrieval.index.store import Connection
from retrieval.models import Chunk


@dataclass(frozen=True, slots=True)
class Odd:
    """Rows that should not be: how many, and the first of them with what is odd."""

    count: int
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Server:
    """The database's server; `checksum_failures` are broken pages that it has met so far."""

    postgres: str  # "18.4"
    number: int  # 180004
    pgvector: str  # "0.8.5"; "" where the extension is not installed
    checksum_failures: int


@dataclass(frozen=True, slots=True)
class StoredGeneration:
    """A generation with how much it holds."""

    id: int
    state: str  # "live", "building", "previous" or "temporary"
    revision: int
    fingerprint: Mapping[str, str | int]
    files: int
    chunks: int
    entries: int


@dataclass(frozen=True, slots=True)
class TokenRows:
    """How many entries have vectors of their word pieces, how many lack them, which are broken."""

    stored: int
    missing: int
    odd: Odd


_SERVER = """
    SELECT split_part(current_setting('server_version'), ' ', 1) AS postgres,
        current_setting('server_version_num')::integer AS number,
        coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), '') AS pgvector,
        coalesce(checksum_failures, 0) AS checksum_failures
    FROM pg_stat_database WHERE datname = current_database()
"""


def server(conn: Connection) -> Server:
    """Return the versions of the server and of its pgvector."""
    with conn.cursor(row_factory=kwargs_row(Server)) as cur:
        found = cur.execute(_SERVER).fetchone()
    assert found is not None  # the database that answers has a row
    return found


_GENERATIONS = """
    SELECT id, state, revision, fingerprint,
        (SELECT count(*) FROM file WHERE generation_id = g.id) AS files,
        (SELECT count(*) FROM chunk WHERE generation_id = g.id) AS chunks,
        (SELECT count(*) FROM entry WHERE generation_id = g.id) AS entries
    FROM generation AS g ORDER BY id
"""


def generations(conn: Connection) -> list[StoredGeneration]:
    """Return all generations by id."""
    with conn.cursor(row_factory=kwargs_row(StoredGeneration)) as cur:
        return cur.execute(_GENERATIONS).fetchall()


_CHUNKS = """
    SELECT c.path, c.heading, c.first_line, c.last_line, c.text, c.context, c.piece, ARRAY(
        SELECT e.text_sha256 FROM entry AS e WHERE e.chunk_id = c.id ORDER BY e.ordinal
    )
    FROM chunk AS c WHERE c.generation_id = %s ORDER BY c.path, c.first_line, c.piece
"""


def chunks(conn: Connection, generation_id: int) -> Iterator[tuple[Chunk, tuple[str, ...]]]:
    """Yield every chunk in order with the sha256 of the texts of its entries."""
    for *columns, hashes in conn.execute(_CHUNKS, [generation_id]):
        yield Chunk(*columns), tuple(hashes)


# An index is invalid after a CREATE INDEX CONCURRENTLY that failed; queries pass it by.
_INDEXES = """
    SELECT what, count(*) OVER () FROM (
        SELECT indexrelid::regclass::text AS what FROM pg_index JOIN pg_class ON oid = indrelid
        WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace
    ) AS odd ORDER BY what LIMIT 3
"""


def invalid_indexes(conn: Connection) -> Odd:
    """Return the database's indexes that queries cannot use."""
    return _odd(conn, _INDEXES)


# Another generation's number hides an entry from search, and keeps it when its own is deleted.
_STRAY = """
    SELECT what, count(*) OVER () FROM (
        SELECT concat(c.path, ':', e.first_line, ' has generation ', e.generation_id) AS what
        FROM chunk AS c JOIN entry AS e ON e.chunk_id = c.id
        WHERE c.generation_id = %(generation)s AND e.generation_id <> c.generation_id
    ) AS odd ORDER BY what LIMIT 3
"""


def stray_entries(conn: Connection, generation_id: int) -> Odd:
    """Return the entries of this generation's chunks that say they are of another."""
    return _odd(conn, _STRAY, generation=generation_id)


_TEXTS = """
    SELECT what, count(*) OVER () FROM (
        SELECT concat(c.path, ':', e.first_line) AS what
        FROM chunk AS c JOIN entry AS e ON e.chunk_id = c.id
        WHERE c.generation_id = %(generation)s
            AND text_sha256 <> encode(sha256(convert_to(trail || words, 'UTF8')), 'hex')
    ) AS odd ORDER BY what LIMIT 3
"""


def odd_texts(conn: Connection, generation_id: int) -> Odd:
    """Return the entries whose text is not the one that their hash is of."""
    return _odd(conn, _TEXTS, generation=generation_id)


# NaN compares as greater than every number, so it is odd as well.
_VECTORS = """
    SELECT what, count(*) OVER () FROM (
        SELECT concat(c.path, ':', e.first_line, ' has ', CASE
            WHEN e.embedding IS NULL THEN 'no vector'
            WHEN vector_dims(e.embedding) <> %(dimension)s
                THEN vector_dims(e.embedding) || ' numbers, not ' || %(dimension)s
            WHEN NOT abs(vector_norm(e.embedding) - 1) < 0.001
                THEN 'length ' || vector_norm(e.embedding)
        END) AS what
        FROM chunk AS c JOIN entry AS e ON e.chunk_id = c.id
        WHERE c.generation_id = %(generation)s AND (
            e.embedding IS NULL OR vector_dims(e.embedding) <> %(dimension)s
            OR NOT abs(vector_norm(e.embedding) - 1) < 0.001
        )
    ) AS odd ORDER BY what LIMIT 3
"""


def odd_vectors(conn: Connection, generation_id: int, dimension: int) -> Odd:
    """Return the entries whose vector is missing, not of length 1, or not of `dimension`."""
    return _odd(conn, _VECTORS, generation=generation_id, dimension=dimension)


def search_settings(conn: Connection) -> dict[str, str]:
    """Return pgvector's settings on this connection, as they read back."""
    conn.execute("SELECT '[1]'::vector")  # they are there when the library is
    rows = conn.execute(
        "SELECT name, setting FROM pg_settings WHERE name IN "
        "('hnsw.ef_search', 'hnsw.iterative_scan') ORDER BY name"
    )
    return dict(rows.fetchall())


_COUNTS = """
    SELECT count(token_vectors), count(*) - count(token_vectors) FROM entry
    WHERE generation_id = %(generation)s
"""
# Four bytes count the word pieces, the lowest first; two of them are enough for any entry.
_ODD_TOKENS = """
    SELECT what, count(*) OVER () FROM (
        SELECT concat(c.path, ':', e.first_line, ' has ', octet_length(token_vectors),
            ' bytes and scale ', coalesce(token_scale::text, 'none')) AS what
        FROM chunk AS c JOIN entry AS e ON e.chunk_id = c.id, LATERAL (
            SELECT substring(token_vectors for 4) || '\\x00000000'
        ) AS head (bytes), LATERAL (
            SELECT get_byte(head.bytes, 0) + 256 * get_byte(head.bytes, 1)
        ) AS said (vectors)
        WHERE c.generation_id = %(generation)s AND token_vectors IS NOT NULL AND NOT coalesce(
            said.vectors > 0 AND octet_length(token_vectors) = 4 + said.vectors * %(dimension)s
            AND token_scale > 0 AND token_scale <= 1, false
        )
    ) AS odd ORDER BY what LIMIT 3
"""


def token_rows(conn: Connection, generation_id: int, token_dimension: int) -> TokenRows:
    """Return what stands of the entries' token vectors, `token_dimension` bytes a vector."""
    row = conn.execute(_COUNTS, {"generation": generation_id}).fetchone()
    assert row is not None  # counts always give a row
    odd = _odd(conn, _ODD_TOKENS, generation=generation_id, dimension=token_dimension)
    return TokenRows(row[0], row[1], odd)


# Made again from the entries as ingest makes it, in this database: another parser of words, after a
# move to another server, differs too.
_POSTINGS = """
    WITH words AS (
        SELECT c.id, to_tsvector('english', c.place || ' ' || coalesce(string_agg(
            e.trail || e.words, ' ' ORDER BY e.ordinal) FILTER (WHERE e.kind = 'whole'), ''))
            AS known
        FROM chunk AS c LEFT JOIN entry AS e ON e.chunk_id = c.id
        WHERE c.generation_id = %(generation)s GROUP BY c.id
    ), wanted AS (
        SELECT id, lexeme, cardinality(positions) AS count FROM words, unnest(known)
    ), stored AS (
        SELECT chunk_id AS id, lexeme, count FROM posting WHERE generation_id = %(generation)s
    ), wrong AS (
        SELECT id, count(*) AS words FROM wanted FULL JOIN stored USING (id, lexeme)
        WHERE wanted.count IS DISTINCT FROM stored.count GROUP BY id
    ), lengths AS (
        SELECT id, coalesce(sum(cardinality(positions)), 0) AS length
        FROM words LEFT JOIN LATERAL unnest(known) ON true GROUP BY id
    )
    SELECT what, count(*) OVER () FROM (
        SELECT concat(c.path, ':', c.first_line, '.' || nullif(c.piece, 0), ' has ',
            coalesce(wrong.words, 0), ' wrong words and length ', c.length, ' of ', lengths.length
        ) AS what
        FROM chunk AS c LEFT JOIN lengths USING (id) LEFT JOIN wrong USING (id)
        WHERE wrong.words > 0
            OR c.generation_id = %(generation)s AND c.length IS DISTINCT FROM lengths.length
    ) AS odd ORDER BY what LIMIT 3
"""


def odd_postings(conn: Connection, generation_id: int) -> Odd:
    """Return the chunks whose words or length in full text search are not those of their texts."""
    return _odd(conn, _POSTINGS, generation=generation_id)


def _odd(conn: Connection, query: LiteralString, **values: int) -> Odd:
    """The rows of (what, how many in all) that `query` gives."""
    rows = conn.execute(query, values).fetchall()
    return Odd(rows[0][1] if rows else 0, tuple(what for what, _ in rows))
