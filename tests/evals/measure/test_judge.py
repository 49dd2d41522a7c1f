"""The judge: a hit, every bucket that a question without one can end in, and their sum."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.labels.dataset import Gold
from evals.measure.judge import LOST_AT, judge, losses
from evals.measure.loss_stages import BUCKETS, OF_ANSWERS
from retrieval.models import Chunk, SearchResult
from retrieval.search_trace import Candidate
from tests.support.made.made_misses import (
    CHUNKS,
    EXCEPTION,
    OTHERS,
    TEXT,
    TOP_K,
    VAULT,
    asked,
    candidate,
    found,
    judged,
    missed,
    places,
    result,
)

OF_SEARCH = [name for name in LOST_AT if name not in ("reply", *OF_ANSWERS)]


def test_a_returned_chunk_that_holds_the_quote_is_a_hit_with_its_rank() -> None:
    judgement = judged(found(2, fate="returned", fused_rank=3), asked(forbidden=("light.md",)))
    assert (judgement.hit, judgement.rank, judgement.lost_at) == (True, 2, None)
    assert (judgement.pool_rank, judgement.lost, judgement.detail) == (3, None, "")
    assert judgement.forbidden == ("light.md",)


MISSES = {
    "label": (found(None), asked(quote="A torch burns for two hours.")),
    "not-indexed": (found(None), asked("lost.md")),
    "chunking": (found(None), asked("cut.md", f"{TEXT} {EXCEPTION}")),
    "candidates": (found(None), asked()),
    "fusion": (found(4, dense_rank=2, fused_rank=4), asked()),
    "rerank": (found(4, "reranker", fused_rank=2), asked()),
    "threshold": (found(2, fused_rank=2, fate="threshold"), asked()),
    "budget": (found(3, fused_rank=3), asked()),
}
DETAILS = {
    "label": "'light.md' does not hold the quote",
    "not-indexed": "the index has no chunk of 'lost.md'",
    "chunking": "'cut.md' has 2 chunks, none holds it",
    "candidates": "not in the vectors' 5 chunks, nor in the 0 of full text",
    "fusion": "vectors 2, full text without it, fused 4, final 4, wanted 2",
    "rerank": "vectors 9, full text without it, fused 2, reranked 9, final 4, wanted 2",
    "threshold": "vectors 9, full text without it, fused 2, final 2, wanted 2, under the threshold",
    "budget": "vectors 9, full text without it, fused 3, final 3, wanted 2",
}  # fmt: skip


@pytest.mark.parametrize("bucket", OF_SEARCH)
def test_every_bucket_of_search_is_produced_and_says_what_the_trace_knows(bucket: str) -> None:
    search, question = MISSES[bucket]
    judgement = missed(search, question)
    assert (judgement.lost_at, judgement.detail) == (bucket, DETAILS[bucket])
    assert judgement.lost == question.places[0][0]


def test_all_eleven_buckets_are_named_in_order_with_a_cause_and_a_fix() -> None:
    assert " ".join(LOST_AT) == (
        "label not-indexed chunking candidates fusion rerank threshold budget reply generation "
        "guard"
    )
    for name, bucket in BUCKETS.items():
        assert bucket.meaning
        assert f"usual cause: {bucket.cause}; fix: {bucket.fix}" in LOST_AT[name]


def test_the_buckets_sum_to_the_misses() -> None:
    judgements = [judged(*miss) for miss in MISSES.values()]
    hit = judged(found(1, fate="returned"))
    counts = losses(one.lost_at for one in [*judgements, hit, judgements[0]])
    assert counts == {**dict.fromkeys(LOST_AT, 0), **dict.fromkeys(OF_SEARCH, 1), "label": 2}


RANKS = st.integers(1, 8)
TRACES = st.lists(
    st.builds(
        lambda chunk, **values: (chunk, candidate(chunk, **values)),
        st.sampled_from([*OTHERS, *(c for chunks in CHUNKS.values() for c in chunks)]),
        dense_rank=RANKS,
        text_rank=RANKS | st.none(),
        fused_rank=RANKS,
        rerank_rank=RANKS | st.none(),
        fate=st.sampled_from(["candidates", "threshold", "budget", "returned"]),
    ),
    unique_by=lambda row: row[0].id,
)
GOLDS = st.builds(Gold, st.sampled_from([*VAULT, "no.md"]), st.sampled_from([TEXT, EXCEPTION]))
PLACES = st.lists(st.lists(GOLDS, min_size=1, max_size=2).map(tuple), min_size=1, max_size=2)


@given(TRACES, st.sampled_from(["off", "reranker"]), PLACES)
def test_whatever_a_search_does_a_miss_is_in_one_bucket_of_search(
    order: list[tuple[Chunk, Candidate]], rerank: str, golds: list[tuple[Gold, ...]]
) -> None:
    judgement = judged(result(order, rerank), places(*golds))
    counts = losses([judgement.lost_at, judgement.lost_at])
    assert sum(counts.values()) == (0 if judgement.hit else 2)
    assert list(counts) == list(LOST_AT)
    assert judgement.lost_at in (None, *OF_SEARCH)


def test_a_quote_in_no_file_is_lost_at_the_label() -> None:
    judgement = missed(found(None), asked("missing.md"))
    assert (judgement.lost_at, judgement.detail) == ("label", "the vault has no file 'missing.md'")


def test_an_index_that_is_older_than_its_file_is_not_blamed_on_the_chunker() -> None:
    judgement = missed(found(None), asked("stale.md"))
    assert judgement.lost_at == "not-indexed"
    assert judgement.detail == "the index has 'stale.md' without the quote"


def test_chunks_that_overlap_at_the_cut_are_still_a_cut() -> None:
    text = VAULT["cut.md"]
    chunks = [Chunk("cut.md", "", 1, 1, text[:50], piece=1), Chunk("cut.md", "", 1, 1, text[25:])]
    question = asked("cut.md", f"{TEXT} {EXCEPTION}")
    assert judge(question, found(None), VAULT, lambda p: chunks, TOP_K).lost_at == "chunking"


@pytest.mark.parametrize(
    ("search", "bucket"),
    [
        # The threshold is not blamed for what top_k would have dropped, ...
        (found(3, "off", fate="threshold", fused_rank=3), "budget"),
        (found(3, "off", fate="threshold", fused_rank=3, text_rank=1), "fusion"),
        (found(3, "reranker", fate="threshold", fused_rank=1), "rerank"),
        (found(3, "reranker", fate="threshold", fused_rank=3), "budget"),
        # ... which is what was asked for and not what was returned.
        (found(4, dense_rank=2, fused_rank=4, fate="threshold"), "fusion"),
        # Fusion is blamed for what it kept from the reranker, which read five,
        (found(6, "reranker", dense_rank=5, fused_rank=6, rerank_rank=None), "fusion"),
        (found(6, "reranker", dense_rank=6, fused_rank=6, rerank_rank=None), "budget"),
        # and not for the last one that it read.
        (found(6, "reranker", dense_rank=6, fused_rank=6), "budget"),
    ],
)
def test_no_stage_is_blamed_for_what_another_one_dropped(search: SearchResult, bucket: str) -> None:
    judgement = missed(search)
    assert judgement.lost_at == bucket
    unread = search.rerank != "off" and search.trace[-1].rerank_rank is None
    assert ("reranked not: below RAG_CANDIDATES" in judgement.detail) == unread


def test_equal_letters_at_a_cut_are_no_overlap() -> None:
    vault = {"a.md": "Bring an extra\na torch burns for one hour\n"}
    texts = vault["a.md"].splitlines()
    chunks = [Chunk("a.md", "", line, line, text) for line, text in enumerate(texts, start=1)]
    question = asked("a.md", "an extra a torch burns for one hour")
    assert judge(question, found(None), vault, lambda p: chunks, TOP_K).lost_at == "chunking"


def test_of_several_missing_golds_the_one_lost_first_is_named() -> None:
    gone = Gold("light.md", "A torch burns for ever.")
    judgement = missed(found(3, fused_rank=3), places((Gold("light.md", TEXT), gone)))
    assert (judgement.lost_at, judgement.lost) == ("label", gone)
    assert (judgement.rank, judgement.pool_rank) == (None, None)


def test_of_equally_good_places_the_one_that_came_nearest_is_named() -> None:
    near, gone = Gold("light.md", TEXT), Gold("lost.md", TEXT)
    for question in (places((near,), (gone,)), places((gone,), (near,))):
        judgement = missed(found(3, fused_rank=3), question)
        assert (judgement.lost_at, judgement.lost, judgement.rank) == ("budget", near, 3)


def test_the_rank_is_that_of_the_best_place_and_of_the_last_gold_in_it() -> None:
    first, second = (CHUNKS["light.md"][0], CHUNKS["stale.md"][0])
    search = result([(c, candidate(c, fate="returned")) for c in (first, second)])
    worse, better = Gold("stale.md", second.text), Gold("light.md", TEXT)
    assert judged(search, places((worse,), (better,))).rank == 1
    assert judged(search, places((better, worse))).rank == 2
