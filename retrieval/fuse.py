"""Fuse the two lists: a weighted sum of scores whose scales do not depend on the list."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.store import Scored

# Fitted by `python -m evals.calibrate`; see docs/experiments.md.
TEXT_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk with its rank (from 1) and score in either list; None where a list lacks it."""

    scored: Scored
    dense_rank: int | None
    dense_score: float | None
    text_rank: int | None
    text_score: float | None
    score: float


def fuse(
    dense: Sequence[Scored], text: Sequence[Scored], *, text_weight: float = TEXT_WEIGHT
) -> list[Fused]:
    """Merge two rankings, best first; ties go by chunk id.

    A chunk's score is its cosine similarity (-1 to 1) plus `text_weight` times its full text score
    (0 to 1). Where a list lacks a chunk, that list's lowest score stands in for the cosine and 0
    for the full text score. Unlike min-max or z-scores the result can be compared between
    questions, so that one threshold fits all.

    Source for the convex sum over rank fusion: Bruch, Gai and Ingber, "An Analysis of Fusion
    Functions for Hybrid Retrieval", ACM TOIS 42 (2023).
    """
    dense_ranks = {item.row_id: (rank, item) for rank, item in enumerate(dense, start=1)}
    text_ranks = {item.row_id: (rank, item) for rank, item in enumerate(text, start=1)}
    floor = min((item.score for item in dense), default=0.0)
    fused = []
    for row_id, (_, item) in {**text_ranks, **dense_ranks}.items():
        dense_rank, in_dense = dense_ranks.get(row_id, (None, None))
        text_rank, in_text = text_ranks.get(row_id, (None, None))
        cosine = in_dense.score if in_dense else None
        words = in_text.score if in_text else None
        score = (floor if cosine is None else cosine) + text_weight * (words or 0.0)
        fused.append(Fused(item, dense_rank, cosine, text_rank, words, score))
    return sorted(fused, key=lambda f: (-f.score, order(f.scored)))


def order(scored: Scored) -> tuple[str, int, int]:
    """Return what breaks ties: the chunk's path, first line and piece."""
    return scored.chunk.path, scored.chunk.first_line, scored.chunk.piece
