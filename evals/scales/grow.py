"""A vault of any size: the sample inside, and copies of it about other things.

A copy calls its things otherwise: the words that stand in few files of the sample get an ending of
its own, in the files as in the index. Its vectors are those of the sample, moved by one random
vector, so that near copies are in every list and nothing has to be encoded. Each file gets a number
by which filters pass a share. All is drawn by fixed seeds.
"""

import hashlib
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ingest import pipeline
from ingest.chunking import document
from ingest.read import vault
from ingest.read.vault import SourceFile
from retrieval.context import SearchContext
from retrieval.index import hnsw, indexed_file, writer
from retrieval.index.store import Connection, live
from retrieval.index.writer import NewChunk, NewFile
from retrieval.models import EVERY_FILE, Chunk, Entry, SourceNote, Vectors
from retrieval.ranking import late_interaction
from retrieval.ranking.late_interaction import TokenVectors

FOLDER = "copies"  # of the vault; what is not in it is the sample
_FEW = 3  # files of the sample: a word of more is not the name of one thing
_WORD = re.compile(r"[A-Za-z]{4,}")
_LENGTH = 0.35  # of the vector that moves a copy
_FIELDS = ("heading", "quote", "lead", "trail", "words")  # an entry's texts

_ROWS = """
    SELECT c.id, c.path, c.heading, c.first_line, c.last_line, c.text, c.context, c.piece,
        e.kind, e.heading, e.first_line, e.last_line, e.quote, e.lead, e.trail, e.words,
        e.embedding::real[], e.token_vectors, e.token_scale
    FROM chunk AS c JOIN entry AS e ON e.chunk_id = c.id
    WHERE c.generation_id = %s AND NOT starts_with(c.path, 'copies/')
    ORDER BY c.path, c.first_line, c.piece, e.ordinal
"""
_ENTRIES = "SELECT count(*) FROM entry WHERE generation_id = %s"
_NUMBER = """
    UPDATE file SET metadata = jsonb_build_object('number', (row * 1000 / files)::text)
    FROM (SELECT path AS one, count(*) OVER () AS files,
        row_number() OVER (ORDER BY md5(path)) - 1 AS row
        FROM file WHERE generation_id = %(id)s) AS drawn
    WHERE generation_id = %(id)s AND path = one
"""


