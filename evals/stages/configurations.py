"""The configurations that `evals.ablation` compares, the indexes they search, what they answer.

A stage is left out through the product's own settings and weights; there is no second search.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from evals.labels.dataset import Question
from evals.retrieval import Outcome, Subject, evaluate, reader
from evals.stages import fixed_chunks
from ingest import pipeline
from ingest.chunking import document
from ingest.chunking.document import Index, IndexedChunk
from ingest.chunking.limits import Count
from ingest.progress import Meter
from ingest.read import vault
from ingest.read.vault import SourceFile
from retrieval.context import SearchContext
from retrieval.errors import IndexMissingError, VaultError
from retrieval.index import generations, migrate, writer
from retrieval.index.store import Connection
from retrieval.ranking.calibration import Weights
from retrieval.ranking.reranking import passage_text
from retrieval.search import search

Chunker = Literal["ours", "wholes", "fixed"]

SHIPPED = "shipped"
NAMES = (
    SHIPPED, "fixed", "fixed-dense", "dense-chunks", "dense-entries", "full-text", "dense-text",
    "late", "no-names", "reranker", "k4", "k8", "k12", "threshold-on", "threshold-off",
)  # fmt: skip
_WARMING = 5  # questions asked before any is timed
_TOP_K = (4, 8, 12)
_ALONE = 1e6  # a weight of full text beside which no cosine counts
_NO_WORD = 2.0  # over any cosine: under it is a chunk without one word of the question


@dataclass(frozen=True, slots=True)
class StageSettings:
    """All that the configurations differ in; two rows of the same setup are one measurement."""

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
class Indexed:
    """A temporary index and what it costs."""

    measured: Subject
    chunks: int
    texts: int  # embedded for it, were it the only index
    token_bytes: int  # stored for late interaction; 0 also where RAG_TOKEN_STORAGE_MB is too small


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
    drop nothing under the threshold, which belongs to the scores of the whole.
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
    ]
    if math.isfinite(context.threshold):
        rows.append(Configuration("threshold-on", "as shipped, threshold on", shipped))
    return [*rows, Configuration("threshold-off", "as shipped, threshold off", whole)]


def _stages(whole: StageSettings, ours: SearchContext | None) -> Iterator[Configuration]:
    """One stage after the other, up to the whole."""
    weights = replace(whole.weights, late=0.0, names=0.0)
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
        unnamed = replace(whole, weights=replace(whole.weights, names=0.0), reranked=False)
        yield Configuration("no-names", "… + late interaction", unnamed)
    if whole.weights.names:
        yield Configuration("late", "… + names and fields", replace(whole, reranked=False))
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
    context: SearchContext, index: Indexed, questions: Sequence[Question], setup: StageSettings
) -> tuple[ConfiguredSearch, ...]:
    """Return what search, with this setup, does with every question, in order."""
    used = applied(context, setup)
    for question in questions[:_WARMING]:
        search(used, question.question, generation_id=index.measured.generation_id)
    found = evaluate(used, index.measured, questions, top_k=setup.top_k)
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


@contextmanager
def indexes(
    context: SearchContext, folder: Path, wanted: Collection[Chunker]
) -> Iterator[dict[Chunker, Indexed]]:
    """Yield an index of `folder` by each wanted chunker; all are gone afterwards.

    A text that stands in two of them is embedded once. Raises VaultError for a folder without
    Markdown and IndexMissingError where a chunker makes nothing of it.
    """
    files = {file.path: file.text for file in vault.read(folder).files}
    if not files:
        raise VaultError(f"no Markdown file in {str(folder)!r}; is it the right folder?")
    made: dict[Chunker, Indexed] = {}
    with context.store.connect(autocommit=True) as conn, ExitStack() as stack:
        for chunker, index in _INDEXES.items():
            if chunker in wanted:
                print(f"indexing {folder.name}: {chunker}", flush=True)
                one = _indexed(context, conn, folder, files, index)
                made[chunker] = stack.enter_context(one)
        yield made


@contextmanager
def _indexed(
    context: SearchContext, conn: Connection, folder: Path, files: dict[str, str], index: Index
) -> Iterator[Indexed]:
    texts: set[str] = set()

    def noted(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
        chunks = index(file, entry_limit=entry_limit, count=count)
        texts.update(entry.text for item in chunks for entry in item.entries)
        return chunks

    migrate.install(conn)
    before = writer.token_bytes(conn)
    with Meter() as meter:
        report = pipeline.run_temporary(context, conn, folder, index=noted, progress=meter.show)
    try:
        for error in report.rejected:
            print(f"REJECTED {error}")
        if not texts:
            raise IndexMissingError(f"nothing in {str(folder)!r} can be searched; is it empty?")
        measured = Subject(report.generation_id, files, reader(context, report.generation_id))
        stored = writer.token_bytes(conn) - before
        yield Indexed(measured, report.chunks, len(texts), stored)
    finally:
        generations.drop(conn, report.generation_id)


def _wholes(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
    """Our chunks, searched by their whole text alone."""
    return [
        replace(item, entries=tuple(entry for entry in item.entries if entry.kind == "whole"))
        for item in document.index(file, entry_limit=entry_limit, count=count)
    ]


# Ours first: the texts of whole chunks are among its own.
_INDEXES: dict[Chunker, Index] = {
    "ours": document.index,
    "wholes": _wholes,
    "fixed": fixed_chunks.index,
}
