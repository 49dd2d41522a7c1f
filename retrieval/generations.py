"""What ingest does to the index: install it, lock it, and write generations."""

import hashlib
import os
import socket
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb

from retrieval import late
from retrieval.errors import DatabaseUnreachableError, IndexMissingError, IngestRunningError
from retrieval.late import TokenVectors
from retrieval.models import Chunk, Entry, Vectors
from retrieval.store import Connection, Generation, live

_SCHEMA = Path(__file__).with_name("schema.sql")
_LOCK_SPACE = 0x52554C45  # "RULE": advisory locks of this product, the second key says which
_LAST_ADDED = (  # of schema.sql; where it is, all is
    "SELECT FROM pg_attribute WHERE attrelid = to_regclass('entry') AND attname = 'token_scale'"
)
_INGEST_LOCK = 0  # temporary generations lock their own id, which begins at 1


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

    path: str
    sha256: str
    chunks: tuple[NewChunk, ...]


def install(conn: Connection) -> None:
    """Create the extension, the tables and the indexes of schema.sql where they are missing.

    Raises DatabaseUnreachableError where that is not allowed or pgvector is missing or too old.
    """
    try:
        with conn.transaction():
            # Two first ingests at once: CREATE … IF NOT EXISTS is no protection against itself.
            conn.execute("SELECT pg_advisory_xact_lock(%s, -1)", [_LOCK_SPACE])
            # DDL that changes nothing can deadlock with a running ingest's commit all the same.
            if conn.execute(_LAST_ADDED).fetchone() is None:
                conn.execute(_SCHEMA.read_bytes())
            version_of = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
            for (version,) in conn.execute(version_of):
                if tuple(int(part) for part in version.split(".")[:2]) < (0, 8):
                    raise DatabaseUnreachableError(
                        f"the database has pgvector {version}, too old; install 0.8 or newer on "
                        "its server and as superuser run ALTER EXTENSION vector UPDATE"
                    )
        register_vector(conn)
    except psycopg.Error as error:
        if conn.closed:  # the database went away, which is for Store.connect to say
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DatabaseUnreachableError(
            f"the index cannot be installed: {reason}; as superuser run CREATE EXTENSION vector "
            "(0.8 or newer) and grant CREATE on the schema"
        ) from error


def lock(conn: Connection) -> None:
    """Hold the one lock of writers on this connection until it closes.

    Raises IngestRunningError naming the holder where another process has it.
    """
    name = f"ingest, process {os.getpid()} on {socket.gethostname()}"
    conn.execute("SELECT set_config('application_name', %s, false)", [name[:63]])
    got = conn.execute(
        "SELECT pg_try_advisory_lock(%s, %s)", [_LOCK_SPACE, _INGEST_LOCK]
    ).fetchone()
    if got != (True,):
        raise IngestRunningError(f"another ingest is running ({_holder(conn)}); wait for its end")


def _holder(conn: Connection) -> str:
    row = conn.execute(
        "SELECT application_name, backend_start FROM pg_locks JOIN pg_stat_activity USING (pid) "
        "WHERE locktype = 'advisory' AND classid = %s AND objid = %s AND granted",
        [_LOCK_SPACE, _INGEST_LOCK],
    ).fetchone()
    return f"{row[0]}, since {row[1]:%Y-%m-%d %H:%M:%S %Z}" if row else "it ended just now"


def live_or_none(conn: Connection) -> Generation | None:
    """Return the live generation, if there is one; `conn` is in no transaction."""
    try:
        return live(conn)
    except IndexMissingError:
        return None


def file_hashes(conn: Connection, generation_id: int) -> dict[str, str]:
    """Return the sha256 of every file of a generation by its path."""
    rows = conn.execute("SELECT path, sha256 FROM file WHERE generation_id = %s", [generation_id])
    return {path: sha256 for path, sha256 in rows}


def size(conn: Connection, generation_id: int) -> tuple[int, int]:
    """Return how many files and chunks a generation holds."""
    row = conn.execute(
        "SELECT (SELECT count(*) FROM file WHERE generation_id = %(id)s), "
        "(SELECT count(*) FROM chunk WHERE generation_id = %(id)s)",
        {"id": generation_id},
    ).fetchone()
    assert row is not None  # counts always give a row
    return row[0], row[1]


Known = tuple[Vectors, TokenVectors | None]


def known_vectors(
    conn: Connection, model_digest: str, texts: Collection[str], *, with_tokens: bool
) -> dict[str, Known]:
    """Return the vectors of those `texts` that the same model has embedded before.

    `with_tokens`: only of those whose token vectors are stored too; else they are None.
    """
    by_hash = {_sha256(text): text for text in texts}
    rows = conn.execute(
        "SELECT DISTINCT ON (text_sha256) text_sha256, embedding, "
        "CASE WHEN %(tokens)s THEN token_vectors END, token_scale "
        "FROM entry JOIN generation AS g ON g.id = generation_id "
        "WHERE text_sha256 = ANY(%(hashes)s) AND g.fingerprint->>'model_digest' = %(digest)s "
        "AND NOT (%(tokens)s AND token_vectors IS NULL)",
        {"hashes": list(by_hash), "digest": model_digest, "tokens": with_tokens},
    )
    known: dict[str, Known] = {}
    for sha256, vector, values, scale in rows:
        text = by_hash[sha256]
        known[text] = vector.to_numpy(), late.unpacked(values, scale) if values else None
    return known


