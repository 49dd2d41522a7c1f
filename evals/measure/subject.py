"""What is measured: the live index, another generation, or a temporary index of a folder."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from evals.labels import training_questions
from evals.measure.judge import ChunksOf
from evals.measure.outcome import Subject
from ingest import pipeline
from ingest.chunking.document import Index
from ingest.progress import Meter
from ingest.read import vault
from retrieval.context import SearchContext
from retrieval.errors import IndexMissingError, VaultError
from retrieval.index import generations, store
from retrieval.models import Chunk


@contextmanager
def subject(
    context: SearchContext,
    folder: Path | None,
    generation_id: int | None = None,
    *,
    like: int | None = None,
    index: Index | None = None,
) -> Iterator[Subject]:
    """Yield the live index, or a temporary one of `folder` that is gone afterwards.

    With `generation_id`: that generation of the index, which was made of `folder`, or of VAULT.
    A temporary one gets what the generation `like` has of a file that is the same; `index` makes
    its chunks where it is given.
    Training texts are indexed without their questions.
    Raises IndexMissingError where it is gone, IndexMismatchError where other models made it.
    """
    if folder and folder.resolve().is_relative_to(training_questions.TEXTS):
        with TemporaryDirectory() as copy:
            training_questions.stripped(folder, Path(copy))
            with subject(context, Path(copy), generation_id, index=index) as measured:
                yield measured
        return
    found = vault.read(folder or context.settings.vault)
    files = {file.path: file.text for file in found.files}
    if not files:
        raise VaultError(f"no Markdown file in {str(folder or context.settings.vault)!r}")
    if folder is None or generation_id is not None:
        wanted = generation_id or context.store.read(store.live).id
        context.check(context.store.read(lambda conn: store.generation(conn, wanted)))
        yield _measured(context, wanted, files)
        return
    with context.store.connect(autocommit=True) as conn, Meter() as meter:
        report = pipeline.run_temporary(
            context, conn, folder, index=index, like=like, progress=meter.show
        )
        for error in report.rejected:
            print(f"REJECTED {error}")
        try:
            yield _measured(context, report.generation_id, files)
        finally:
            generations.drop(conn, report.generation_id)


def reader(context: SearchContext, generation_id: int) -> ChunksOf:
    """Return what gives the chunks of a file of that generation, each file read once."""

    @cache
    def chunks_of(path: str) -> tuple[Chunk, ...]:
        return context.store.read(lambda conn: store.chunks_of(conn, generation_id, path))

    return chunks_of


def _measured(context: SearchContext, generation_id: int, files: Mapping[str, str]) -> Subject:
    chunks_of = reader(context, generation_id)
    if not any(chunks_of(path) for path in files):
        raise IndexMissingError("the index holds none of the vault's files; run: python -m ingest")
    return Subject(generation_id, files, chunks_of)
