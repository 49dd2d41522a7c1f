"""The temporary indexes that `evals.ablation` searches, one for each way to cut chunks."""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from evals.measure.outcome import Subject
from evals.measure.subject import subject
from evals.stages import fixed_chunks
from evals.stages.configurations import Chunker
from ingest.chunking import document
from ingest.chunking.document import Index, IndexedChunk
from ingest.chunking.limits import Count
from ingest.read.vault import SourceFile
from retrieval.context import SearchContext
from retrieval.index import corpus, generations, migrate
from retrieval.index.store import Connection


@dataclass(frozen=True, slots=True)
class Indexed:
    """A temporary index and what it costs."""

    measured: Subject
    chunks: int
    texts: int  # embedded for it, were it the only index
    token_bytes: int  # stored for late interaction; 0 also where RAG_TOKEN_STORAGE_MB is too small


@contextmanager
def indexes(
    context: SearchContext, folder: Path, wanted: Collection[Chunker]
) -> Iterator[dict[Chunker, Indexed]]:
    """Yield an index of `folder` by each wanted chunker; all are gone afterwards.

    A text that stands in two of them is embedded once. Raises VaultError for a folder without
    Markdown and IndexMissingError where a chunker makes nothing of it.
    """
    made: dict[Chunker, Indexed] = {}
    with context.store.connect(autocommit=True) as conn, ExitStack() as stack:
        migrate.install(conn)
        for chunker, index in _INDEXES.items():
            if chunker in wanted:
                print(f"indexing {folder.name}: {chunker}", flush=True)
                one = _indexed(context, conn, folder, index)
                made[chunker] = stack.enter_context(one)
        yield made


@contextmanager
def _indexed(
    context: SearchContext, conn: Connection, folder: Path, index: Index
) -> Iterator[Indexed]:
    texts: set[str] = set()

    def noted(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
        chunks = index(file, entry_limit=entry_limit, count=count)
        texts.update(entry.text for item in chunks for entry in item.entries)
        return chunks

    before = corpus.token_bytes(conn)
    with subject(context, folder, index=noted) as measured:
        _, chunks = generations.size(conn, measured.generation_id)
        yield Indexed(measured, chunks, len(texts), corpus.token_bytes(conn) - before)


def _wholes(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
    """Our chunks, searched by their whole text alone."""
    return [
        replace(item, entries=tuple(entry for entry in item.entries if entry.kind == "whole"))
        for item in document.index(file, entry_limit=entry_limit, count=count)
    ]


# Ours first: the texts of whole chunks are among its own.
_INDEXES: dict[Chunker, Index] = {
    "ours": document.index,
    "wholes": _wholes,
    "fixed": fixed_chunks.index,
}
