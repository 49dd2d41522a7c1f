"""Searches with known outcomes, made by hand: a vault of one file, six chunks, one question."""

from collections.abc import Mapping
from typing import Any

from evals.labels.dataset import Gold, Question
from evals.measure import span_overlap
from evals.measure.judge import judge
from evals.measure.metrics import ScoredOutcome, score
from evals.measure.outcome import Outcome, Subject
from retrieval.models import Candidate, Chunk, Hit, SearchResult, Timings

FILES = {"a/light.md": "\n".join(f"Line number {number} of light." for number in range(1, 7))}
CHUNKS = {
    number: Chunk("a/light.md", "Light", number, number, f"Line number {number} of light.")
    for number in range(1, 7)
}
TOP_K = 2


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


def scored(*pairs: tuple[Question, SearchResult]) -> list[ScoredOutcome]:
    """Judge and score searches as `evals.retrieval` does."""
    outcomes = []
    for asked, result in pairs:
        judgement = judge(asked, result, FILES, chunks_of, TOP_K) if asked.answerable else None
        outcomes.append(Outcome(asked, result, judgement))
    measured = Subject(1, FILES, chunks_of)
    return score(outcomes, measured, span_overlap.pages_of(FILES), top_k=TOP_K, candidates=4)


def chunks_of(path: str) -> list[Chunk]:
    """The chunks of the one file."""
    return list(CHUNKS.values()) if path in FILES else []
