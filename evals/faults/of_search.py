"""Faults of search: what a question meets on its way to the passages."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from evals.faults.replace import Fault, Replacement
from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import Embedder, EncodedQuestion
from retrieval.index.store import Connection, Scored
from retrieval.models import Evidence, SearchResult, Vectors
from retrieval.ranking.fusion import Fused, order
from retrieval.ranking.late_interaction import QuestionTokens, TokenVectors
from retrieval.ranking.reranking import Passage

Change = Callable[[SearchContext], SearchContext]
_SEED = 5


class Rescoring:
    """A reranker that knows nothing: it keeps the order that it is given, or turns it round."""

    name = digest = "sabotaged"

    def __init__(self, *, reverse: bool) -> None:
        self._step = 1 if reverse else -1

    def scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Return scores over every threshold of a sum."""
        return [1000.0 + self._step * rank for rank in range(len(passages))]

    def warm(self) -> None:
        """Do nothing: there are no weights."""


def _opened_as(change: Change) -> Replacement:
    """Change the search context that a program opens."""

    def wrap(open_context: Any) -> Any:
        @contextmanager
        def opened(settings: Any) -> Iterator[SearchContext]:
            with open_context(settings) as context:
                yield change(context)

        return opened

    return Replacement("evals.retrieval.open_context", wrap)


def _first_passage_only(context: SearchContext) -> SearchContext:
    return replace(context, settings=context.settings.model_copy(update={"rag_top_k": 1}))


def _permuted(question: Any) -> Any:
    """Encode a question by another model: the dimensions mean something else."""

    def other(self: Embedder, text: str) -> EncodedQuestion:
        asked: EncodedQuestion = question(self, text)
        tokens = replace(asked.tokens, vectors=_shuffled(asked.tokens.vectors))
        return EncodedQuestion(_shuffled(asked.vector), tokens)

    return other


def _shuffled(vectors: Vectors) -> Vectors:
    return vectors[..., np.random.default_rng(_SEED).permutation(vectors.shape[-1])]


def _tokens_ignored(similarities: Any) -> Any:
    def wrong(question: QuestionTokens, entries: Sequence[TokenVectors]) -> Vectors:
        return np.zeros((len(question.vectors), len(entries)), np.float32)

    return wrong


def _tokens_negated(similarities: Any) -> Any:
    def wrong(question: QuestionTokens, entries: Sequence[TokenVectors]) -> Vectors:
        wanted: Vectors = -similarities(question, entries)
        return wanted

    return wrong


def _unfiltered(nearest: Any) -> Any:
    """Search all generations up to the wanted one."""

    def wrong(conn: Connection, generation: int, vector: Vectors, limit: int) -> list[Scored]:
        lists = [nearest(conn, one, vector, limit) for one in range(1, generation + 1)]
        found = [scored for scores in lists for scored in scores]
        return sorted(found, key=lambda scored: (-scored.score, order(scored)))[:limit]

    return wrong


def _negated(full_text: Any) -> Any:
    def wrong(*args: Any) -> list[Scored]:
        return [replace(scored, score=-scored.score) for scored in full_text(*args)]

    return wrong


def _ties_reversed(fuse: Any) -> Any:
    def wrong(*args: Any, **options: Any) -> list[Fused]:
        backwards: list[Fused] = fuse(*args, **options)[::-1]
        return sorted(backwards, key=lambda fused: -fused.score)  # stable: ties stay backwards

    return wrong


def _worst_first(evidence: Any) -> Any:
    def wrong(*args: Any) -> Mapping[int, tuple[Evidence, ...]]:
        return {row: entries[::-1] for row, entries in evidence(*args).items()}

    return wrong


def _hits_reversed(search: Any) -> Any:
    def wrong(*args: Any, **options: Any) -> SearchResult:
        found: SearchResult = search(*args, **options)
        return replace(found, hits=found.hits[::-1])

    return wrong


