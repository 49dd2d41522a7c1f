"""The configurations that `evals.ablation` compares, and what search does with each.

A stage is left out through the product's own settings and weights; there is no second search.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evals.labels.dataset import Question
from evals.measure.evaluation import evaluate
from evals.measure.outcome import Outcome, Subject
from retrieval.context import SearchContext
from retrieval.ranking.calibration import Weights
from retrieval.ranking.reranking import passage_text
from retrieval.search import search

Chunker = Literal["ours", "wholes", "fixed"]

SHIPPED = "shipped"
NAMES = (
    SHIPPED, "fixed", "fixed-dense", "dense-chunks", "dense-entries", "full-text", "dense-text",
    "no-names", "no-ranges", "no-whole", "late", "reranker", "k4", "k8", "k12", "threshold-off",
)  # fmt: skip
_WARMING = 5  # questions asked before any is timed
_TOP_K = (4, 8, 12)
_ALONE = 1e6  # a weight of full text beside which no cosine counts
_NO_WORD = 2.0  # over any cosine: under it is a chunk without one word of the question


@dataclass(frozen=True, slots=True)
class StageSettings:
    """All that the configurations differ in."""

    chunks: Chunker
    weights: Weights
    late: bool
    reranked: bool
    threshold: float
    top_k: int
    candidates: int  # that a reranker reads


@dataclass(frozen=True, slots=True)
class Configuration:
    """A row of the table: one of NAMES, with a title for people."""

    name: str
    title: str
    setup: StageSettings


@dataclass(frozen=True, slots=True)
class ConfiguredSearch:
    """What one configuration did with one question."""

    question: Question
    hit: bool  # False of an unanswerable one
    rank: int | None
    lost_at: str | None
    refused: bool
    late: str  # how late interaction was done
    pieces: int  # word pieces of all passages returned
    milliseconds: float

    @property
    def reciprocal_rank(self) -> float:
        """1 / rank, wherever the gold stands in the final order; 0 where it is in no list."""
        return 1 / self.rank if self.rank else 0.0


def configurations(
    context: SearchContext, ours: SearchContext | None = None
) -> list[Configuration]:
    """Return the rows, the shipped configuration first.

    None for a stage that `context` leaves out: its weight was never fitted. But our cross-encoder
    has one where `ours` is given, the same rules with it. Those that change a stage or the chunks
    drop nothing under the threshold, which belongs to the scores of the whole. No two are equal.
    """
    settings = context.settings
    shipped = StageSettings(
        "ours", context.weights, settings.rag_late_interaction, context.reranker is not None,
        context.threshold, settings.rag_top_k, settings.rag_candidates,
    )  # fmt: skip
    whole = replace(shipped, threshold=-math.inf)
    rows = [
        Configuration(SHIPPED, "as shipped", shipped),
        Configuration("fixed", "all stages, fixed 512", replace(whole, chunks="fixed")),
        *_stages(whole, ours),
        *(
            Configuration(f"k{k}", f"as shipped, k = {k}", replace(shipped, top_k=k))
            for k in _TOP_K
        ),
        Configuration("threshold-off", "as shipped, threshold off", whole),
    ]
    first: dict[StageSettings, Configuration] = {}
    for row in rows:
        first.setdefault(row.setup, row)
    return list(first.values())


def _stages(whole: StageSettings, ours: SearchContext | None) -> Iterator[Configuration]:
    """One stage after the other, up to the whole."""
    weights = replace(whole.weights, late=0.0, names=0.0, ranges=0.0, whole=0.0)
    both = replace(whole, weights=weights, late=False, reranked=False)
    dense = replace(both, weights=replace(weights, text=0.0))
    words = replace(both, weights=replace(weights, text=_ALONE), threshold=_NO_WORD)
    yield Configuration("fixed-dense", "dense alone, fixed 512", replace(dense, chunks="fixed"))
    yield Configuration(
        "dense-chunks", "dense alone, whole chunks", replace(dense, chunks="wholes")
    )
    yield Configuration("dense-entries", "dense alone, by entries", dense)
    yield Configuration("full-text", "full text alone", words)
    yield Configuration("dense-text", "dense + full text", both)
    if whole.late:
        unnamed = replace(whole.weights, names=0.0, ranges=0.0, whole=0.0)
        yield Configuration(
            "no-names", "… + late interaction", replace(whole, weights=unnamed, reranked=False)
        )
    if whole.weights.names:
        unranged = replace(whole.weights, ranges=0.0, whole=0.0)
        yield Configuration(
            "no-ranges", "… + names and fields", replace(whole, weights=unranged, reranked=False)
        )
    if whole.weights.ranges and whole.weights.whole:
        partly = replace(whole.weights, whole=0.0)
        yield Configuration(
            "no-whole", "… + ranges of rows", replace(whole, weights=partly, reranked=False)
        )
    if whole.weights.ranges or whole.weights.whole:
        last = "all that is asked is named" if whole.weights.whole else "ranges of rows"
        yield Configuration("late", f"… + {last}", replace(whole, reranked=False))
    if whole.reranked:
        yield Configuration("reranker", "… + reranker", whole)
    elif ours:
        candidates = ours.settings.rag_candidates
        reranked = replace(whole, weights=ours.weights, reranked=True, candidates=candidates)
        yield Configuration("reranker", "… + our cross-encoder (off)", reranked)


def applied(context: SearchContext, setup: StageSettings) -> SearchContext:
    """Return `context` as `setup` wants them, with the same database and models."""
    return replace(
        context,
        weights=setup.weights,
        settings=context.settings.model_copy(
            update={"rag_late_interaction": setup.late, "rag_candidates": setup.candidates}
        ),
        reranker=context.reranker if setup.reranked else None,
        threshold=setup.threshold,
    )


def ask(
    context: SearchContext, index: Subject, questions: Sequence[Question], setup: StageSettings
) -> tuple[ConfiguredSearch, ...]:
    """Return what search, with this setup, does with every question, in order."""
    used = applied(context, setup)
    for question in questions[:_WARMING]:
        search(used, question.question, generation_id=index.generation_id)
    found = evaluate(used, index, questions, top_k=setup.top_k)
    return tuple(_one(context, outcome) for outcome in found)


def _one(context: SearchContext, outcome: Outcome) -> ConfiguredSearch:
    found, judgement = outcome.found, outcome.judgement
    times = found.timings
    return ConfiguredSearch(
        question=outcome.question,
        hit=judgement is not None and judgement.hit,
        rank=judgement.rank if judgement else None,
        lost_at=judgement.lost_at if judgement else None,
        refused=outcome.refused,
        late=found.late,
        pieces=sum(context.embedder.tokens.counts([passage_text(h.chunk) for h in found.hits])),
        milliseconds=times.embed_ms + times.search_ms + times.rerank_ms,
    )
