"""The retrieval gate's absolute rules: what is a fault whatever was measured before."""

from collections.abc import Sequence

from evals.outcome import Outcome


def faults(outcomes: Sequence[Outcome], min_recall: float) -> list[str]:
    """Return why the gate is red, a line each; none where it is green.

    `min_recall` is the lowest share of hits that passes, 0 to 1. Raises ValueError where nothing
    was judged, which is never a pass.
    """
    judged = [(o.question, o.judgement) for o in outcomes if o.judgement]
    if not judged:
        raise ValueError("no answerable question was judged")
    recall = sum(judgement.hit for _, judgement in judged) / len(judged)
    found = [f"recall {recall:.3f} is below {min_recall:g}"] if recall < min_recall else []
    found += [f"critical question lost: {q.id}" for q, j in judged if q.critical and not j.hit]
    found += [f"forbidden in the first 3: {p} ({q.id})" for q, j in judged for p in j.forbidden]
    return found
