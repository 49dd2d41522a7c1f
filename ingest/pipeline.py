"""Ingest: bring the index into step with a folder of Markdown; readers see old or new, whole."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ingest import api_role, prepare, rebuild
from ingest import plan as plans
from ingest.chunking.document import Index
from ingest.chunking.embedding import Progress
from ingest.plan import Allowed, Plan
from ingest.prepare import Earlier, Gate, Job, fingerprint, prepare_and_apply, silent
from ingest.read import metadata, vault
from ingest.read.vault import SourceFile, VaultFiles
from ingest.rebuild import Built
from retrieval.context import SearchContext
from retrieval.errors import FileRejectedError
from retrieval.index import (
    generations,
    hnsw,
    migrate,
    store,
    superseded,
    text_search,
    writer,
)
from retrieval.index.hnsw import Say
from retrieval.index.store import Connection, Generation
from retrieval.metadata import scope
from retrieval.refusal import off_topic
from retrieval.settings import ENGLISH

_log = logging.getLogger(__name__)
_NOT_ENGLISH = (
    "warning: LANGUAGE={}: full text search knows its forms and stop words; the rest learnt English"
    ". The bundled encoder sees less of what is said in other words than the rules' own, refusing "
    "was fitted on English questions, slips are not corrected, lists and follow-ups not noticed"
)


@dataclass(frozen=True, slots=True)
class IngestReport:
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
    gated: bool = False  # measured before it was promoted, and passed
    left: Earlier | None = None  # for the next run


def run(
    context: SearchContext,
    root: Path,
    *,
    dry_run: bool = False, allow_mass_delete: bool = False, replace_vault: bool = False,
    rebuild: bool = False, gate: Gate | None = None,
    earlier: Earlier | None = None, changed: Collection[str] | None = None,
    progress: Progress = silent, say: Say = _log.info,
) -> IngestReport:  # fmt: skip
    """Make the live generation hold exactly the vault at `root`; readers see it at once, whole.

    Edits go into the live generation. Where it was made by another model or chunker, with `rebuild`
    and with a `gate`, a generation is built beside it and promoted if the gate passes; texts that
    the same model has embedded before keep their vectors. Files that cannot be read are in the
    report and keep what the index has of them; only where another model or chunker builds it is
    nothing of them left. What an `earlier` run has read is not read again; where the caller knows
    which paths below `root` have `changed` since, no other is looked at. A dry run reads and plans,
    and writes nothing. `say` takes lines about what else takes minutes. Raises VaultError
    where `root` is no folder, holds no Markdown, or what is there may not take the place of the
    index, GateRefusedError, IngestRunningError, SchemaNewerError, DatabaseUnreachableError.
    """
    with context.store.connect(autocommit=True) as conn:
        whole, allowed = rebuild or gate is not None, Allowed(allow_mass_delete, replace_vault)
        job = Job(context, conn, root, allowed, progress, say, gate, earlier, changed)
        return _dry(job, whole=whole) if dry_run else _done(job, whole=whole)


def begin(conn: Connection) -> None:
    """Become the one writer: lock, bring the tables up to date, clear up after others' crashes.

    Raises IngestRunningError, SchemaNewerError and DatabaseUnreachableError.
    """
    generations.lock(conn)  # before anything is touched: two at once could deadlock
    migrate.install(conn)
    generations.drop_abandoned(conn)
    hnsw.drop_unneeded(conn)


def roll_back(context: SearchContext) -> Generation:
    """Make the previous generation the live one again, as it was, and return it.

    The one that was live becomes the previous one. Raises IndexMissingError where none is kept,
    IndexMismatchError where this process could not search it, IngestRunningError,
    DatabaseUnreachableError.
    """
    with context.store.connect(autocommit=True) as conn:
        begin(conn)
        return rebuild.roll_back(context, conn)


def reindex(context: SearchContext, say: Say = _log.info) -> bool:
    """Build the live generation's index of vectors again; False where it is too small for one.

    Readers go on meanwhile; `say` takes lines about how far it is. Raises IndexMissingError,
    IngestRunningError, DatabaseUnreachableError.
    """
    with context.store.connect(autocommit=True) as conn:
        begin(conn)
        generation_id = store.live(conn).id
        if hnsw.reindex(conn, generation_id, say=say):
            return True
        return hnsw.build_if_large(conn, generation_id, say=say)


@dataclass(frozen=True, slots=True)
class _Todo:
    live: Generation | None
    known: Mapping[str, str]  # sha256 of the live generation's files by path
    found: VaultFiles
    plan: Plan


def _dry(job: Job, *, whole: bool) -> IngestReport:
    """Say what an ingest would do."""
    todo = _look(job, whole=whole)
    chunked = prepare.chunk(job.context, _chosen(todo))
    rejected = _by_path(todo.found, chunked.rejected)
    plan = todo.plan.without({error.path for error in rejected})
    return IngestReport(plan, rejected, todo.found.ignored, chunked.notes)


def _done(job: Job, *, whole: bool) -> IngestReport:
    """Ingest, and say what was done."""
    started = monotonic()
    begin(job.conn)
    api_role.ensure(job.conn, job.context.settings, job.say)
    todo = _look(job, whole=whole)
    if todo.plan.rebuild and job.context.settings.language != ENGLISH:
        job.say(_NOT_ENGLISH.format(job.context.settings.language))
    built = rebuild.build(job, todo.live, todo.found) if todo.plan.rebuild else _edit(job, todo)
    generations.vacuum_if_worn(job.conn)
    files, chunks = generations.size(job.conn, built.generation_id)
    rejected = _by_path(built.found, built.rejected)
    # Of a file that is rejected the index has what it had before, or nothing.
    left = Earlier(built.found, "" if rejected else generations.mark(job.conn))
    plan = todo.plan
    if built.found is not todo.found:  # read again after a build
        plan = plans.make(built.found, todo.known, rebuild=todo.plan.rebuild)
    return IngestReport(
        plan.without({error.path for error in rejected}), rejected, built.found.ignored,
        (*built.notes, *superseded.unknown(job.conn, built.generation_id)), files, chunks,
        built.embedded, monotonic() - started, built.generation_id, job.gate is not None, left,
    )  # fmt: skip


def _look(job: Job, *, whole: bool) -> _Todo:
    """Read vault and index, under the lock: an older reading must not undo another's ingest."""
    text_search.check(job.conn, job.context.settings.language)
    found = vault.read(job.root, job.earlier.found if job.earlier else None, job.changed)
    migrate.check(job.conn)
    live = generations.live_or_none(job.conn)
    known = prepare.indexed(job, live)
    current = live is not None and dict(live.fingerprint) == fingerprint(job.context)
    plan = plans.make(found, known, rebuild=whole or not current)
    plans.refuse_odd_vault(job.root, found, plan, known, job.allowed)
    return _Todo(live, known, found, plan)


