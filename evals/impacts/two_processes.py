"""Ask many questions of two states of a vault, in two processes that take turns.

What a question takes is Python, and one process has one core of it.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized

from evals.labels import dataset
from evals.labels.dataset import Question
from evals.measure import subject
from evals.measure.evaluation import evaluate
from evals.measure.outcome import Outcome, Subject
from ingest.progress import Meter
from retrieval.context import SearchContext, open_context
from retrieval.encoder.bi_encoder import Embedder, EncodedQuestion
from retrieval.models import NO_TERMS
from retrieval.refusal.topic_scores import BaselineCache
from retrieval.settings import Settings
from retrieval.vocabulary.file_terms import TermsCache

WORTH = 120  # questions; fewer are answered before a second process has begun
_KEPT = 64  # questions with their vectors: a turn's, with their parts
_TURN = 10  # questions: what a process may wait for the other in the end
_spawn = get_context("spawn")
Pair = tuple[Outcome, Outcome]  # what a question got in either state
_taken: "Synchronized[int]"  # of the second process: how many turns either has taken


class RememberingEmbedder(Embedder):
    """The same encoder, which makes a question's vectors once for both states."""

    def __init__(self, like: Embedder) -> None:
        super().__init__(like.files, like.thread, like.pooling)
        self.kept = lru_cache(maxsize=_KEPT)(super().question)

    def question(self, text: str) -> EncodedQuestion:
        """Return a question's vectors. ValueError where it is too long."""
        return self.kept(text)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of which states, as another process reads it."""

    states: tuple[tuple[int, dict[str, str]], tuple[int, dict[str, str]]]  # generation, files
    questions: Sequence[tuple[Question, Question]]  # with the labels of either state
    top_k: int


def plan(
    before: tuple[Subject, Sequence[Question]],
    after: tuple[Subject, Sequence[Question]],
    top_k: int,
) -> Plan:
    """Return what is to be asked of two states.

    Raises DatasetError where a question names a file by what fits several.
    """
    files = dict(before[0].files), dict(after[0].files)
    then, now = (
        dataset.resolved(asked, of) for (_, asked), of in zip((before, after), files, strict=True)
    )
    states = (before[0].generation_id, files[0]), (after[0].generation_id, files[1])
    return Plan(states, list(zip(then, now, strict=True)), top_k)


def pairs(context: SearchContext, asked: Plan) -> list[Pair]:
    """Return the outcomes of a plan's questions, in order, as `evaluate` has them.

    Of each is left what `changes.compare` reads. Raises what `evaluate` raises, and
    BrokenProcessPool where the second process is killed.
    """
    taken = _spawn.Value("i", 0)
    if len(asked.questions) < WORTH:
        found = _shown(context, asked, taken)
    else:
        with ProcessPoolExecutor(1, _spawn, _share, (taken,)) as other:
            theirs = other.submit(_second, context.settings, asked)
            try:
                found = _shown(context, asked, taken)
            finally:
                taken.value = len(asked.questions)  # so that the other ends, too
            found |= theirs.result()
    return [pair for number in sorted(found) for pair in found[number]]


def _share(taken: "Synchronized[int]") -> None:
    """Keep the counter of turns where `_second` finds it: it is inherited, not sent."""
    global _taken
    _taken = taken


def _second(settings: Settings, asked: Plan) -> dict[int, list[Pair]]:
    with open_context(settings) as context:
        return dict(_turns(context, asked, _taken))


def _shown(
    context: SearchContext, asked: Plan, taken: "Synchronized[int]"
) -> dict[int, list[Pair]]:
    """Take turns, and show on a terminal how many were begun."""
    found: dict[int, list[Pair]] = {}
    with Meter() as meter:
        for start, made in _turns(context, asked, taken):
            found[start] = made
            meter.show("asking", start + len(made), len(asked.questions))
    return found


def _turns(
    context: SearchContext, asked: Plan, taken: "Synchronized[int]"
) -> Iterator[tuple[int, list[Pair]]]:
    """Take turns until there is none left; yield of each its first number and its pairs."""
    embedder = RememberingEmbedder(context.embedder)
    contexts = [
        replace(context, embedder=embedder, terms=TermsCache(), baseline=BaselineCache())
        for _ in asked.states
    ]
    subjects = [
        Subject(number, files, subject.reader(context, number)) for number, files in asked.states
    ]
    while (start := _next(taken) * _TURN) < len(asked.questions):
        labelled = zip(*asked.questions[start : start + _TURN], strict=True)  # then, and now
        before, after = (
            [_light(one) for one in evaluate(of, state, rows, top_k=asked.top_k)]
            for of, state, rows in zip(contexts, subjects, labelled, strict=True)
        )
        yield start, list(zip(before, after, strict=True))


def _next(taken: "Synchronized[int]") -> int:
    with taken.get_lock():
        taken.value += 1
        return taken.value - 1


def _light(outcome: Outcome) -> Outcome:
    """Without the words of the whole vault, which each of them has."""
    found = replace(outcome.found, terms=NO_TERMS, trace=(), files={}, notes={})
    if outcome.reply is None:
        return replace(outcome, found=found)
    reply = replace(outcome.reply, found=None, parts=(), folders=(), cards=(), premise=None)
    return replace(outcome, found=found, reply=reply)
