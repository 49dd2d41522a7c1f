"""Ask many questions of one state of a vault: half of them in a second process.

What a question takes is Python, and one process has one core of it.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context

from evals.labels.dataset import Question
from evals.measure import subject
from evals.measure.evaluation import ask_all, evaluate
from evals.measure.outcome import Outcome, Subject
from retrieval.context import SearchContext, open_context
from retrieval.models import NO_TERMS
from retrieval.settings import Settings

WORTH = 60  # questions; fewer are answered before a second process has begun


@contextmanager
def second_process() -> Iterator[Executor]:
    """Yield what `outcomes` hands half of its questions to; it starts with the first of them."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        yield other


def outcomes(
    context: SearchContext,
    measured: Subject,
    questions: Sequence[Question],
    top_k: int | None,
    other: Executor,
) -> list[Outcome]:
    """Return the outcome of every question, in order, as `ask_all` does.

    Of those of the `other` process nothing is left that `changes.compare` does not read. Raises
    what `ask_all` raises, and BrokenProcessPool where that process is killed.
    """
    if len(questions) < WORTH:
        return ask_all(context, measured, questions, top_k)
    found: list[Outcome | None] = [None] * len(questions)
    state = measured.generation_id, dict(measured.files)
    theirs = other.submit(_asked, context.settings, *state, questions[1::2], top_k)
    found[::2] = ask_all(context, measured, questions[::2], top_k)
    found[1::2] = theirs.result()
    return [outcome for outcome in found if outcome]


def _asked(
    settings: Settings,
    generation_id: int,
    files: dict[str, str],
    questions: Sequence[Question],
    top_k: int | None,
) -> list[Outcome]:
    with open_context(settings) as context:
        measured = Subject(generation_id, files, subject.reader(context, generation_id))
        return [_light(one) for one in evaluate(context, measured, questions, top_k=top_k)]


def _light(outcome: Outcome) -> Outcome:
    """Without the words of the whole vault, which each of them has."""
    found = replace(outcome.found, terms=NO_TERMS, trace=(), files={}, notes={})
    if outcome.reply is None:
        return replace(outcome, found=found)
    reply = replace(outcome.reply, found=None, parts=(), folders=(), cards=(), premise=None)
    return replace(outcome, found=found, reply=reply)
