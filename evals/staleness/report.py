"""What evals.stale prints and writes of its cases."""

from collections.abc import Mapping, Sequence

from evals.answers.program import Report, Row
from evals.staleness.judge import Judged, Phase, Reply, faults

_PHASES: tuple[Phase, ...] = ("before", "during", "after")
_HEAD = ("edit", "ingest", "before", "during: old, new", "after: new", "wrong", "generations")


def line(judged: Judged) -> str:
    """Return a case as the console shows it while others are still measured."""
    counts = [f"{judged.count(phase).total()} replies {phase}" for phase in _PHASES]
    verdict = "FAIL" if any(faults(judged)) else "PASS"
    return f"{verdict} — {judged.case.name} ({', '.join(counts)} the ingest)"


def report(found: Sequence[Judged], config: Mapping[str, object]) -> Report:
    """Return the report of measured cases; every fault of a reply makes the gate red."""
    wrong = [fault for judged in found for fault in faults(judged)]
    replies = sum(len(judged.replies) for judged in found)
    sums = {"cases": len(found), "replies": replies}
    notes = (f"{replies:,} replies of {config['apis']} APIs around {len(found)} ingests",)
    table = (_HEAD, *(_cells(judged) for judged in found))
    rows = tuple(_row(judged) for judged in found)
    return Report("evals.stale", rows, table, notes, sums, tuple(wrong), config)


def _row(judged: Judged) -> Row:
    wrong = list(faults(judged))
    record = {
        "id": judged.case.name,
        "faults": wrong,
        "counts": {phase: dict(judged.count(phase)) for phase in _PHASES},
        "ingest_seconds": round(judged.ingested - judged.edited, 3),
        "replies": [
            _record(judged, reply)
            for reply in sorted(judged.replies, key=lambda reply: reply.began)
        ],
    }
    return Row(judged.case.name, "edit", line(judged), "; ".join(wrong), record)


def _record(judged: Judged, reply: Reply) -> dict[str, object]:
    """A reply with its times in seconds after the edit."""
    return {
        "api": reply.api,
        "question": reply.question,
        "began": round(reply.began - judged.edited, 4),
        "ended": round(reply.ended - judged.edited, 4),
        "phase": judged.phase(reply),
        "generation": reply.generation,
        "state": reply.state,
        "detail": reply.detail,
    }


def _cells(judged: Judged) -> tuple[str, ...]:
    before, during, after = (judged.count(phase) for phase in _PHASES)
    right = before["old"] + during["old"] + during["new"] + after["new"]
    generations = dict.fromkeys(
        reply.generation for reply in sorted(judged.replies, key=lambda reply: reply.began)
    )
    return (
        judged.case.name,
        f"{judged.ingested - judged.edited:.1f} s",
        str(before.total()),
        f"{during['old']}, {during['new']}",
        str(after["new"]),
        str(len(judged.replies) - right),
        " ".join(filter(None, generations)),
    )
