"""Search: a question in, the passages that answer it out, with a trace of every stage.

`search` is the one function that answers users, feeds the evals and serves LangChain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from time import perf_counter

from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import EncodedQuestion
from retrieval.errors import QuestionError
from retrieval.index import indexed_file, store
from retrieval.index.store import Connection, Generation, ScoredChunk
from retrieval.metadata.filters import Given
from retrieval.models import Evidence, Hit, IndexedFile, SearchResult, Terms, Vectors
from retrieval.ranking import candidates, fusion, superseding
from retrieval.ranking.candidate_lists import Lists, collect
from retrieval.ranking.candidates import Ranking
from retrieval.ranking.lines import QuestionWords
from retrieval.refusal import decision, off_topic, topic_scores
from retrieval.refusal.topic_scores import OffTopicScores
from retrieval.search_trace import Timings
from retrieval.settings import ENGLISH
from retrieval.text.normalize import searchable, without_contractions
from retrieval.text.question_phrases import without_asking
from retrieval.text.words import WORD
from retrieval.tracing import KIND, MODEL, OPERATION, stage
from retrieval.vocabulary import synonyms
from retrieval.vocabulary.terms import in_vault_words, key, stemmed

QUESTION_LIMIT = 4_000  # characters; the encoder's own limit is checked as well


@dataclass(frozen=True, slots=True)
class _Question:
    """One question as every attempt to answer it needs it."""

    text: str
    words: str  # folded, as it is searched
    encoded: EncodedQuestion
    embed_ms: float
    off_topic: OffTopicScores
    top_k: int
    generation_id: int | None  # None: the live one
    filters: Given | None


@dataclass(frozen=True, slots=True)
class _Details:
    """What is read of the returned chunks, all of one moment."""

    generation: Generation
    evidence: Mapping[int, tuple[Evidence, ...]]  # by the chunk's row
    baseline: float  # how near the rules themselves are to other subjects
    hashes: Mapping[str, str]
    files: Mapping[str, IndexedFile]


def search(
    context: SearchContext,
    question: str,
    *,
    top_k: int | None = None,
    generation_id: int | None = None,
    filters: Given | None = None,
) -> SearchResult:
    """Return the passages for `question`, best first: at most `top_k`, perhaps none.

    `generation_id` names another generation than the live one. Only files that pass `filters` and
    those of the settings are searched (docs/filters.md). Raises QuestionError for a question that
    cannot be searched, FilterError for filters that do not fit the vault, IndexMissingError and
    IndexMismatchError for an index that cannot answer, DatabaseUnreachableError, and
    ConfigurationError where what was fitted cannot be read or FILTERS does not fit the vault.
    """
    check_question(context, question)
    question = in_words_of(context, question, context.terms_of(generation_id))
    words = searchable(question).strip()
    started = perf_counter()
    model = context.embedder.files.name
    with stage(
        f"embeddings {model}",
        attributes={
            KIND: "EMBEDDING", OPERATION: "embeddings", MODEL: model, "embedding.model_name": model
        },
    ):  # fmt: skip
        encoded = context.embedder.question(words)
    embed_ms = 1000 * (perf_counter() - started)
    # Before the database is read: with another encoder the first question embeds the lists.
    away = topic_scores.scores(context.embedder, encoded)
    limit = top_k or context.settings.rag_top_k
    prepared = _Question(question, words, encoded, embed_ms, away, limit, generation_id, filters)
    while True:  # ends: an ingest commits far less often than a search takes
        with stage("retrieval", attributes={KIND: "RETRIEVER", OPERATION: "retrieval"}) as span:
            result = _attempt(context, prepared)
            if result is not None and span.is_recording():
                span.set_attributes(_described(result))
        if result is not None:
            return decision.decided(context, result)


def _described(result: SearchResult) -> dict[str, str | float]:
    said: dict[str, str | float] = {"gen_ai.data_source.id": result.generation}
    for place, hit in enumerate(result.hits):
        said[f"retrieval.documents.{place}.document.id"] = hit.chunk.id
        said[f"retrieval.documents.{place}.document.score"] = hit.score
    return said


def in_words_of(context: SearchContext, question: str, terms: Terms) -> str:
    """Return the question in a vault's words; as typed where the encoder cannot read those.

    Behind an everyday word that an English vault lacks stands one that it has, in brackets.
    """
    said = in_vault_words(written_out(context, question, terms), terms)
    typed = WORD.findall(said.lower()) if context.settings.language == ENGLISH else ()
    lacking = {word for word in typed if word not in terms.words}
    pairs = {f"{word} {following}" for word, following in pairwise(typed)}
    is_everyday = not synonyms.typed().isdisjoint(lacking | pairs)
    both = synonyms.with_known(said, terms) if is_everyday else said
    room = context.embedder.limit - 2
    fitting = (
        one for one in (both, said) if context.embedder.tokens.count(searchable(one)) <= room
    )
    return next(fitting, question)


def written_out(context: SearchContext, question: str, terms: Terms) -> str:
    """Return a question to English rules as `opened` does, without its words of asking.

    Of "tell me about the rules for falling" the last word is left.
    """
    if context.settings.language != ENGLISH:
        return question

    def is_name(words: str) -> bool:
        stems = set(key(words))
        if not stems or not stems <= terms.named_words:  # nearly always, and names are many
            return False
        return any(stems.issubset(name) for name in terms.names)

    return without_asking(opened(context, question, terms), is_name)


def opened(context: SearchContext, question: str, terms: Terms) -> str:
    """Return a question to English rules with its contractions in full: "whats" is "what is".

    Without an apostrophe one stays where the rules have that word, with one where it is part of a
    name or of an alias.
    """
    if context.settings.language != ENGLISH:
        return question

    def is_kept(form: str) -> bool:
        if "'" not in form:
            return form in terms.words
        return stemmed(form) in terms.named_words or any(form in alias for alias in terms.aliases)

    return without_contractions(question, is_kept)


def _attempt(context: SearchContext, question: _Question) -> SearchResult | None:
    """Search once; None where an ingest committed while the models were reading."""

    def collected(conn: Connection) -> Lists:
        chosen = store.chosen(conn, question.generation_id)
        context.check(chosen)
        scope = context.scope_of(conn, chosen, question.filters)
        return collect(conn, context, chosen, question.words, question.encoded, scope)

    started = perf_counter()
    lists = context.read(collected)
    fused = fusion.fused(context, question.text, question.encoded, lists)
    searched = perf_counter()
    first = fused.order[: max(context.settings.rag_candidates, question.top_k)]
    scores, reranker = candidates.reranked(context, question.text, first)
    reranked = perf_counter()
    limits = off_topic.limits(context, lists.generation, lists.terms.entries)
    below = limits.below if limits else 0.0
    ranked = candidates.rank(
        context, question.text, fused.order, scores, lists.notes, question.top_k, below
    )
    details = context.read(partial(_details, context, question, ranked))
    if details.generation.name != lists.generation.name:
        return None
    hits, above = _hits(ranked.kept, details), _hits(ranked.above, details)
    words = QuestionWords.of(question.text, lists.terms)
    return SearchResult(
        question=question.text,
        hits=hits,
        overriding=superseding.binding(above, hits, lists.notes, words) if above else (),
        trace=ranked.trace,
        late=fused.late,
        rerank=reranker,
        threshold=ranked.threshold,
        generation=details.generation.name,
        off_topic_score=question.off_topic.near - details.baseline,
        covered=_covered(question, fused.pieces),
        off_topic_limits=limits,
        timings=Timings(
            embed_ms=question.embed_ms,
            search_ms=1000 * (searched - started + perf_counter() - reranked),
            rerank_ms=1000 * (reranked - searched),
        ),
        notes={path: lists.notes[path] for path in details.hashes if path in lists.notes},
        hashes=details.hashes,
        files=details.files,
        terms=lists.terms,
        matched=_matched(question, fused, ranked),
    )


def _matched(
    question: _Question, fused: fusion.Candidates, ranked: Ranking
) -> tuple[tuple[float, float, float], ...]:
    first = fused.pieces_of.get(ranked.kept[0][0].row_id) if ranked.kept else None
    if first is None or fused.pieces is None:
        return ()
    rows = zip(question.encoded.tokens.weights, first, fused.pieces, strict=True)
    return tuple((float(weight), float(own), float(best)) for weight, own, best in rows)


def _covered(question: _Question, pieces: Vectors | None) -> float | None:
    if pieces is None:
        return None
    return float(question.encoded.tokens.weights @ (pieces - question.off_topic.pieces))


def _details(
    context: SearchContext, question: _Question, ranked: Ranking, conn: Connection
) -> _Details:
    now = store.chosen(conn, question.generation_id)
    tokens = question.encoded.tokens if context.settings.rag_late_interaction else None
    chosen = [scored for scored, _ in (*ranked.kept, *ranked.above)]
    return _Details(
        now,
        store.evidence(conn, [scored.row_id for scored in chosen], question.encoded.vector, tokens),
        context.baseline.of(conn, now, context.embedder, context.existing(conn, now)),
        indexed_file.hashes_of(conn, now.id, sorted({scored.chunk.path for scored in chosen})),
        indexed_file.read(conn, now.id, [scored.chunk for scored in chosen]),
    )


def _hits(chosen: Sequence[tuple[ScoredChunk, float]], details: _Details) -> tuple[Hit, ...]:
    return tuple(
        Hit(scored.chunk, score, details.evidence[scored.row_id]) for scored, score in chosen
    )


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
            f"the question has {pieces + 2} word pieces and the model reads {limit + 2}, some "
            f"{limit * 2 // 3} words; shorten it: ask it without what goes before"
        )
    return words
