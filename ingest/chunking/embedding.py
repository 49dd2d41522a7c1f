"""Give every entry its vectors: known ones from the index, the others from the encoder."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.chunking import document
from ingest.chunking.document import IndexedChunk
from ingest.read import metadata
from ingest.read.vault import SourceFile
from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import odd_rows
from retrieval.errors import FileRejectedError, ModelUnavailableError
from retrieval.index import corpus, known_vectors
from retrieval.index.hnsw import Say
from retrieval.index.store import Connection
from retrieval.index.writer import NewChunk, NewFile
from retrieval.ranking import late_interaction
from retrieval.settings import BUNDLED

_PIECES_A_SECOND = 3_000  # that one core embeds with the bundled encoder
_MOMENT = 10.0  # seconds; a longer wait is announced

Progress = Callable[[str, int, int], None]  # what is done, how many of how many


@dataclass(frozen=True, slots=True)
class Written:
    """Files ready to be written."""

    files: tuple[NewFile, ...]
    rejected: tuple[FileRejectedError, ...]  # the model made nothing of one of their texts
    embedded: int  # texts that had no vector yet
    notes: tuple[str, ...]  # what the operator should know


def embed(
    context: SearchContext,
    known: Connection,
    indexed: Sequence[tuple[SourceFile, Sequence[IndexedChunk]]],
    progress: Progress,
    say: Say,
) -> Written:
    """Give every entry its vector: texts in the `known` index keep theirs, others are embedded.

    A file is rejected, naming the lines, where the encoder gives no direction (NaN, infinite, zero)
    for a text of it. `say` takes a line about how long it takes. Raises ModelUnavailableError,
    naming the first such lines, where that is more than half of all texts: then the model is
    broken, and not a text.
    """
    texts = {entry.text for _, chunks in indexed for item in chunks for entry in item.entries}
    stored, note = _token_storage(context, known, indexed)
    vectors: dict[str, known_vectors.Known] = known_vectors.find(
        known, context.embedder.files.digest, texts,
        pooling=context.embedder.pooling if stored else None,
    )  # fmt: skip
    missing = sorted(texts - vectors.keys())
    if missing:
        _announce(context, missing, say)
        vectors.update(_encoded(context, missing, stored, progress))
    made = np.array([vectors[text][0] for text in missing], np.float32)
    odd = {missing[row] for row in odd_rows(made)} if missing else set()
    rejected = [error for file, chunks in indexed for error in _odd_lines(file, chunks, odd)]
    if len(odd) * 2 > len(missing):
        raise _broken(context, rejected[0], len(odd), len(missing))
    left_out = {error.path for error in rejected}
    files = [_new_file(file, cut, vectors) for file, cut in indexed if file.path not in left_out]
    return Written(tuple(files), tuple(rejected), len(missing), (note,) if note else ())


def _announce(context: SearchContext, texts: Sequence[str], say: Say) -> None:
    pieces, cores = sum(context.embedder.tokens.counts(texts)), os.cpu_count() or 1
    seconds = pieces / (_PIECES_A_SECOND * cores)
    if seconds > _MOMENT and context.settings.embedding_model == BUNDLED:
        say(f"embedding {len(texts):,} texts, about {seconds:.0f} s on {cores} cores; once only")


def _broken(
    context: SearchContext, first: FileRejectedError, odd: int, of: int
) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"{first}, nor for {odd - 1} of the other {of - 1} new texts: the weights of "
        f"{context.embedder.files.name} are broken or of another precision; nothing was written"
    )


def _encoded(
    context: SearchContext, texts: Sequence[str], with_tokens: bool, progress: Progress
) -> dict[str, known_vectors.Known]:
    """Return what the encoder makes of `texts`, odd vectors too."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress("embedding", done, len(texts))

    if with_tokens:
        encoded = context.embedder.encode(texts, advance, keep_odd=True)
        both = zip(encoded.vectors, encoded.tokens, strict=True)
        return dict(zip(texts, both, strict=True))
    vectors = context.embedder.embed(texts, advance, keep_odd=True)
    return {text: (vector, None) for text, vector in zip(texts, vectors, strict=True)}


def _odd_lines(
    file: SourceFile, chunks: Sequence[IndexedChunk], odd: Collection[str]
) -> list[FileRejectedError]:
    """Return the rejection of a file with one of the `odd` texts, naming the first such lines."""
    for entry in (entry for item in chunks for entry in item.entries if entry.text in odd):
        reason = (
            f"line {entry.first_line}: the encoder gives no direction (NaN, infinite or zero) for "
            f"{entry.text[:80]!r}"
        )
        return [FileRejectedError(file.path, reason)]
    return []


def _token_storage(
    context: SearchContext,
    known: Connection,
    indexed: Sequence[tuple[SourceFile, Sequence[IndexedChunk]]],
) -> tuple[bool, str]:
    """Whether token vectors are stored, and what to tell the operator where they are not."""
    if not context.settings.rag_late_interaction:
        return False, ""
    texts = [entry.text for _, chunks in indexed for item in chunks for entry in item.entries]
    counts, pooling = context.embedder.tokens.counts(texts), context.embedder.pooling
    size = (
        sum(late_interaction.pooled_count(n, pooling) for n in counts)
        * context.embedder.token_dimension
    )
    size += corpus.token_bytes(known)
    limit = context.settings.rag_token_storage_mb
    if size <= limit * 1_000_000:
        return True, ""
    return False, (
        f"token vectors would take {size / 1e6:,.0f} MB, over RAG_TOKEN_STORAGE_MB ({limit:,}): "
        "they are not stored, and each question encodes its best entries again, which is slower"
    )


def _new_file(
    file: SourceFile, chunks: Sequence[IndexedChunk], vectors: Mapping[str, known_vectors.Known]
) -> NewFile:
    new = []
    for item in chunks:
        rows = [vectors[entry.text] for entry in item.entries]
        tokens = tuple(found for _, found in rows if found is not None)
        matrix = np.array([vector for vector, _ in rows], np.float32)
        new.append(NewChunk(item.chunk, item.entries, matrix, tokens))
    said = metadata.of(file).values
    return NewFile(document.note(file), document.place(file.path), file.sha256, tuple(new), said)
