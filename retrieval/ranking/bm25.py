"""Full text search: chunks ranked by BM25 over the words that PostgreSQL's parser finds.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with the idf that cannot be negative.

The words of a question are lexemes of that parser, never a query: no operator in a user's text does
anything. Where they stand in very many chunks, the rarer ones choose which chunks are scored, so
that a search reads about as much of a large vault as of a small one.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, NamedTuple

from psycopg.rows import class_row, kwargs_row, tuple_row

from retrieval.index.store import COLUMNS, ORDER, Connection, ScoredChunk, scored
from retrieval.index.text_search import CONFIGURATION
from retrieval.index.wide_scope import best_of
from retrieval.models import Scope

_K1, _B = 1.2, 0.75  # the usual values
MOST_POSTINGS = 8_000  # that are read of a question's words; its rarer words choose (E132, E157)
_CHOSEN = 3  # times as many chunks as are asked for

_WORDS = f"""
    SELECT asked.lexeme, coalesce(word.chunks, 0) AS chunks, (corpus.words / corpus.chunks::float8)
        AS length, ln(1 + (corpus.chunks - coalesce(word.chunks, 0) + 0.5) /
            (coalesce(word.chunks, 0) + 0.5))::float8 AS idf
    FROM corpus LEFT JOIN unnest(to_tsvector({CONFIGURATION}, %(text)s)) AS asked ON true
        LEFT JOIN word ON word.generation_id = %(generation)s AND word.lexeme = asked.lexeme
    WHERE corpus.generation_id = %(generation)s AND corpus.chunks > 0 ORDER BY asked.lexeme
"""  # noqa: S608  # constants of our modules, no values
_COUNTED_WORDS = f"""
    WITH corpus AS (
        SELECT count(*) AS chunks, avg(length)::float8 AS length FROM chunk
        WHERE generation_id = %(generation)s {{in_part}}
    )
    SELECT asked.lexeme, found.chunks, corpus.length,
        ln(1 + (corpus.chunks - found.chunks + 0.5) / (found.chunks + 0.5))::float8 AS idf
    FROM corpus, unnest(to_tsvector({CONFIGURATION}, %(text)s)) AS asked, LATERAL (
        SELECT count(*) AS chunks FROM posting AS p
        WHERE p.generation_id = %(generation)s AND p.lexeme = asked.lexeme {{of_part}}
    ) AS found WHERE corpus.chunks > 0 ORDER BY asked.lexeme
"""  # noqa: S608
_MATCHED = """
    WITH asked AS (
        SELECT * FROM unnest(%(lexemes)s::text[], %(idfs)s::float8[]) AS asked (lexeme, idf)
    ), matched AS (
        SELECT p.chunk_id, sum(asked.idf * p.count * (%(k1)s + 1) /
            (p.count + %(k1)s * (1 - %(b)s + %(b)s * c.length / %(length)s))
            ORDER BY asked.lexeme) AS sum
        FROM asked JOIN posting AS p USING (lexeme) JOIN chunk AS c ON c.id = p.chunk_id
        WHERE p.generation_id = %(generation)s {which} GROUP BY p.chunk_id
    )
"""
# Of thousands that match only the best are looked up: by their paths, which put ties in order, and
# for an entry. Sorted first and joined one by one, or all of them would be (E157).
_SCORED = f"""
    {_MATCHED}
    , sorted AS (
        SELECT chunk_id, (sum / %(most)s)::float8 AS score FROM matched ORDER BY score DESC
    ), best AS (
        SELECT chunk_id, score FROM sorted CROSS JOIN LATERAL (
            SELECT FROM entry AS e WHERE e.chunk_id = sorted.chunk_id LIMIT 1
        ) AS one ORDER BY score DESC FETCH FIRST %(limit)s ROWS WITH TIES
    )
    SELECT {COLUMNS}, score FROM best JOIN chunk AS c ON c.id = best.chunk_id
    ORDER BY {ORDER} LIMIT %(limit)s
"""  # noqa: S608
_BEST = f"""
    {_MATCHED}
    , best AS (
        SELECT chunk_id, sum FROM matched ORDER BY sum DESC FETCH FIRST %(limit)s ROWS WITH TIES
    )
    SELECT c.id, best.sum AS score FROM best JOIN chunk AS c ON c.id = best.chunk_id
    ORDER BY {ORDER} LIMIT %(limit)s
