"""The order of a search's candidates, and at which stage each of them was dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.context import SearchContext
from retrieval.index.store import ScoredChunk
from retrieval.models import Candidate, Fate, SourceNote
from retrieval.ranking.fusion import Fused
from retrieval.ranking.precedence import Ranked, current_first, overriding, with_twins
from retrieval.ranking.reranking import Passage, Reranker


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search returns and why; chunks stand with the scores that ordered them."""

    trace: tuple[Candidate, ...]
    kept: tuple[tuple[ScoredChunk, float], ...]  # best first
    above: tuple[
        tuple[ScoredChunk, float], ...
    ]  # below `top_k`, of files that supersede a kept one's


def rank(
    context: SearchContext,
    question: str,
    fused: Sequence[Fused],
    scores: Sequence[float] | None,
    notes: Mapping[str, SourceNote],
    top_k: int,
) -> Ranking:
    """Order the fused candidates by `scores`, a reranker's for the first of them, and keep `top_k`.

    Below `RAG_THRESHOLD` none is kept. `notes` are what the files' front matter says, by path.
    """
    ranked = with_twins(_ranked(fused, scores, context.weights.rerank))
    ranked = current_first(ranked, notes, question, context.threshold)
    trace, kept = _decide(fused, ranked, context, top_k)
    above = overriding(ranked, [one.chunk.path for one, _ in kept], notes, top_k)
    return Ranking(trace, tuple(kept), tuple((one.item.scored, one.score) for one in above))


def reranked(
    reranker: Reranker | None, question: str, candidates: Sequence[Fused]
) -> list[float] | None:
    """Return the reranker's score of each candidate; None where there is nothing to do."""
    if reranker is None or not candidates:
        return None
    read = [Passage(item.scored.chunk, item.best.text if item.best else "") for item in candidates]
    return reranker.scores(question, read)


def _decide(
    fused: Sequence[Fused], ranked: Sequence[Ranked], context: SearchContext, top_k: int
) -> tuple[tuple[Candidate, ...], list[tuple[ScoredChunk, float]]]:
    """Drop the candidates under the threshold, keep `top_k`; say so in the trace."""
    fused_ranks = {item.scored.row_id: rank for rank, item in enumerate(fused, start=1)}
    trace: list[Candidate] = []
    kept: list[tuple[ScoredChunk, float]] = []
    for rank, (item, score, reranked) in enumerate(ranked, start=1):
        over = score >= context.threshold
        if over and len(kept) < top_k:
            kept.append((item.scored, score))
        fate: Fate = "budget" if over else "threshold"
        if over and kept[-1][0] is item.scored:
            fate = "returned"
        place = None if reranked is None else rank
        trace.append(_row(item, fused_ranks, fate, place, reranked, score))
    for item in fused[len(ranked) :]:
        trace.append(_row(item, fused_ranks, "candidates", None, None, None))
    return tuple(trace), kept


def _ranked(
    fused: Sequence[Fused], scores: Sequence[float] | None, weight: float | None
) -> list[Ranked]:
    """The candidates in their final order with the score that makes it and the reranker's own.

    A reranker's score is one more summand; without a `weight` it stands alone. Ties keep the fused
    order.
    """
    if scores is None:
        return [Ranked(item, item.score, None) for item in fused]
    found = [
        Ranked(item, score if weight is None else item.score + weight * score, score)
        for item, score in zip(fused, scores, strict=False)  # of the first candidates alone
    ]
    return sorted(found, key=lambda one: -one.score)


def _row(
    item: Fused,
    fused_ranks: dict[int, int],
    fate: Fate,
    rank: int | None,
    reranked: float | None,
    final: float | None,
) -> Candidate:
    return Candidate(
        chunk_id=item.scored.chunk.id,
        dense_rank=item.dense_rank,
        dense_score=item.dense_score,
        text_rank=item.text_rank,
        text_score=item.text_score,
        late_score=item.best.late_score if item.best else None,
        fused_rank=fused_ranks[item.scored.row_id],
        fused_score=item.score,
        rerank_rank=rank,
        rerank_score=reranked,
        final_score=final,
        fate=fate,
        names_score=item.names,
    )