def token_bytes(conn: Connection) -> int:
    """Return how many bytes the stored token vectors of all generations take."""
    row = conn.execute("SELECT coalesce(sum(octet_length(token_vectors)), 0) FROM entry").fetchone()
    assert row is not None  # an aggregate always gives a row
    return int(row[0])


def create(conn: Connection, fingerprint: Mapping[str, str | int], *, temporary: bool) -> int:
    """Return the id of a new, empty generation; a live one takes the place of the last.

    A temporary one is locked by this connection, and gone with `drop_abandoned` after it.
    """
    if not temporary:
        conn.execute("DELETE FROM generation WHERE state = 'live'")
    row = conn.execute(
        "INSERT INTO generation (state, fingerprint) VALUES (%s, %s) RETURNING id",
        ["temporary" if temporary else "live", Jsonb(dict(fingerprint))],
    ).fetchone()
    assert row is not None  # INSERT … RETURNING gives a row or raises
    if temporary:
        conn.execute("SELECT pg_advisory_lock(%s, %s)", [_LOCK_SPACE, row[0]])
    return int(row[0])


def drop(conn: Connection, generation_id: int) -> None:
    """Remove a generation with everything in it."""
    conn.execute("DELETE FROM generation WHERE id = %s", [generation_id])


def drop_abandoned(conn: Connection) -> None:
    """Remove temporary generations whose evaluation is no longer there to do it."""
    rows = conn.execute("SELECT id FROM generation WHERE state = 'temporary'").fetchall()
    for (generation_id,) in rows:
        with conn.transaction():
            got = conn.execute(
                "SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK_SPACE, generation_id]
            ).fetchone()
            if got == (True,):
                drop(conn, generation_id)


def apply(
    conn: Connection, generation_id: int, *, removed: Sequence[str], written: Sequence[NewFile]
) -> None:
    """Remove the files of these paths and write the new ones, all within the caller's transaction.

    The generation's revision is raised; the caller commits.
    """
    paths = [*removed, *(file.path for file in written)]
    conn.execute(
        "DELETE FROM file WHERE generation_id = %s AND path = ANY(%s)", [generation_id, paths]
    )
    with conn.cursor() as cur:
        cur.executemany(
            "INSERT INTO file (generation_id, path, sha256) VALUES (%s, %s, %s)",
            [(generation_id, file.path, file.sha256) for file in written],
        )
    chunks = [chunk for file in written for chunk in file.chunks]
    ids = _new_ids(conn, len(chunks))
    _copy_chunks(conn, generation_id, zip(ids, chunks, strict=True))
    _copy_entries(conn, generation_id, zip(ids, chunks, strict=True))
    conn.execute("UPDATE generation SET revision = revision + 1 WHERE id = %s", [generation_id])


def _new_ids(conn: Connection, count: int) -> list[int]:
    rows = conn.execute(
        "SELECT nextval(pg_get_serial_sequence('chunk', 'id')) FROM generate_series(1, %s)", [count]
    )
    return [row[0] for row in rows]


def _copy_chunks(
    conn: Connection, generation_id: int, chunks: Iterable[tuple[int, NewChunk]]
) -> None:
    conn.execute(
        "CREATE TEMP TABLE new_chunk (LIKE chunk, words text, known tsvector "
        "GENERATED ALWAYS AS (to_tsvector('english', words)) STORED) ON COMMIT DROP"
    )
    conn.execute("ALTER TABLE new_chunk ALTER COLUMN length DROP NOT NULL")
    statement = (
        "COPY new_chunk (id, generation_id, path, heading, first_line, last_line, text, context, "
        "piece, words) FROM STDIN"
    )
    with conn.cursor() as cur, cur.copy(statement) as copy:
        for row_id, new in chunks:
            chunk = new.chunk
            words = " ".join(entry.text for entry in new.entries if entry.kind == "whole")
            copy.write_row(
                (row_id, generation_id, chunk.path, chunk.heading, chunk.first_line,
                 chunk.last_line, chunk.text, chunk.context, chunk.piece, words)
            )  # fmt: skip
    conn.execute(
        "INSERT INTO chunk (id, generation_id, path, heading, first_line, last_line, text, "
        "context, piece, length) SELECT id, generation_id, path, heading, first_line, last_line, "
        "text, context, piece, "
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
                     _sha256(entry.text), new.vectors[ordinal],
                     late.packed(tokens) if tokens else None, tokens.scale if tokens else None)
                )  # fmt: skip


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
