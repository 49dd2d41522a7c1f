"""A run made by hand, with HTML wherever a vault or a question may hold some."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from evals.labels.dataset import Gold
from evals.measure import span_overlap, summary
from evals.measure.metrics import ScoredOutcome
from evals.measure.run import Run
from retrieval.models import SearchResult
from tests.support.made.made import FILES, TOP_K, found, question, scored

HTML = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;"
CONFIG = {
    "date": "2026-11-22T00:00:00+00:00", "commit": "abc1234", "min_recall": 0.8,
    "machine": "one", "libraries": {"numpy": "2"},
}  # fmt: skip


def hostile(result: SearchResult) -> SearchResult:
    """The same search, with HTML in everything that a vault can put into a passage."""
    hits = [
        replace(hit, chunk=replace(hit.chunk, heading=HTML, text=HTML, path=f"{HTML}.md"))
        for hit in result.hits
    ]
    return replace(result, hits=tuple(hits))


def run_of(items: list[ScoredOutcome], **values: Any) -> Run:
    """A run of these questions."""
    return Run(
        dataset=Path("evals/q.jsonl"), vault=Path("vault, mine"), top_k=TOP_K,
        scored=tuple(items), config=CONFIG, files=FILES, page_of=span_overlap.pages_of(FILES),
        tables=summary.tables(items), **{"faults": ("recall 0.333 is below 0.8",), **values},
    )  # fmt: skip


def made_run(**values: Any) -> Run:
    """A hit, a miss, a critical miss without its label, a question without an answer."""
    label = question(1, name="label", critical=True, answer=HTML)
    label = replace(label, places=((Gold("a/light.md", f"No {HTML}"),),))
    items = scored(
        (question(1, name="hit"), found(1, 2)),
        (question(5, name="late", question=f"What\x08 {HTML}, 5: % | `x`?"), found(3, 4, 5)),
        (label, hostile(found(3, 4))),
        (question(name="off"), found(3, 4)),
    )
    return run_of(items, **values)
