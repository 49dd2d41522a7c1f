"""What a generation holds: files with their chunks, entries and vectors, written and taken over."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psycopg import sql
from psycopg.types.json import Jsonb

from retrieval.index import chunk_bits, corpus
from retrieval.index.known_vectors import text_sha256
from retrieval.index.store import Connection
from retrieval.index.text_search import CONFIGURATION
from retrieval.metadata.schema import Metadata
from retrieval.models import Chunk, Entry, SourceNote, Vectors
from retrieval.ranking import late_interaction
from retrieval.ranking.late_interaction import TokenVectors


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to be written: `vectors[i]` and `tokens[i]` embed `entries[i]`.

    `tokens` is empty where token vectors are not stored.
    """

    chunk: Chunk
    entries: tuple[Entry, ...]
    vectors: Vectors
    tokens: tuple[TokenVectors, ...]


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be written, with all its chunks; it replaces the file of the same path."""

    note: SourceNote
    place: str  # words of the path; full text search has them with each chunk, no vector has
    sha256: str  # of the bytes on disk
    chunks: tuple[NewChunk, ...]
    metadata: Metadata

    @property
    def path(self) -> str:
        """Below the vault, with "/"."""
        return self.note.path


def apply(
    conn: Connection, generation_id: int, *, removed: Sequence[str], written: Sequence[NewFile]
) -> None:
    """Remove the files of these paths and write the new ones, all within the caller's transaction.

    The generation's revision is raised; the caller commits.
    """
    paths = [*removed, *(file.path for file in written)]
    corpus.begin(conn, generation_id)
    corpus.forget(conn, generation_id, paths)
    conn.execute(
        "DELETE FROM file WHERE generation_id = %s AND path = ANY(%s)", [generation_id, paths]
    )
    with conn.cursor() as cur:
        cur.executemany(
            "INSERT INTO file (generation_id, path, sha256, status, edition, supersedes, metadata) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s)",
            [
                (
                    generation_id,
                    file.path,
                    file.sha256,
                    file.note.status,
                    file.note.edition,
                    list(file.note.supersedes),
                    Jsonb(dict(file.metadata)),
                )
                for file in written
            ],
        )
    chunks = [(file.place, chunk) for file in written for chunk in file.chunks]
    ids = _new_ids(conn, len(chunks))
    _copy_chunks(conn, generation_id, zip(ids, chunks, strict=True))
    _copy_entries(conn, generation_id, zip(ids, (chunk for _, chunk in chunks), strict=True))
    corpus.learn(conn, generation_id, [file.path for file in written])
    chunk_bits.learn(conn, generation_id, [file.path for file in written])
    conn.execute("UPDATE generation SET revision = revision + 1 WHERE id = %s", [generation_id])


_TAKE_OVER = """
    WITH taken AS MATERIALIZED (
        SELECT chunk.*, nextval(pg_get_serial_sequence('chunk', 'id')) AS new_id FROM chunk
        WHERE generation_id = %(old)s AND path = ANY(%(paths)s)
    ), chunks AS (
        INSERT INTO chunk (id, generation_id, path, heading, first_line, last_line, text, context,
            piece, place, length)
        SELECT new_id, %(new)s, path, heading, first_line, last_line, text, context, piece, place,
            length
        FROM taken
    ), postings AS (
        INSERT INTO posting (generation_id, lexeme, chunk_id, count)
        SELECT %(new)s, lexeme, new_id, count FROM posting JOIN taken ON chunk_id = taken.id
    )
    INSERT INTO entry (chunk_id, ordinal, generation_id, kind, heading, first_line, last_line,
        quote, lead, trail, words, text_sha256, embedding, token_vectors, token_scale)
    SELECT new_id, ordinal, %(new)s, kind, e.heading, e.first_line, e.last_line,
        quote, lead, trail, words, text_sha256, embedding, token_vectors, token_scale
    FROM entry AS e JOIN taken ON chunk_id = taken.id