def _lines_shifted(search: Any) -> Any:
    """Cite every passage one line too low."""

    def wrong(*args: Any, **options: Any) -> SearchResult:
        found: SearchResult = search(*args, **options)
        hits = [
            replace(h, chunk=replace(h.chunk, first_line=h.chunk.first_line + 1,
                                     last_line=h.chunk.last_line + 1))
            for h in found.hits
        ]  # fmt: skip
        return replace(found, hits=tuple(hits))

    return wrong


def _history_lost(every: int) -> Callable[[Any], Any]:
    """Forget the earlier questions of each question whose length `every` divides."""

    def wrap(is_follow_up: Any) -> Any:
        def wrong(question: str) -> bool:
            return len(question) % every != 0 and bool(is_follow_up(question))

        return wrong

    return wrap


def _always(value: object) -> Callable[[Any], Any]:
    return lambda _: lambda *args, **options: value


SEARCH_FAULTS = (
    Fault(
        "identity reranker",
        (_opened_as(lambda rules: replace(rules, reranker=Rescoring(reverse=False))),),
        subtle="without RERANKER_MODEL the fused order is the last one",
    ),
    Fault(
        "order reversed",
        (_opened_as(lambda rules: replace(rules, reranker=Rescoring(reverse=True))),),
    ),
    Fault(
        "wrong encoder for questions",
        (Replacement("retrieval.encoder.bi_encoder.Embedder.question", _permuted),),
    ),
    Fault(
        "no vectors",  # loses 7 of the small vault's 54 questions, and 10 could be seen
        (Replacement("retrieval.ranking.candidates.nearest", _always([])),),
        ground="large",
    ),
    Fault(
        "no full text",
        (Replacement("retrieval.ranking.candidates.full_text", _always([])),),
        ground="large",
        subtle="beside late interaction it decides few questions: as many are won as lost",
    ),
    Fault(
        "weight of full text negative",
        (Replacement("retrieval.ranking.candidates.full_text", _negated),),
        ground="large",
    ),
    Fault(
        "late interaction ignored",
        (Replacement("retrieval.ranking.late_interaction.similarities", _tokens_ignored),),
        ground="large",
    ),
    Fault(
        "late interaction negative",
        (Replacement("retrieval.ranking.late_interaction.similarities", _tokens_negated),),
    ),
    Fault("k = 1", (_opened_as(_first_passage_only),)),
    Fault(
        "always answer: threshold 0",
        (_opened_as(lambda rules: replace(rules, threshold=0.0)),),
        ground="large",
        subtle="so few questions are refused at all that refusing none is within the noise",
    ),
    Fault("always refuse", (_opened_as(lambda rules: replace(rules, threshold=9.0)),)),
    Fault(
        "whole questions never refused",
        (Replacement("retrieval.refusal.off_topic.refuses", _always(False)),),
        ground="large",
    ),
    Fault(
        "whole questions always refused",
        (Replacement("retrieval.refusal.off_topic.refuses", _always(True)),),
    ),
    Fault("passages worst first", (Replacement("api.answer.card_reply.search", _hits_reversed),)),
    Fault("evidence worst first", (Replacement("retrieval.search.evidence", _worst_first),)),
    Fault("citations one line off", (Replacement("api.answer.card_reply.search", _lines_shifted),)),
    Fault(
        "history dropped",
        (Replacement("api.answer.question.follow_up.is_follow_up", _history_lost(1)),),
        ground="large",
    ),
    Fault(
        "history dropped of every second question",
        (Replacement("api.answer.question.follow_up.is_follow_up", _history_lost(2)),),
        ground="large",
        subtle="about 12 of the questions are follow-ups that lose by it",
    ),
    Fault(
        "questions not folded",
        (Replacement("retrieval.search.searchable", lambda _: lambda question: question),),
        ground="large",
        subtle="few questions hold numbers as words or typographic signs",
    ),
    Fault(
        "ties reversed",
        (Replacement("retrieval.ranking.candidates.fuse", _ties_reversed),),
        ground="large",
        subtle="sums of two measured scores are hardly ever equal",
    ),
    Fault(
        "filter by generation ignored",
        (Replacement("retrieval.ranking.candidates.nearest", _unfiltered),),
        index=True,
    ),
)