def _edit(job: Job, todo: _Todo) -> Built:
    """Write what changed into the live generation, in one transaction; nothing where nothing."""
    assert todo.live is not None  # without one, the plan is to build it
    conn, removed, fits = job.conn, todo.plan.removed, off_topic.of_vault(job.root)
    ready = prepare_and_apply(job, todo.live.id, _chosen(todo), removed=removed)
    if ready.files or removed or not hnsw.exists(conn, todo.live.id):
        hnsw.build_if_large(conn, todo.live.id, say=job.say)
    generations.put_aliases(conn, todo.live.id, todo.found.aliases)
    if lacking := scope.lacking(conn, todo.live.id):
        generations.require_lock(conn)
        old = [f for f in todo.found.files if f.path in lacking.intersection(todo.plan.unchanged)]
        scope.complete(conn, todo.live.id, {file.path: metadata.of(file).values for file in old})
    if fits != todo.live.off_topic:
        generations.require_lock(conn)
        generations.put_off_topic(conn, todo.live.id, fits)
    if len(ready.files) > len(todo.plan.unchanged):
        conn.execute("ANALYZE chunk, entry, posting, word, chunk_bits")
    return Built(todo.live.id, todo.found, ready.rejected, ready.notes, ready.embedded)


def _chosen(todo: _Todo) -> list[SourceFile]:
    plan = todo.plan
    chosen = {*plan.added, *plan.changed, *(plan.unchanged if plan.rebuild else ())}
    return [file for file in todo.found.files if file.path in chosen]


def _by_path(
    found: VaultFiles, rejected: Sequence[FileRejectedError]
) -> tuple[FileRejectedError, ...]:
    return tuple(sorted((*found.rejected, *rejected), key=lambda error: error.path))


def run_temporary(
    context: SearchContext,
    conn: Connection,
    root: Path,
    *,
    index: Index | None = None,
    like: int | None = None,
    progress: Progress = silent,
) -> IngestReport:
    """Index the vault at `root` beside the live generation, for as long as `conn` is open.

    The caller removes it with `generations.drop`; after a crash the next ingest does. `index`
    makes the chunks of a file instead of `document.index`; the evals compare others with it. What
    the generation `like` has of a file that is the same is copied, where this program made it.
    """
    started = monotonic()
    text_search.check(conn, context.settings.language)
    found = vault.read(root)
    migrate.install(conn)
    job = Job(context, conn, root, progress=progress, index=index, temporary=True)
    fits = off_topic.of_vault(root)
    generation_id = generations.create(conn, fingerprint(context), "temporary", fits, found.aliases)
    copied = _copied(conn, like, generation_id, found.files) if like else set()
    files = [file for file in found.files if file.path not in copied]
    ready = prepare_and_apply(job, generation_id, files)
    conn.execute("ANALYZE chunk, entry, posting, word, chunk_bits")
    count, chunks = generations.size(conn, generation_id)
    plan = Plan(tuple(file.path for file in found.files), (), (), (), rebuild=True)
    return IngestReport(
        plan, (*found.rejected, *ready.rejected), found.ignored, ready.notes, count, chunks,
        ready.embedded, monotonic() - started, generation_id,
    )  # fmt: skip


def _copied(
    conn: Connection, like: int, generation_id: int, files: Sequence[SourceFile]
) -> set[str]:
    """Copy from the generation `like` what it has of unchanged files, and return their paths."""
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")  # an ingest may edit it
        one, other = (store.generation(conn, number) for number in (like, generation_id))
        if one.fingerprint != other.fingerprint:
            return set()
        known = generations.file_hashes(conn, like)
        same = [file.path for file in files if known.get(file.path) == file.sha256]
        writer.take_over(conn, like, generation_id, same)
    return set(same)
