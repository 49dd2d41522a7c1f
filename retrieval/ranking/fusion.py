"""Fuse the stages: two lists of candidates and late interaction over both become one order.

It is a weighted sum of scores whose scales do not depend on the list.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import EncodedQuestion
from retrieval.index.store import ScoredChunk, StoredEntry
from retrieval.models import Entry, LateInteraction, Vectors
from retrieval.ranking import late_interaction, lines
from retrieval.ranking.calibration import Weights
from retrieval.ranking.candidate_lists import Lists

# By a chunk's row id: how much of the question its names and fields cover, and whether a range or
# limit of a row holds one of its numbers (1 or 0).
Named = Mapping[int, tuple[float, float]]

_LACKING = 2.0  # what a column that is lacking counts, of a range that is met
_ENCODED = 12  # chunks whose nearest entry is encoded for a question where nothing is stored


@dataclass(frozen=True, slots=True)
class Best:
    """The entry of a chunk that comes nearest to the question."""

    text: str  # as it is embedded
    late_score: float | None  # None: late interaction is off


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk with its rank (from 1) and score in either list; None where a list lacks it."""

    scored: ScoredChunk
    dense_rank: int | None
    dense_score: float  # known of every chunk
    text_rank: int | None
    text_score: float | None
    best: Best | None  # None: neither late interaction nor a reranker reads entries
    score: float
    names: float = 0.0  # how much of the question its names and fields cover
    ranges: float = 0.0  # 1 where a range holds a number of the question, -2 if columns lack it


@dataclass(frozen=True, slots=True)
class Candidates:
    """The chunks of both lists, best first, and what late interaction said of them."""

    order: list[Fused]
    late: LateInteraction  # how it was done
    # How similar the most similar piece of all their entries is to each word piece of the question,
    # shape (word pieces,); None unless every piece of the entries has its vector.
    pieces: Vectors | None
    # The same of each chunk's entries alone, by its row id; empty where nothing is stored.
    pieces_of: Mapping[int, Vectors] = field(default_factory=dict)


def fused(
    context: SearchContext, question: str, encoded: EncodedQuestion, lists: Lists
) -> Candidates:
    """Return the chunks of both lists, best first."""
    named = _named(context, question, lists)
    plain = fuse(
        lists.dense, lists.text, lists.similarities, context.weights, _nearest(lists.entries), named
    )
    if not context.settings.rag_late_interaction:
        return Candidates(plain, "off", None)
    stored = [(entry, entry.tokens) for entry in lists.entries if entry.tokens is not None]
    mode: LateInteraction = "stored" if len(stored) == len(lists.entries) else "encoded"
    pieces = None
    pieces_of: dict[int, Vectors] = {}
    if mode == "stored":
        similar = late_interaction.similarities(encoded.tokens, [tokens for _, tokens in stored])
        scores = late_interaction.weighted(encoded.tokens, similar)
        best = _best([entry for entry, _ in stored], scores)
        if stored and context.embedder.pooling == 1:
            pieces = similar.max(axis=1)
            pieces_of = _by_row([entry for entry, _ in stored], similar)
    else:
        best = _encoded(context, encoded, plain, lists.entries)
    order = fuse(lists.dense, lists.text, lists.similarities, context.weights, best, named)
    return Candidates(order, mode, pieces, pieces_of)


def _by_row(entries: Sequence[StoredEntry], similar: Vectors) -> dict[int, Vectors]:
    """How similar each piece of the question is to the most similar one of each chunk's entries."""
    columns: defaultdict[int, list[int]] = defaultdict(list)
    for column, entry in enumerate(entries):
        columns[entry.row_id].append(column)
    return {row_id: similar[:, of_row].max(axis=1) for row_id, of_row in columns.items()}


