"""Build a generation beside the live one; when it is whole and good, it takes the place."""

from dataclasses import dataclass, replace

from ingest import plan as plans
from ingest.prepare import Job, fingerprint, prepare_and_apply
from ingest.read import vault
from ingest.read.vault import VaultFiles
from retrieval.context import SearchContext
from retrieval.errors import FileRejectedError, GateRefusedError, IndexMismatchError
from retrieval.index import generations, hnsw, writer
from retrieval.index.store import Connection, Generation
from retrieval.refusal import off_topic

_ROUNDS = 5  # readings of a vault that changes all the time


@dataclass(frozen=True, slots=True)
class Built:
    """A generation and the reading of the vault that it holds."""

    generation_id: int
    found: VaultFiles
    rejected: tuple[FileRejectedError, ...]  # of the files that could be read: no chunks came of it
    notes: tuple[str, ...]
    embedded: int


def build(job: Job, live: Generation | None, found: VaultFiles) -> Built:
    """Return the new live generation; `live`, the one before, is kept as the previous one.

    `found` is the vault as read just now. It is read again in the end, and what changed meanwhile
    goes in and is measured, too, until a reading shows nothing new. Whatever is raised, the live
    generation stays as it was, and the next ingest removes what is left of the new one. Raises
    GateRefusedError where the gate did not pass, VaultError where the vault went away meanwhile.
    """
    built, status = _finish(job, _load(job, live, found))
    if status != 0:
        generations.drop(job.conn, built.generation_id)
        raise GateRefusedError(_refusal(job, live, built.generation_id, status))
    generations.promote(job.conn, built.generation_id)
    generations.drop_abandoned(job.conn)  # the generation before the previous one
    hnsw.drop_unneeded(job.conn)
    return built


def roll_back(context: SearchContext, conn: Connection) -> Generation:
    """Make the previous generation the live one again and return it; the live one is kept.

    `conn` holds the lock of writers. Raises IndexMissingError where no previous one is kept, and
    IndexMismatchError where this process could not search it.
    """
    earlier = generations.previous(conn)
    try:
        context.check(earlier)
    except IndexMismatchError as error:
        raise IndexMismatchError(
            f"generation {earlier.id} was made with model {earlier.fingerprint.get('model')!r} and "
            f"cannot be searched by this process: {error}. To go back to it, set EMBEDDING_MODEL "
            "to that model, or run the program that made it, and then --rollback"
        ) from error
    hnsw.build_if_large(conn, earlier.id)  # a version before may have left it without
    generations.promote(conn, earlier.id)
    return earlier


def _load(job: Job, live: Generation | None, found: VaultFiles) -> Built:
    made_with, fits = fingerprint(job.context), off_topic.of_vault(job.root)
    generation_id = generations.create(job.conn, made_with, "building", fits, found.aliases)
    ready = prepare_and_apply(job, generation_id, found.files)
    if live and dict(live.fingerprint) == made_with:
        kept = _kept(job.conn, live, found, {file.path for file in ready.files})
        with job.conn.transaction():
            writer.take_over(job.conn, live.id, generation_id, kept)
    return Built(generation_id, found, ready.rejected, ready.notes, ready.embedded)


def _finish(job: Job, built: Built) -> tuple[Built, int | None]:
    """Index, measure and read again until the vault rests; return the status of the gate, too.

    None: the vault never rested, so what the gate measured is not what there is now.
    """
    for _ in range(_ROUNDS):
        hnsw.build_if_large(job.conn, built.generation_id, say=job.say)
        job.conn.execute("ANALYZE chunk, entry, posting, word, chunk_bits")
        status = job.gate(built.generation_id, job.root) if job.gate else 0
        built, changed = _read_again(job, built)
        if not changed:
            return built, status
    note = f"the vault changed during each of {_ROUNDS} readings; run it again when it rests"
    return replace(built, notes=(*built.notes, note)), None if job.gate else 0


def _kept(conn: Connection, live: Generation, found: VaultFiles, written: set[str]) -> list[str]:
    """The paths of files that stand in the vault, cannot be read now, and are in the index."""
    known = generations.file_hashes(conn, live.id)
    removed = plans.make(found, known, rebuild=True).removed
    return sorted(known.keys() - written - set(removed))


def _read_again(job: Job, built: Built) -> tuple[Built, bool]:
    """Write what changed in the vault since it was read, and return whether anything did."""
    found = vault.read(job.root, built.found)
    known = generations.file_hashes(job.conn, built.generation_id)
    known |= {file.path: file.sha256 for file in built.found.files}
    plan = plans.make(found, known, rebuild=False)
    if plan.changes:  # an empty vault that was allowed at the first reading is no news
        plans.refuse_odd_vault(job.root, found, plan, known, job.allowed)
    still = {*plan.unchanged, *(error.path for error in found.rejected)}
    rejected = tuple(error for error in built.rejected if error.path in still)
    built = replace(built, found=found, rejected=rejected)
    renamed = generations.put_aliases(job.conn, built.generation_id, found.aliases)
    if not plan.changes:
        return built, renamed
    chosen = {*plan.added, *plan.changed}
    files = [file for file in found.files if file.path in chosen]
    ready = prepare_and_apply(job, built.generation_id, files, removed=plan.removed)
    return replace(
        built,
        rejected=(*rejected, *ready.rejected),
        notes=(*built.notes, *ready.notes),
        embedded=built.embedded + ready.embedded,
    ), True


def _refusal(job: Job, live: Generation | None, generation_id: int, status: int | None) -> str:
    stays = f"generation {live.id} is live as before" if live else "nothing is live yet"
    if status is None:
        return (
            f"the gate refused generation {generation_id}: {str(job.root)!r} changed during each "
            f"of {_ROUNDS} measurements; {stays}. Run it again when nobody writes there"
        )
    why = "it did not pass" if status == 1 else "it could not be measured"
    return (
        f"the gate refused generation {generation_id}: {why} (python -m evals.retrieval ended "
        f"with {status}, its reasons are above); the generation is removed, and {stays}"
    )