"""


_LANGUAGE = f"SELECT {CONFIGURATION}::text"


def take_over(conn: Connection, old_id: int, new_id: int, paths: Sequence[str]) -> None:
    """Copy the files of these paths from one generation to another, which holds none of them."""
    values = {"old": old_id, "new": new_id, "paths": list(paths)}
    corpus.begin(conn, new_id)
    conn.execute(
        "INSERT INTO file (generation_id, path, sha256, status, edition, supersedes, metadata) "
        "SELECT %(new)s, path, sha256, status, edition, supersedes, metadata FROM file "
        "WHERE generation_id = %(old)s AND path = ANY(%(paths)s)",
        values,
    )
    conn.execute(_TAKE_OVER, values)
    corpus.learn(conn, new_id, paths)
    chunk_bits.learn(conn, new_id, paths)


def _new_ids(conn: Connection, count: int) -> list[int]:
    rows = conn.execute(
        "SELECT nextval(pg_get_serial_sequence('chunk', 'id')) FROM generate_series(1, %s)", [count]
    )
    return [row[0] for row in rows]


def _copy_chunks(
    conn: Connection, generation_id: int, chunks: Iterable[tuple[int, tuple[str, NewChunk]]]
) -> None:
    row = conn.execute(_LANGUAGE, {"generation": generation_id}).fetchone()
    assert row is not None  # a SELECT without FROM always gives a row
    table = sql.SQL(
        "CREATE TEMP TABLE new_chunk (LIKE chunk, words text, known tsvector "
        "GENERATED ALWAYS AS (to_tsvector({}, place || ' ' || words)) STORED) ON COMMIT DROP"
    )
    conn.execute(table.format(sql.Literal(row[0])))
    conn.execute("ALTER TABLE new_chunk ALTER COLUMN length DROP NOT NULL")
    statement = (
        "COPY new_chunk (id, generation_id, path, heading, first_line, last_line, text, context, "
        "piece, place, words) FROM STDIN"
    )
    with conn.cursor() as cur, cur.copy(statement) as copy:
        for row_id, (place, new) in chunks:
            chunk = new.chunk
            words = " ".join(entry.text for entry in new.entries if entry.kind == "whole")
            copy.write_row(
                (row_id, generation_id, chunk.path, chunk.heading, chunk.first_line,
                 chunk.last_line, chunk.text, chunk.context, chunk.piece, place, words)
            )  # fmt: skip
    conn.execute(
        "INSERT INTO chunk (id, generation_id, path, heading, first_line, last_line, text, "
        "context, piece, place, length) SELECT id, generation_id, path, heading, first_line, "
        "last_line, text, context, piece, place, "
        "(SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(known)) FROM new_chunk"
    )
    conn.execute(
        "INSERT INTO posting (generation_id, lexeme, chunk_id, count) "
        "SELECT generation_id, lexeme, id, cardinality(positions) FROM new_chunk, unnest(known)"
    )
    conn.execute("DROP TABLE new_chunk")


def _copy_entries(
    conn: Connection, generation_id: int, chunks: Iterable[tuple[int, NewChunk]]
) -> None:
    statement = (
        "COPY entry (chunk_id, ordinal, generation_id, kind, heading, first_line, last_line, "
        "quote, lead, trail, words, text_sha256, embedding, token_vectors, token_scale) "
        "FROM STDIN (FORMAT BINARY)"
    )
    types = ["int8", "int4", "int8", "text", "text", "int4", "int4", *["text"] * 5, "vector",
             "bytea", "float4"]  # fmt: skip
    with conn.cursor() as cur, cur.copy(statement) as copy:
        copy.set_types(types)
        for row_id, new in chunks:
            for ordinal, entry in enumerate(new.entries):
                tokens = new.tokens[ordinal] if new.tokens else None
                copy.write_row(
                    (row_id, ordinal, generation_id, entry.kind, entry.heading, entry.first_line,
                     entry.last_line, entry.quote, entry.lead, entry.trail, entry.words,
                     text_sha256(entry.text), new.vectors[ordinal],
                     late_interaction.packed(tokens) if tokens else None,
                     tokens.scale if tokens else None)
                )  # fmt: skip
