"""Generations of many entries, whose vectors lie in clusters as those of rules do."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pgvector.psycopg import register_vector

from retrieval.index import chunk_bits, generations, migrate
from retrieval.index.store import Connection
from retrieval.models import Vectors

_ENTRIES_A_CHUNK = 8  # as in the sample vault
_SPREAD = 0.5  # length of the noise beside a vector of length 1: about 0.89 cosine to its source
SUBJECTS = (
    "torch", "battle axe", "falling", "drowning", "poison", "sleep", "fireball", "dragon", "goblin",
    "saving throw", "armor class", "hit dice", "turning undead", "climbing", "listening", "morale",
    "encumbrance", "retainers", "ships", "sieges", "herbs", "traps", "secret doors", "wandering",
)  # fmt: skip
SENTENCES = (
    "A {} costs {} gold pieces.", "What harms a {} deals 1d{} damage.",
    "The {} lasts for {} rounds and then ends.", "With a roll of {1} or less the {0} succeeds.",
    "Nobody below level {1} may use a {0}.", "Within {1} feet of a {0} nothing grows.",
)  # fmt: skip


def sentences() -> list[str]:
    """Return some hundred sentences of rules."""
    return [
        sentence.format(subject, 2 + place)
        for place, subject in enumerate(SUBJECTS)
        for sentence in SENTENCES
    ]


def grouped(count: int) -> list[int]:
    """Return the chunks of `count` entries, as many in each as the sample vault has."""
    return [entry // _ENTRIES_A_CHUNK for entry in range(count)]


def spread(sources: Vectors, count: int, seed: int) -> Vectors:
    """Return `count` vectors of length 1 scattered around `sources`, turn by turn."""
    random = np.random.default_rng(seed)
    turns = sources[np.arange(count) % len(sources)]
    noise = random.standard_normal(turns.shape) * (_SPREAD / np.sqrt(turns.shape[1]))
    return unit(turns + noise)


def unit(vectors: npt.NDArray[np.floating[Any]]) -> Vectors:
    """Return vectors at length 1, in the precision that the database keeps."""
    found: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return found


def nearest_by_numpy(
    vectors: Vectors, chunks: Sequence[int], asked: Vectors
) -> tuple[list[int], Vectors]:
    """Return all chunks, the nearest first, ties by number, and each chunk's score by number."""
    scores = np.full(max(chunks) + 1, -2.0, np.float32)
    np.maximum.at(scores, np.asarray(chunks), vectors @ asked)
    return [int(chunk) for chunk in np.argsort(-scores, kind="stable")], scores


def load(conn: Connection, vectors: Vectors, chunks: Sequence[int]) -> int:
    """Write a generation whose entry i has `vectors[i]` and lies in chunk `chunks[i]`.

    Chunk n is line n of the only file. Returns the generation's id.
    """
    migrate.install(conn)
    generation_id = generations.create(conn, {"dimension": vectors.shape[1]}, "temporary")
    conn.execute("INSERT INTO file (generation_id, path, sha256) VALUES (%s, 'a.md', '')",
                 [generation_id])  # fmt: skip
    add(conn, generation_id, vectors, chunks)
    conn.execute("ANALYZE chunk, entry")
    return generation_id


def add(conn: Connection, generation_id: int, vectors: Vectors, chunks: Sequence[int]) -> None:
    """Write entries, and the chunks that are not there yet."""
    register_vector(conn)
    lines = sorted(set(chunks))
    with conn.transaction():
        conn.execute(
            "INSERT INTO chunk (generation_id, path, heading, first_line, last_line, text, "
            "context, piece, length) "
            "SELECT %s, 'a.md', '', line, line, repeat('text ', 80), '', 0, 80 "
            "FROM unnest(%s::integer[]) AS line ON CONFLICT DO NOTHING",
            [generation_id, lines],
        )
        rows = dict(conn.execute(
            "SELECT first_line, id FROM chunk WHERE generation_id = %s", [generation_id]
        ).fetchall())  # fmt: skip
        row = conn.execute("SELECT count(*) FROM entry").fetchone()
        first = row[0] if row else 0
        ordinals = Counter(dict(conn.execute(
            "SELECT chunk_id, count(*) FROM entry WHERE generation_id = %s GROUP BY chunk_id",
            [generation_id],
        ).fetchall()))  # fmt: skip
        with conn.cursor() as cur, cur.copy(
            "COPY entry (chunk_id, ordinal, generation_id, kind, heading, first_line, last_line, "
            "quote, lead, trail, words, text_sha256, embedding) FROM STDIN (FORMAT BINARY)"
        ) as copy:  # fmt: skip
            copy.set_types(["int8", "int4", "int8", "text", "text", "int4", "int4",
                            *["text"] * 5, "vector"])  # fmt: skip
            for place, (line, vector) in enumerate(zip(chunks, vectors, strict=True), first):
                chunk_id = rows[line]
                copy.write_row((chunk_id, ordinals[chunk_id], generation_id, "item", "", line, line,
                                "quote " * 12, "", "trail " * 5, "words " * 12, f"{place:064}",
                                vector))  # fmt: skip
                ordinals[chunk_id] += 1
        conn.execute("DELETE FROM chunk_bits WHERE chunk_id = ANY(%s)", [list(rows.values())])
        chunk_bits.learn(conn, generation_id, ["a.md"])
