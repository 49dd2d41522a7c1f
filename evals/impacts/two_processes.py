"""Ask the questions of two states of a vault: of many, each state in a process of its own.

What a question takes is Python, and one process has one core of it.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

from evals.labels.dataset import Question
from evals.measure import subject
from evals.measure.evaluation import ask_all, evaluate
from evals.measure.outcome import Outcome, Subject
from retrieval.context import SearchContext, open_context
from retrieval.models import NO_TERMS
from retrieval.settings import Settings

WORTH = 120  # questions; fewer are answered before a second process has begun
Labelled = tuple[Subject, Sequence[Question]]  # a state, and the questions with its labels
Pair = tuple[Outcome, Outcome]  # what a question got in either state


def pairs(context: SearchContext, before: Labelled, after: Labelled, top_k: int) -> list[Pair]:
    """Return what every question got in two states, in order, as `evaluate` has it.

    Raises what `evaluate` raises, and BrokenProcessPool where the second process is killed.
    """
    (state, labels), now = before, after
    if len(labels) < WORTH:
        then = ask_all(context, state, labels, top_k)
        return list(zip(then, ask_all(context, *now, top_k), strict=True))
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        theirs = other.submit(
            _elsewhere, context.settings, state.generation_id, dict(state.files), labels, top_k
        )
        found = ask_all(context, *now, top_k)
        return list(zip(theirs.result(), found, strict=True))


def _elsewhere(
    settings: Settings, number: int, files: Mapping[str, str], labels: Sequence[Question],
    top_k: int,
) -> list[Outcome]:  # fmt: skip
    """Ask in another process; return of each outcome what `changes.compare` reads."""
    with open_context(settings) as context:
        state = Subject(number, files, subject.reader(context, number))
        return [_light(one) for one in evaluate(context, state, labels, top_k=top_k)]


def _light(outcome: Outcome) -> Outcome:
    """Without the words of the whole vault, which each of them has."""
    found = replace(outcome.found, terms=NO_TERMS, trace=(), files={}, notes={})
    if outcome.reply is None:
        return replace(outcome, found=found)
    reply = replace(outcome.reply, found=None, parts=(), folders=(), cards=(), premise=None)
    return replace(outcome, found=found, reply=reply)
