"""Search: a question in, the passages that answer it out, with a trace of every stage.

`search` is the one function that answers users, feeds the evals and serves LangChain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import EncodedQuestion
from retrieval.errors import QuestionError
from retrieval.index import indexed_file
from retrieval.index.store import (
    Connection,
    Generation,
    ScoredChunk,
    evidence,
    generation,
    hashes_of,
    live,
)
from retrieval.models import Evidence, Hit, IndexedFile, SearchResult, Timings, Vectors
from retrieval.ranking import candidates, selection
from retrieval.ranking.candidates import Candidates, Lists
from retrieval.ranking.selection import Ranking
from retrieval.refusal import topic_scores
from retrieval.refusal.topic_scores import CorpusBaseline, OffTopicScores
from retrieval.text.normalize import searchable

QUESTION_LIMIT = 4_000  # characters; the encoder's own limit is checked as well


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question as every attempt to answer it needs it."""

    question: str
    words: str  # folded, as it is searched
    encoded: EncodedQuestion
    embed_ms: float
    away: OffTopicScores
    top_k: int
    wanted: int | None  # the generation's id; None for the live one


@dataclass(frozen=True, slots=True)
class _Details:
    """What is read of the returned chunks, all of one moment."""

    now: Generation
    shown: Mapping[int, tuple[Evidence, ...]]  # by the chunk's row
    own: CorpusBaseline
    hashes: Mapping[str, str]
    files: Mapping[str, IndexedFile]


def search(
    context: SearchContext,
    question: str,
    *,
    top_k: int | None = None,
    generation_id: int | None = None,
) -> SearchResult:
    """Return the passages for `question`, best first: at most `top_k`, perhaps none.

    `generation_id` names another generation than the live one. Raises QuestionError for a question
    that cannot be searched, IndexMissingError and IndexMismatchError for an index that cannot
    answer, DatabaseUnreachableError.
    """
    words = check_question(context, question)
    started = perf_counter()
    encoded = context.embedder.question(words)
    embed_ms = 1000 * (perf_counter() - started)
    # Before the database is read: with another encoder the first question embeds the lists.
    away = topic_scores.away(context.embedder, encoded)
    limit = top_k or context.settings.rag_top_k
    asked = _Asked(question, words, encoded, embed_ms, away, limit, generation_id)
    while True:  # ends: an ingest commits far less often than a search takes
        result = _attempt(context, asked)
        if result is not None:
            return result


def _attempt(context: SearchContext, asked: _Asked) -> SearchResult | None:
    """Search once; None where an ingest committed while the models were reading."""

    def collected(conn: Connection) -> Lists:
        chosen = _generation(conn, asked)
        context.check(chosen)
        return candidates.collect(conn, context, chosen, asked.words, asked.encoded)

    started = perf_counter()
    found = context.store.read(collected)
    fused = candidates.fused(context, asked.question, asked.encoded, found)
    searched = perf_counter()
    first = fused.order[: max(context.settings.rag_candidates, asked.top_k)]
    scores = selection.reranked(context.reranker, asked.question, first)
    reranked = perf_counter()
    ranked = selection.rank(context, asked.question, fused.order, scores, found.notes, asked.top_k)
    details = context.store.read(partial(_details, context, asked, ranked))
    if details.now.name != found.generation.name:
        return None
    timings = Timings(
        embed_ms=asked.embed_ms,
        search_ms=1000 * (searched - started + perf_counter() - reranked),
        rerank_ms=1000 * (reranked - searched),
    )
    return SearchResult(
        question=asked.question,
        hits=_hits(ranked.kept, details),
        overriding=_hits(ranked.above, details),
        trace=ranked.trace,
        late=fused.late,
        rerank=context.reranker.name if context.reranker else "off",
        threshold=context.threshold,
        generation=details.now.name,
        elsewhere=asked.away.near - details.own.near,
        covered=_covered(asked, fused.pieces),
        vault=details.own.vault,
        timings=timings,
        notes={path: found.notes[path] for path in details.hashes if path in found.notes},
        hashes=details.hashes,
        files=details.files,
        terms=found.terms,
        matched=_matched(asked, fused, ranked),
    )


def _matched(
    asked: _Asked, found: Candidates, ranked: Ranking
) -> tuple[tuple[float, float, float], ...]:
    first = found.pieces_of.get(ranked.kept[0][0].row_id) if ranked.kept else None
    if first is None or found.pieces is None:
        return ()
    rows = zip(asked.encoded.tokens.weights, first, found.pieces, strict=True)
    return tuple((float(weight), float(own), float(best)) for weight, own, best in rows)


def _covered(asked: _Asked, pieces: Vectors | None) -> float | None:
    return (
        None
        if pieces is None
        else float(asked.encoded.tokens.weights @ (pieces - asked.away.pieces))
    )


def _generation(conn: Connection, asked: _Asked) -> Generation:
    return live(conn) if asked.wanted is None else generation(conn, asked.wanted)


def _details(context: SearchContext, asked: _Asked, ranked: Ranking, conn: Connection) -> _Details:
    now = _generation(conn, asked)
    tokens = asked.encoded.tokens if context.settings.rag_late_interaction else None
    chunks = [one for one, _ in (*ranked.kept, *ranked.above)]
    return _Details(
        now,
        evidence(conn, [one.row_id for one in chunks], asked.encoded.vector, tokens),
        context.background.of(conn, now, context.embedder),
        hashes_of(conn, now.id, sorted({one.chunk.path for one in chunks})),
        indexed_file.read(conn, now.id, [one.chunk for one in chunks]),
    )


def _hits(chosen: Sequence[tuple[ScoredChunk, float]], details: _Details) -> tuple[Hit, ...]:
    return tuple(Hit(one.chunk, score, details.shown[one.row_id]) for one, score in chosen)


def check_question(context: SearchContext, question: str) -> str:
    """Return the question as it is searched.

    Raises QuestionError where it is empty, too long to be read whole, or holds characters that no
    text can hold.
    """
    if len(question) > QUESTION_LIMIT:
        raise QuestionError(
            f"the question has {len(question):,} characters; the most is {QUESTION_LIMIT:,}"
        )
    if "\x00" in question:
        raise QuestionError("the question holds a NUL character; remove it")
    try:
        question.encode()
    except UnicodeEncodeError as error:
        raise QuestionError(f"the question holds half a character at {error.start}") from error
    words = searchable(question).strip()
    pieces, limit = context.embedder.tokens.count(words), context.embedder.limit - 2
    if not pieces:  # the tokenizer drops some characters, those of private use among them
        raise QuestionError("the question is empty; ask something")
    if pieces > limit:
        raise QuestionError(
            f"the question has {pieces + 2} word pieces and the model reads {limit + 2}; shorten it"
        )
    return words
