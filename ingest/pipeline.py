"""Ingest: bring the index into step with a folder of Markdown, in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ingest import document, vault
from ingest.chunk import CHUNK_LIMIT, CHUNKER_VERSION
from ingest.document import Index, IndexedChunk
from ingest.embedding import Progress, Written, embed
from ingest.vault import SourceFile, VaultFiles
from retrieval import contents, generations
from retrieval.errors import FileRejectedError, VaultError
from retrieval.rerank import passage_text
from retrieval.rulebook import Rulebook
from retrieval.store import Connection, Generation

_SAFE_REMOVALS = 10  # files; more, and over half of the index, must be meant


@dataclass(frozen=True, slots=True)
class Plan:
    """What an ingest would do: paths, each list sorted."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    rebuild: bool  # the index was made by other models or another chunker, or there is none


@dataclass(frozen=True, slots=True)
class Report:
    """What an ingest did."""

    plan: Plan
    rejected: tuple[FileRejectedError, ...]
    ignored: tuple[str, ...]
    notes: tuple[str, ...]  # what a writer should know of files that did go in
    files: int = 0  # in the index now, as are the chunks
    chunks: int = 0
    embedded: int = 0  # texts that had no vector yet
    seconds: float = 0.0
    generation_id: int = 0


def silent(what: str, done: int, total: int) -> None:
    """Report no progress."""


def run(
    rules: Rulebook,
    root: Path,
    *,
    dry_run: bool = False,
    allow_mass_delete: bool = False,
    progress: Progress = silent,
) -> Report:
    """Make the live generation hold exactly the vault at `root`; readers see it at once, whole.

    Files that cannot be read are in the report and keep what the index has of them; only where the
    index is built anew (another model or chunker) is nothing of them left. A dry run reads and
    plans, and writes nothing. Raises VaultError where `root` is no folder, holds no Markdown or too
    many files would be removed, IngestRunningError, DatabaseUnreachableError.
    """
    started = monotonic()
    found = vault.read(root)
    with rules.store.connect(autocommit=True) as conn:
        if not dry_run:
            generations.lock(conn)  # before anything is touched: two at once could deadlock
            generations.install(conn)
            generations.drop_abandoned(conn)
        live = generations.live_or_none(conn)
        known = generations.file_hashes(conn, live.id) if live else {}
        plan = _plan(found, known, live is None or dict(live.fingerprint) != _fingerprint(rules))
        _refuse_odd_vault(root, found, plan, known, allow_mass_delete)
        chosen = {*plan.added, *plan.changed, *(plan.unchanged if plan.rebuild else ())}
        indexed, rejected, notes = _index(rules, [f for f in found.files if f.path in chosen])
        rejected = sorted((*found.rejected, *rejected), key=lambda error: error.path)
        if dry_run:
            return Report(plan, tuple(rejected), found.ignored, notes)
        written = embed(rules, conn, indexed, progress)
        generation_id = _write(conn, rules, live, plan, written)
        files, chunks = generations.size(conn, generation_id)
    return Report(
        plan, tuple(rejected), found.ignored, (*notes, *written.notes), files, chunks,
        written.embedded, monotonic() - started, generation_id,
    )  # fmt: skip


def _write(
    conn: Connection, rules: Rulebook, live: Generation | None, plan: Plan, written: Written
) -> int:
    """Write what is new in one transaction and return the id of the live generation."""
    with conn.transaction():
        if plan.rebuild or live is None:
            generation_id = generations.create(conn, _fingerprint(rules), temporary=False)
            contents.apply(conn, generation_id, removed=(), written=written.files)
        else:
            generation_id = live.id
            if written.files or plan.removed:
                contents.apply(conn, live.id, removed=plan.removed, written=written.files)
    if plan.rebuild or len(written.files) > len(plan.unchanged):
        conn.execute("ANALYZE chunk, entry, posting")
    return generation_id


