"""Decide of one question, without a model: was its place returned, and if not, who lost it.

Every missed question ends in exactly one bucket of LOST_AT.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from evals.dataset import Gold, Question
from retrieval.fold import comparable
from retrieval.models import Candidate, Chunk, SearchResult

LOST_AT = {
    "label": "the quote is not in the vault: mend the question",
    "not-indexed": "its file is not in the index: run python -m ingest, read what it rejects",
    "chunking": "no chunk holds the quote: look where the file is cut",
    "candidates": "in neither list: the words differ; say it in the entry or in the file",
    "fusion": "a list had it among the first, the fused order had not: look at the weights",
    "rerank": "the fused order had it among the first, the reranker had not",
    "threshold": "its score is under the threshold",
    "budget": "a candidate, but not among the first: a better ranking, or a larger top_k",
}
_HELD = 0.9  # of a gold's characters: a chunk that holds so much of it holds it

ChunksOf = Callable[[str], Sequence[Chunk]]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What search did with one answerable question.

    `rank` is where the last gold that is needed stands in the final order, from 1, whether or not
    it was returned; None where one is missing. `lost_at` is None for a hit.
    """

    hit: bool
    rank: int | None
    lost_at: str | None
    forbidden: tuple[str, ...]  # paths among the first three that must not be there


def judge(
    question: Question, found: SearchResult, vault: Mapping[str, str], chunks_of: ChunksOf
) -> Judgement:
    """Judge `found` by the question's gold; `vault` holds every file's text by its path."""
    order = {candidate.chunk_id: rank for rank, candidate in enumerate(found.trace, start=1)}
    returned = {hit.chunk.id for hit in found.hits}
    tried = []
    for golds in question.places:
        holders = [_holders(gold, chunks_of(gold.path)) for gold in golds]
        ranks = [min((order[c] for c in held if c in order), default=None) for held in holders]
        if all(held & returned for held in holders):
            rank = max(r for r in ranks if r is not None)
            return Judgement(True, rank, None, _forbidden(question, found))
        tried.append((golds, holders, ranks))
    golds, holders, ranks = min(tried, key=lambda t: sum(1 for held in t[1] if not held & returned))
    missed = next(i for i, held in enumerate(holders) if not held & returned)
    lost_at = _lost_at(golds[missed], holders[missed], found, vault)
    complete = None if None in ranks else max(r for r in ranks if r is not None)
    return Judgement(False, complete, lost_at, _forbidden(question, found))


def _holders(gold: Gold, chunks: Sequence[Chunk]) -> set[str]:
    """The ids of the chunks that hold a gold."""
    quote = comparable(gold.quote)
    return {
        chunk.id for chunk in chunks if _holds(comparable(f"{chunk.context}\n{chunk.text}"), quote)
    }


def _holds(text: str, quote: str) -> bool:
    if quote in text:
        return True
    # A quote over a cut: the longest common run decides. Only for quotes that could be cut.
    if len(quote) < 40 or not (quote[:20] in text or quote[-20:] in text):
        return False
    match = SequenceMatcher(None, text, quote, autojunk=False).find_longest_match()
    return match.size >= _HELD * len(quote)


def _forbidden(question: Question, found: SearchResult) -> tuple[str, ...]:
    first = {hit.chunk.path for hit in found.hits[:3]}
    return tuple(path for path in question.forbidden if path in first)


def _lost_at(
    gold: Gold, holders: Collection[str], found: SearchResult, vault: Mapping[str, str]
) -> str:
    if gold.path not in vault or comparable(gold.quote) not in comparable(vault[gold.path]):
        return "label"
    if not holders:
        return "chunking"
    seen = [candidate for candidate in found.trace if candidate.chunk_id in holders]
    if not seen:
        return "candidates"
    return _stage(seen[0], len(found.hits), found)


def _stage(candidate: Candidate, returned: int, found: SearchResult) -> str:
    """The stage that dropped a candidate which was in a list."""
    if candidate.fate == "threshold":
        return "threshold"
    list_ranks = [rank for rank in (candidate.dense_rank, candidate.text_rank) if rank is not None]
    if found.rerank != "off" and candidate.fused_rank <= returned:
        return "rerank"
    return "fusion" if min(list_ranks) <= returned else "budget"
