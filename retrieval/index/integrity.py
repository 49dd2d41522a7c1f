"""What a check of the index asks the database; it writes nothing and waits for no lock.

Each question is for what should not be there, so of a sound index every answer is empty.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import LiteralString

from psycopg import sql
from psycopg.rows import kwargs_row

from retrieval.index.store import Connection
from retrieval.index.text_search import CONFIGURATION
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


def odd(conn: Connection, query: LiteralString, **values: int) -> Odd:
    """Return the rows `what` that one of the queries below gives, the first three by name.

    `values` are its parameters: the `generation`, and the `dimension` that vectors should have.
    """
    first = sql.SQL("SELECT what, count(*) OVER () FROM ({}) AS odd ORDER BY what LIMIT 3")
    rows = conn.execute(first.format(sql.SQL(query)), values).fetchall()
    return Odd(rows[0][1] if rows else 0, tuple(what for what, _ in rows))


def token_counts(conn: Connection, generation_id: int) -> tuple[int, int]:
    """Return how many entries have vectors of their word pieces, and how many lack them."""
    row = conn.execute(
        "SELECT count(token_vectors), count(*) - count(token_vectors) FROM entry "
        "WHERE generation_id = %s",
        [generation_id],
    ).fetchone()
    assert row is not None  # counts always give a row
    return row[0], row[1]


# An index is invalid after a CREATE INDEX CONCURRENTLY that failed; queries pass it by.
INVALID_INDEXES = """
    SELECT indexrelid::regclass::text AS what FROM pg_index JOIN pg_class ON oid = indrelid
    WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace
"""


# Another generation's number hides an entry from search, and keeps it when its own is deleted.
STRAY_ENTRIES = """
    SELECT concat(c.path, ':', e.first_line, ' has generation ', e.generation_id) AS what
    FROM chunk AS c JOIN entry AS e ON e.chunk_id = c.id
    WHERE c.generation_id = %(generation)s AND e.generation_id <> c.generation_id
"""


ODD_TEXTS = """
    SELECT concat(c.path, ':', e.first_line) AS what
    FROM chunk AS c JOIN entry AS e ON e.chunk_id = c.id
    WHERE c.generation_id = %(generation)s
        AND text_sha256 <> encode(sha256(convert_to(trail || words, 'UTF8')), 'hex')
"""


# NaN compares as greater than every number, so it is odd as well.
ODD_VECTORS = """
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
"""


# Search finds an entry by its place among the bits of its chunk.
ODD_BITS = """
    SELECT concat(c.path, ':', c.first_line) AS what
    FROM chunk AS c LEFT JOIN entry AS e ON e.chunk_id = c.id
        LEFT JOIN chunk_bits AS b ON b.chunk_id = c.id
    WHERE c.generation_id = %(generation)s GROUP BY c.id, b.bits
    HAVING b.bits IS DISTINCT FROM array_agg(binary_quantize(embedding)::varbit ORDER BY ordinal)
        FILTER (WHERE ordinal IS NOT NULL) OR max(ordinal) <> count(ordinal) - 1
"""


def search_settings(conn: Connection) -> dict[str, str]:
    """Return pgvector's settings on this connection, as they read back."""
    conn.execute("SELECT '[1]'::vector")  # they are there when the library is
    rows = conn.execute(
        "SELECT name, setting FROM pg_settings WHERE name IN "
        "('hnsw.ef_search', 'hnsw.iterative_scan') ORDER BY name"
    )
    return dict(rows.fetchall())


# Four bytes count the word pieces, the lowest first; two of them are enough for any entry.
ODD_TOKENS = """
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
"""


# Made again from the entries as ingest makes it, in this database: another parser of words, after a
# move to another server, differs too.
ODD_POSTINGS = f"""
    WITH words AS (
        SELECT c.id, to_tsvector({CONFIGURATION}, c.place || ' ' || coalesce(string_agg(
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
    SELECT concat(c.path, ':', c.first_line, '.' || nullif(c.piece, 0), ' has ',
        coalesce(wrong.words, 0), ' wrong words and length ', c.length, ' of ', lengths.length
    ) AS what
    FROM chunk AS c LEFT JOIN lengths USING (id) LEFT JOIN wrong USING (id)
    WHERE wrong.words > 0
        OR c.generation_id = %(generation)s AND c.length IS DISTINCT FROM lengths.length
"""  # noqa: S608  # constants of the package, no values


# A generation without counts has its postings counted by every search.
ODD_COUNTS = """
    WITH counted AS (
        SELECT lexeme, count(*) AS chunks FROM posting WHERE generation_id = %(generation)s
        GROUP BY lexeme
    ), stored AS (
        SELECT lexeme, chunks FROM word WHERE generation_id = %(generation)s
    ), sizes AS (
        SELECT count(*) AS chunks, coalesce(sum(length), 0) AS words FROM chunk
        WHERE generation_id = %(generation)s
    )
    SELECT concat(lexeme, ' in ', coalesce(stored.chunks, 0), ' chunks, not ',
        coalesce(counted.chunks, 0)) AS what
    FROM counted FULL JOIN stored USING (lexeme)
    WHERE counted.chunks IS DISTINCT FROM stored.chunks
    UNION ALL
    SELECT concat('all: ', coalesce(corpus.chunks, 0), ' chunks of ', coalesce(corpus.words, 0),
        ' words, not ',
        sizes.chunks, ' of ', sizes.words)
    FROM sizes LEFT JOIN corpus ON generation_id = %(generation)s
    WHERE (coalesce(corpus.chunks, 0), coalesce(corpus.words, 0)) <> (sizes.chunks, sizes.words)
"""
