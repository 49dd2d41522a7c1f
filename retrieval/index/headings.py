"""Search as you type over the headings and the words of the index: no model, one statement."""

from dataclasses import dataclass

from psycopg.rows import class_row

from retrieval.store import Connection
from retrieval.words import WORD

_MOST_WORDS = 8
_LONGEST = 200  # characters of what was typed

# A word is found where a chunk's heading or path holds it, or where one of the chunk's own words
# begins with it (a range, which the index of postings can look up) or has its stem. Of the chunks
# that have all words, the entries are ranked: they know the smaller headings and the rows' names.
_FOUND = """
    WITH typed AS (
        SELECT * FROM unnest(%(words)s::text[]) WITH ORDINALITY AS typed(word, ordinal)
    ), found AS (
        SELECT ordinal, p.chunk_id, 0 AS is_name FROM typed JOIN posting AS p
            ON p.generation_id = %(generation)s
            AND p.lexeme >= word COLLATE "C" AND p.lexeme < word || chr(1114111) COLLATE "C"
        UNION ALL
        SELECT ordinal, p.chunk_id, 0
        FROM typed, unnest(tsvector_to_array(to_tsvector('english', word))) AS stem
            JOIN posting AS p ON p.generation_id = %(generation)s AND p.lexeme = stem
        UNION ALL
        SELECT ordinal, c.id, 1 FROM typed JOIN chunk AS c ON c.generation_id = %(generation)s
            AND position(word in lower(c.heading || ' ' || c.path)) > 0
    ), matched AS (
        SELECT chunk_id FROM found GROUP BY chunk_id
        HAVING count(DISTINCT ordinal) = cardinality(%(words)s::text[])
        ORDER BY max(is_name) DESC, chunk_id LIMIT %(chunks)s
    ), line AS (
        SELECT c.path, e.heading, e.first_line, lower(e.words) AS said,
            lower(regexp_replace(e.heading, '^.* > ', '')) AS own
        FROM matched JOIN entry AS e USING (chunk_id) JOIN chunk AS c ON c.id = e.chunk_id
        WHERE e.kind <> 'whole'
    ), ranked AS (
        SELECT path, heading, first_line, own, CASE
            WHEN starts_with(own, %(phrase)s) THEN 0
            WHEN position(' ' || %(phrase)s in own) > 0 THEN 1
            WHEN starts_with(said, %(phrase)s) THEN 2
            WHEN position(%(first)s in own) > 0 THEN 3
            WHEN position(%(first)s in lower(path)) > 0 THEN 4
            WHEN position(%(first)s in said) > 0 THEN 5
            ELSE 6 END AS place
        FROM line
    ), best AS (
        SELECT DISTINCT ON (path, heading) * FROM ranked ORDER BY path, heading, place, first_line
    )
    SELECT path, heading, first_line FROM best ORDER BY place, length(own), path, first_line
    LIMIT %(limit)s
"""
_MOST_CHUNKS = 120  # ranked; one letter is in nearly all of them


@dataclass(frozen=True, slots=True)
class FoundHeading:
    """A section of a file, by the line where it begins."""

    path: str
    heading: str  # the trail, joined with " > "; "" above the first heading
    first_line: int


def headings(
    conn: Connection, generation_id: int, typed: str, limit: int = 12
) -> list[FoundHeading]:
    """Return the sections whose heading, path or text hold every word of `typed`, best first.

    A word may be the beginning of one. Sections that are called so come first, then those that
    stand under such a heading or in such a file, then those whose text says it. None for nothing.
    """
    words = [word.lower() for word in WORD.findall(typed[:_LONGEST])][:_MOST_WORDS]
    if not words:
        return []
    with conn.cursor(row_factory=class_row(FoundHeading)) as cur:
        values = {
            "words": words, "first": words[0], "phrase": " ".join(words), "limit": limit,
            "generation": generation_id, "chunks": _MOST_CHUNKS,
        }  # fmt: skip
        return cur.execute(_FOUND, values).fetchall()
