"""Searches with known outcomes, made by hand: a vault of one file, six chunks, one question."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.labels.dataset import Gold, Question
from evals.measure import measurement, metrics, span_overlap
from evals.measure.judge import judge
from evals.measure.measurement import Fingerprint
from evals.measure.metrics import Values
from evals.measure.outcome import Outcome, Subject
from evals.measure.run import Run
from retrieval.models import Chunk, Hit, SearchResult
from retrieval.search_trace import Candidate, Timings

FILES = {"a/light.md": "\n".join(f"Line number {number} of light." for number in range(1, 7))}
CHUNKS = {
    number: Chunk("a/light.md", "Light", number, number, f"Line number {number} of light.")
    for number in range(1, 7)
}
TOP_K = 2
PAGE_OF = span_overlap.pages_of(FILES)
MADE_WITH: Fingerprint = {
    "models": {"model_digest": "abc", "reranker": "off"},
    "search": {"top_k": 4},
}
CONFIG = {
    "date": "2026-11-22T00:00:00+00:00", "commit": "abc1234", "min_recall": 0.8,
    "machine": "one", "libraries": {"numpy": "2"},
}  # fmt: skip


def question(*numbers: int, name: str = "q", **values: Any) -> Question:
    """A question whose golds are these lines; none: an unanswerable one."""
    places = values.pop("places", (numbers,) if numbers else ())
    golds = tuple(tuple(Gold("a/light.md", CHUNKS[n].text) for n in place) for place in places)
    row: dict[str, Any] = {
        "line": 7, "id": name, "question": f"What of {name}?", "answer": "",
        "kind": "prose" if golds else "offtopic", "split": "gate", "critical": False,
        "must_include": (), "must_not_include": (), "why_unanswerable": "", "absent": (),
        "history": (), "forbidden": (),
    }  # fmt: skip
    return Question(places=golds, **{**row, **values})


def found(
    *order: int, returned: int = TOP_K, late: Mapping[int, str] | None = None
) -> SearchResult:
    """A search that ranked these chunks so; `late` has other fates than "budget" by number."""
    rows = []
    for rank, number in enumerate(order, start=1):
        fate: Any = "returned" if rank <= returned else (late or {}).get(number, "budget")
        values: dict[str, Any] = {
            "dense_rank": rank, "dense_score": 1 - rank / 10, "text_rank": None,
            "text_score": None, "fused_rank": rank, "fused_score": 2 - rank / 10,
            "rerank_rank": None, "rerank_score": None, "fate": fate,
        }  # fmt: skip
        values |= {"late_score": None, "final_score": values["fused_score"]}
        rows.append(Candidate(chunk_id=CHUNKS[number].id, **values))
    hits = [Hit(CHUNKS[n], 2 - rank / 10, ()) for rank, n in enumerate(order[:returned], start=1)]
    return SearchResult(
        question="?", hits=tuple(hits), trace=tuple(rows), late="off", rerank="off", threshold=0.2,
        generation="1.1", timings=Timings(1.0, 2.0, 0.0),
    )  # fmt: skip


def searched(*pairs: tuple[Question, SearchResult]) -> list[Outcome]:
    """Judge searches as `evals.retrieval` does."""
    return [
        Outcome(asked, result, judge(asked, result, FILES, chunks_of, TOP_K))
        if asked.answerable
        else Outcome(asked, result, None)
        for asked, result in pairs
    ]


def values(outcomes: list[Outcome]) -> dict[str, Values]:
    """The metrics of the answerable ones by id."""
    return metrics.score(outcomes, PAGE_OF, top_k=TOP_K, candidates=4)


def run_of(outcomes: list[Outcome], **fields: Any) -> Run:
    """A run of these questions."""
    made: dict[str, Any] = {
        "dataset": Path("evals/q.jsonl"), "vault": Path("vault, mine"), "top_k": TOP_K,
        "measured": Subject(1, FILES, chunks_of), "outcomes": tuple(outcomes),
        "values": values(outcomes), "page_of": PAGE_OF, "config": CONFIG,
        "taken": measurement.measurement(outcomes, MADE_WITH),
        "faults": ("recall 0.333 is below 0.8",),
    }  # fmt: skip
    return Run(**{**made, **fields})


def chunks_of(path: str) -> list[Chunk]:
    """The chunks of the one file."""
    return list(CHUNKS.values()) if path in FILES else []
