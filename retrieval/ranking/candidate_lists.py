"""The two lists of candidates that the index has for a question: by vectors, and by full text."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import EncodedQuestion
from retrieval.index import store
from retrieval.index.indexed_file import notes
from retrieval.index.nearest import nearest, similarity
from retrieval.index.store import Connection, Generation, ScoredChunk, StoredEntry
from retrieval.models import Entry, Scope, SourceNote, Terms
from retrieval.ranking.bm25 import full_text
from retrieval.ranking.lines import QuestionWords

LIST_LENGTH = 50  # chunks of either list
_ENTRIES = 4  # of a chunk that late interaction compares, the nearest ones


@dataclass(frozen=True, slots=True)
class Lists:
    """What the index holds for a question."""

    generation: Generation
    dense: list[ScoredChunk]
    text: list[ScoredChunk]
    similarities: dict[int, float]  # by row id, of what only `text` has
    entries: list[StoredEntry]  # of every chunk in a list, its nearest first; none where unread
    notes: dict[str, SourceNote]  # of the chunks' files, by path
    terms: Terms  # of the generation
    fields: Sequence[tuple[int, Entry]] = ()  # that are asked for, of chunks whose file is named


def collect(
    conn: Connection,
    context: SearchContext,
    generation: Generation,
    words: str,
    encoded: EncodedQuestion,
    scope: Scope | None = None,
) -> Lists:
    """Return both lists for the question, LIST_LENGTH chunks each at most, of `scope` alone.

    `words` is the question as it is searched in full text, `encoded` its vectors.
    """
    dense = nearest(conn, generation.id, encoded.vector, LIST_LENGTH, scope)
    part = context.existing(conn, generation)
    text = full_text(conn, generation.id, words, LIST_LENGTH, scope, part)
    only_text = {item.row_id for item in text} - {item.row_id for item in dense}
    similar = similarity(conn, sorted(only_text), encoded.vector)
    entries: list[StoredEntry] = []
    if (
        context.settings.rag_late_interaction
        or context.reranker
        or context.weights.names
        or context.weights.ranges
        or context.weights.whole
    ):
        rows = sorted({item.row_id for item in (*dense, *text)})
        entries = store.nearest_entries(conn, rows, encoded.vector, _ENTRIES)
    about = notes(conn, generation.id, {item.chunk.path for item in (*dense, *text)})
    terms = context.terms_at(conn, generation)
    asked = _asked_fields(conn, QuestionWords.of(words, terms), [*dense, *text])
    return Lists(generation, dense, text, similar, entries, about, terms, asked)


def _asked_fields(
    conn: Connection, words: QuestionWords, chunks: Sequence[ScoredChunk]
) -> list[tuple[int, Entry]]:
    """The fields that a question names of a thing that it names, "ML" of a troll.

    Late interaction reads the few entries that are nearest to the question, and a short row beside
    its neighbours may not be one of them.
    """
    paths = {item.row_id: item.chunk.path for item in chunks if words.names_file(item.chunk.path)}
    if not paths:
        return []
    found = store.entries_of(conn, sorted(paths))
    return [(row, one) for row, one in found if words.asks_for(paths[row], one)]
