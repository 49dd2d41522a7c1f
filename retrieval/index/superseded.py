"""Which files a front matter's `supersedes` names, as people write it: "buildings", "[[fees]]"."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import psycopg

from retrieval.models import ERRATA, EVERY_FILE, SourceNote

_SUFFIX = ".md"
_REMARK = re.compile(r"(?<=[^\s(\]]) ?\([^()]{1,200}\)$")  # "fees.md (part)", "dice.md (Luck)"
_LINK = re.compile(r"\[[^\[\]]{0,200}\]\(([^()]{1,200})\)")
_ANCHOR = re.compile(r"(?<=\.md)#.{0,200}$", re.IGNORECASE)  # "fees.md#late"
_AND = re.compile(r"(?:[,;]| and )(?![^()]{0,200}\))")  # but in a remark
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
    it, as a link or not; or else what one file of the vault is called, in whatever folder. A remark
    in brackets behind it is no part of it, and one line may name several: "fees.md (part), dogs".
    What names no file, or several, stays as it is written. Errata that name none are of every file.
    """
    known = list(notes)
    written = [
        (note, name)
        for note in known
        for line in note.supersedes
        for reading in _readings(line)
        for name in reading
    ]
    wanted = {path for note, name in written for path in _paths(note, name)}
    exact = {path for (path,) in conn.execute(_EXACT, [generation_id, sorted(wanted)])}
    names = {
        _file(name)
        for note, name in written
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

    def paths_of(note: SourceNote, line: str) -> list[tuple[str, str | None]]:
        """The names of a line in the reading by which most are files, the first of equals."""
        readings = [[(name, path_of(note, name)) for name in one] for one in _readings(line)]
        return max(readings, key=lambda one: sum(path is not None for _, path in one))

    def resolved(note: SourceNote) -> SourceNote:
        found = [one for line in note.supersedes for one in paths_of(note, line)]
        is_of_every = note.is_one_of(ERRATA) and not any(path for _, path in found)
        every = [EVERY_FILE] if is_of_every else []
        return replace(note, supersedes=(*(path or name for name, path in found), *every))

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


def _readings(line: str) -> list[list[str]]:
    """The names that a line of `supersedes` may hold: as it stands, or each without its remark."""
    parts = [part.strip() for part in _AND.split(line) if part.strip()] or [line]
    bare = [_REMARK.sub("", part) for part in parts]
    return [[line], [_REMARK.sub("", line.strip())], parts, bare]


def _file(name: str) -> str:
    """A name as that of a file: of "[[fees#Late|late fees]]" and "fees.md#late" "fees.md"."""
    plain = name.strip()
    if link := _LINK.fullmatch(plain):
        plain = link[1]
    elif plain.startswith("[[") and plain.endswith("]]"):
        plain = plain[2:-2].split("|")[0].split("#")[0]
    if "#" in plain and not plain.lower().endswith(_SUFFIX):
        plain = _ANCHOR.sub("", plain)
    plain = plain.strip()
    return plain if plain.lower().endswith(_SUFFIX) else plain + _SUFFIX


def _paths(note: SourceNote, name: str) -> Iterator[str]:
    """The paths that a name may be: from the vault's root, then from the file's own folder."""
    file = _file(name)
    root = posixpath.normpath(file.removeprefix("/"))
    own = posixpath.normpath(posixpath.join(posixpath.dirname(note.path), file))
    places = (own,) if file.startswith(".") else (root, own)
    yield from (path for path in places if path != note.path)
