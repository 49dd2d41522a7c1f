"""Search: a question in, the passages that answer it out, with a trace of every stage.

`search` is the one function that answers users, feeds the evals and serves LangChain.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from retrieval.errors import QuestionError
from retrieval.fold import searchable
from retrieval.fuse import Fused, fuse
from retrieval.models import Candidate, Evidence, Fate, Hit, SearchResult, Timings, Vectors
from retrieval.rerank import Reranker
from retrieval.rulebook import Rulebook
from retrieval.store import (
    Connection,
    Generation,
    Scored,
    evidence,
    full_text,
    generation,
    live,
    nearest,
    similarity,
)

LIST_LENGTH = 50  # chunks of either list
QUESTION_LIMIT = 4_000  # characters; the encoder's own limit is checked as well


def search(
    rules: Rulebook,
    question: str,
    *,
    history: Sequence[str] = (),
    top_k: int | None = None,
    generation_id: int | None = None,
) -> SearchResult:
    """Return the passages for `question`, best first: at most `top_k`, perhaps none.

    `history` holds the user's earlier questions: a follow-up ("and for elves?") is searched
    together with the one before it. `generation_id` names another generation than the live one.
    Raises QuestionError for a question that cannot be searched, IndexMissingError and
    IndexMismatchError for an index that cannot answer, DatabaseUnreachableError.
    """
    question = " ".join([*history[-1:], question])
    words = check_question(rules, question)
    started = perf_counter()
    vector = rules.embedder.question(words)
    embed_ms = 1000 * (perf_counter() - started)
    limit = top_k or rules.settings.rag_top_k
    while True:  # ends: an ingest commits far less often than a search takes
        result = _attempt(rules, question, words, vector, limit, generation_id)
        if result is not None:
            return replace(result, timings=replace(result.timings, embed_ms=embed_ms))


def _attempt(
    rules: Rulebook, question: str, words: str, vector: Vectors, top_k: int, wanted: int | None
) -> SearchResult | None:
    """Search once; None where an ingest committed while the reranker was reading."""

    def lists(conn: Connection) -> tuple[Generation, list[Fused]]:
        chosen = live(conn) if wanted is None else generation(conn, wanted)
        rules.check(chosen)
        dense = nearest(conn, chosen.id, vector, LIST_LENGTH)
        text = full_text(conn, chosen.id, words, LIST_LENGTH)
        only_text = {item.row_id for item in text} - {item.row_id for item in dense}
        return chosen, fuse(dense, text, similarity(conn, sorted(only_text), vector))

    started = perf_counter()
    chosen, fused = rules.store.read(lists)
    searched = perf_counter()
    candidates = fused[: max(rules.settings.rag_candidates, top_k)]
    scores = _reranked(rules.reranker, question, candidates)
    reranked = perf_counter()
    trace, kept = _decide(fused, scores, rules.threshold, top_k)

    def details(conn: Connection) -> tuple[Generation, dict[int, tuple[Evidence, ...]]]:
        now = live(conn) if wanted is None else generation(conn, wanted)
        return now, evidence(conn, [scored.row_id for scored, _ in kept], vector)

    now, found = rules.store.read(details)
    if now.name != chosen.name:
        return None
    return SearchResult(
        question=question,
        hits=tuple(Hit(scored.chunk, score, found[scored.row_id]) for scored, score in kept),
        trace=trace,
        rerank=rules.reranker.name if rules.reranker else "off",
        threshold=rules.threshold,
        generation=chosen.name,
        timings=Timings(
            embed_ms=0.0,
            search_ms=1000 * (searched - started + perf_counter() - reranked),
            rerank_ms=1000 * (reranked - searched),
        ),
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
    if not words:
        raise QuestionError("the question is empty; ask something")
    pieces, limit = rules.embedder.tokens.count(words) + 2, rules.embedder.limit
    if pieces > limit:
        raise QuestionError(
            f"the question has {pieces} word pieces and the model reads {limit}; shorten it"
        )
    return words


def _reranked(
    reranker: Reranker | None, question: str, candidates: Sequence[Fused]
) -> list[float] | None:
    if reranker is None or not candidates:
        return None
    return reranker.scores(question, [item.scored.chunk for item in candidates])


def _decide(
    fused: Sequence[Fused], scores: Sequence[float] | None, threshold: float, top_k: int
) -> tuple[tuple[Candidate, ...], list[tuple[Scored, float]]]:
    """Order the candidates, drop those under the threshold, keep `top_k`; say so in the trace."""
    fused_ranks = {item.scored.row_id: rank for rank, item in enumerate(fused, start=1)}
    if scores is None:
        ranked = [(item, item.score) for item in fused]
    else:
        pairs = zip(fused[: len(scores)], scores, strict=True)
        ranked = sorted(pairs, key=lambda p: (-p[1], fused_ranks[p[0].scored.row_id]))
    trace: list[Candidate] = []
    kept: list[tuple[Scored, float]] = []
    for rank, (item, score) in enumerate(ranked, start=1):
        # Without a reranker the cosine decides: it tells off-topic questions better than the sum.
        over = (item.dense_score if scores is None else score) >= threshold
        if over and len(kept) < top_k:
            kept.append((item.scored, score))
        fate: Fate = "budget" if over else "threshold"
        if over and kept[-1][0] is item.scored:
            fate = "returned"
        trace.append(
            _row(item, fused_ranks, fate, rank if scores else None, score if scores else None)
        )
    for item in fused[len(ranked) :]:
        trace.append(_row(item, fused_ranks, "candidates", None, None))
    return tuple(trace), kept


def _row(
    item: Fused, fused_ranks: dict[int, int], fate: Fate, rank: int | None, score: float | None
) -> Candidate:
    return Candidate(
        chunk_id=item.scored.chunk.id,
        dense_rank=item.dense_rank,
        dense_score=item.dense_score,
        text_rank=item.text_rank,
        text_score=item.text_score,
        fused_rank=fused_ranks[item.scored.row_id],
        fused_score=item.score,
        rerank_rank=rank,
        rerank_score=score,
        fate=fate,
    )
