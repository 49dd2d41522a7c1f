"""The order of a search's candidates, and at which stage each of them was dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.context import SearchContext
from retrieval.index.store import ScoredChunk
from retrieval.models import SourceNote
from retrieval.ranking.fusion import Fused
from retrieval.ranking.precedence import Ranked, current_first, overriding, with_twins
from retrieval.ranking.reranking import Passage, Reranker
from retrieval.search_trace import Candidate, Fate
from retrieval.tracing import KIND, stage

Scored = tuple[ScoredChunk, float]  # a chunk with the score that ordered it


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search returns and why."""

    trace: tuple[Candidate, ...]
    kept: tuple[Scored, ...]  # best first
    threshold: float  # that all of these reach
    above: tuple[Scored, ...]  # below `top_k`, of files that supersede a kept one's


def rank(
    context: SearchContext,
    question: str,
    fused: Sequence[Fused],
    scores: Sequence[float] | None,
    notes: Mapping[str, SourceNote],
    top_k: int,
    below: float = 0.0,
) -> Ranking:
    """Order the fused candidates by `scores`, a reranker's for the first of them, and keep `top_k`.

    Below `RAG_THRESHOLD` none is kept; where none reaches it, none that is more than `below` under
    it. `notes` are what the files' front matter says, by path.
    """
    ranked = with_twins(_ranked(fused, scores, context.weights.rerank), question)
    is_any = any(given.score >= context.threshold for given in ranked)
    threshold = context.threshold - (0.0 if is_any else below)
    ranked = current_first(ranked, notes, question, threshold)
    kept = [given for given in ranked if given.score >= threshold][:top_k]
    above = overriding(ranked, [given.path for given in kept], notes, top_k)
    fused_ranks = {item.scored.row_id: rank for rank, item in enumerate(fused, start=1)}
    trace: list[Candidate] = []
    for rank, given in enumerate(ranked, start=1):
        fate: Fate = "returned" if rank <= len(kept) else "budget"  # those over it come first
        fate = fate if given.score >= threshold else "threshold"
        trace.append(_row(given.item, fused_ranks, fate, rank, given))
    trace += [_row(item, fused_ranks, "candidates") for item in fused[len(ranked) :]]
    return Ranking(tuple(trace), _scored(kept), threshold, _scored(above))


def reranked(
    context: SearchContext, question: str, candidates: Sequence[Fused]
) -> tuple[list[float] | None, str]:
    """Return the score of each candidate by the context's reranker, and the reranker's name.

    None and "off" where none has scored them.
    """
    reranker, scores = context.listwise or context.reranker, None
    if reranker is None or not candidates:
        return None, "off"
    read = [Passage(item.scored.chunk, item.best.text if item.best else "") for item in candidates]
    attributes = {KIND: "RERANKER", "reranker.model_name": reranker.name}
    with stage(f"rerank {reranker.name}", attributes=attributes):
        if isinstance(reranker, Reranker):
            scores = reranker.scores(question, read)
        elif order := reranker.order(question, read):
            scores = _by_place(order, candidates)
    return scores, "off" if scores is None else reranker.name


def _by_place(order: Sequence[int], candidates: Sequence[Fused]) -> list[float]:
    """The fused scores dealt out again, the best to the first of `order`.

    So the threshold and the confidence, which are fitted on these scores, keep their meaning.
    """
    scores = dict(zip(order, (item.score for item in candidates), strict=True))
    return [scores[number] for number in range(len(candidates))]


def _scored(ranked: Sequence[Ranked]) -> tuple[Scored, ...]:
    return tuple((given.item.scored, given.score) for given in ranked)


def _ranked(
    fused: Sequence[Fused], scores: Sequence[float] | None, weight: float | None
) -> list[Ranked]:
    """The candidates in their final order with the score that makes it and the reranker's own.

    A reranker's score is one more summand; without a `weight` it stands alone. Ties keep the fused
    order.
    """
    if scores is None:
        return [Ranked(item, item.score, None) for item in fused]
    summed = [
        Ranked(item, score if weight is None else item.score + weight * score, score)
        for item, score in zip(fused, scores, strict=False)  # of the first candidates alone
    ]
    return sorted(summed, key=lambda given: -given.score)


def _row(
    item: Fused,
    fused_ranks: Mapping[int, int],
    fate: Fate,
    rank: int = 0,
    given: Ranked | None = None,
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
        rerank_rank=rank if given and given.reranked is not None else None,
        rerank_score=given.reranked if given else None,
        final_score=given.score if given else None,
        fate=fate,
        names_score=item.names,
        ranges_score=item.ranges,
    )