def _named(context: SearchContext, question: str, lists: Lists) -> Named:
    """What the names, fields and ranges of each chunk have of the question, by the chunk's row id.

    How much of it the names cover is 1 less where the file is called longer than another one that
    is asked for. The ranges count -2 where a table has columns for other numbers alone.
    """
    weights = context.weights
    if not (weights.names or weights.ranges or weights.whole):
        return {}
    paths = {item.row_id: item.chunk.path for item in (*lists.dense, *lists.text)}
    entries: defaultdict[int, list[Entry]] = defaultdict(list)
    for stored in lists.entries:
        entries[stored.row_id].append(stored.entry)
    for row_id, entry in lists.fields:
        entries[row_id].append(entry)
    words = lines.QuestionWords.of(question, lists.terms)
    longer = lines.longer_names(words, paths.values())
    return {
        row_id: (
            lines.coverage(words, path, entries[row_id]) - (path in longer),
            any(map(words.in_range, entries[row_id]))
            - _LACKING * any(map(words.lacks_column, entries[row_id])),
        )
        for row_id, path in paths.items()
    }


def _nearest(entries: Sequence[StoredEntry]) -> dict[int, Best]:
    """The nearest entry of each chunk, by the chunk's row id."""
    return {entry.row_id: Best(entry.text, None) for entry in reversed(entries)}


def _best(entries: Sequence[StoredEntry], scores: Vectors) -> dict[int, Best]:
    """The best entry of each chunk by late interaction; among equals the nearest."""
    best: dict[int, Best] = {}
    for entry, score in zip(entries, scores, strict=True):
        before = best.get(entry.row_id)
        if before is None or before.late_score is None or float(score) > before.late_score:
            best[entry.row_id] = Best(entry.text, float(score))
    return best


def _encoded(
    context: SearchContext,
    encoded: EncodedQuestion,
    plain: Sequence[Fused],
    entries: Sequence[StoredEntry],
) -> dict[int, Best]:
    """The same where token vectors are not stored: the best chunks' nearest entries are encoded.

    The other chunks get the lowest of these scores, so that they keep their order behind.
    """
    first = {entry.row_id: entry for entry in reversed(entries)}
    chosen = [first[item.scored.row_id] for item in plain[:_ENCODED]]
    tokens = context.embedder.encode([entry.text for entry in chosen]).tokens
    best = _best(chosen, late_interaction.scores(encoded.tokens, tokens))
    lowest = min((scored.late_score or 0.0 for scored in best.values()), default=0.0)
    return {row_id: best.get(row_id, Best(entry.text, lowest)) for row_id, entry in first.items()}


def fuse(
    dense: Sequence[ScoredChunk],
    text: Sequence[ScoredChunk],
    similarities: Mapping[int, float],
    weights: Weights,
    best: Mapping[int, Best],
    named: Named = MappingProxyType({}),
) -> list[Fused]:
    """Merge two rankings, best first; ties go by chunk id.

    `similarities` holds the dense score of every chunk that only `text` has; one that is missing
    raises ValueError. What a stage adds is its score times its weight. `best` is by row id, as is
    `named`, what the names and the ranges of a chunk have of the question (0 where it is missing).
    """
    dense_ranks = {item.row_id: (rank, item.score) for rank, item in enumerate(dense, start=1)}
    text_ranks = {item.row_id: (rank, item.score) for rank, item in enumerate(text, start=1)}
    chunks = {item.row_id: item for item in (*text, *dense)}
    fused = []
    for row_id, item in chunks.items():
        dense_rank, cosine = dense_ranks.get(row_id, (None, similarities.get(row_id)))
        text_rank, words = text_ranks.get(row_id, (None, None))
        if cosine is None:
            raise ValueError(f"no similarity of {item.chunk.id}, which only the text list has")
        entry = best.get(row_id)
        tokens = (entry.late_score if entry else None) or 0.0
        names, in_range = named.get(row_id, (0.0, 0.0))
        score = cosine + weights.text * (words or 0.0) + weights.late * tokens
        score += weights.names * names + weights.ranges * in_range
        score += weights.whole * (names >= lines.WHOLE)
        fused.append(
            Fused(item, dense_rank, cosine, text_rank, words, entry, score, names, in_range)
        )
    return sorted(fused, key=lambda f: (-f.score, order(f.scored)))


def order(scored: ScoredChunk) -> tuple[str, int, int]:
    """Return what breaks ties: the chunk's path, first line and piece."""
    return scored.chunk.path, scored.chunk.first_line, scored.chunk.piece