def run_temporary(
    rules: Rulebook,
    conn: Connection,
    root: Path,
    *,
    reuse_vectors: bool = True,
    index: Index | None = None,
    progress: Progress = silent,
) -> Report:
    """Index the vault at `root` beside the live generation, for as long as `conn` is open.

    The caller removes it with `generations.drop`; after a crash the next ingest does. Without
    `reuse_vectors` every text is embedded, as in a first ingest. `index` makes the chunks of a
    file instead of `document.index`; the evals compare others with it.
    """
    started = monotonic()
    found = vault.read(root)
    generations.install(conn)
    indexed, rejected, notes = _index(rules, found.files, index)
    written = embed(rules, conn if reuse_vectors else None, indexed, progress)
    with conn.transaction():
        generation_id = generations.create(conn, _fingerprint(rules), temporary=True)
        contents.apply(conn, generation_id, removed=(), written=written.files)
    conn.execute("ANALYZE chunk, entry, posting")
    files, chunks = generations.size(conn, generation_id)
    plan = Plan(tuple(file.path for file in found.files), (), (), (), rebuild=True)
    return Report(
        plan, (*found.rejected, *rejected), found.ignored, (*notes, *written.notes), files, chunks,
        written.embedded, monotonic() - started, generation_id,
    )  # fmt: skip


def _fingerprint(rules: Rulebook) -> dict[str, str | int]:
    return {**rules.fingerprint, "chunker": CHUNKER_VERSION}


def _plan(found: VaultFiles, known: Mapping[str, str], rebuild: bool) -> Plan:
    here = {file.path: file.sha256 for file in found.files}
    kept = {error.path for error in found.rejected}  # unreadable now is not deleted …
    folders = tuple(f"{path}/" for path in kept)  # … nor is what stands in such a folder
    gone = [path for path in sorted(known) if path not in here and path not in kept]
    return Plan(
        added=tuple(path for path in here if path not in known),
        changed=tuple(p for p, sha256 in here.items() if p in known and known[p] != sha256),
        removed=tuple(path for path in gone if not path.startswith(folders)),
        unchanged=tuple(path for path, sha256 in here.items() if known.get(path) == sha256),
        rebuild=rebuild,
    )


def _refuse_odd_vault(
    root: Path, found: VaultFiles, plan: Plan, known: Mapping[str, str], allowed: bool
) -> None:
    """Raise VaultError for a folder that is probably not the one that was meant."""
    if not (found.files or found.rejected or known):
        raise VaultError(f"no Markdown file in {str(root)!r}; is it the right folder?")
    gone, total = len(plan.removed), len(known)
    empties = total > 0 and gone == total and not plan.added
    if not allowed and (empties or (gone > _SAFE_REMOVALS and gone * 2 > total)):
        raise VaultError(
            f"{gone} of the index's {total} files are not in {str(root)!r}; is it the right "
            "folder? One index holds one vault: give another vault a RAG_DATA_DIR or DATABASE_URL "
            "of its own. If the files are meant to go: python -m ingest --allow-mass-delete"
        )


def _index(
    rules: Rulebook, files: Sequence[SourceFile], index: Index | None = None
) -> tuple[list[tuple[SourceFile, list[IndexedChunk]]], list[FileRejectedError], tuple[str, ...]]:
    indexed, rejected, notes = [], [], []
    tokens, cut = rules.embedder.tokens, index or document.index
    for file in files:
        try:
            chunks = cut(file, entry_limit=rules.embedder.limit - 2, count=tokens.count)
        except FileRejectedError as error:
            rejected.append(error)
            continue
        indexed.append((file, chunks))
        if file.removed_nuls:
            notes.append(f"{file.path}: {file.removed_nuls} NUL characters left out")
        if not chunks:
            notes.append(f"{file.path}: holds no text")
        for item in chunks:
            if (size := tokens.count(passage_text(item.chunk))) > CHUNK_LIMIT:
                notes.append(f"{item.chunk.id}: {size} word pieces, over {CHUNK_LIMIT}")
    return indexed, rejected, tuple(notes)
