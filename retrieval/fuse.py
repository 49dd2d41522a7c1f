"""Fuse the two lists: a weighted sum of scores whose scales do not depend on the list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.store import Scored

# Fitted on the calibration split; docs/experiments.md, E1.
TEXT_WEIGHT = 0.8


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk with its rank (from 1) and score in either list; None where a list lacks it."""

    scored: Scored
    dense_rank: int | None
    dense_score: float  # known of every chunk
    text_rank: int | None
    text_score: float | None
    score: float


def fuse(
    dense: Sequence[Scored],
    text: Sequence[Scored],
    similarities: Mapping[int, float],
    *,
    text_weight: float = TEXT_WEIGHT,
) -> list[Fused]:
    """Merge two rankings, best first; ties go by chunk id.

    A chunk's score is its cosine similarity (-1 to 1) plus `text_weight` times its full text score
    (0 to 1; 0 where the text list lacks it). `similarities` holds the cosines of chunks that only
    the text list has, by row id. Unlike min-max or z-scores the result can be compared between
    questions, so that one threshold fits all.

    Source for the convex sum over rank fusion: Bruch, Gai and Ingber, "An Analysis of Fusion
    Functions for Hybrid Retrieval", ACM TOIS 42 (2023).
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
        score = cosine + text_weight * (words or 0.0)
        fused.append(Fused(item, dense_rank, cosine, text_rank, words, score))
    return sorted(fused, key=lambda f: (-f.score, order(f.scored)))


def order(scored: Scored) -> tuple[str, int, int]:
    """Return what breaks ties: the chunk's path, first line and piece."""
    return scored.chunk.path, scored.chunk.first_line, scored.chunk.piece
