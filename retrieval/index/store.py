"""The index as readers see it: the live generation, and what a chunk holds.

The search by vectors is in `nearest.py`, that by words in `ranking/bm25.py`, what ingest writes in
`generations.py` and `writer.py`. Values are always parameters. Connections come from `database.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from pgvector import Vector
from psycopg.rows import class_row, kwargs_row

from retrieval.errors import IndexMissingError
from retrieval.models import Chunk, Entry, Evidence, Scope, Vectors
from retrieval.ranking import late_interaction
from retrieval.ranking.late_interaction import QuestionTokens, TokenVectors

Connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class Generation:
    """A generation of the index. `name` changes with every ingest that changed something."""

    id: int
    revision: int
    fingerprint: Mapping[str, str | int]
    off_topic: Sequence[Mapping[str, Any]] = ()  # fits, as `retrieval.refusal.off_topic` reads them

    @property
    def name(self) -> str:
        """ "ID.REVISION", as answers carry it."""
        return f"{self.id}.{self.revision}"


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A chunk of one list with its score in that list, higher is better, and its row's id."""

    row_id: int
    chunk: Chunk
    score: float


# A reader may meet a database whose table lacks the column: it was not ingested into since.
GENERATION = (
    "SELECT id, revision, fingerprint, coalesce(to_jsonb(generation) -> 'off_topic', '[]') "
    "AS off_topic FROM generation WHERE "
)


def live(conn: Connection) -> Generation:
    """Return the live generation. Raises IndexMissingError where nothing was ingested."""
    try:
        with conn.cursor(row_factory=kwargs_row(Generation)) as cur:
            found = cur.execute(GENERATION + "state = 'live'").fetchone()
    except psycopg.errors.UndefinedTable as error:
        raise IndexMissingError("the database holds no rules; run: python -m ingest") from error
    if found is None:
        raise IndexMissingError("the database holds no rules; run: python -m ingest")
    return found


def generation(conn: Connection, generation_id: int) -> Generation:
    """Return the generation of that id. Raises IndexMissingError where it is gone."""
    with conn.cursor(row_factory=kwargs_row(Generation)) as cur:
        found = cur.execute(GENERATION + "id = %s", [generation_id]).fetchone()
    if found is None:
        raise IndexMissingError(f"generation {generation_id} is gone from the database")
    return found


def chosen(conn: Connection, generation_id: int | None) -> Generation:
    """Return the generation of that id, or the live one for None. Raises IndexMissingError."""
    return live(conn) if generation_id is None else generation(conn, generation_id)


COLUMNS = (  # of a ScoredChunk, beside its score
    "c.id AS row_id, c.path, c.heading, c.first_line, c.last_line, c.text, c.context, c.piece"
)
ORDER = "score DESC, c.path, c.first_line, c.piece"

_EVIDENCE = """
    SELECT chunk_id, kind, heading, first_line, last_line, quote, lead, trail, words,
        token_vectors, token_scale, 1 - (embedding <=> %(vector)s::vector) AS score
    FROM entry WHERE chunk_id = ANY(%(rows)s) ORDER BY score DESC, chunk_id, ordinal
"""


def evidence(
    conn: Connection, rows: Sequence[int], vector: Vectors, tokens: QuestionTokens | None
) -> dict[int, tuple[Evidence, ...]]:
    """Return the chunks' entries by their row ids, each chunk's nearest by cosine first.

    With the question's `tokens` each has its late interaction score as well, where it is stored.
    """
    found: dict[int, list[Evidence]] = {row: [] for row in rows}
    values = {"vector": Vector(vector).to_text(), "rows": list(rows)}
    with conn.cursor(binary=True) as cur:
        read = cur.execute(_EVIDENCE, values).fetchall()
    stored = [late_interaction.unpacked(*row[-3:-1]) for row in read if tokens and row[-3]]
    late = iter(late_interaction.scores(tokens, stored).tolist() if tokens else ())
    for chunk_id, *columns, data, _, score in read:
        late_score = next(late) if tokens and data else None
        found[chunk_id].append(Evidence(Entry(*columns), score, late_score))
    return {row: tuple(entries) for row, entries in found.items()}


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """One of a chunk's entries, with what late interaction reads of it."""

    row_id: int  # of its chunk
    entry: Entry
    tokens: TokenVectors | None  # None: not stored

    @property
    def text(self) -> str:
        """What was embedded."""
        return self.entry.text


_TOKENS = """
    SELECT chunk_id, kind, heading, first_line, last_line, quote, lead, trail, words,
        token_vectors, token_scale FROM (
        SELECT *, row_number() OVER (
            PARTITION BY chunk_id ORDER BY embedding <=> %(vector)s::vector, ordinal
        ) AS place
        FROM entry WHERE chunk_id = ANY(%(rows)s)
    ) AS ranked WHERE place <= %(each)s ORDER BY chunk_id, place
"""


def nearest_entries(
    conn: Connection, rows: Sequence[int], vector: Vectors, each: int
) -> list[StoredEntry]:
    """Return the `each` nearest entries of each chunk with these row ids, the nearest first."""
    values = {"vector": Vector(vector).to_text(), "rows": list(rows), "each": each}
    with conn.cursor(binary=True) as cur:
        return [
            StoredEntry(
                row_id, Entry(*columns), late_interaction.unpacked(data, scale) if data else None
            )
            for row_id, *columns, data, scale in cur.execute(_TOKENS, values)
        ]


_ENTRIES = """
    SELECT chunk_id, kind, heading, first_line, last_line, quote, lead, trail, words
    FROM entry WHERE chunk_id = ANY(%(rows)s) AND kind <> 'whole' ORDER BY chunk_id, ordinal
"""


def entries_of(conn: Connection, rows: Sequence[int]) -> list[tuple[int, Entry]]:
    """Return all entries of the chunks with these row ids, in the order of their lines."""
    with conn.cursor(binary=True) as cur:
        found = cur.execute(_ENTRIES, {"rows": list(rows)})
        return [(row_id, Entry(*columns)) for row_id, *columns in found]


def some_vectors(
    conn: Connection, generation_id: int, count: int, part: Scope | None = None
) -> Vectors:
    """Return the vectors of `count` entries (or all) of a `part`, shape (entries, dimension).

    Of those whose texts have the lowest SHA-256: the same texts give the same rows in the same
    order.
    """
    rows = conn.execute(
        "SELECT embedding::real[] FROM entry WHERE generation_id = %(generation)s "
        "AND (%(part)s::bigint[] IS NULL OR chunk_id = ANY(%(part)s::bigint[])) "
        'ORDER BY text_sha256 COLLATE "C" LIMIT %(count)s',
        {"generation": generation_id, "part": part.chunks if part else None, "count": count},
        binary=True,
    ).fetchall()
    return np.array([vector for (vector,) in rows], np.float32)


def chunks_of(conn: Connection, generation_id: int, path: str) -> tuple[Chunk, ...]:
    """Return the chunks of one file in order; none where the index does not hold the file."""
    with conn.cursor(row_factory=class_row(Chunk)) as cur:
        return tuple(
            cur.execute(
                "SELECT path, heading, first_line, last_line, text, context, piece FROM chunk "
                "WHERE generation_id = %s AND path = %s ORDER BY first_line, piece",
                [generation_id, path],
            )
        )


def scored(*, row_id: int, score: float, **columns: Any) -> ScoredChunk:
    """Make a ScoredChunk of a row of COLUMNS and a score."""
    return ScoredChunk(row_id, Chunk(**columns), score)
