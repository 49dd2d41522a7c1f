"""Fuse the stages: a weighted sum of scores whose scales do not depend on the list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from retrieval.index.store import ScoredChunk


@dataclass(frozen=True, slots=True)
class Weights:
    """What a score of 1 of each stage counts beside a cosine of 1; 0 leaves the stage out.

    Fitted by `evals.calibrate`, never on the gate split. `rerank` is None for a cross-encoder whose
    scale nobody has measured: then its scores alone make the order.
    """

    text: float
    late: float
    rerank: float | None
    names: float = 0.0


@dataclass(frozen=True, slots=True)
class Best:
    """The entry of a chunk that comes nearest to the question."""

    text: str  # as it is embedded
    late_score: float | None  # None: late interaction is off


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk with its rank (from 1) and score in either list; None where a list lacks it."""

    scored: ScoredChunk
    dense_rank: int | None
    dense_score: float  # known of every chunk
    text_rank: int | None
    text_score: float | None
    best: Best | None  # None: neither late interaction nor a reranker reads entries
    score: float
    names: float = 0.0  # how much of the question its names and fields cover


def fuse(
    dense: Sequence[ScoredChunk],
    text: Sequence[ScoredChunk],
    similarities: Mapping[int, float],
    weights: Weights,
    best: Mapping[int, Best],
    names: Mapping[int, float] = MappingProxyType({}),
) -> list[Fused]:
    """Merge two rankings, best first; ties go by chunk id.

    `similarities` holds the dense score of every chunk that only `text` has; one that is missing
    raises ValueError. What a stage adds is its score times its weight. `best` is by row id, as is
    `names`, how much of the question the names and fields of a chunk cover (0 where it is missing).
    """
    dense_ranks = {item.row_id: (rank, item.score) for rank, item in enumerate(dense, start=1)}
    text_ranks = {item.row_id: (rank, item.score) for rank, item in enumerate(text, start=1)}
    chunks = {item.row_id: item for item in (*text, *dense)}
    fused = []
    for row_id, item in chunks.items():
        dense_rank, cosine = dense_ranks.get(row_id, (None, similarities.get(row_id)))
        text_rank, words = text_ranks.get(row_id, (None, None))
        if cosine is None:
            raise ValueError(f"no similarity of {item.chunk.id}, which only the text list has")
        entry = best.get(row_id)
        tokens = (entry.late_score if entry else None) or 0.0
        named = names.get(row_id, 0.0)
        score = cosine + weights.text * (words or 0.0) + weights.late * tokens
        score += weights.names * named
        fused.append(Fused(item, dense_rank, cosine, text_rank, words, entry, score, named))
    return sorted(fused, key=lambda f: (-f.score, order(f.scored)))


def order(scored: ScoredChunk) -> tuple[str, int, int]:
    """Return what breaks ties: the chunk's path, first line and piece."""
    return scored.chunk.path, scored.chunk.first_line, scored.chunk.piece
