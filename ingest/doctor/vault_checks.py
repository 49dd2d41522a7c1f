"""The checks of the index against the files: what an ingest would change, and what it would not.

An ingest compares hashes of files. Where the hash is right but rows are missing, it sees nothing;
so the files are cut into chunks again here, and those compared.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ingest import plan
from ingest.chunking.document import IndexedChunk
from ingest.doctor.findings import INGEST, REBUILD, Check, error, listed, warning
from ingest.read import vault
from ingest.read.vault import VaultFiles
from ingest.sandbox import parsing
from retrieval.encoder.bi_encoder import Embedder
from retrieval.errors import FileRejectedError
from retrieval.index import generations, integrity
from retrieval.index.integrity import StoredGeneration
from retrieval.index.known_vectors import text_sha256
from retrieval.index.store import Connection
from retrieval.models import Chunk


@dataclass(frozen=True, slots=True)
class Reading:
    """The vault as it is on disk, with what the chunker makes of it."""

    found: VaultFiles
    made: Mapping[str, list[IndexedChunk]]  # by path; empty where nothing was cut
    rejected: tuple[FileRejectedError, ...]  # while reading or while cutting


@dataclass(frozen=True, slots=True)
class _Held:
    """A chunk as the index holds it."""

    chunk: Chunk
    texts: tuple[str, ...]  # the sha256 of its entries


def read(root: Path, embedder: Embedder | None) -> Reading:
    """Read the vault at `root` and cut it into chunks; without `embedder`, read it alone.

    Raises VaultError where `root` is no folder.
    """
    found = vault.read(root)
    made: dict[str, list[IndexedChunk]] = {}
    rejected = list(found.rejected)
    if embedder is None:
        return Reading(found, made, found.rejected)
    limit, count = embedder.limit - 2, embedder.tokens.count
    for file in found.files:
        try:
            made[file.path] = parsing.index(embedder.files, file, entry_limit=limit, count=count)
        except FileRejectedError as reason:
            rejected.append(reason)
    return Reading(found, made, tuple(rejected))


def files(conn: Connection, live: StoredGeneration, reading: Reading) -> Check:
    """Check that the index holds exactly the files of the vault, as they are now."""
    found = reading.found
    made = plan.make(found, generations.file_hashes(conn, live.id), rebuild=False)
    kinds = (
        (made.changed, "changed since they were indexed"),
        (made.added, "are not in the index"),
        (made.removed, "are in the index and gone from the folder"),
    )
    named = {rejected.path for rejected in reading.rejected}
    findings = [
        error(f"rejected: {rejected}", f"mend the file, then {INGEST}")
        for rejected in reading.rejected
    ]
    for paths, what in kinds:
        if odd := tuple(path for path in paths if path not in named):
            findings.append(error(f"{len(odd)} files {what}: {listed(odd)}", INGEST))
    about = f"{len(found.files)} on disk, {live.files} in the index"
    about += f", {len(found.ignored)} not Markdown" if found.ignored else ""
    return Check("files", about, tuple(findings))


def contents(conn: Connection, live: StoredGeneration, reading: Reading) -> Check:
    """Check that the index has all chunks and entries of its files, and no others.

    Files that `files` reports are left out: an ingest makes them again.
    """
    hashes = generations.file_hashes(conn, live.id)
    held: dict[str, list[_Held]] = {}
    for chunk, texts in integrity.chunks(conn, live.id):
        held.setdefault(chunk.path, []).append(_Held(chunk, texts))
    findings, compared = [], 0
    for file in reading.found.files:
        if file.path not in reading.made or hashes.get(file.path) != file.sha256:
            continue
        compared += 1
        odd = tuple(_differences(reading.made[file.path], held.get(file.path, [])))
        if odd:
            findings.append(error(f"{file.path}: {listed(odd)}", REBUILD))
    return Check("contents", f"{compared} files cut into chunks again", tuple(findings))


def not_checked(reason: str) -> Check:
    """Return the check of contents where it cannot be made; another check says more."""
    return Check("contents", "not checked", (warning(reason, INGEST),))


def _differences(made: Iterable[IndexedChunk], held: Iterable[_Held]) -> Iterator[str]:
    here = {item.chunk.id: item for item in held}
    for item in made:
        name = item.chunk.id
        stored = here.pop(name, None)
        wanted = tuple(text_sha256(entry.text) for entry in item.entries)
        if stored is None:
            yield f"chunk {name} is missing"
        elif stored.chunk != item.chunk:
            yield f"chunk {name} is not the one that is made of the file"
        elif len(stored.texts) != len(wanted):
            yield f"chunk {name} has {len(stored.texts)} entries, not {len(wanted)}"
        elif stored.texts != wanted:
            yield f"chunk {name} has other entries than are made of the file"
    for name in here:
        yield f"chunk {name} is of nothing in the file"
