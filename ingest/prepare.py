"""From files to rows of a generation: chunks, entries and vectors, prepared and applied."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ingest.chunking import limits
from ingest.chunking.chunk import CHUNK_LIMIT, CHUNKER_VERSION
from ingest.chunking.document import Index, IndexedChunk
from ingest.chunking.embedding import Progress, embed
from ingest.on_ray import RayEmbedder
from ingest.plan import NOTHING, Allowed
from ingest.read.vault import SourceFile, VaultFiles
from ingest.sandbox import parsing
from retrieval.context import SearchContext
from retrieval.errors import FileRejectedError
from retrieval.index import generations, writer
from retrieval.index.hnsw import Say
from retrieval.index.store import Connection, Generation
from retrieval.index.writer import NewFile
from retrieval.ranking.reranking import passage_text

_log = logging.getLogger(__name__)

Gate = Callable[[int, Path], int]
"""Measures a generation, made of a folder, and returns an exit status: 0 is a pass."""


def silent(what: str, done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier run has read."""

    found: VaultFiles
    index: str  # the mark of the index that holds just that; "" where none does


@dataclass(frozen=True, slots=True)
class Job:
    """What to ingest: the vault at `root`, through a connection that holds the lock of writers.

    Not so a `temporary` one, whose generation is for the caller to drop. `index` makes the chunks
    of a file instead of `parsing.index`.
    """

    context: SearchContext
    conn: Connection
    root: Path
    allowed: Allowed = NOTHING
    progress: Progress = silent
    say: Say = _log.info
    gate: Gate | None = None
    earlier: Earlier | None = None
    changed: Collection[str] | None = None  # no other path of the vault has since; None: any may
    index: Index | None = None
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Chunked:
    """Files with their chunks, and what became of the others."""

    files: tuple[tuple[SourceFile, list[IndexedChunk]], ...]
    rejected: tuple[FileRejectedError, ...]
    notes: tuple[str, ...]  # what a writer should know of files that do go in


@dataclass(frozen=True, slots=True)
class Prepared:
    """Files ready to be written, and what became of the others."""

    files: tuple[NewFile, ...]
    rejected: tuple[FileRejectedError, ...]
    notes: tuple[str, ...]
    embedded: int  # texts that had no vector yet


def fingerprint(context: SearchContext) -> dict[str, str | int]:
    """Return what rows depend on besides their files: the models and the chunker."""
    return {**context.fingerprint, "chunker": CHUNKER_VERSION}


def indexed(job: Job, live: Generation | None) -> Mapping[str, str]:
    """Return the sha256 of the live generation's files by path, which an earlier run may know."""
    earlier = job.earlier
    if earlier and earlier.index and earlier.index == generations.mark(job.conn):
        return {file.path: file.sha256 for file in earlier.found.files}
    return generations.file_hashes(job.conn, live.id) if live else {}


def prepare_and_apply(
    job: Job, generation_id: int, files: Sequence[SourceFile], *, removed: Sequence[str] = ()
) -> Prepared:
    """Write `files` into a generation, and take the paths `removed` out, in one transaction.

    Texts that the index knows keep their vectors. Files that cannot be read are among the rejected,
    and stay as they were; where nothing is left to write, nothing is. Raises ModelUnavailableError,
    and ConfigurationError where the lock is lost.
    """
    ready = _prepared(job, files)
    if ready.files or removed:
        with job.conn.transaction():
            if not job.temporary:
                generations.require_lock(job.conn)
            writer.apply(job.conn, generation_id, removed=removed, written=ready.files)
    return ready


def _prepared(job: Job, files: Sequence[SourceFile]) -> Prepared:
    if not files:  # the usual case of an unchanged vault: not one query
        return Prepared((), (), (), 0)
    chunked = chunk(job.context, files, job.index)
    written = embed(job.context, job.conn, chunked.files, job.progress, job.say)
    rejected = (*chunked.rejected, *written.rejected)
    return Prepared(written.files, rejected, (*chunked.notes, *written.notes), written.embedded)


def chunk(
    context: SearchContext, files: Sequence[SourceFile], index: Index | None = None
) -> Chunked:
    """Return the chunks of files, in order; no model is called but the tokenizer."""
    indexed, rejected, notes = [], [], []
    tokens = context.embedder.tokens
    cut = index or partial(parsing.index, context.embedder.files)
    if index is None and isinstance(context.embedder, RayEmbedder):
        cut = context.embedder.reader(files)
    for file in files:
        try:
            chunks = cut(file, entry_limit=context.embedder.limit - 2, count=tokens.count)
        except FileRejectedError as error:
            rejected.append(error)
            continue
        indexed.append((file, chunks))
        if file.removed_nuls:
            notes.append(f"{file.path}: {file.removed_nuls} NUL characters left out")
        if not chunks:
            notes.append(f"{file.path}: holds no text")
        elif not any(item.entries for item in chunks):
            notes.append(f"{file.path}: holds no words, so nothing of it can be found")
        for item in chunks:
            text = passage_text(item.chunk)
            if (size := max(tokens.count(text), limits.unread(text))) > CHUNK_LIMIT:
                notes.append(f"{item.chunk.id}: {size} word pieces, over {CHUNK_LIMIT}")
    return Chunked(tuple(indexed), tuple(rejected), tuple(notes))
