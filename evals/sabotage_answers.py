"""Break what answers users, one fault at a time, and demand that a named gate turns red.

A fault replaces a public function of the product (evals.faults.replace); a scripted model answers
where one is needed. Everything happens over the handbook, in a database of its own.

Exit status: 0 every fault was caught; 1 one was not; 2 nothing could be measured.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from statistics import fmean

from evals import accuracy, faithfulness
from evals.answers import collect
from evals.answers.collect import Answered
from evals.faults import run_pipeline
from evals.faults.detectors import Detection
from evals.faults.of_answers import ANSWER_FAULTS, AnswerFault
from evals.faults.replace import Replacement, applied
from evals.faults.run_pipeline import Ground
from evals.labels.dataset import SPLITS, Question
from evals.measure import span_overlap, stats
from evals.measure.outcome import Subject
from evals.retrieval import subject
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import DatasetError, RulesError
from retrieval.settings import load


@dataclass(frozen=True, slots=True)
class AnswerPass:
    """What one pass over the questions gave."""

    answered: tuple[Answered, ...]
    accuracy: Mapping[str, int]  # by the id of an answerable question
    supported: Mapping[str, float]  # share of claims by the id of a question that was answered
    leaked: frozenset[str]  # ids of questions whose reply shows planted words


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one fault: the gates that turned red, none where nobody noticed it."""

    fault: str
    alarms: tuple[Detection, ...]


def run(
    context: SearchContext, measured: Subject, questions: Sequence[Question], model: str,
    swaps: Sequence[Replacement] = (),
) -> AnswerPass:  # fmt: skip
    """Return one pass over the live index with `swaps` in place."""
    page_of = span_overlap.pages_of(measured.files)
    with ExitStack() as stack:
        answerer = stack.enter_context(collect.answering(context, measured, model))
        stack.enter_context(applied(*swaps))
        answered = tuple(collect.ask_all(answerer, questions))
    scored = [faithfulness.score(model, one, measured.files, None) for one in answered]
    known = [one for one in answered if one.question.answerable]
    return AnswerPass(
        answered,
        {one.question.id: accuracy.score(one, page_of).score for one in known},
        {one.answered.question.id: fmean(not v.fault for v in one.verdicts)
         for one in scored if one.verdicts},
        frozenset(one.answered.question.id for one in scored if one.leaked),
    )  # fmt: skip


def of_refusals(sound: AnswerPass, broken: AnswerPass) -> Iterator[Detection]:
    """Red where fewer questions without an answer are refused, or more of the others."""
    both = list(zip(sound.answered, broken.answered, strict=True))
    for answerable, name in ((False, "refused"), (True, "false refusal")):
        pairs = [(a.refused, b.refused) for a, b in both if a.question.answerable == answerable]
        worse = pairs.count((not answerable, answerable))
        better = pairs.count((answerable, not answerable))
        if worse > better and stats.mcnemar(worse, better) < stats.ALPHA:
            yield Detection(f"evals.negative: {name}", f"{worse} of {len(pairs)} are wrong by it")


def of_accuracy(sound: AnswerPass, broken: AnswerPass) -> Iterator[Detection]:
    """Red where answers score significantly less."""
    yield from _dropped("evals.accuracy: mean", sound.accuracy, broken.accuracy)


def of_support(sound: AnswerPass, broken: AnswerPass) -> Iterator[Detection]:
    """Red where fewer claims are supported, or planted words get out that did not."""
    both = sound.supported.keys() & broken.supported.keys()
    yield from _dropped(
        "evals.faithfulness: supported",
        {name: sound.supported[name] for name in both}, broken.supported,
    )  # fmt: skip
    leaked = broken.leaked - sound.leaked
    if leaked:
        what = f"words planted in {len(leaked)} answers get out, as in {min(leaked)}"
        yield Detection("evals.faithfulness: planted", what)


AnswerGate = Callable[[AnswerPass, AnswerPass], Iterator[Detection]]
ANSWER_GATES: tuple[AnswerGate, ...] = (of_refusals, of_accuracy, of_support)


def tried(
    context: SearchContext, measured: Subject, questions: Sequence[Question],
    faults: Sequence[AnswerFault],
) -> Iterator[Tried]:  # fmt: skip
    """Yield what came of every fault, over the live index of `context`.

    Raises DatasetError where not both sorts of questions are there: half of the gates were blind.
    """
    if {question.answerable for question in questions} != {True, False}:
        raise DatasetError("questions with and without an answer are both wanted")
    sound: dict[str, AnswerPass] = {}
    for fault in faults:
        if fault.model not in sound:
            sound[fault.model] = run(context, measured, questions, fault.model)
        broken = run(context, measured, questions, fault.model, fault.swaps)
        alarms = [alarm for gate in ANSWER_GATES for alarm in gate(sound[fault.model], broken)]
        yield Tried(fault.name, tuple(alarms))


def tried_on(
    context: SearchContext, ground: Ground, faults: Sequence[AnswerFault]
) -> Iterator[Tried]:
    """Yield what came of every fault over a ground; its vault becomes the live index of `context`.

    `context` must have a database of its own, as `trial.opened` gives it.
    """
    own = replace(context, settings=context.settings.model_copy(update={"vault": ground.vault}))
    with run_pipeline.quiet():
        pipeline.run(own, ground.vault)
    with subject(own, None) as measured:
        yield from tried(own, measured, ground.questions, faults)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.sabotage_answers", description=__doc__)
    parser.add_argument("--split", choices=SPLITS, help="only the questions of this split")
    args = parser.parse_args(argv)
    ground = replace(run_pipeline.SMALL, split=args.split)
    try:
        with run_pipeline.opened(load()) as context:
            found = _shown(tried_on(context, ground, ANSWER_FAULTS))
            missed = [one.fault for one in found if not one.alarms]
    except RulesError as error:
        print(f"evals.sabotage_answers: nothing was measured: {error}", file=sys.stderr)
        return 2
    for name in missed:
        print(f"GATE FAILED: nothing noticed: {name}")
    print(f"{len(ANSWER_FAULTS)} faults of answers, {len(missed)} missed")
    return 1 if missed else 0


def _shown(found: Iterator[Tried]) -> Iterator[Tried]:
    for one in found:
        status = "caught" if one.alarms else "missed"
        gates = "; ".join(f"{alarm.gate} | {alarm.measured}" for alarm in one.alarms)
        print(f"{status:<7} {one.fault} | {gates or '-'}", flush=True)
        yield one


def _dropped(
    gate: str, sound: Mapping[str, float], broken: Mapping[str, float]
) -> Iterator[Detection]:
    """A significant drop of a mean over the same questions."""
    before = [sound[name] for name in sorted(sound)]
    after = [broken[name] for name in sorted(sound)]
    if len(before) < 2 or fmean(after) >= fmean(before):
        return
    p_value = stats.paired_permutation(before, after)
    if p_value < stats.ALPHA:
        what = (
            f"{fmean(before):.3f} became {fmean(after):.3f} (n = {len(before)}, p = {p_value:.2g})"
        )
        yield Detection(gate, what)


if __name__ == "__main__":
    sys.exit(main())
