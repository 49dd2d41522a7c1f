"""Pass over the questions of a ground through the real pipeline, sound or with a fault in it.

Everything happens in a database of its own, which is gone afterwards: what is broken here must
never reach an index that answers anybody.
"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from evals import accuracy, faithfulness
from evals.answers import collect
from evals.answers.collect import Answered
from evals.faults.replace import Fault, Replacement, applied
from evals.gating.encoder_check import encoder_faults
from evals.gating.integrity import index_faults, on_disk, passage_faults, stage_faults, text
from evals.labels import chunk_checks, dataset, options
from evals.labels.dataset import Question
from evals.labels.options import RULES, RULES_VAULT, chosen
from evals.measure import span_overlap
from evals.measure.card_faults import card_faults
from evals.measure.evaluation import evaluate
from evals.measure.outcome import Outcome, Subject
from evals.measure.subject import subject
from retrieval.context import SearchContext, open_context
from retrieval.encoder.bi_encoder import Embedder, Encoded
from retrieval.errors import RulesError
from retrieval.index import generations
from retrieval.models import Vectors
from retrieval.ranking.late_interaction import TokenVectors
from retrieval.settings import Settings

HANDBOOK = (RULES.with_name("handbook.jsonl"), options.HANDBOOK)
SOUND = Fault("none", "")
_UNASKED = {"integrity: encoder", "integrity: index", "lint: chunks"}  # gates without questions


@dataclass(frozen=True, slots=True)
class Data:
    """Questions with the vault that they are about."""

    questions: tuple[Question, ...]
    vault: Path


def handbook() -> Data:
    """Return the small ground. Nothing is fitted here, so all of its questions are asked."""
    return Data(tuple(dataset.load(HANDBOOK[0])), HANDBOOK[1])


def rules() -> Data:
    """Return the large ground, whose index is too slow for every push."""
    return Data(tuple(chosen(RULES, "gate")), RULES_VAULT)


@dataclass(frozen=True, slots=True)
class Answers:
    """What answering every question gave."""

    answered: tuple[Answered, ...]
    accuracy: Mapping[str, float]  # by the id of an answerable question
    supported: Mapping[str, float]  # share of claims by the id of a question that was answered
    leaked: frozenset[str]  # ids of questions whose reply shows planted words


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass over the questions gave; `error` says why it gave nothing, else "".

    `faults` are what is wrong whatever was asked, by the gate that says so.
    """

    outcomes: tuple[Outcome, ...] = ()
    faults: Mapping[str, Sequence[str]] = field(default_factory=dict)
    answers: Answers | None = None
    error: str = ""


@contextmanager
def opened(settings: Settings) -> Iterator[SearchContext]:
    """Yield a search context over an empty database that is removed in the end.

    A text is embedded once in all of it, whichever faults come and go; vectors of an index that was
    broken are never taken over. Raises what `open_context` raises.
    """
    folder = Path(tempfile.mkdtemp(prefix="sabotage-"))
    folder.chmod(0o711)  # where root starts it, the server runs as somebody else
    own = settings.model_copy(update={"database_url": None, "rag_data_dir": folder / "pg"})
    embedder = "retrieval.encoder.bi_encoder.Embedder"
    try:
        with (
            open_context(own) as context,
            applied(
                Replacement(f"{embedder}.encode", _remembering),
                Replacement(f"{embedder}.question", cache),
                Replacement("retrieval.index.known_vectors.find",
                            lambda _: lambda *_, **__: {}),
                Replacement("evals.retrieval.open_ordered",
                            lambda _: lambda _: nullcontext(context)),
            ),
        ):  # fmt: skip
            yield context
    finally:
        shutil.rmtree(folder)


@contextmanager
def quiet() -> Iterator[None]:
    """Show nothing of what programs print."""
    with StringIO() as said, redirect_stdout(said), redirect_stderr(said):
        yield


def searched(context: SearchContext, data: Data, fault: Fault, ready: Subject | None) -> Pass:
    """Return one pass of search with `fault` in place; without a `ready` index it is made of it.

    Where the gate that has to see the fault looks at no question, nothing is asked, and nothing
    more once one question has turned it red: of a pass that is not whole there are no outcomes. A
    pipeline that refuses to work gives a pass with its error, which is a result.
    """
    files = {path: text(content) for path, content in on_disk(data.vault).items()}
    used = fault.opened(context)
    with ExitStack() as stack:
        stack.enter_context(applied(*fault.swaps))
        stack.enter_context(quiet())
        try:
            measured = ready or stack.enter_context(subject(used, data.vault))
            outcomes, found = _asked(used, measured, data.questions, fault.must_turn_red, files)
            faults: dict[str, Sequence[str]] = {
                "integrity: encoder": list(encoder_faults(used.embedder)),
                "integrity: stages": list(stage_faults(outcomes)),
                **found,
            }
            if not ready:
                faults["integrity: index"] = _index_faults(used, data.vault, measured)
                faults["lint: chunks"] = chunk_checks.lint(data.vault).findings
            return Pass(outcomes, faults)
        except RulesError as error:
            return Pass(error=str(error))


def _asked(
    context: SearchContext,
    measured: Subject,
    questions: Sequence[Question],
    gate: str,
    files: Mapping[str, str],
) -> tuple[tuple[Outcome, ...], dict[str, list[str]]]:
    """Ask as long as it may matter to a gate; return the outcomes and the faults of single ones."""
    outcomes: list[Outcome] = []
    faults: dict[str, list[str]] = {"integrity: passages": [], "integrity: cards": []}
    for outcome in evaluate(context, measured, () if gate in _UNASKED else questions):
        outcomes.append(outcome)
        faults["integrity: passages"] += passage_faults(outcome, files, context.settings.rag_top_k)
        if outcome.reply:
            faults["integrity: cards"] += card_faults(outcome.reply, files)
        if faults.get(gate):
            break
    return tuple(outcomes) if len(outcomes) == len(questions) else (), faults


def _index_faults(context: SearchContext, vault: Path, measured: Subject) -> list[str]:
    number = measured.generation_id
    hashes = context.store.read(lambda conn: generations.file_hashes(conn, number))
    return list(index_faults(vault, hashes, {path: measured.chunks_of(path) for path in hashes}))


def answered(context: SearchContext, data: Data, fault: Fault, measured: Subject) -> Pass:
    """Return one pass of answers over the live index, `measured`, with `fault` in place."""
    page_of = span_overlap.pages_of(measured.files)
    with applied(*fault.swaps):
        replies = tuple(collect.ask_all(context, measured, fault.model, data.questions))
    checked = [faithfulness.score(fault.model, reply, measured.files, None) for reply in replies]
    return Pass(answers=Answers(
        replies,
        {reply.question.id: accuracy.score(reply, page_of).score
         for reply in replies if reply.question.answerable},
        {one.answered.question.id: fmean(not v.fault for v in one.verdicts)
         for one in checked if one.verdicts},
        frozenset(one.answered.question.id for one in checked if one.leaked),
    ))  # fmt: skip


def _remembering(encode: Any) -> Any:
    kept: dict[str, tuple[Vectors, TokenVectors]] = {}

    def remembered(
        self: Embedder, texts: Sequence[str], progress: Any = None, **options: Any
    ) -> Encoded:
        missing = sorted(set(texts) - kept.keys())
        if missing:
            made: Encoded = encode(self, missing, progress, **options)
            kept.update(zip(missing, zip(made.vectors, made.tokens, strict=True), strict=True))
        vectors = np.array([kept[text][0] for text in texts], np.float32)
        return Encoded(vectors, tuple(kept[text][1] for text in texts))

    return remembered
