"""Searches that lose a passage at a known place, made by hand, and how they are judged."""

from dataclasses import replace
from typing import Any

from evals.labels.dataset import Gold, Question
from evals.measure.judge import Judgement, judge
from retrieval.models import Chunk, Hit, SearchResult
from retrieval.search_trace import Candidate, Timings

TEXT = "A torch burns for one hour."
EXCEPTION = "However, a torch that was dipped in pitch burns for three hours."
VAULT = {
    "light.md": f"# Light\n\n{TEXT}\n",
    "lost.md": f"{TEXT}\n",
    "cut.md": f"{TEXT}\n\n{EXCEPTION}\n",
    "stale.md": f"{TEXT}\n",
}
CHUNKS = {
    "light.md": (Chunk("light.md", "Light", 3, 3, TEXT),),
    "cut.md": (Chunk("cut.md", "", 1, 2, f"{TEXT}\n"), Chunk("cut.md", "", 3, 3, EXCEPTION)),
    "stale.md": (Chunk("stale.md", "", 1, 1, "A torch burns for two hours."),),
}
OTHERS = [Chunk("other.md", "Other", line, line, "x") for line in range(1, 6)]
TOP_K = 2


def candidate(chunk: Chunk, **values: Any) -> Candidate:
    row: dict[str, Any] = {
        "dense_rank": 9, "dense_score": 0.5, "text_rank": None, "text_score": None,
        "late_score": None, "final_score": None,
        "fused_rank": 9, "fused_score": 0.5, "rerank_rank": 9, "rerank_score": 0.5,
        "fate": "budget",
    }  # fmt: skip
    return Candidate(chunk_id=chunk.id, **{**row, **values})


def found(rank: int | None, rerank: str = "off", **values: Any) -> SearchResult:
    """A search whose final order has the torch's chunk at `rank` of six, or not at all."""
    order = [(chunk, candidate(chunk)) for chunk in OTHERS]
    if rank is not None:
        torch = CHUNKS["light.md"][0]
        order.insert(rank - 1, (torch, candidate(torch, **values)))
    return result(order, rerank)


def result(order: list[tuple[Chunk, Candidate]], rerank: str = "off") -> SearchResult:
    return SearchResult(
        question="How long?",
        hits=tuple(Hit(chunk, 0.5, ()) for chunk, row in order if row.fate == "returned"),
        trace=tuple(row for _, row in order),
        late="off",
        rerank=rerank,
        threshold=0.0,
        generation="1.1",
        timings=Timings(0.0, 0.0, 0.0),
    )


def asked(path: str = "light.md", quote: str = TEXT, forbidden: tuple[str, ...] = ()) -> Question:
    return Question(
        line=1, id="torch", question="How long?", kind="prose", answer="One hour",
        places=((Gold(path, quote),),), split="gate", critical=False, must_include=(),
        must_not_include=(), why_unanswerable="", absent=(), history=(), forbidden=forbidden,
    )  # fmt: skip


def places(*golds: tuple[Gold, ...]) -> Question:
    return replace(asked(), places=golds)


def judged(search: SearchResult, question: Question | None = None) -> Judgement:
    return judge(question or asked(), search, VAULT, lambda p: CHUNKS.get(p, ()), TOP_K)


def missed(search: SearchResult, question: Question | None = None) -> Judgement:
    judgement = judged(search, question)
    assert not judgement.hit
    return judgement
