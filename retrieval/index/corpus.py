"""What is counted of a generation as a whole, kept in step with what ingest writes.

Each function runs in the transaction that writes the files, so readers see both or neither.
"""

from collections.abc import Sequence

from retrieval.index.store import Connection

_FORGET_WORDS = """
    WITH gone AS (
        SELECT p.lexeme, count(*) AS chunks FROM chunk AS c JOIN posting AS p ON p.chunk_id = c.id
        WHERE c.generation_id = %(generation)s AND c.path = ANY(%(paths)s) GROUP BY p.lexeme
    ), fewer AS (
        UPDATE word SET chunks = word.chunks - gone.chunks FROM gone
        WHERE generation_id = %(generation)s AND word.lexeme = gone.lexeme
            AND word.chunks > gone.chunks
    )
    DELETE FROM word USING gone
    WHERE generation_id = %(generation)s AND word.lexeme = gone.lexeme
        AND word.chunks <= gone.chunks
"""
_LEARN_WORDS = """
    INSERT INTO word (generation_id, lexeme, chunks)
    SELECT c.generation_id, p.lexeme, count(*)
    FROM chunk AS c JOIN posting AS p ON p.chunk_id = c.id
    WHERE c.generation_id = %(generation)s AND c.path = ANY(%(paths)s)
    GROUP BY c.generation_id, p.lexeme
    ON CONFLICT (generation_id, lexeme) DO UPDATE SET chunks = word.chunks + excluded.chunks
"""
_RESIZE = """
    UPDATE corpus SET chunks = corpus.chunks + %(sign)s * these.chunks,
        words = corpus.words + %(sign)s * these.words,
        token_bytes = corpus.token_bytes + %(sign)s * these.token_bytes
    FROM (
        SELECT count(*) AS chunks, coalesce(sum(length), 0) AS words, coalesce(sum((
            SELECT sum(octet_length(token_vectors)) FROM entry AS e WHERE e.chunk_id = c.id
        )), 0) AS token_bytes
        FROM chunk AS c WHERE generation_id = %(generation)s AND path = ANY(%(paths)s)
    ) AS these
    WHERE generation_id = %(generation)s
"""
_BEGIN = """
    INSERT INTO corpus (generation_id, chunks, words, token_bytes) SELECT %(generation)s, 0, 0, 0
    WHERE NOT EXISTS (SELECT FROM chunk WHERE generation_id = %(generation)s)
    ON CONFLICT DO NOTHING
"""


def forget(conn: Connection, generation_id: int, paths: Sequence[str]) -> None:
    """Take the files of these paths out of the counts. Call it before they are deleted."""
    values = {"generation": generation_id, "paths": list(paths), "sign": -1}
    conn.execute(_FORGET_WORDS, values)
    conn.execute(_RESIZE, values)


def learn(conn: Connection, generation_id: int, paths: Sequence[str]) -> None:
    """Add the files of these paths to the counts. Call it after they are written."""
    values = {"generation": generation_id, "paths": list(paths), "sign": 1}
    conn.execute(_LEARN_WORDS, values)
    conn.execute(_RESIZE, values)


def begin(conn: Connection, generation_id: int) -> None:
    """Begin to count a generation that holds nothing yet; any other stays as it is."""
    conn.execute(_BEGIN, {"generation": generation_id})


def token_bytes(conn: Connection) -> int:
    """Return how many bytes the stored token vectors of all generations take."""
    row = conn.execute("SELECT coalesce(sum(token_bytes), 0) FROM corpus").fetchone()
    assert row is not None  # an aggregate always gives a row
    return int(row[0])
