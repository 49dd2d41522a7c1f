"""Faults of ingest: what the vault meets on its way to the index."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evals.faults.replace import Fault, Replacement, changed
from ingest.chunking.document import IndexedChunk
from ingest.read.tables import Table
from ingest.read.vault import VaultFiles
from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import Encoded
from retrieval.index.store import Connection
from retrieval.models import Entry
from retrieval.text.normalize import searchable

_WINDOW = 512  # characters
_INDEX = "ingest.chunking.document.index"


def _of_entries(change: Callable[[Entry], Entry | None]) -> Replacement:
    """Change the entries of every chunk; None leaves one out."""

    def altered(indexed: list[IndexedChunk]) -> list[IndexedChunk]:
        made = [(item, map(change, item.entries)) for item in indexed]
        return [replace(item, entries=tuple(e for e in entries if e)) for item, entries in made]

    return changed(_INDEX, altered)


def _of_folder(change: Callable[[Path], object]) -> Replacement:
    """Index another state of the vault than the one that is measured."""

    def wrap(run_temporary: Any) -> Any:
        def wrong(context: SearchContext, conn: Connection, root: Path, **options: Any) -> Any:
            with tempfile.TemporaryDirectory(prefix="sabotage-") as folder:
                other = Path(shutil.copytree(root, Path(folder) / "vault"))
                change(other)
                return run_temporary(context, conn, other, **options)

        return wrong

    return Replacement("ingest.pipeline.run_temporary", wrap)


def _first_folder_left_out(read: VaultFiles) -> VaultFiles:
    first = next(file.path for file in read.files if "/" in file.path).split("/")[0]
    files = tuple(file for file in read.files if file.path.split("/")[0] != first)
    return replace(read, files=files)


def _before_an_edit(vault: Path) -> None:
    """One file is as it was before somebody changed its numbers."""
    edited = sorted(vault.rglob("*.md"))[-1]
    digits = str.maketrans("123456789", "234567891")
    edited.write_text(edited.read_text("utf-8").translate(digits), "utf-8")


def _before_a_deletion(vault: Path) -> None:
    (vault / "old.md").write_text("# Old rules\n\nThey are gone since.\n", "utf-8")


def _nameless(read: Any) -> Any:
    """Read tables without the names of their columns."""

    def wrong(lines: Sequence[str], legend: Mapping[str, str]) -> Table:
        table: Table = read(["|" * lines[0].count("|"), *lines[1:]], legend)
        return table

    return wrong


def _without_last_sentence(entry: Entry) -> Entry | None:
    if entry.kind != "sentences":
        return entry
    words = ". ".join(entry.words.split(". ")[:-1])
    return replace(entry, words=words, quote=entry.quote) if words else None


def _without_lead(entry: Entry) -> Entry:
    if entry.kind != "item":
        return entry
    return replace(entry, lead="", trail=entry.trail.split(": ")[0] + ": ")


def _shifted(indexed: list[IndexedChunk]) -> list[IndexedChunk]:
    return [
        replace(i, chunk=replace(i.chunk, first_line=i.chunk.first_line + 1,
                                 last_line=i.chunk.last_line + 1))
        for i in indexed
    ]  # fmt: skip


def _doubled(indexed: list[IndexedChunk]) -> list[IndexedChunk]:
    twins = [replace(i, chunk=replace(i.chunk, piece=i.chunk.piece + 500)) for i in indexed]
    return [item for pair in zip(indexed, twins, strict=True) for item in pair]


def _windows(indexed: list[IndexedChunk]) -> list[IndexedChunk]:
    """Cut at every 512th character, whatever stands there."""
    parts = [
        (item.chunk, item.chunk.text[at : at + _WINDOW])
        for item in indexed
        for at in range(0, len(item.chunk.text), _WINDOW)
    ]
    return [
        IndexedChunk(replace(chunk, text=part, piece=chunk.piece + number),
                     (Entry("whole", chunk.heading, chunk.first_line, chunk.last_line, part, "", "",
                            searchable(part)),))
        for number, (chunk, part) in enumerate(parts)
    ]  # fmt: skip


def _vectors(*, words_only: bool = False) -> Replacement:
    """Give texts each other's vectors; a question is encoded elsewhere, and rightly."""

    def mixed(right: Encoded) -> Encoded:
        rows = np.random.default_rng(5).permutation(len(right.tokens))
        tokens = tuple(right.tokens[row] for row in rows)
        return Encoded(right.vectors if words_only else right.vectors[rows], tokens)

    return changed("retrieval.encoder.bi_encoder.Embedder.encode", mixed)


def _stretched(right: Encoded) -> Encoded:
    return replace(right, tokens=tuple(replace(t, scale=2 * t.scale) for t in right.tokens))


def _fault(name: str, gate: str, *swaps: Replacement) -> Fault:
    return Fault(name, gate, swaps, index=True)


INDEX_FAULTS = (
    _fault("vectors shuffled", "compare: hit", _vectors()),
    _fault("vectors of words shuffled", "compare: hit", _vectors(words_only=True)),
    _fault("vectors of words not normalised", "integrity: encoder",
           changed("retrieval.encoder.bi_encoder.Embedder.encode", _stretched)),
    _fault("one file edited since", "integrity: index", _of_folder(_before_an_edit)),
    _fault("deleted file still indexed", "integrity: index", _of_folder(_before_a_deletion)),
    _fault("one folder not ingested", "integrity: index",
           changed("ingest.read.vault.read", _first_folder_left_out)),
    _fault("names of table columns not embedded", "integrity: passages",
           Replacement("ingest.read.tables.read", _nameless)),
    _fault("table headers dropped", "lint: chunks",
           Replacement("ingest.read.tables.read", _nameless),
           changed(_INDEX, lambda indexed: [replace(i, chunk=replace(i.chunk, context=""))
                                            for i in indexed]),
           _of_entries(lambda entry: replace(entry, lead=""))),
    _fault("headings not embedded", "integrity: passages",
           _of_entries(lambda entry: replace(entry, trail=""))),
    _fault("last sentence of an entry lost", "lint: chunks", _of_entries(_without_last_sentence)),
    Fault("lead-in of a list lost", "lint: chunks", (_of_entries(_without_lead),), index=True,
          ground="rules"),
    _fault("chunks cut at 512 characters", "lint: chunks", changed(_INDEX, _windows)),
    _fault("lines of chunks one off", "integrity: index", changed(_INDEX, _shifted)),
    _fault("every chunk twice", "integrity: index", changed(_INDEX, _doubled)),
    _fault("last chunk of every file lost", "integrity: index",
           changed(_INDEX, lambda indexed: indexed[:-1])),
)  # fmt: skip
