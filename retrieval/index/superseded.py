"""Which files a front matter's `supersedes` names, as people write it: "buildings", "[[fees]]"."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import psycopg

from retrieval.models import ERRATA, EVERY_FILE, SourceNote

_SUFFIX = ".md"
_EXACT = "SELECT path FROM file WHERE generation_id = %s AND path = ANY(%s)"
# Reads every path of the generation, so it is for names alone that are no path.
_CALLED = (
    "SELECT path FROM file WHERE generation_id = %s "
    "AND regexp_replace(path, '^.*/', '') = ANY(%s) ORDER BY path"
)
_SUPERSEDING = (
    "SELECT path, supersedes FROM file WHERE generation_id = %s AND supersedes <> '{}' "
    "ORDER BY path"
)


def with_paths(
    conn: psycopg.Connection[Any], generation_id: int, notes: Iterable[SourceNote]
) -> list[SourceNote]:
    """Return notes whose `supersedes` are paths of the generation, where one is meant.

    A name is a path from the vault's root or from the file's own folder, with its suffix or without
    it, as a link or not; or else what one file of the vault is called, in whatever folder. What
    names no file, or several, stays as it is written. Errata that name none are of every file.
    """
    known = list(notes)
    wanted = {path for note in known for name in note.supersedes for path in _paths(note, name)}
    exact = {path for (path,) in conn.execute(_EXACT, [generation_id, sorted(wanted)])}
    names = {
        _file(name)
        for note in known
        for name in note.supersedes
        if exact.isdisjoint(_paths(note, name)) and "/" not in _file(name)
    }
    rows = conn.execute(_CALLED, [generation_id, sorted(names)]).fetchall() if names else []
    called: dict[str, list[str]] = {}
    for (path,) in rows:
        called.setdefault(posixpath.basename(path), []).append(path)

    def path_of(note: SourceNote, name: str) -> str | None:
        """The file that is meant; no file is by its own name."""
        exactly = [path for path in _paths(note, name) if path in exact]
        others = [path for path in called.get(_file(name), ()) if path != note.path]
        return exactly[0] if exactly else others[0] if len(others) == 1 else None

    def resolved(note: SourceNote) -> SourceNote:
        paths = [path_of(note, name) for name in note.supersedes]
        names = [path or name for path, name in zip(paths, note.supersedes, strict=True)]
        every = [EVERY_FILE] if note.is_one_of(ERRATA) and not any(paths) else []
        return replace(note, supersedes=(*names, *every))

    return [resolved(note) for note in known]


def unknown(conn: psycopg.Connection[Any], generation_id: int) -> list[str]:
    """Return in words which names of `supersedes` are no file of the generation, or several."""
    rows = conn.execute(_SUPERSEDING, [generation_id]).fetchall()
    notes = with_paths(
        conn, generation_id, (SourceNote(path, supersedes=tuple(names)) for path, names in rows)
    )
    named = sorted({name for note in notes for name in note.supersedes})
    paths = {path for (path,) in conn.execute(_EXACT, [generation_id, named])} if named else set()
    return [
        f"{note.path}: `supersedes` names {name!r}, and no file of the vault, or more than one, is "
        "called so: write its path from the vault's root"
        for note in notes
        for name in note.supersedes
        if name not in paths and name != EVERY_FILE
    ]


def _file(name: str) -> str:
    """A name as that of a file: of "[[fees#Late|late fees]]" "fees.md"."""
    plain = name.strip()
    if plain.startswith("[[") and plain.endswith("]]"):
        plain = plain[2:-2].split("|")[0].split("#")[0].strip()
    return plain if plain.lower().endswith(_SUFFIX) else plain + _SUFFIX


def _paths(note: SourceNote, name: str) -> Iterator[str]:
    """The paths that a name may be: from the vault's root, then from the file's own folder."""
    file = _file(name)
    root = posixpath.normpath(file.removeprefix("/"))
    own = posixpath.normpath(posixpath.join(posixpath.dirname(note.path), file))
    places = (own,) if file.startswith(".") else (root, own)
    yield from (path for path in places if path != note.path)
