"""Give every entry its vectors: known ones from the index, the others from the encoder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest import document
from ingest.document import IndexedChunk
from ingest.vault import SourceFile
from retrieval import contents
from retrieval.contents import NewChunk, NewFile
from retrieval.rulebook import Rulebook
from retrieval.store import Connection

Progress = Callable[[str, int, int], None]  # what is done, how many of how many


@dataclass(frozen=True, slots=True)
class Written:
    """Files ready to be written."""

    files: tuple[NewFile, ...]
    embedded: int  # texts that had no vector yet
    notes: tuple[str, ...]  # what the operator should know


def embed(
    rules: Rulebook,
    known: Connection | None,
    indexed: Sequence[tuple[SourceFile, Sequence[IndexedChunk]]],
    progress: Progress,
) -> Written:
    """Give every entry its vector: texts in the `known` index keep theirs, others are embedded."""
    texts = {entry.text for _, chunks in indexed for item in chunks for entry in item.entries}
    stored, note = _token_storage(rules, known, indexed)
    vectors: dict[str, contents.Known] = {}
    if known is not None:
        vectors = contents.known_vectors(
            known, rules.embedder.files.digest, texts, with_tokens=stored
        )
    missing = sorted(texts - vectors.keys())
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress("embedding", done, len(missing))

    if missing and stored:
        encoded = rules.embedder.encode(missing, advance)
        vectors.update(zip(missing, zip(encoded.vectors, encoded.tokens, strict=True), strict=True))
    elif missing:
        found = rules.embedder.embed(missing, advance)
        vectors.update((text, (vector, None)) for text, vector in zip(missing, found, strict=True))
    files = [_new_file(file, chunks, vectors) for file, chunks in indexed]
    return Written(tuple(files), len(missing), (note,) if note else ())


def _token_storage(
    rules: Rulebook,
    known: Connection | None,
    indexed: Sequence[tuple[SourceFile, Sequence[IndexedChunk]]],
) -> tuple[bool, str]:
    """Whether token vectors are stored, and what to tell the operator where they are not."""
    if not rules.settings.rag_late_interaction:
        return False, ""
    texts = [entry.text for _, chunks in indexed for item in chunks for entry in item.entries]
    size = sum(rules.embedder.tokens.counts(texts)) * rules.embedder.token_dimension
    if known is not None:
        size += contents.token_bytes(known)
    limit = rules.settings.rag_token_storage_mb
    if size <= limit * 1_000_000:
        return True, ""
    return False, (
        f"token vectors would take {size / 1e6:,.0f} MB, over RAG_TOKEN_STORAGE_MB ({limit:,}): "
        "they are not stored, and each question encodes its best entries anew, which is slower"
    )


def _new_file(
    file: SourceFile, chunks: Sequence[IndexedChunk], vectors: Mapping[str, contents.Known]
) -> NewFile:
    new = []
    for item in chunks:
        rows = [vectors[entry.text] for entry in item.entries]
        tokens = tuple(found for _, found in rows if found is not None)
        matrix = np.array([vector for vector, _ in rows], np.float32)
        new.append(NewChunk(item.chunk, item.entries, matrix, tokens))
    return NewFile(document.note(file), file.sha256, tuple(new))
