"""Write two runs side by side as one page: what broke, what was fixed, is it more than noise?"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.gating import compare
from evals.reports.page import render
from evals.reports.questions import Question, question
from evals.reports.stored import Side

ENDS = {"broken": "broken", "fixed": "fixed", "moved": "other rank or reply"}


@dataclass(frozen=True, slots=True)
class Pair:
    """One question in both runs; a side is None where its run has no rows, as a baseline."""

    id: str
    text: str
    kind: str
    critical: bool
    end: str  # a key of ENDS
    words: tuple[str, str]  # what came of it, before and now
    sides: tuple[Question | None, ...]


def write(before: Side, now: Side, path: Path) -> compare.Comparison:
    """Write the page and return what it shows.

    Raises DatasetError where the two share too few questions, and OSError where the page cannot be
    written.
    """
    found = compare.compare(before.taken, now.taken)
    path.write_text(page(before, now, found), "utf-8")
    return found


def page(before: Side, now: Side, found: compare.Comparison) -> str:
    """Return the comparison of two runs as HTML."""
    listed = pairs(before, now, found)
    return render(
        "compare.html",
        before=before,
        now=now,
        found=asdict(found),
        pairs=listed,
        in_both=len(_common(before, now)),
        ends={name: words for name, words in ENDS.items() if any(p.end == name for p in listed)},
        choices={"kind": sorted({pair.kind for pair in listed})},
    )


def pairs(before: Side, now: Side, found: compare.Comparison) -> list[Pair]:
    """Return the questions that came out otherwise: the broken ones, the fixed ones, the rest."""
    ends = dict.fromkeys(found.broken, "broken") | dict.fromkeys(found.fixed, "fixed")
    for name in _common(before, now):
        if name not in ends and _moved(before, now, name):
            ends[name] = "moved"
    return [_pair(before, now, name, end) for name, end in ends.items()]


def _common(before: Side, now: Side) -> Sequence[str]:
    rows, others = before.taken.rows, now.taken.rows
    return [name for name in others if name in rows and rows[name].digest == others[name].digest]


def _moved(before: Side, now: Side, name: str) -> bool:
    if before.taken.rows[name].metrics != now.taken.rows[name].metrics:
        return True
    replies = [side.rows[name].get("certainty") for side in (before, now) if name in side.rows]
    return len(set(replies)) > 1


def _pair(before: Side, now: Side, name: str, end: str) -> Pair:
    row = now.rows.get(name) or before.rows.get(name) or {}
    sides = [side.rows.get(name) for side in (before, now)]
    return Pair(
        id=name,
        text=str(row.get("question", name)),
        kind=str(row.get("kind", "")),
        critical=now.taken.rows[name].critical,
        end=end,
        words=(_word(before, name), _word(now, name)),
        sides=tuple(question(side) if side else None for side in sides),
    )


def _word(side: Side, name: str) -> str:
    """What came of a question: where it was lost, its rank, or whether it was refused."""
    taken = side.taken.rows[name]
    if not taken.answerable:
        said = side.rows.get(name, {}).get("certainty")
        return str(said or ("refused" if taken.right else "not refused"))
    rank = taken.metrics.get("reciprocal_rank")
    at = f"rank {round(1 / rank)}" if rank else "in no ranking"
    return f"{at}, found and shown" if taken.right else f"{at}, lost at {taken.lost_at}"
