"""Ask many questions of several states of a vault, in two processes that take turns.

What a question takes is Python, and one process has one core of it.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized

from evals.labels.dataset import Question
from evals.measure import subject
from evals.measure.evaluation import evaluate
from evals.measure.outcome import Outcome, Subject
from ingest.progress import Meter
from retrieval.context import SearchContext, open_context
from retrieval.models import NO_TERMS
from retrieval.settings import Settings

WORTH = 120  # questions; fewer are answered before a second process has begun
_TURN = 10  # questions: what a process may wait for the other in the end
_spawn = get_context("spawn")
_taken: "Synchronized[int]"  # of the second process: how many turns either has taken


@dataclass(frozen=True, slots=True)
class _Turn:
    """Some questions to one state, which another process reads for itself."""

    generation_id: int
    files: dict[str, str]
    questions: Sequence[Question]


def outcomes(
    context: SearchContext,
    states: Sequence[tuple[Subject, Sequence[Question]]],
    top_k: int | None,
) -> list[list[Outcome]]:
    """Return the outcomes of each state's questions, in order, as `evaluate` does.

    Of each is left what `changes.compare` reads. Raises what `evaluate` raises, and
    BrokenProcessPool where the second process is killed.
    """
    turns = [turn for state, questions in states for turn in _turns(state, questions)]
    taken = _spawn.Value("i", 0)
    if sum(len(turn.questions) for turn in turns) < WORTH:
        found = _shown(context, turns, top_k, taken)
    else:
        with ProcessPoolExecutor(1, _spawn, _share, (taken,)) as other:
            theirs = other.submit(_second, context.settings, turns, top_k)
            try:
                found = _shown(context, turns, top_k, taken)
            finally:
                taken.value = len(turns)  # so that the other ends, too
            found |= theirs.result()
    every = iter([outcome for number in sorted(found) for outcome in found[number]])
    return [[next(every) for _ in questions] for _, questions in states]


def _turns(state: Subject, questions: Sequence[Question]) -> Iterator[_Turn]:
    files = dict(state.files)
    for start in range(0, len(questions), _TURN):
        yield _Turn(state.generation_id, files, questions[start : start + _TURN])


def _share(taken: "Synchronized[int]") -> None:
    """Keep the counter of turns where `_second` finds it: it is inherited, not sent."""
    global _taken
    _taken = taken


def _second(
    settings: Settings, turns: Sequence[_Turn], top_k: int | None
) -> dict[int, list[Outcome]]:
    with open_context(settings) as context:
        return dict(_asked(context, turns, top_k, _taken))


def _shown(
    context: SearchContext, turns: Sequence[_Turn], top_k: int | None, taken: "Synchronized[int]"
) -> dict[int, list[Outcome]]:
    """Take turns, and show on a terminal how many were begun."""
    found: dict[int, list[Outcome]] = {}
    with Meter() as meter:
        for number, outcomes in _asked(context, turns, top_k, taken):
            found[number] = outcomes
            meter.show("asking, tens of questions", number + 1, len(turns))
    return found


def _asked(
    context: SearchContext, turns: Sequence[_Turn], top_k: int | None, taken: "Synchronized[int]"
) -> Iterator[tuple[int, list[Outcome]]]:
    """Take turns until there is none left, and yield their numbers and outcomes."""
    while (number := _next(taken)) < len(turns):
        turn = turns[number]
        chunks_of = subject.reader(context, turn.generation_id)
        measured = Subject(turn.generation_id, turn.files, chunks_of)
        found = evaluate(context, measured, turn.questions, top_k=top_k)
        yield number, [_light(outcome) for outcome in found]


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
