"""Ask many questions of two states of a vault, in two processes that take turns.

What a question takes is Python, and one process has one core of it.
"""

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized

from evals.impacts.reach import Edited, is_reached
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
CHECKED = 50  # questions that are asked of both states, whether or not the edit reaches them
_KEPT = 64  # questions with their vectors: a turn's, with their parts
_TURN = 10  # questions: what a process may wait for the other in the end
_spawn = get_context("spawn")
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
class Pair:
    """A question in two states of a vault; `after` is None where it was not asked again."""

    before: Outcome
    after: Outcome | None
    is_reached: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of which states, as another process reads it.

    Of `edited` files only what they reach is asked of the second state; None: everything is.
    """

    states: tuple[tuple[int, dict[str, str]], tuple[int, dict[str, str]]]  # generation, files
    questions: Sequence[tuple[Question, Question]]  # with the labels of either state
    checked: frozenset[int]  # numbers of `questions`
    edited: frozenset[str] | None
    top_k: int


def plan(
    before: tuple[Subject, Sequence[Question]],
    after: tuple[Subject, Sequence[Question]],
    edited: frozenset[str] | None,
    top_k: int,
) -> Plan:
    """Return what is to be asked of two states; which questions are checked depends on n alone.

    Raises DatasetError where a question names a file by what fits several.
    """
    files = dict(before[0].files), dict(after[0].files)
    then, now = (
        dataset.resolved(asked, of) for (_, asked), of in zip((before, after), files, strict=True)
    )
    count = len(now)
    checked = random.Random(0).sample(range(count), min(count, CHECKED))  # noqa: S311  # no secret
    return Plan(
        ((before[0].generation_id, files[0]), (after[0].generation_id, files[1])),
        list(zip(then, now, strict=True)), frozenset(checked), edited, top_k,
    )  # fmt: skip


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
    edited = None
    if asked.edited is not None:
        (before_id, _), (after_id, _) = asked.states
        edited = Edited.between(contexts[1], before_id, after_id, asked.edited)
    while (start := _next(taken) * _TURN) < len(asked.questions):
        rows = range(start, min(start + _TURN, len(asked.questions)))
        then = [asked.questions[row][0] for row in rows]
        before = list(evaluate(contexts[0], subjects[0], then, top_k=asked.top_k))
        made = []
        for row, outcome in zip(rows, before, strict=True):
            now = asked.questions[row][1]
            met = edited is None or is_reached(edited, now, outcome, asked.top_k)
            after = None
            if met or row in asked.checked:
                (after,) = evaluate(contexts[1], subjects[1], [now], top_k=asked.top_k)
            made.append(Pair(_light(outcome), _light(after) if after else None, met))
        yield start, made


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
