"""Decide of one question, without a model: was its place returned, and if not, who lost it.

Every missed question ends in exactly one bucket of LOST_AT, decided from the trace of its search.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from evals.labels.dataset import Gold, Question
from evals.measure.loss_stages import ALL, BUCKETS, FROM_OUTSIDE
from retrieval.models import Chunk, SearchResult
from retrieval.search_trace import Candidate
from retrieval.text.normalize import comparable

LOST_AT = {name: bucket.text for name, bucket in BUCKETS.items()}  # in the pipeline's order
_STAGES = list(ALL)
_HELD = 0.9  # of a gold's characters: a chunk that holds so much of it holds it
_OVERLAP = 20  # characters that two chunks share at a cut; fewer may be equal by chance

ChunksOf = Callable[[str], Sequence[Chunk]]


class Sought(NamedTuple):
    """A gold, and where search put the best of the chunks that hold it, from 1."""

    gold: Gold
    holders: frozenset[str]  # ids of chunks
    rank: int | None  # in the final order, returned or not
    pool_rank: int | None  # in the fused order, which is what a reranker reads
    returned: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """What search did with one answerable question.

    `rank` is where the last gold that is needed stands in the final order, from 1, whether or not
    it was returned; None where one is missing. Of places that are equally good the best counts.
    `lost_at` is None for a hit; for a miss `lost` is the gold to look at and `detail` says what
    the trace knows of it: its rank in each list, before and after the reranker. `places` are the
    question's, in its order.
    """

    hit: bool
    rank: int | None
    lost_at: str | None
    forbidden: tuple[str, ...]  # paths among the first three that must not be there
    pool_rank: int | None = None  # as `rank`, in the fused order, which is what a reranker reads
    lost: Gold | None = None
    detail: str = ""
    places: tuple[tuple[Sought, ...], ...] = ()


class Loss(NamedTuple):
    """The stage that lost a gold, and what is known of it."""

    bucket: str
    detail: str
    gold: Gold


LossOf = Callable[[Sought], Loss]


def judge(
    question: Question,
    found: SearchResult,
    vault: Mapping[str, str],
    chunks_of: ChunksOf,
    top_k: int,
    loss_of: LossOf | None = None,
) -> Judgement:
    """Judge `found` by the question's gold.

    `vault` holds every file's text by its path; `top_k` is how many passages were asked for, which
    may be more than were returned. `loss_of` names the stage that lost a gold; by default the
    trace of our own search does. Of several missing golds the one that was lost first is named,
    since no later stage could have saved the question; of several places the one that came nearest.
    """
    places = tuple(
        tuple(_seek(gold, chunks_of(gold.path), found) for gold in place)
        for place in question.places
    )
    first = {hit.chunk.path for hit in found.hits[:3]}
    forbidden = tuple(path for path in question.forbidden if path in first)
    pool_rank = _best(places, lambda sought: sought.pool_rank)
    complete = [place for place in places if all(sought.returned for sought in place)]
    if complete:
        rank = _best(complete, lambda sought: sought.rank)
        return Judgement(True, rank, None, forbidden, pool_rank, places=places)
    losses = [
        [
            _label_loss(s.gold, vault)
            or (loss_of(s) if loss_of else _loss(s, chunks_of(s.gold.path), found, top_k))
            for s in p
            if not s.returned
        ]
        for p in places
    ]
    nearest = min(losses, key=lambda place: (len(place), -_STAGES.index(_first(place).bucket)))
    loss = _first(nearest)
    rank = _best(places, lambda sought: sought.rank)
    return Judgement(False, rank, loss.bucket, forbidden, pool_rank, loss.gold, loss.detail, places)


def losses(lost_at: Iterable[str | None]) -> dict[str, int]:
    """Return how many questions each bucket of LOST_AT lost, in its order; 0 where none.

    Of a foreign retriever those of FROM_OUTSIDE that lost any are behind them.

    `lost_at` is the bucket of each question, None of one that passed; the sum is the misses.
    """
    counts = Counter(lost_at)
    outside = (name for name in FROM_OUTSIDE if counts[name])
    return {name: counts[name] for name in (*LOST_AT, *outside)}


def holders(gold: Gold, chunks: Iterable[Chunk]) -> frozenset[str]:
    """Return the ids of those `chunks`, of the gold's file, that hold at least 90 % of it."""
    quote = comparable(gold.quote)
    return frozenset(c.id for c in chunks if _holds(comparable(f"{c.context}\n{c.text}"), quote))


