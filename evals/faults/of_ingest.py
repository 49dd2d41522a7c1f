"""Faults of ingest: what the vault meets on its way to the index."""

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.faults.replace import Fault, Replacement
from ingest.chunking import limits
from ingest.chunking.document import IndexedChunk
from ingest.chunking.limits import Count
from ingest.read.tables import Table
from ingest.read.vault import SourceFile, VaultFiles
from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import Embedder, Encoded
from retrieval.index.store import Connection
from retrieval.models import Chunk, Entry
from retrieval.text.normalize import searchable

_WINDOW = 512  # characters
Rows = npt.NDArray[np.intp]


def _of_files(change: Callable[[tuple[SourceFile, ...]], Sequence[SourceFile]]) -> Replacement:
    """Change which files ingest reads of a vault."""

    def wrap(read: Any) -> Any:
        def wrong(root: Path) -> VaultFiles:
            found: VaultFiles = read(root)
            return replace(found, files=tuple(change(found.files)))

        return wrong

    return Replacement("ingest.read.vault.read", wrap)


def _of_chunks(change: Callable[[list[IndexedChunk]], list[IndexedChunk]]) -> Replacement:
    """Change the chunks of every file."""

    def wrap(index: Any) -> Any:
        def wrong(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
            return change(index(file, entry_limit=entry_limit, count=count))

        return wrong

    return Replacement("ingest.chunking.document.index", wrap)


def _of_folder(change: Callable[[Path], None]) -> Replacement:
    """Index another state of the vault than the one that is measured."""

    def wrap(run_temporary: Any) -> Any:
        def wrong(context: SearchContext, conn: Connection, root: Path, **options: Any) -> Any:
            with tempfile.TemporaryDirectory(prefix="sabotage-") as folder:
                other = Path(shutil.copytree(root, Path(folder) / "vault"))
                change(other)
                return run_temporary(context, conn, other, **options)

        return wrong

    return Replacement("ingest.pipeline.run_temporary", wrap)


def _first_folder_left_out(files: tuple[SourceFile, ...]) -> list[SourceFile]:
    first = next(file.path for file in files if "/" in file.path).split("/")[0]
    return [file for file in files if file.path.split("/")[0] != first]


def _before_an_edit(vault: Path) -> None:
    """One file is as it was before somebody changed its numbers."""
    edited = sorted(vault.rglob("*.md"))[-1]
    digits = str.maketrans("123456789", "234567891")
    edited.write_text(edited.read_text("utf-8").translate(digits), "utf-8")


def _before_a_deletion(vault: Path) -> None:
    (vault / "old.md").write_text("# Old rules\n\nThey are gone since.\n", "utf-8")


def _nameless(read: Any) -> Any:
    """Read tables without the names of their columns."""

    def wrong(lines: Sequence[str]) -> Table:
        table: Table = read(["|" * lines[0].count("|"), *lines[1:]])
        return table

    return wrong


def _without_context(indexed: list[IndexedChunk]) -> list[IndexedChunk]:
    return [
        IndexedChunk(replace(i.chunk, context=""), tuple(replace(e, lead="") for e in i.entries))
        for i in indexed
    ]


def _without_trail(indexed: list[IndexedChunk]) -> list[IndexedChunk]:
    return [replace(i, entries=tuple(replace(e, trail="") for e in i.entries)) for i in indexed]


def _shifted(indexed: list[IndexedChunk]) -> list[IndexedChunk]:
    return [
        replace(i, chunk=replace(i.chunk, first_line=i.chunk.first_line + 1,
                                 last_line=i.chunk.last_line + 1))
        for i in indexed
    ]  # fmt: skip


def _doubled(indexed: list[IndexedChunk]) -> list[IndexedChunk]:
    twins = [replace(i, chunk=replace(i.chunk, piece=i.chunk.piece + 500)) for i in indexed]
    return [item for pair in zip(indexed, twins, strict=True) for item in pair]


def _windows(index: Any) -> Any:
    """Cut files at every 512th character, whatever stands there."""

    def wrong(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
        indexed = []
        for start in range(0, len(file.text), _WINDOW):
            text = file.text[start : start + _WINDOW]
            first = file.text.count("\n", 0, start) + 1
            last = first + text.count("\n")
            chunk = Chunk(file.path, file.path, first, last, text, piece=1 + start // _WINDOW)
            parts = limits.split(searchable(text), entry_limit - 1, count)
            entries = [Entry("whole", file.path, first, last, text, "", "", p) for p in parts]
            indexed += [IndexedChunk(chunk, tuple(entries))] if text.strip() else []
        return indexed

    return wrong


def _vectors(order: Callable[[int], Rows], *, words_only: bool = False) -> Replacement:
    """Give texts each other's vectors; a question is encoded elsewhere, and rightly."""

    def wrap(encode: Any) -> Any:
        def wrong(
            self: Embedder, texts: Sequence[str], progress: Any = None, **options: Any
        ) -> Encoded:
            right: Encoded = encode(self, texts, progress, **options)
            rows = order(len(texts))
            tokens = tuple(right.tokens[row] for row in rows)
            return Encoded(right.vectors if words_only else right.vectors[rows], tokens)

        return wrong

    return Replacement("retrieval.encoder.bi_encoder.Embedder.encode", wrap)


def _shuffled(count: int) -> Rows:
    return np.random.default_rng(5).permutation(count)


def _one_off(count: int) -> Rows:
    return np.roll(np.arange(count), 1)


INDEX_FAULTS = (
    Fault("vectors shuffled", (_vectors(_shuffled),), index=True),
    Fault(
        "vectors one row off",  # loses 3 of the small vault's 54 questions, and 8 could be seen
        (_vectors(_one_off),),
        index=True,
        ground="large",
    ),
    Fault("vectors of words shuffled", (_vectors(_shuffled, words_only=True),), index=True),
    Fault("stale index: one file edited since", (_of_folder(_before_an_edit),), index=True),
    Fault("deleted file still indexed", (_of_folder(_before_a_deletion),), index=True),
    Fault("one folder not ingested", (_of_files(_first_folder_left_out),), index=True),
    Fault("ingest stops after 10 files", (_of_files(lambda files: files[:10]),), index=True),
    Fault(
        "table headers dropped",
        (Replacement("ingest.read.tables.read", _nameless), _of_chunks(_without_context)),
        index=True,
    ),
    Fault(
        "names of table columns not embedded",
        (Replacement("ingest.read.tables.read", _nameless),),
        index=True,
    ),
    Fault("headings not embedded", (_of_chunks(_without_trail),), index=True),
    Fault(
        "chunks cut at 512 characters",
        (Replacement("ingest.chunking.document.index", _windows),),
        index=True,
    ),
    Fault("lines of chunks one off", (_of_chunks(_shifted),), index=True),
    Fault("every chunk twice", (_of_chunks(_doubled),), index=True),
    Fault("last chunk of every file lost", (_of_chunks(lambda indexed: indexed[:-1]),), index=True),
)
