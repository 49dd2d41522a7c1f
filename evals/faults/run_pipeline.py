"""Pass over one field's questions through the real pipeline, sound or with faults in it.

Everything happens in a database of its own, which is gone afterwards: what is broken here must
never reach an index that answers anybody.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

from evals import retrieval
from evals.faults.detectors import Pass
from evals.faults.replace import Replacement, applied
from evals.gating.integrity import index_faults, on_disk, text
from evals.labels import chunk_checks
from evals.labels.dataset import Question
from evals.measure.card_faults import card_faults
from evals.measure.outcome import Subject
from evals.retrieval import RULES, RULES_VAULT, chosen, evaluate, subject
from retrieval.context import SearchContext, open_context
from retrieval.encoder.bi_encoder import Embedder, Encoded, EncodedQuestion
from retrieval.errors import RulesError
from retrieval.index import generations
from retrieval.models import Vectors
from retrieval.ranking.late_interaction import TokenVectors
from retrieval.settings import Settings


@dataclass(frozen=True, slots=True)
class Ground:
    """Questions with the vault that they are about. `split` None: of both splits.

    Nothing is fitted here, so the small one may have all of its questions.
    """

    dataset: Path
    split: str | None
    vault: Path

    @property
    def questions(self) -> list[Question]:
        """The questions; DatasetError where none of them is answerable."""
        return chosen(self.dataset, self.split)


SMALL = Ground(
    RULES.with_name("handbook.jsonl"), None, Path(__file__).parents[1] / "vaults" / "handbook"
)
LARGE = Ground(RULES, "gate", RULES_VAULT)


@contextmanager
def opened(settings: Settings) -> Iterator[SearchContext]:
    """Yield a search context over an empty database that is removed in the end.

    A text is embedded once in all of it, whichever faults come and go; vectors of an index that was
    broken are never taken over. Raises what `open_context` raises.
    """
    folder = Path(tempfile.mkdtemp(prefix="sabotage-"))
    folder.chmod(0o711)  # where root starts it, the server runs as somebody else
    own = settings.model_copy(update={"database_url": None, "rag_data_dir": folder / "pg"})
    try:
        with (
            open_context(own) as context,
            applied(
                Replacement("retrieval.encoder.bi_encoder.Embedder.encode", _remembering),
                Replacement(
                    "retrieval.encoder.bi_encoder.Embedder.question", _remembering_questions
                ),
                Replacement("retrieval.index.writer.known_vectors", lambda _: lambda *_, **__: {}),
                Replacement(
                    "evals.retrieval.open_context", lambda _: lambda _: nullcontext(context)
                ),
            ),
        ):
            yield context
    finally:
        shutil.rmtree(folder)


@contextmanager
def quiet() -> Iterator[StringIO]:
    """Keep what programs print; yields it."""
    with StringIO() as said, redirect_stdout(said), redirect_stderr(said):
        yield said


def run(
    context: SearchContext,
    ground: Ground,
    swaps: Sequence[Replacement] = (),
    *,
    ready: Subject | None = None,
    checked: bool = True,
) -> Pass:
    """Return one pass with `swaps` in place; `ready` is an index that need not be made again.

    `checked` says whether index and chunks are looked at as well. A pipeline that refuses to work
    gives a pass with its error, which is a result.
    """
    files = {path: text(data) for path, data in on_disk(ground.vault).items()}
    questions = ground.questions
    with ExitStack() as stack:
        stack.enter_context(applied(*swaps))
        stack.enter_context(quiet())
        try:
            used = stack.enter_context(_program_opens(context.settings))
            measured = ready or stack.enter_context(subject(used, ground.vault))
            outcomes = tuple(evaluate(used, measured, questions))
            top_k = used.settings.rag_top_k
            wrong = index_findings(used, ground.vault, measured) if checked else ()
            cut = chunk_checks.lint(ground.vault).findings if checked else ()
            replies = [outcome.reply for outcome in outcomes if outcome.reply]
            ill = tuple(f for reply in replies for f in card_faults(reply, files))
        except RulesError as error:
            return Pass((), (), (), 0, files, error=str(error))
    return Pass(outcomes, tuple(wrong), tuple(cut), top_k, files, card_faults=ill)


def index_findings(context: SearchContext, vault: Path, measured: Subject) -> tuple[str, ...]:
    """Return what integrity finds in an index of `vault`."""
    number = measured.generation_id
    hashes = context.store.read(lambda conn: generations.file_hashes(conn, number))
    return tuple(index_faults(vault, hashes, {path: measured.chunks_of(path) for path in hashes}))


def _program_opens(settings: Settings) -> Any:
    """What evals.retrieval opens: the name is looked up again, since a fault may stand there."""
    return resolve_name(f"{retrieval.__name__}.open_context")(settings)


def _remembering(encode: Any) -> Any:
    known: dict[str, tuple[Vectors, TokenVectors]] = {}

    def remembered(
        self: Embedder, texts: Sequence[str], progress: Any = None, **options: Any
    ) -> Encoded:
        missing = sorted(set(texts) - known.keys())
        if missing:
            found: Encoded = encode(self, missing, progress, **options)
            known.update(zip(missing, zip(found.vectors, found.tokens, strict=True), strict=True))
        vectors = np.array([known[text][0] for text in texts], np.float32)
        return Encoded(vectors, tuple(known[text][1] for text in texts))

    return remembered


def _remembering_questions(question: Any) -> Any:
    known: dict[str, EncodedQuestion] = {}

    def remembered(self: Embedder, text: str) -> EncodedQuestion:
        if text not in known:
            known[text] = question(self, text)
        return known[text]

    return remembered
