"""The gates that a sabotaged pipeline meets, and what each of them says of it.

A gate is a function of two passes over the same questions, the sound one and the broken one; it
yields an alarm for everything that is red. GATES names all of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evals.gating import absolute as absolute_rules
from evals.gating import compare
from evals.gating.integrity import passage_faults
from evals.measure import stats
from evals.measure.measurement import measurement
from evals.measure.outcome import Outcome
from evals.retrieval import MIN_RECALL


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass over the questions gave; `error` says why it gave nothing, else ""."""

    outcomes: tuple[Outcome, ...]
    index_faults: tuple[str, ...]  # of integrity
    chunk_faults: tuple[str, ...]  # of evals.labels.chunk_checks
    top_k: int
    files: dict[str, str]  # the vault's texts by path
    error: str = ""
    card_faults: tuple[str, ...] = ()  # what is wrong with the replies, as they were rendered


@dataclass(frozen=True, slots=True)
class Detection:
    """A gate that turned red, and what it measured."""

    gate: str
    measured: str


@dataclass(frozen=True, slots=True)
class Effect:
    """How many questions differ between two passes.

    Of the answerable ones (`n`) `lost` are no hits any more and `gained` now are; `moved` questions
    have other passages, or the same in another order.
    """

    n: int
    lost: int
    gained: int
    moved: int

    @property
    def detectable(self) -> int | None:
        """How many had to be lost, with so many gained, for the paired test to see it."""
        return stats.smallest_detectable(self.n, fixed=self.gained, alpha=_ALPHA)


_ALPHA = stats.ALPHA / len(compare.GATING)  # what Holm asks of the better of the gating metrics

Gate = Callable[[Pass, Pass], Iterator[Detection]]


def effect(sound: Pass, broken: Pass) -> Effect:
    """Return what a fault did to the questions. Raises ValueError where one was not asked twice."""
    pairs = list(zip(sound.outcomes, broken.outcomes, strict=True))
    judged = [(a.judgement.hit, b.judgement.hit)
              for a, b in pairs if a.judgement and b.judgement]  # fmt: skip
    moved = [a for a, b in pairs if _passages(a) != _passages(b)]
    return Effect(len(judged), judged.count((True, False)), judged.count((False, True)), len(moved))


def measuring(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """Red where nothing could be measured, which is exit status 2 and never a pass."""
    if broken.error:
        yield Detection("refuses to measure", broken.error)


def absolute(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """The rules of evals.retrieval that need no earlier run: recall, critical, forbidden.

    A recall that a single question would have pushed over the limit proves nothing: it counts
    where the paired test could see the loss as well.
    """
    if broken.error:
        return
    did = effect(sound, broken)
    seen = did.detectable is not None and did.lost >= did.detectable
    for fault in _first_of_each(
        [str(f) for f in absolute_rules.faults(broken.outcomes, MIN_RECALL)]
    ):
        if seen or not fault.startswith("recall"):
            yield Detection(f"evals.gating.absolute: {fault.split(' ')[0]}", fault)


def baseline(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """A significant drop of hits, order or refusals, or a critical question lost."""
    if not broken.error:
        before, now = measurement(sound.outcomes, {}), measurement(broken.outcomes, {})
        for fault in _first_of_each(compare.compare(before, now).faults):
            yield Detection(f"evals.gating.compare: {fault.split(' ')[0]}", fault)


def chunks(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """What evals.lint finds in the chunks."""
    yield from _listed("evals.lint: chunks", broken.chunk_faults)


def index(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """An index that is not that of its vault."""
    yield from _listed("integrity: index", broken.index_faults)


def passages(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """Passages that are not lines of the vault, or stand in a wrong order."""
    found = [f for o in broken.outcomes for f in passage_faults(o, broken.files, broken.top_k)]
    yield from _listed("integrity: passages", found)


def cards(sound: Pass, broken: Pass) -> Iterator[Detection]:
    """Cards with a cut sentence, without a table's header, or folded where nobody sees them."""
    yield from _listed("integrity: cards", broken.card_faults)


GATES: tuple[Gate, ...] = (measuring, absolute, baseline, chunks, index, passages, cards)


def _listed(name: str, found: Sequence[str]) -> Iterator[Detection]:
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield Detection(name, f"{found[0]}{more}")


def _first_of_each(faults: Sequence[str]) -> list[str]:
    """The first fault of each kind, which its first word names."""
    return list({fault.split(" ")[0]: fault for fault in reversed(faults)}.values())[::-1]


def _passages(outcome: Outcome) -> list[tuple[str, int]]:
    return [(hit.chunk.id, hit.chunk.last_line) for hit in outcome.found.hits]
