"""The candidates of a question: two lists, late interaction over both, one fused order."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval import late
from retrieval.embed import EncodedQuestion
from retrieval.fuse import Fused, fuse
from retrieval.late import TokenVectors
from retrieval.models import LateInteraction
from retrieval.rulebook import Rulebook
from retrieval.store import (
    Connection,
    Generation,
    Scored,
    StoredEntry,
    full_text,
    nearest,
    nearest_entries,
    similarity,
)

LIST_LENGTH = 50  # chunks of either list
_ENTRIES = 4  # of a chunk that late interaction compares, the nearest ones
_ENCODED = 12  # chunks whose nearest entry is encoded for a question where nothing is stored


@dataclass(frozen=True, slots=True)
class Lists:
    """What the index holds for a question."""

    generation: Generation
    dense: list[Scored]
    text: list[Scored]
    similarities: dict[int, float]  # by row id, of what only `text` has
    entries: list[StoredEntry]  # of every chunk in a list; none where late interaction is off


def collect(
    conn: Connection, rules: Rulebook, chosen: Generation, words: str, asked: EncodedQuestion
) -> Lists:
    """Return both lists for the question, LIST_LENGTH chunks each at most.

    `words` is the question as it is searched in full text, `asked` its vectors.
    """
    dense = nearest(conn, chosen.id, asked.vector, LIST_LENGTH)
    text = full_text(conn, chosen.id, words, LIST_LENGTH)
    only_text = {item.row_id for item in text} - {item.row_id for item in dense}
    similar = similarity(conn, sorted(only_text), asked.vector)
    entries: list[StoredEntry] = []
    if rules.settings.rag_late_interaction:
        rows = sorted({item.row_id for item in (*dense, *text)})
        entries = nearest_entries(conn, rows, asked.vector, _ENTRIES)
    return Lists(chosen, dense, text, similar, entries)


def fused(
    rules: Rulebook, asked: EncodedQuestion, found: Lists
) -> tuple[list[Fused], LateInteraction]:
    """Return the chunks of both lists, best first, and how late interaction was done."""
    plain = fuse(found.dense, found.text, found.similarities, rules.weights)
    if not rules.settings.rag_late_interaction:
        return plain, "off"
    stored = [(entry, entry.tokens) for entry in found.entries if entry.tokens is not None]
    if len(stored) == len(found.entries):
        scores = _best(asked, stored)
        mode: LateInteraction = "stored"
    else:
        scores = _encoded(rules, asked, plain, found.entries)
        mode = "encoded"
    return fuse(found.dense, found.text, found.similarities, rules.weights, scores), mode


def _best(
    asked: EncodedQuestion, entries: Sequence[tuple[StoredEntry, TokenVectors]]
) -> dict[int, float]:
    """The score of each chunk's best entry, by the chunk's row id."""
    best: dict[int, float] = {}
    found = late.scores(asked.tokens, [tokens for _, tokens in entries])
    for (entry, _), score in zip(entries, found, strict=True):
        best[entry.row_id] = max(float(score), best.get(entry.row_id, -1.0))
    return best


def _encoded(
    rules: Rulebook, asked: EncodedQuestion, plain: Sequence[Fused], entries: Sequence[StoredEntry]
) -> dict[int, float]:
    """The same where token vectors are not stored: the best chunks' nearest entries are encoded.

    The other chunks get the lowest of these scores, so that they keep their order behind.
    """
    first = {entry.row_id: entry for entry in reversed(entries)}  # the nearest of each chunk
    chosen = [first[item.scored.row_id] for item in plain[:_ENCODED]]
    tokens = rules.embedder.encode([entry.text for entry in chosen]).tokens
    best = _best(asked, list(zip(chosen, tokens, strict=True)))
    lowest = min(best.values(), default=0.0)
    return {item.scored.row_id: best.get(item.scored.row_id, lowest) for item in plain}
