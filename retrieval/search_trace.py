"""How a search came to its result: the row of each candidate, and how long the steps took."""

from dataclasses import dataclass
from typing import Literal

Fate = Literal["candidates", "threshold", "budget", "returned"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of a trace: the ranks (from 1) and scores of one chunk at every stage.

    None means that the chunk did not reach the stage. `fate` is the stage that dropped it:
    "candidates" (below the cut of `rag_candidates`), "threshold", "budget" (below `top_k`), or
    "returned".
    """

    chunk_id: str
    dense_rank: int | None
    dense_score: float  # cosine similarity of its best entry
    text_rank: int | None
    text_score: float | None
    late_score: float | None  # of its best entry
    fused_rank: int
    fused_score: float
    rerank_rank: int | None
    rerank_score: float | None
    final_score: float | None  # what orders it and is compared with the threshold
    fate: Fate
    names_score: float = 0.0  # how much of the question its names and fields cover
    ranges_score: float = 0.0  # 1 where one holds a number asked, -2 if a column lacks


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds of one search."""

    embed_ms: float
    search_ms: float
    rerank_ms: float
