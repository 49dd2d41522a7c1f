"""Measurements of an evaluation, made by hand: so many questions, so many of them missed."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from evals.measure.measurement import Measurement, QuestionRow
from tests.support.made.made import MADE_WITH


def measured(
    n: int = 100,
    missed: Collection[int] = (),
    *,
    rank: int = 1,
    critical: Collection[int] = (),
    more: Mapping[str, float | None] | None = None,
) -> Measurement:
    """Questions q0 to qN; the missed ones stand nowhere, the others at `rank`."""
    rows = {}
    for number in range(n):
        hit = number not in missed
        metrics = {"hit": float(hit), "reciprocal_rank": hit / rank, **(more or {})}
        lost_at = None if hit else "budget"
        rows[f"q{number}"] = QuestionRow(f"digest {number}", number in critical, lost_at, metrics)
    return Measurement("", MADE_WITH, rows)


def refusing(
    taken: Measurement, refused: int, *, kind: str = "offtopic", n: int = 20
) -> Measurement:
    """The same with questions x0 to xN that have no answer, the first of them `refused`."""
    rows = {
        f"x{number}": QuestionRow(
            f"digest x{number}", False, None, {f"refused_{kind}": float(number < refused)}
        )
        for number in range(n)
    }
    return replace(taken, rows={**taken.rows, **rows})


def changed(taken: Measurement, name: str, **fields: object) -> Measurement:
    """The same with other fields of one question."""
    return replace(taken, rows={**taken.rows, name: replace(taken.rows[name], **fields)})  # type: ignore[arg-type]  # any field
