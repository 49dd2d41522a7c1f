"""Faults of search: what a question meets on its way to the passages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evals.faults.replace import Fault, Replacement, always, changed
from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import EncodedQuestion
from retrieval.index.store import Connection, ScoredChunk
from retrieval.models import Scope, SearchResult, Vectors
from retrieval.ranking.fusion import order
from retrieval.ranking.reranking import Passage

_SEED = 5
_FULL_TEXT = "retrieval.ranking.candidate_lists.full_text"
_NEAREST = "retrieval.ranking.candidate_lists.nearest"
_SIMILAR = "retrieval.ranking.late_interaction.similarities"
_QUESTION = "retrieval.encoder.bi_encoder.Embedder.question"
_REFUSES = "retrieval.refusal.off_topic.refuses"
_SEARCH = "api.answer.card_reply.search"


class WorstFirst:
    """A reranker that turns the order that it is given round."""

    name = digest = "sabotaged"

    def scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Return scores over every threshold of a sum."""
        return [1000.0 + rank for rank in range(len(passages))]

    def warm(self) -> None:
        """Do nothing: there are no weights."""


def _first_passage_only(context: SearchContext) -> SearchContext:
    return replace(context, settings=context.settings.model_copy(update={"rag_top_k": 1}))


def _permuted(asked: EncodedQuestion) -> EncodedQuestion:
    """A question as another model encodes it: the dimensions mean something else."""
    tokens = replace(asked.tokens, vectors=_shuffled(asked.tokens.vectors))
    return EncodedQuestion(_shuffled(asked.vector), tokens)


def _shuffled(vectors: Vectors) -> Vectors:
    return vectors[..., np.random.default_rng(_SEED).permutation(vectors.shape[-1])]


def _stretched(asked: EncodedQuestion) -> EncodedQuestion:
    lengths = np.linspace(0.5, 3, len(asked.tokens.vectors), dtype=np.float32)[:, None]
    return replace(asked, tokens=replace(asked.tokens, vectors=asked.tokens.vectors * lengths))


def _alike(asked: EncodedQuestion) -> EncodedQuestion:
    weights = np.full_like(asked.tokens.weights, 1 / len(asked.tokens.weights))
    return replace(asked, tokens=replace(asked.tokens, weights=weights))


def _nearer(result: SearchResult) -> SearchResult:
    """Every question is a little less like other subjects: too little for many to be answered."""
    return replace(result, off_topic_score=result.off_topic_score - 0.03)


def _unfiltered(nearest: Any) -> Any:
    """Search all generations up to the wanted one."""

    def wrong(
        conn: Connection, generation: int, vector: Vectors, limit: int, scope: Scope | None
    ) -> list[ScoredChunk]:
        lists = [nearest(conn, number, vector, limit, scope) for number in range(1, generation + 1)]
        merged = [scored for scores in lists for scored in scores]
        return sorted(merged, key=lambda scored: (-scored.score, order(scored)))[:limit]

    return wrong


def _negated(scores: list[ScoredChunk]) -> list[ScoredChunk]:
    return [replace(scored, score=-scored.score) for scored in scores]


def _hits_reversed(result: SearchResult) -> SearchResult:
    return replace(result, hits=result.hits[::-1])


def _lines_shifted(result: SearchResult) -> SearchResult:
    """Every passage is cited one line too low."""
    moved = [
        replace(hit, chunk=replace(hit.chunk, first_line=hit.chunk.first_line + 1,
                                   last_line=hit.chunk.last_line + 1))
        for hit in result.hits
    ]  # fmt: skip
    return replace(result, hits=tuple(moved))


SEARCH_FAULTS = (
    Fault("order reversed", "compare: reciprocal_rank",
          opened=lambda context: replace(context, reranker=WorstFirst())),
    Fault("wrong encoder for questions", "integrity: encoder", (changed(_QUESTION, _permuted),)),
    Fault("vectors of a question's words not normalised", "integrity: encoder",
          (changed(_QUESTION, _stretched),)),
    Fault("importance of words all alike", "integrity: encoder", (changed(_QUESTION, _alike),)),
    Fault("no vectors", "integrity: stages", (always(_NEAREST, []),)),
    Fault("no full text", "integrity: stages", (always(_FULL_TEXT, []),)),
    Fault("full text negative", "integrity: stages", (changed(_FULL_TEXT, _negated),)),
    Fault("late interaction ignored", "integrity: stages",
          (changed(_SIMILAR, np.zeros_like),)),
    Fault("late interaction negative", "compare: hit", (changed(_SIMILAR, np.negative),)),
    Fault("k = 1", "compare: hit", opened=_first_passage_only),
    Fault("always refuse", "absolute: recall",
          opened=lambda context: replace(context, threshold=9.0)),
    Fault("whole questions never refused", "compare: refused_offtopic",
          (Replacement(_REFUSES, lambda _: lambda result: False),),
          ground="rules"),
    Fault("off-topic questions nearer", "compare: far_offtopic",
          (changed(_SEARCH, _nearer),), ground="rules"),
    Fault("whole questions always refused", "absolute: reply",
          (always(_REFUSES, value=True),)),
    Fault("passages worst first", "integrity: passages", (changed(_SEARCH, _hits_reversed),)),
    Fault("evidence worst first", "integrity: passages",
          (changed("retrieval.index.store.evidence",
                   lambda rows: {row: entries[::-1] for row, entries in rows.items()}),)),
    Fault("citations one line off", "integrity: passages", (changed(_SEARCH, _lines_shifted),)),
    Fault("superseded files not behind", "integrity: passages",
          (Replacement("retrieval.ranking.candidates.current_first",
                       lambda _: lambda ranked, *_: list(ranked)),)),
    Fault("history dropped", "compare: critical",
          (always("api.answer.conversation.going_on", value=None),), ground="rules"),
    Fault("filter by generation ignored", "integrity: passages",
          (Replacement(_NEAREST, _unfiltered),), index=True),
)  # fmt: skip
