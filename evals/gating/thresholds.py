"""The gate's absolute rules: what is a fault whatever was measured before."""

from collections.abc import Iterator, Sequence

from evals.measure.outcome import Outcome
from evals.measure.shown import reached

# Of what search found replies must show so much. The aim is 0.97 and not reached on every vault
# (docs/experiments.md, E57); this keeps what is there.
LEAST_KEPT = 0.90
_ENOUGH = 20  # questions that search finds; of fewer one alone would be over the limit


def faults(outcomes: Sequence[Outcome], min_recall: float) -> list[str]:
    """Return why the gate is red, a line each; none where it is green.

    `min_recall` is the lowest share of questions, 0 to 1, of which search returns all that is
    needed; what replies show of that has a rule of its own. Raises ValueError where nothing was
    judged, which is never a pass.
    """
    judged = [outcome for outcome in outcomes if outcome.judgement]
    if not judged:
        raise ValueError("no answerable question was judged")
    recall = sum(bool(one.judgement and one.judgement.hit) for one in judged) / len(judged)
    found = [f"recall {recall:.3f} is below {min_recall:g}"] if recall < min_recall else []
    for outcome in judged:
        found += _of_question(outcome)
    return [*found, *_kept(judged)]


def _of_question(outcome: Outcome) -> Iterator[str]:
    name, judged = outcome.question.id, outcome.judgement
    if judged is None:
        return
    if judged.lost_at == "label":
        yield f"gold line gone: {name}: {judged.detail}"
    if outcome.question.critical and not outcome.passed:
        yield f"critical question lost: {name}"
    elif outcome.question.critical and outcome.shown and not outcome.shown.first:
        yield f"critical question not in the first card: {name}"
    yield from (f"forbidden in the first 3: {path} ({name})" for path in judged.forbidden)


def _kept(judged: Sequence[Outcome]) -> Iterator[str]:
    """Where replies lose what search found: the first passage's line, or any line."""
    shown = [(o.shown, reached(o.question, o.found)) for o in judged if o.shown]
    for what, kept in (
        ("first card", [s.first for s, r in shown if r[0]]),
        ("shown", [s.anywhere for s, r in shown if r[1]]),
    ):
        share = sum(kept) / len(kept) if kept else 1.0
        if len(kept) >= _ENOUGH and share < LEAST_KEPT:
            yield (
                f"reply ({what}): shows {sum(kept)} of {len(kept)} that search found, "
                f"less than {LEAST_KEPT:g}"
            )
