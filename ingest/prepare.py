"""From files to what is written of them: chunks, entries and vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ingest.chunking import limits
from ingest.chunking.chunk import CHUNK_LIMIT, CHUNKER_VERSION
from ingest.chunking.document import Index, IndexedChunk
from ingest.chunking.embedding import Progress, embed
from ingest.read.vault import SourceFile
from ingest.sandbox import parsing
from retrieval.context import SearchContext
from retrieval.errors import FileRejectedError
from retrieval.fault_points import point
from retrieval.index.store import Connection
from retrieval.index.writer import NewFile
from retrieval.ranking.reranking import passage_text


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


def prepare(
    context: SearchContext,
    known: Connection | None,
    files: Sequence[SourceFile],
    progress: Progress,
    index: Index | None = None,
) -> Prepared:
    """Return files as they are written; texts in the `known` index keep their vectors.

    `index` makes the chunks of a file instead of `parsing.index`. Files that cannot be read are
    among the rejected. Raises ModelUnavailableError.
    """
    if not files:  # the usual case of an unchanged vault: not one query
        return Prepared((), (), (), 0)
    chunked = chunk(context, files, index)
    written = embed(context, known, chunked.files, progress)
    rejected = (*chunked.rejected, *written.rejected)
    return Prepared(written.files, rejected, (*chunked.notes, *written.notes), written.embedded)


def chunk(
    context: SearchContext, files: Sequence[SourceFile], index: Index | None = None
) -> Chunked:
    """Return the chunks of files, in order; no model is called but the tokenizer."""
    indexed, rejected, notes = [], [], []
    tokens = context.embedder.tokens
    cut = index or partial(parsing.index, context.embedder.files)
    for file in files:
        try:
            chunks = cut(file, entry_limit=context.embedder.limit - 2, count=tokens.count)
        except FileRejectedError as error:
            rejected.append(error)
            continue
        indexed.append((file, chunks))
        point("file parsed")
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
