"""The entries of a folder's files that may say certain words, for lists that are collected."""

from collections.abc import Collection

from retrieval.index.store import Connection
from retrieval.models import Entry

_ENTRIES = """
    SELECT c.path, e.kind, e.heading, e.first_line, e.last_line, e.quote, e.lead, e.trail, e.words
    FROM chunk AS c JOIN entry AS e ON e.chunk_id = c.id
    WHERE c.generation_id = %(generation)s AND starts_with(c.path, %(folder)s)
        AND e.kind <> 'whole' AND lower(e.heading || ' ' || e.words) LIKE ALL(%(words)s)
    ORDER BY c.path, e.first_line, e.ordinal
"""


def read(
    conn: Connection, generation_id: int, folder: str, beginnings: Collection[str]
) -> list[tuple[str, Entry]]:
    """Return the entries below a folder with their files' paths, in the order of the lines.

    Of these only what holds each of `beginnings` (letters and digits, in lower case) anywhere in
    its headings or words; the caller compares whole words.
    """
    values = {
        "generation": generation_id,
        "folder": f"{folder}/",
        "words": [f"%{one}%" for one in beginnings],
    }
    with conn.cursor(binary=True) as cur:
        return [(path, Entry(*columns)) for path, *columns in cur.execute(_ENTRIES, values)]