"""  # noqa: S608
# A file of marks alone has words, those of its name, and no entry: nothing of it could be quoted.
# Sums have an order, or another plan (after ANALYZE, after a restore) gives other last digits.
# "+ 0": the index of a chunk's postings is a detour where many chunks are asked for (E81).
_OF_ROWS = "AND p.chunk_id + 0 = ANY(%(rows)s::bigint[])"


class _Word(NamedTuple):
    """A word of the question."""

    lexeme: str
    chunks: int  # in how many it stands
    length: float  # of a chunk, in the mean
    idf: float


def full_text(
    conn: Connection, generation_id: int, text: str, limit: int,
    scope: Scope | None = None, part: Scope | None = None,
) -> list[ScoredChunk]:  # fmt: skip
    """Rank chunks, those of `scope` alone, by BM25, best first; none where none has a word of it.

    What a word is worth is counted over all chunks, or over those of `part`, whatever the scope.
    Scores are divided by the most that the question's words could give, so they lie between 0
    and 1 and can be compared between questions. They are exact. Where the words stand in over
    MOST_POSTINGS chunks together, a chunk that has none of the rarer ones may be missing.
    """
    words = _words(conn, generation_id, text, part)
    if not words:
        return []
    if scope is not None:
        kept = best_of(scope, limit, lambda size: _ranked(conn, generation_id, words, size, None))
        if kept is not None:
            return kept
    return _ranked(conn, generation_id, words, limit, scope)


def _ranked(
    conn: Connection, generation_id: int, words: Sequence[_Word], limit: int, scope: Scope | None
) -> list[ScoredChunk]:
    values: dict[str, Any] = {
        "generation": generation_id, "limit": limit, "k1": _K1, "b": _B,
        "length": words[0].length, "most": (_K1 + 1) * sum(word.idf for word in words),
    }  # fmt: skip
    which = ""
    if scope is not None:
        which, values["rows"] = _OF_ROWS, scope.chunks
    if sum(word.chunks for word in words) > MOST_POSTINGS:
        more = values | {"limit": _CHOSEN * limit}
        share = scope.share if scope and scope.share else 1.0
        choosing = rarest(words, math.ceil(_CHOSEN * limit / share))
        if len(choosing) < len(words):
            found = _run(conn, _BEST.format(which=which), choosing, more)
            which = "AND p.chunk_id = ANY(%(rows)s::bigint[])"
            values["rows"] = [row_id for row_id, _ in found]
    query = _SCORED.format(which=which)
    return _run(conn, query, words, values, kwargs_row(scored))


def rarest(words: Sequence[_Word], least: int) -> list[_Word]:
    """Return the rarest words, in their own order: as many as MOST_POSTINGS postings have.

    Where the commonest of those is in fewer chunks than `least`, so that they may find too little,
    the next ones too.
    """
    chosen, postings, most = set[str](), 0, 0
    for word in sorted(words, key=lambda word: (word.chunks, word.lexeme)):
        postings += word.chunks
        if postings > MOST_POSTINGS and most >= least:
            break
        chosen.add(word.lexeme)
        most = word.chunks
    return [word for word in words if word.lexeme in chosen]


def _words(conn: Connection, generation_id: int, text: str, part: Scope | None) -> list[_Word]:
    """The words of a text with their counts: those that ingest keeps, or of a part counted now."""
    values: dict[str, Any] = {"generation": generation_id, "text": text}
    with conn.cursor(row_factory=class_row(_Word)) as cur:
        # A reader may meet a database that no ingest of this version has changed yet.
        kept = conn.execute("SELECT to_regclass('word') IS NOT NULL").fetchone() == (True,)
        if part is None and kept and (words := cur.execute(_WORDS, values).fetchall()):
            return [word for word in words if word.lexeme is not None]  # None: no word at all
        in_part = of_part = ""
        if part is not None:
            values["rows"] = part.chunks
            in_part, of_part = "AND id = ANY(%(rows)s::bigint[])", _OF_ROWS
        query = _COUNTED_WORDS.format(in_part=in_part, of_part=of_part)
        return cur.execute(query, values, prepare=False).fetchall()


def _run(
    conn: Connection, query: LiteralString, words: Sequence[_Word], values: Mapping[str, Any],
    row_factory: Any = tuple_row,
) -> list[Any]:  # fmt: skip
    asked = {"lexemes": [w.lexeme for w in words], "idfs": [w.idf for w in words]}
    # Unprepared where rows are named: of a plan for any array each would be compared with all.
    prepare = False if "rows" in values else None
    with conn.cursor(row_factory=row_factory) as cur:
        return cur.execute(query, {**values, **asked}, prepare=prepare).fetchall()
