"""A run made by hand, with HTML wherever a vault or a question may hold some."""

from dataclasses import replace
from typing import Any

from evals.labels.dataset import Gold
from evals.measure.run import Run
from retrieval.models import SearchResult
from tests.support.made.made import found, question, run_of, searched

HTML = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;"


def hostile(result: SearchResult) -> SearchResult:
    """The same search, with HTML in everything that a vault can put into a passage."""
    hits = [
        replace(hit, chunk=replace(hit.chunk, heading=HTML, text=HTML, path=f"{HTML}.md"))
        for hit in result.hits
    ]
    return replace(result, hits=tuple(hits))


def made_run(**values: Any) -> Run:
    """A hit, a miss, a critical miss without its label, a question without an answer."""
    label = question(1, name="label", critical=True, answer=HTML)
    label = replace(label, places=((Gold("a/light.md", f"No {HTML}"),),))
    items = searched(
        (question(1, name="hit"), found(1, 2)),
        (question(5, name="late", question=f"What\x08 {HTML}, 5: % | `x`?"), found(3, 4, 5)),
        (label, hostile(found(3, 4))),
        (question(name="off"), found(3, 4)),
    )
    return run_of(items, **values)
