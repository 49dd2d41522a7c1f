"""Search: a question in, the passages that answer it out, with a trace of every stage.

`search` is the one function that answers users, feeds the evals and serves LangChain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter

from retrieval import candidates, elsewhere
from retrieval.arrange import Ranked, current_first, overriding, with_twins
from retrieval.candidates import Lists
from retrieval.elsewhere import Own
from retrieval.embed import EncodedQuestion
from retrieval.errors import QuestionError
from retrieval.fold import searchable
from retrieval.fuse import Fused
from retrieval.models import (
    Candidate,
    Evidence,
    Fate,
    Hit,
    SearchResult,
    SourceNote,
    Timings,
)
from retrieval.rerank import Passage, Reranker
from retrieval.rulebook import Rulebook
from retrieval.store import Connection, Generation, Scored, evidence, generation, live

QUESTION_LIMIT = 4_000  # characters; the encoder's own limit is checked as well


def search(
    rules: Rulebook,
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
    words = check_question(rules, question)
    started = perf_counter()
    asked = rules.embedder.question(words)
    embed_ms = 1000 * (perf_counter() - started)
    # Before the database is read: with another encoder the first question embeds the lists.
    away = elsewhere.nearest(rules.embedder, asked.vector)
    limit = top_k or rules.settings.rag_top_k
    while True:  # ends: an ingest commits far less often than a search takes
        result = _attempt(rules, question, words, asked, away, limit, generation_id)
        if result is not None:
            return replace(result, timings=replace(result.timings, embed_ms=embed_ms))


def _attempt(
    rules: Rulebook,
    question: str,
    words: str,
    asked: EncodedQuestion,
    away: float,
    top_k: int,
    wanted: int | None,
) -> SearchResult | None:
    """Search once; None where an ingest committed while the models were reading."""

    def collected(conn: Connection) -> Lists:
        chosen = live(conn) if wanted is None else generation(conn, wanted)
        rules.check(chosen)
        return candidates.collect(conn, rules, chosen, words, asked)

    started = perf_counter()
    found = rules.store.read(collected)
    fused, mode = candidates.fused(rules, asked, found)
    searched = perf_counter()
    first = fused[: max(rules.settings.rag_candidates, top_k)]
    scores = _reranked(rules.reranker, question, first)
    reranked = perf_counter()
    ranked = _ordered(fused, scores, rules, found.notes, question)
    trace, kept = _decide(fused, ranked, rules, top_k)
    above = overriding(ranked, [scored.chunk.path for scored, _ in kept], found.notes, top_k)
    shown_rows = [*kept, *((one.item.scored, one.score) for one in above)]

    def details(conn: Connection) -> tuple[Generation, dict[int, tuple[Evidence, ...]], Own]:
        now = live(conn) if wanted is None else generation(conn, wanted)
        tokens = asked.tokens if rules.settings.rag_late_interaction else None
        rows = [scored.row_id for scored, _ in shown_rows]
        own = rules.background.of(conn, now, rules.embedder)
        return now, evidence(conn, rows, asked.vector, tokens), own

    now, shown, own = rules.store.read(details)
    if now.name != found.generation.name:
        return None
    hits = tuple(Hit(scored.chunk, score, shown[scored.row_id]) for scored, score in shown_rows)
    return SearchResult(
        question=question,
        hits=hits[: len(kept)],
        overriding=hits[len(kept) :],
        trace=trace,
        late=mode,
        rerank=rules.reranker.name if rules.reranker else "off",
        threshold=rules.threshold,
        generation=now.name,
        elsewhere=away - own.near,
        vault=own.vault,
        timings=Timings(
            embed_ms=0.0,
            search_ms=1000 * (searched - started + perf_counter() - reranked),
            rerank_ms=1000 * (reranked - searched),
        ),
        notes={
            scored.chunk.path: found.notes[scored.chunk.path]
            for scored, _ in shown_rows
            if scored.chunk.path in found.notes
        },
    )


def check_question(rules: Rulebook, question: str) -> str:
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
    pieces, limit = rules.embedder.tokens.count(words), rules.embedder.limit - 2
    if not pieces:  # the tokenizer drops some characters, those of private use among them
        raise QuestionError("the question is empty; ask something")
    if pieces > limit:
        raise QuestionError(
            f"the question has {pieces + 2} word pieces and the model reads {limit + 2}; shorten it"
        )
    return words


def _reranked(
    reranker: Reranker | None, question: str, candidates: Sequence[Fused]
) -> list[float] | None:
    if reranker is None or not candidates:
        return None
    read = [Passage(item.scored.chunk, item.best.text if item.best else "") for item in candidates]
    return reranker.scores(question, read)


def _ordered(
    fused: Sequence[Fused],
    scores: Sequence[float] | None,
    rules: Rulebook,
    notes: Mapping[str, SourceNote],
    question: str,
) -> list[Ranked]:
    ranked = with_twins(_ranked(fused, scores, rules.weights.rerank))
    return current_first(ranked, notes, question, rules.threshold)


def _decide(
    fused: Sequence[Fused], ranked: Sequence[Ranked], rules: Rulebook, top_k: int
) -> tuple[tuple[Candidate, ...], list[tuple[Scored, float]]]:
    """Drop the candidates under the threshold, keep `top_k`; say so in the trace."""
    fused_ranks = {item.scored.row_id: rank for rank, item in enumerate(fused, start=1)}
    trace: list[Candidate] = []
    kept: list[tuple[Scored, float]] = []
    for rank, (item, score, reranked) in enumerate(ranked, start=1):
        over = score >= rules.threshold
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
    )
