"""A file as it was indexed, around the passages of one search: its lines and its entries."""

from collections.abc import Collection, Sequence
from typing import Any

import psycopg
from psycopg.rows import kwargs_row

from retrieval.index import superseded
from retrieval.metadata.schema import Metadata, as_stored
from retrieval.models import ERRATA, Chunk, Entry, IndexedFile, SourceNote
from retrieval.text.dialects import MARKS, plain_markdown
from retrieval.text.hidden import visible

_AROUND = 300  # lines before and behind a passage that are read with it


_LINES = """
    SELECT c.id, c.path, c.first_line, c.text, c.piece FROM chunk AS c
    JOIN unnest(%(paths)s::text[], %(from)s::int[], %(to)s::int[]) AS asked(path, first, last)
        ON c.path = asked.path AND c.last_line >= asked.first AND c.first_line <= asked.last
    WHERE c.generation_id = %(generation)s ORDER BY c.path, c.first_line, c.piece
"""
_ENTRIES = """
    SELECT chunk_id, kind, heading, first_line, last_line, quote, lead, trail, words FROM entry
    WHERE chunk_id = ANY(%(chunks)s) AND kind <> 'whole' ORDER BY chunk_id, ordinal
"""


def read(
    conn: psycopg.Connection[Any], generation_id: int, around: Sequence[Chunk]
) -> dict[str, IndexedFile]:
    """Return the files of these chunks by path, with the lines around each of the chunks.

    Lines that a browser hides whole are left out.
    """
    spans: dict[str, tuple[int, int]] = {}
    for chunk in around:
        first, last = spans.get(chunk.path, (chunk.first_line, chunk.last_line))
        spans[chunk.path] = (min(first, chunk.first_line), max(last, chunk.last_line))
    values = {
        "generation": generation_id,
        "paths": list(spans),
        "from": [first - _AROUND for first, _ in spans.values()],
        "to": [last + _AROUND for _, last in spans.values()],
    }
    lines: dict[str, dict[int, str]] = {path: {} for path in spans}
    path_of: dict[int, str] = {}
    with conn.cursor(binary=True) as cur:
        for chunk_id, path, first, text, piece in cur.execute(_LINES, values):
            path_of[chunk_id] = path
            known = lines[path]
            for number, line in enumerate(text.split("\n"), start=first):
                # Only of a line that alone is over the limit is a chunk a part.
                known[number] = known.get(number, "") + line if piece > 1 else line
        entries: dict[str, list[Entry]] = {path: [] for path in spans}
        for chunk_id, *columns in cur.execute(_ENTRIES, {"chunks": list(path_of)}):
            entries[path_of[chunk_id]].append(Entry(*columns))
    return {
        path: IndexedFile(path, _shown(lines[path]), _in_order(entries[path])) for path in lines
    }


def _shown(lines: dict[int, str]) -> dict[int, str]:
    """The lines without those that a browser, or their own program, hides: these are blank."""
    numbers = sorted(lines)
    if not numbers:
        return {}
    text = "\n".join(lines[number] for number in numbers)
    text = plain_markdown(text).text if MARKS.search(text) else text
    shown = (visible(text) if "<" in text else text).split("\n")  # few texts hide anything
    return {n: lines[n] for n, text in zip(numbers, shown, strict=True) if text or not lines[n]}


def _in_order(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries by their lines; what was cut for the encoder alone stands once."""
    once = {(one.first_line, one.last_line, one.quote): one for one in reversed(entries)}
    place = {id(one): number for number, one in enumerate(entries)}
    return tuple(sorted(once.values(), key=lambda one: (one.first_line, place[id(one)])))


def hashes_of(
    conn: psycopg.Connection[Any], generation_id: int, paths: Sequence[str]
) -> dict[str, str]:
    """Return the sha256 of these files by path, as indexed; a file that is not held is left out."""
    rows = conn.execute(
        "SELECT path, sha256 FROM file WHERE generation_id = %s AND path = ANY(%s)",
        [generation_id, list(paths)],
    )
    return dict(rows.fetchall())


def notes(
    conn: psycopg.Connection[Any], generation_id: int, paths: Collection[str]
) -> dict[str, SourceNote]:
    """Return by path what these files' front matter says, of those where it says something.

    What they supersede are paths, where a file of the vault is meant.
    """
    with conn.cursor(row_factory=kwargs_row(_note)) as cur:
        found = cur.execute(
            "SELECT path, status, edition, supersedes FROM file "
            "WHERE generation_id = %s AND path = ANY(%s) "
            "AND (status <> '' OR edition <> '' OR supersedes <> '{}')",
            [generation_id, sorted(set(paths))],
        ).fetchall()
    if any(note.supersedes or note.is_one_of(ERRATA) for note in found):
        found = superseded.with_paths(conn, generation_id, found)
    return {note.path: note for note in found}


def stated(
    conn: psycopg.Connection[Any], generation_id: int, paths: Collection[str]
) -> dict[str, Metadata]:
    """Return by path what these files' front matter states, by field; a list as a tuple.

    Of files that were indexed before there was metadata nothing.
    """
    rows = conn.execute(
        "SELECT f.path, to_jsonb(f) -> 'metadata' FROM file AS f "
        "WHERE generation_id = %s AND path = ANY(%s)",
        [generation_id, sorted(set(paths))],
    )
    return {path: as_stored(given or {}) for path, given in rows}


def _note(*, supersedes: list[str], **columns: str) -> SourceNote:
    return SourceNote(supersedes=tuple(supersedes), **columns)
