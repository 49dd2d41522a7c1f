"""The judge: a hit, and every bucket that a question without one can end in."""

from typing import Any

import pytest

from evals.dataset import Gold, Question
from evals.judge import LOST_AT, judge
from retrieval.models import Candidate, Chunk, Hit, SearchResult, Timings

TEXT = "A torch burns for one hour."
VAULT = {"light.md": f"# Light\n\n{TEXT}\n", "lost.md": f"{TEXT}\n", "cut.md": f"{TEXT}\n"}
CHUNKS = {
    "light.md": (Chunk("light.md", "Light", 3, 3, TEXT),),
    "cut.md": (Chunk("cut.md", "Cut", 1, 1, "A torch burns"),),
}
OTHERS = [Chunk("other.md", "Other", line, line, "x") for line in range(1, 6)]
TOP_K = 2


def candidate(chunk: Chunk, **values: Any) -> Candidate:
    row: dict[str, Any] = {
        "dense_rank": 9, "dense_score": 0.5, "text_rank": None, "text_score": None,
        "fused_rank": 9, "fused_score": 0.5, "rerank_rank": None, "rerank_score": None,
        "fate": "budget",
    }  # fmt: skip
    return Candidate(chunk_id=chunk.id, **{**row, **values})


def found(rank: int | None, rerank: str = "off", **values: Any) -> SearchResult:
    """A search whose final order has the torch's chunk at `rank` of six, or not at all."""
    order = [(chunk, candidate(chunk)) for chunk in OTHERS]
    if rank is not None:
        torch = CHUNKS["light.md"][0]
        order.insert(rank - 1, (torch, candidate(torch, **values)))
    return SearchResult(
        question="How long?",
        hits=tuple(Hit(chunk, 0.5, ()) for chunk, row in order if row.fate == "returned"),
        trace=tuple(row for _, row in order),
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


def lost_at(result: SearchResult, question: Question | None = None) -> str | None:
    judgement = judge(question or asked(), result, VAULT, lambda p: CHUNKS.get(p, ()), TOP_K)
    assert not judgement.hit
    return judgement.lost_at


def test_a_returned_chunk_that_holds_the_quote_is_a_hit_with_its_rank() -> None:
    result = found(2, fate="returned")
    judgement = judge(asked(forbidden=("light.md",)), result, VAULT, CHUNKS.__getitem__, TOP_K)
    assert (judgement.hit, judgement.rank, judgement.lost_at) == (True, 2, None)
    assert judgement.forbidden == ("light.md",)


BUCKETS = {
    "label": lost_at(found(None), asked(quote="A torch burns for two hours.")),
    "not-indexed": lost_at(found(None), asked("lost.md")),
    "chunking": lost_at(found(None), asked("cut.md")),
    "candidates": lost_at(found(None)),
    "fusion": lost_at(found(4, dense_rank=2, fused_rank=4)),
    "rerank": lost_at(found(4, "reranker", fused_rank=2)),
    "threshold": lost_at(found(2, fused_rank=2, fate="threshold")),
    "budget": lost_at(found(3, fused_rank=3)),
}


@pytest.mark.parametrize("bucket", LOST_AT)
def test_every_bucket_is_produced(bucket: str) -> None:
    assert BUCKETS[bucket] == bucket


def test_a_quote_in_no_file_is_lost_at_the_label() -> None:
    assert lost_at(found(None), asked("missing.md")) == "label"


@pytest.mark.parametrize(
    ("rerank", "values", "bucket"),
    [
        ("off", {"fused_rank": 3}, "budget"),
        ("off", {"fused_rank": 3, "text_rank": 1}, "fusion"),
        ("reranker", {"fused_rank": 1}, "rerank"),
        ("reranker", {"fused_rank": 3}, "budget"),
    ],
)
def test_the_threshold_is_not_blamed_for_what_top_k_would_have_dropped(
    rerank: str, values: dict[str, Any], bucket: str
) -> None:
    assert lost_at(found(3, rerank, fate="threshold", **values)) == bucket


def test_the_ranks_are_compared_with_what_was_asked_for_not_with_what_was_returned() -> None:
    result = found(4, dense_rank=2, fused_rank=4, fate="threshold")
    assert not result.hits
    assert lost_at(result) == "fusion"
