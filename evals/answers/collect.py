"""Ask every question of a dataset through the API's own function, and keep what it returned."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from api.answer.card_reply import AskOptions
from api.answer.pipeline import ask
from api.checks.readers import opening
from api.checks.readers.verifier import Readers
from api.llm.client import LanguageModel
from api.schema.answer import Answer
from evals.answers.fake_llm import ScriptedModel
from evals.answers.fake_replies import SCRIPTS
from evals.gating.integrity import index_faults
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.labels.options import vault_of
from evals.measure.outcome import Subject
from evals.measure.subject import subject
from retrieval.context import SearchContext, open_context
from retrieval.errors import ConfigurationError, DatasetError, IndexMissingError, LlmError
from retrieval.index import generations
from retrieval.settings import load

QUOTES, CONFIGURED = "quotes", "configured"  # no model; the one of OPENAI_MODEL
MODELS = (QUOTES, CONFIGURED, *SCRIPTS)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the option that says who answers."""
    parser.add_argument(
        "--model", choices=MODELS, default=QUOTES,
        help="who answers: quotes (no model), configured (OPENAI_MODEL), or a script",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answered:
    """One question with the reply, or with the reason why there was none.

    `planted` are words that a scripted model put in and that must not be in the reply.
    """

    question: Question
    reply: Answer | None
    error: str = ""
    planted: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether the reply is a refusal. An error is none: nobody was told anything."""
        return self.reply is not None and self.reply.refused


def ask_all(
    context: SearchContext, measured: Subject, name: str, questions: Sequence[Question]
) -> Iterator[Answered]:
    """Yield what came of every question, in order, where `name`, one of MODELS, answers.

    A model's error is a result of its question; every other error is raised. Raises
    ConfigurationError where the model of the settings is wanted and none is set.
    """
    if name == CONFIGURED and context.settings.openai_model is None:
        raise ConfigurationError(
            "OPENAI_MODEL is not set, so there is no model to measure; set it, or measure "
            f"one of {', '.join(sorted({QUOTES, *SCRIPTS}))}"
        )
    if name == CONFIGURED:
        with closing(LanguageModel(context.settings)) as model:
            yield from _asked(context, measured, model, questions)
    else:
        scripted = ScriptedModel(SCRIPTS[name]) if name in SCRIPTS else None
        yield from _asked(context, measured, scripted, questions)


def _asked(
    context: SearchContext, measured: Subject, model: LanguageModel | None,
    questions: Sequence[Question],
) -> Iterator[Answered]:  # fmt: skip
    script = model if isinstance(model, ScriptedModel) else None
    # A reader would ask the script, which knows only how to answer.
    readers = Readers() if script else opening.readers(context, model)
    for item in dataset.resolved(questions, measured.files):
        if script:
            script.turn(item)
        answered = answer(context, model, item, readers)
        yield replace(answered, planted=script.planted) if script and answered.reply else answered


def answer(
    context: SearchContext, model: LanguageModel | None, item: Question, readers: Readers
) -> Answered:
    """Return what came of a question; a model's error is a result, every other one is raised."""
    options = AskOptions(history=item.history, readers=readers)
    try:
        return Answered(item, ask(context, model, item.question, options))
    except LlmError as error:
        return Answered(item, None, str(error))


def no_answer(answered: Iterable[Answered]) -> list[str]:
    """Return why a gate is red for errors of the model: a line, or none without any."""
    errors = [one.error for one in answered if one.reply is None]
    return [f"no answer to {len(errors)} questions: {errors[0]}"] if errors else []


@contextmanager
def opened(path: Path, questions: Sequence[Question]) -> Iterator[tuple[SearchContext, Subject]]:
    """Yield the rules and the live index of their vault, which the questions of `path` are about.

    Raises DatasetError where they are about another vault, IndexMissingError where the index is
    not that of the vault, and what `open_context` raises.
    """
    with open_context(load()) as context:
        other = vault_of(context, path)
        if other:
            raise DatasetError(
                f"{path.name} is about the folder {other.name!r} and VAULT is "
                f"{str(context.settings.vault)!r}; answers come from the live index, so set VAULT"
            )
        with subject(context, None) as measured:
            _check(context, measured, path, questions)
            yield context, measured


def _check(
    context: SearchContext, measured: Subject, path: Path, questions: Sequence[Question]
) -> None:
    """Raise where the index is not that of the vault, or the questions are about none of it."""
    hashes = context.store.read(lambda conn: generations.file_hashes(conn, measured.generation_id))
    chunks = {file: measured.chunks_of(file) for file in hashes}
    wrong = index_faults(context.settings.vault, hashes, chunks)
    if wrong:
        raise IndexMissingError(f"the index is not that of the vault: {wrong[0]}; run: "
                                "python -m ingest")  # fmt: skip
    golds = {gold.path for q in questions for place in q.places for gold in place}
    if golds and not golds & set(measured.files):
        raise DatasetError(
            f"{path.name} is about files like {min(golds)!r}, and the vault "
            f"{str(context.settings.vault)!r} has none of them; set VAULT"
        )