def _seek(gold: Gold, chunks: Sequence[Chunk], found: SearchResult) -> Sought:
    held = holders(gold, chunks)
    rows = [(r, c) for r, c in enumerate(found.trace, start=1) if c.chunk_id in held]
    return Sought(
        gold,
        held,
        rank=rows[0][0] if rows else None,
        pool_rank=min((row.fused_rank for _, row in rows), default=None),
        returned=any(hit.chunk.id in held for hit in found.hits),
    )


def _holds(text: str, quote: str) -> bool:
    if quote in text:
        return True
    # A quote over a cut: the longest common run decides. Only for quotes that could be cut.
    if len(quote) < 40 or not (quote[:20] in text or quote[-20:] in text):
        return False
    match = SequenceMatcher(None, text, quote, autojunk=False).find_longest_match()
    return match.size >= _HELD * len(quote)


def _best(
    places: Sequence[Sequence[Sought]], rank_of: Callable[[Sought], int | None]
) -> int | None:
    """The lowest, over the places, of the rank of a place's last gold; None where all lack one."""
    last = []
    for place in places:
        ranks = [rank for sought in place if (rank := rank_of(sought)) is not None]
        if len(ranks) == len(place):
            last.append(max(ranks))
    return min(last, default=None)


def _first(place: Sequence[Loss]) -> Loss:
    """The loss of the earliest stage."""
    return min(place, key=lambda loss: _STAGES.index(loss.bucket))


def _label_loss(gold: Gold, vault: Mapping[str, str]) -> Loss | None:
    if gold.path not in vault:
        return Loss("label", f"the vault has no file {gold.path!r}", gold)
    if comparable(gold.quote) not in comparable(vault[gold.path]):
        return Loss("label", f"{gold.path!r} does not hold the quote", gold)
    return None


def _loss(sought: Sought, chunks: Sequence[Chunk], found: SearchResult, top_k: int) -> Loss:
    """Name the stage that lost a gold, and what is known of it; `chunks` are its file's."""
    gold = sought.gold
    if not chunks:
        return Loss("not-indexed", f"the index has no chunk of {gold.path!r}", gold)
    if not sought.holders:
        if _solid(gold.quote) not in _joined(chunks):
            return Loss("not-indexed", f"the index has {gold.path!r} without the quote", gold)
        return Loss("chunking", f"{gold.path!r} has {len(chunks)} chunks, none holds it", gold)
    if sought.rank is None:
        of_dense = sum(row.dense_rank is not None for row in found.trace)
        of_text = sum(row.text_rank is not None for row in found.trace)
        detail = f"not in the vectors' {of_dense} chunks, nor in the {of_text} of full text"
        return Loss("candidates", detail, gold)
    row = found.trace[sought.rank - 1]
    read = sum(row.rerank_rank is not None for row in found.trace)
    bucket = _stage(row, sought.rank, top_k, read if found.rerank != "off" else 0)
    return Loss(bucket, _ranks(row, sought.rank, top_k, found.rerank), gold)


def _stage(row: Candidate, rank: int, top_k: int, read: int) -> str:
    """The stage that dropped a candidate which stands at `rank` of the final order.

    `read` is how many candidates the reranker was given; 0 where there is none.
    """
    # Further down it would not have been returned without a threshold either.
    if row.fate == "threshold" and rank <= top_k:
        return "threshold"
    if read and row.fused_rank <= top_k:
        return "rerank"
    best = min(rank for rank in (row.dense_rank, row.text_rank) if rank is not None)
    return "fusion" if best <= top_k or best <= read < row.fused_rank else "budget"


def _ranks(row: Candidate, rank: int, top_k: int, rerank: str) -> str:
    reranked = f"reranked {row.rerank_rank or 'not: below RAG_CANDIDATES'}, "
    return (
        f"vectors {row.dense_rank or 'without it'}, full text {row.text_rank or 'without it'}, "
        f"fused {row.fused_rank}, {reranked if rerank != 'off' else ''}final {rank}, "
        f"wanted {top_k}{', under the threshold' if row.fate == 'threshold' else ''}"
    )


def _solid(text: str) -> str:
    return "".join(comparable(text).split())


def _joined(chunks: Sequence[Chunk]) -> str:
    """The text of a file's chunks without white space, what two neighbours share only once."""
    joined = ""
    for chunk in chunks:
        text = _solid(chunk.text)
        shared = range(len(text), _OVERLAP - 1, -1)
        joined += text[next((n for n in shared if joined.endswith(text[:n])), 0) :]
    return joined
