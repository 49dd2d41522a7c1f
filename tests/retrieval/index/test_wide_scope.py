"""A wide scope's best chunks: of more than are asked for, or the scope is to be sent."""

from collections.abc import Callable

import pytest

from retrieval.index.store import ScoredChunk
from retrieval.index.wide_scope import best_of
from retrieval.models import Chunk, Scope

CHUNK = Chunk("a.md", "A", 1, 1, "a", "", 0)
EVERY = [ScoredChunk(row, CHUNK, 1 / (1 + row)) for row in range(100)]


def scope(rows: set[int], share: float) -> Scope:
    return Scope(frozenset(), "{}", len(rows), frozenset(rows), share)


def asked(sizes: list[int]) -> Callable[[int], list[ScoredChunk]]:
    def ranked(size: int) -> list[ScoredChunk]:
        sizes.append(size)
        return EVERY[:size]

    return ranked


def test_the_best_of_a_wide_scope_are_those_of_the_list_that_are_in_it() -> None:
    sizes: list[int] = []
    found = best_of(scope(set(range(0, 100, 2)), 0.5), 10, asked(sizes))
    assert found == EVERY[:20:2]
    assert sizes == [26]


def test_a_scope_whose_chunks_stand_far_down_is_to_be_sent() -> None:
    assert best_of(scope(set(range(50, 100)), 0.5), 10, asked([])) is None


def test_all_of_a_list_that_ends_are_enough() -> None:
    found = best_of(scope({98, 99}, 0.9), 80, asked([]))
    assert found is not None
    assert [one.row_id for one in found] == [98, 99]


@pytest.mark.parametrize("share", [0.0, 0.19])
def test_a_narrow_scope_is_not_asked_for(share: float) -> None:
    sizes: list[int] = []
    assert best_of(scope({1, 2}, share), 1, asked(sizes)) is None
    assert sizes == []
