"""What a search may look at under a filter: the files that pass, and their chunks' row ids.

Filters are decided here, over metadata held in memory. SQL gets row ids and nothing of a filter.
"""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from psycopg.types.json import Jsonb

from retrieval.errors import ConfigurationError, FilterError, IndexMismatchError
from retrieval.index.store import Connection
from retrieval.metadata import filters as parsing
from retrieval.metadata.filters import Given, Predicate
from retrieval.metadata.schema import Metadata, Schema, Value, as_stored, infer, typed
from retrieval.models import Scope

_MOST_KEPT = 32  # scopes, and parts

log = logging.getLogger(__name__)

# A reader may meet a database whose table lacks the column: it was not ingested into since.
_FILES = """
    SELECT f.path, to_jsonb(f) -> 'metadata',
        coalesce(array_agg(c.id ORDER BY c.id) FILTER (WHERE c.id IS NOT NULL), '{}'),
        coalesce(sum(counted.entries), 0)::bigint
    FROM file AS f LEFT JOIN chunk AS c ON c.generation_id = f.generation_id AND c.path = f.path
        LEFT JOIN (
            SELECT chunk_id, count(*) AS entries FROM entry WHERE generation_id = %(generation)s
            GROUP BY chunk_id
        ) AS counted ON counted.chunk_id = c.id
    WHERE f.generation_id = %(generation)s GROUP BY f.generation_id, f.path
"""


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    said: Metadata
    values: Mapping[str, Value]
    chunks: Sequence[int]
    entries: int


@dataclass(frozen=True, slots=True)
class _Stored:
    """The metadata of one generation, or of a part of it.

    `scopes` are those that were asked for, by their filters, and `parts` those of callers.
    """

    schema: Schema
    files: tuple[_File, ...]
    scopes: dict[str, Scope] = field(default_factory=dict)
    parts: dict[str, "_Stored"] = field(default_factory=dict)


@dataclass(slots=True)
class MetadataCache:
    """The metadata of the generation that was asked last."""

    _known: tuple[str, _Stored] | None = field(default=None)

    def scope(
        self,
        conn: Connection,
        generation_id: int,
        name: str,
        *,
        access: Given | None = None,
        default: Given | None = None,
        asked: Given | None = None,
    ) -> Scope:
        """Return what the filters leave of a generation.

        `access` says which files there are for the caller at all: `asked` may name their fields
        alone. `name` changes with every change of the generation. Raises FilterError where `asked`
        is wrong, ConfigurationError where another one is, and IndexMismatchError where the index
        holds files from before there was metadata.
        """
        known = self._known
        if known is None or known[0] != name:
            known = self._known = (name, _read(conn, generation_id))
        stored = known[1]
        passes = _of_settings(default, stored.schema)
        seen = stored if access is None else _part(stored, access)
        wanted = parsing.parse(asked or {}, seen.schema)
        key = json.dumps([default, asked], default=repr)  # parsed, so small and of plain values
        scope = seen.scopes.get(key)
        if scope is None:
            shown = {one.path for one in stored.files if passes(one.values)}
            kept = [one for one in seen.files if one.path in shown and wanted(one.values)]
            # What a key may not see must not show in the time either: its filter is always sent.
            scope = _scope(kept, stored.files if access is None else ())
            if len(seen.scopes) >= _MOST_KEPT:
                seen.scopes.clear()
            seen.scopes[key] = scope
        return scope


def _part(stored: _Stored, access: Given) -> _Stored:
    """The files that pass, with the fields and types that they alone have."""
    key = json.dumps(access, default=repr)
    part = stored.parts.get(key)
    if part is None:
        try:
            passes = parsing.parse(access, stored.schema)
        except FilterError as error:
            log.error("the filter %s of a key: %s", key, error)  # it names what others may see
            raise ConfigurationError(
                "the filter of this key does not fit the rules; the server's log says why"
            ) from error
        part = _stored(
            (one.path, one.said, one.chunks, one.entries)
            for one in stored.files
            if passes(one.values)
        )
        if len(stored.parts) >= _MOST_KEPT:
            stored.parts.clear()
        stored.parts[key] = part
    return part


def _scope(kept: Sequence[_File], every: Sequence[_File]) -> Scope:
    """The scope of the files that are kept; its share is of `every` file, 0 where none is given."""
    rows = [row for one in kept for row in one.chunks]
    return Scope(
        frozenset(one.path for one in kept),
        "{" + ",".join(map(str, rows)) + "}",
        sum(one.entries for one in kept),
        frozenset(rows),
        len(rows) / max(1, sum(len(one.chunks) for one in every)) if every else 0.0,
    )


def _of_settings(default: Given | None, schema: Schema) -> Predicate:
    try:
        return parsing.parse(default or {}, schema)
    except FilterError as error:
        raise ConfigurationError(f"FILTERS: {error}") from error


def _read(conn: Connection, generation_id: int) -> _Stored:
    rows = conn.execute(_FILES, {"generation": generation_id}).fetchall()
    old = sum(metadata is None for _, metadata, *_ in rows)
    if old:
        raise IndexMismatchError(
            f"{old} files were indexed before there was metadata to filter by; "
            "run: python -m ingest"
        )
    return _stored((path, as_stored(said), chunks, entries) for path, said, chunks, entries in rows)


def _stored(found: Iterable[tuple[str, Metadata, Sequence[int], int]]) -> _Stored:
    rows = list(found)
    schema = infer(said for _, said, *_ in rows)
    files = (_File(path, said, typed(path, said, schema), chunks, entries)
             for path, said, chunks, entries in rows)  # fmt: skip
    return _Stored(schema, tuple(files))


def complete(conn: Connection, generation_id: int, said: Mapping[str, Metadata]) -> bool:
    """Give the files metadata that were indexed before there was any; tell whether any got some.

    `said` is what the files of the vault say, by path. The caller holds the lock of writers.
    """
    given = [(Jsonb(dict(metadata)), generation_id, path) for path, metadata in said.items()]
    with conn.transaction(), conn.cursor() as cur:
        cur.executemany(
            "UPDATE file SET metadata = %s WHERE generation_id = %s AND path = %s "
            "AND metadata IS NULL",
            given,
        )
        if cur.rowcount:
            conn.execute(
                "UPDATE generation SET revision = revision + 1 WHERE id = %s", [generation_id]
            )
    return cur.rowcount > 0


def lacking(conn: Connection, generation_id: int) -> set[str]:
    """Return the paths of the files that were indexed before there was metadata."""
    rows = conn.execute(
        "SELECT path FROM file WHERE generation_id = %s AND metadata IS NULL", [generation_id]
    )
    return {path for (path,) in rows}