_Text = tuple[str, ...]  # what is said about a copy's things by putting its ending between


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A chunk of the sample; `texts` are those of `chunk`, then those of each entry."""

    chunk: Chunk
    entries: tuple[Entry, ...]
    texts: tuple[_Text, ...]
    vectors: Vectors
    tokens: tuple[TokenVectors, ...]


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    text: _Text
    note: SourceNote
    chunks: tuple[_Chunk, ...]


def begin(context: SearchContext, sample: Path, folder: Path) -> None:
    """Ingest a copy of the `sample` at `folder`, unless an earlier run did."""
    if not folder.is_dir():
        shutil.copytree(sample, folder)
        pipeline.run(context, folder)


def grow(
    conn: Connection, folder: Path, wanted: int, progress: Callable[[str, int, int], None]
) -> int:
    """Add copies to the live generation, and to `folder`, up to `wanted` entries; return how many.

    `conn` is in no transaction. What an earlier run added stays.
    """
    pipeline.begin(conn)
    generation = live(conn).id
    files = _sample(conn, generation, folder)
    own = sum(len(one.entries) for file in files for one in file.chunks)
    dimension = next(one.vectors.shape[1] for file in files for one in file.chunks)
    first = len(list((folder / FOLDER).iterdir())) if (folder / FOLDER).is_dir() else 0
    missing = range(first, max(first, -(-wanted // own) - 1))
    if missing:
        hnsw.drop(conn, generation)  # to build it anew is faster than to add so many
    for number in missing:
        copy = _Copy(number, _moved(number, dimension))
        written = [copy.file(file) for file in files]
        with conn.transaction():
            writer.apply(conn, generation, removed=(), written=[new for new, _ in written])
        for new, data in written:  # only what is in the index is on the disk
            path = folder / new.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        progress("growing", (number + 2) * own, wanted)
    conn.execute(_NUMBER, {"id": generation})
    conn.execute("UPDATE generation SET revision = revision + 1 WHERE id = %s", [generation])
    conn.execute("VACUUM ANALYZE file, chunk, posting, entry, word, chunk_bits")
    row = conn.execute(_ENTRIES, [generation]).fetchone()
    return int(row[0]) if row else 0


@dataclass(frozen=True, slots=True)
class _Copy:
    """One copy of the sample."""

    number: int
    moved: Vectors

    def file(self, source: _File) -> tuple[NewFile, bytes]:
        """Return a file of the copy as it is written, and its bytes."""
        path, note = self._path(source.path), source.note
        data = self._said(source.text).encode()
        named = tuple(self._path(one) for one in note.supersedes if one != EVERY_FILE)
        new = replace(note, path=path, supersedes=named)
        chunks = tuple(self._chunk(path, one) for one in source.chunks)
        digest = hashlib.sha256(data).hexdigest()
        return NewFile(new, document.place(path), digest, chunks, {}), data

    def _path(self, path: str) -> str:
        return f"{FOLDER}/{self.number:04d}/{path}"

    def _said(self, text: _Text) -> str:
        return _ending(self.number).join(text)

    def _chunk(self, path: str, one: _Chunk) -> NewChunk:
        said = [self._said(text) for text in one.texts]
        chunk = replace(one.chunk, path=path, heading=said[0], text=said[1], context=said[2])
        entries = []
        for at, entry in enumerate(one.entries):
            start = 3 + at * len(_FIELDS)
            texts: dict[str, Any] = dict(zip(_FIELDS, said[start:], strict=False))
            entries.append(replace(entry, **texts))
        vectors = one.vectors + self.moved
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return NewChunk(chunk, tuple(entries), vectors, one.tokens)


def _ending(number: int) -> str:
    """Return letters that no two copies share: two syllables and more of a vowel each."""
    syllables = [c + v for c in "bdfgklmnprst" for v in "aiou"]
    found = ""
    for _ in range(2):
        number, at = divmod(number, len(syllables))
        found += syllables[at]
    return found + (str(number) if number else "")


def _moved(number: int, dimension: int) -> Vectors:
    drawn = np.random.default_rng(number).standard_normal(dimension)
    moved: Vectors = (_LENGTH * drawn / np.linalg.norm(drawn)).astype(np.float32)
    return moved


def _sample(conn: Connection, generation: int, folder: Path) -> list[_File]:
    """The files of the sample with what the index has of them."""
    sources = [file for file in vault.read(folder).files if not file.path.startswith(FOLDER)]
    names = _names(sources)
    chunks = _chunks(conn, generation, names)
    notes = indexed_file.notes(conn, generation, {file.path for file in sources})
    return [
        _File(
            file.path, _parts(file.text, names), notes.get(file.path, SourceNote(file.path)),
            tuple(chunks.get(file.path, ())),
        )
        for file in sources
    ]  # fmt: skip


def _names(sources: Iterable[SourceFile]) -> frozenset[str]:
    """The words that stand in few files, in lower case."""
    files: Counter[str] = Counter()
    for source in sources:
        files.update({word.lower() for word in _WORD.findall(source.text)})
    return frozenset(word for word, count in files.items() if count <= _FEW)


def _parts(text: str, names: Container[str]) -> _Text:
    """The text cut behind every one of the names."""
    ends = [word.end() for word in _WORD.finditer(text) if word[0].lower() in names]
    return tuple(text[start:end] for start, end in pairwise((0, *ends, len(text))))


def _chunks(conn: Connection, generation: int, names: Container[str]) -> Mapping[str, list[_Chunk]]:
    """The chunks of the sample by their files."""
    rows: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    with conn.cursor(binary=True) as cur:
        for row in cur.execute(_ROWS, [generation]):
            rows[row[0]].append(row[1:])
    found: defaultdict[str, list[_Chunk]] = defaultdict(list)
    for those in rows.values():
        chunk = Chunk(*those[0][:7])
        entries = tuple(Entry(*row[7:15]) for row in those)
        said = [chunk.heading, chunk.text, chunk.context]
        said += [getattr(entry, name) for entry in entries for name in _FIELDS]
        tokens = (late_interaction.unpacked(*row[16:]) for row in those if row[16])
        vectors = np.array([row[15] for row in those], np.float32)
        texts = tuple(_parts(text, names) for text in said)
        found[chunk.path].append(_Chunk(chunk, entries, texts, vectors, tuple(tokens)))
    return found
