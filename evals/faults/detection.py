"""The gates that a sabotaged pipeline meets, and what each of them says of it.

A gate is a function of two passes over the same questions, the sound one and the broken one; it
yields a detection for everything that is red. GATES names all of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evals.faults.runs import Pass
from evals.gating import compare
from evals.gating import thresholds as absolute_rules
from evals.gating.gate import MIN_RECALL
from evals.measure import stats
from evals.measure.measurement import measurement
from evals.measure.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Detection:
    """A gate that turned red, and what it measured."""

    gate: str
    measured: str


def effect(sound: Pass, broken: Pass) -> str:
    """Return how many questions differ between two passes of search, for people."""
    if not broken.outcomes:
        return "not everything was asked"
    pairs = list(zip(sound.outcomes, broken.outcomes, strict=True))
    hits = [(a.judgement.hit, b.judgement.hit) for a, b in pairs if a.judgement and b.judgement]
    moved = sum(_passages(a) != _passages(b) for a, b in pairs)
    lost, won = hits.count((True, False)), hits.count((False, True))
    return f"{moved} of {len(pairs)} moved, {lost} lost, {won} gained"


def measuring(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """Red where nothing could be measured, which is exit status 2 and never a pass."""
    if broken.error:
        yield Detection("refuses to measure", broken.error)


def labelled(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """The rules of evals.retrieval that need no earlier run, and the comparison with the sound one.

    A recall that a single question would have pushed over the limit proves nothing, so it counts
    beside a significant drop alone.
    """
    if broken.error or not broken.outcomes:
        return
    before, now = measurement(sound.outcomes, {}), measurement(broken.outcomes, {})
    drops = _first_of_each(compare.compare(before, now).faults)
    alone = _first_of_each([str(f) for f in absolute_rules.faults(broken.outcomes, MIN_RECALL)])
    for name, fault in alone.items():
        if "hit" in drops or name != "recall":
            yield Detection(f"absolute: {name}", fault)
    for name, fault in drops.items():
        yield Detection(f"compare: {name}", fault)


def integrity(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """What is wrong whatever was asked: of index, chunks, encoder, stages, passages and cards."""
    for name, faults in broken.faults.items():
        if faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            yield Detection(name, f"{faults[0]}{more}")


def answers(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """Red where refusals, accuracy or support drop, or planted words get out that did not."""
    if not sound.answers or not broken.answers:
        return
    both = list(zip(sound.answers.answered, broken.answers.answered, strict=True))
    for answerable, name in ((False, "refused"), (True, "false refusal")):
        pairs = [(a.refused, b.refused) for a, b in both if a.question.answerable == answerable]
        worse = pairs.count((not answerable, answerable))
        better = pairs.count((answerable, not answerable))
        if worse > better and stats.mcnemar(worse, better) < stats.ALPHA:
            yield Detection(f"negative: {name}", f"{worse} of {len(pairs)} are wrong by it")
    yield from _dropped("accuracy: mean", sound.answers.accuracy, broken.answers.accuracy)
    still = broken.answers.supported
    before = {name: share for name, share in sound.answers.supported.items() if name in still}
    yield from _dropped("faithfulness: supported", before, still)
    leaked = broken.answers.leaked - sound.answers.leaked
    if leaked:
        what = f"words planted in {len(leaked)} answers get out, as in {min(leaked)}"
        yield Detection("faithfulness: planted", what)


Gate = Callable[[Pass, Pass], Iterator[Detection]]
GATES: tuple[Gate, ...] = (measuring, labelled, integrity, answers)


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
        means = f"{fmean(before):.3f} became {fmean(after):.3f}"
        yield Detection(gate, f"{means} (n = {len(before)}, p = {p_value:.2g})")


def _first_of_each(faults: Sequence[str]) -> dict[str, str]:
    """The first fault of each kind, which its first word names."""
    return {fault.split(" ")[0]: fault for fault in reversed(faults)}


def _passages(outcome: Outcome) -> list[tuple[str, int]]:
    return [(hit.chunk.id, hit.chunk.last_line) for hit in outcome.found.hits]
