"""The table of what was measured, a row a library with its ratios to ours."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

from evals.measure.stats import mcnemar
from evals.peer_runs.measurement import SHOWN, Measured
from evals.reports import markdown

_HEAD = (
    "set, n", "retriever", "hit@1", f"hit@{SHOWN}", "MRR@10", "only ours, only theirs (p)",
    f"words in {SHOWN}", "ingest", "query", "edited", "deleted", "off-topic refused", "texts cut",
)  # fmt: skip
_EDITED = {"new": "new", "both": "old and new", "old": "old", "neither": "neither"}
_DELETED = {"old": "still there", "neither": "gone"}

Pair = tuple[Measured, Measured]  # ours, theirs


def table(results: Mapping[tuple[str, str], Pair]) -> str:
    """Return the table in Markdown; `results` are by set and peer."""
    return "\n".join(markdown.table([_HEAD, *_rows(results)]))


def _rows(results: Mapping[tuple[str, str], Pair]) -> Iterator[Sequence[str]]:
    for name in dict.fromkeys(name for name, _ in results):
        pairs = {peer: pair for (of, peer), pair in results.items() if of == name}
        every = [ours for ours, _ in pairs.values()]
        times = (
            f"{median(one.index_seconds for one in every):.1f} s",
            f"{1000 * median(median(one.query_seconds) for one in every):.0f} ms",
        )
        yield _row(f"{name}, {len(every[0].ranks)}", "ours", every[0], "", times)
        for peer, (ours, theirs) in pairs.items():
            versions = ", ".join(dict.fromkeys(theirs.versions.values()))
            yield _row("", f"{peer} {versions}", theirs, flips(ours, theirs), ratios(ours, theirs))


def flips(ours: Measured, theirs: Measured) -> str:
    """Return how many questions only one of both hits, with McNemar's exact p."""
    pairs = [(_hit(a), _hit(b)) for a, b in zip(ours.ranks, theirs.ranks, strict=True)]
    mine, other = pairs.count((True, False)), pairs.count((False, True))
    return f"{mine}, {other} ({mcnemar(mine, other):.3f})"


def ratios(ours: Measured, theirs: Measured) -> tuple[str, str]:
    """Return their time as a multiple of ours: of one ingest, and the median over the questions."""
    queries = zip(ours.query_seconds, theirs.query_seconds, strict=True)
    ingest = theirs.index_seconds / ours.index_seconds
    return f"{ingest:.2f} x", f"{median(b / a for a, b in queries):.2f} x"


def _row(
    name: str, retriever: str, one: Measured, flipped: str, times: tuple[str, str]
) -> Sequence[str]:
    edits = one.edits or {}
    return (
        name, retriever,
        f"{fmean(rank == 1 for rank in one.ranks):.3f}",
        f"{fmean(map(_hit, one.ranks)):.3f}",
        f"{fmean(1 / rank if rank else 0.0 for rank in one.ranks):.3f}",
        flipped, f"{median(one.words):.0f}", *times,
        _EDITED.get(edits.get("number in prose", ""), edits.get("number in prose", "")),
        _DELETED.get(edits.get("deleted file", ""), edits.get("deleted file", "")),
        "{} of {}".format(*one.off_topic) if one.off_topic[1] else "",
        "{} of {}".format(*one.cut) if one.cut[1] else "",
    )  # fmt: skip


def _hit(rank: int) -> bool:
    return 0 < rank <= SHOWN
