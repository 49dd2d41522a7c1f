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
    question: Question,
    found: SearchResult,
    vault: Mapping[str, str],
    chunks_of: ChunksOf,
    top_k: int,
) -> Judgement:
    """Judge `found` by the question's gold.

    `vault` holds every file's text by its path; `top_k` is how many passages were asked for, which
    may be more than were returned.
    """
    order = {candidate.chunk_id: rank for rank, candidate in enumerate(found.trace, start=1)}
    returned = {hit.chunk.id for hit in found.hits}
    tried = []
    for golds in question.places:
        holders = [holders(gold, chunks_of(gold.path)) for gold in golds]
        ranks = [min((order[c] for c in held if c in order), default=None) for held in holders]
        if all(held & returned for held in holders):
            rank = max(r for r in ranks if r is not None)
            return Judgement(True, rank, None, _forbidden(question, found))
        tried.append((golds, holders, ranks))
    golds, holders, ranks = min(tried, key=lambda t: sum(1 for held in t[1] if not held & returned))
    missed = next(i for i, held in enumerate(holders) if not held & returned)
    gold = golds[missed]
    if not _stands_in(vault, gold):
        lost_at = "label"
    elif not chunks_of(gold.path):
        lost_at = "not-indexed"
    else:
        lost_at = _lost_at(holders[missed], found, top_k)
    complete = None if None in ranks else max(r for r in ranks if r is not None)
    return Judgement(False, complete, lost_at, _forbidden(question, found))


def holders(gold: Gold, chunks: Sequence[Chunk]) -> set[str]:
    """Return the ids of those `chunks`, of the gold's file, that hold the gold."""
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


def _stands_in(vault: Mapping[str, str], gold: Gold) -> bool:
    return gold.path in vault and comparable(gold.quote) in comparable(vault[gold.path])


def _lost_at(holders: Collection[str], found: SearchResult, top_k: int) -> str:
    """The stage that lost a gold whose file is indexed, by the best of the gold's holders."""
    if not holders:
        return "chunking"
    for rank, candidate in enumerate(found.trace, start=1):
        if candidate.chunk_id in holders:
            return _stage(candidate, rank, top_k, found.rerank)
    return "candidates"


def _stage(candidate: Candidate, rank: int, top_k: int, rerank: str) -> str:
    """The stage that dropped a candidate which stands at `rank` of the final order."""
    # Further down it would not have been returned without a threshold either.
    if candidate.fate == "threshold" and rank <= top_k:
        return "threshold"
    if rerank != "off" and candidate.fused_rank <= top_k:
        return "rerank"
    list_ranks = [rank for rank in (candidate.dense_rank, candidate.text_rank) if rank is not None]
    return "fusion" if min(list_ranks) <= top_k else "budget"
