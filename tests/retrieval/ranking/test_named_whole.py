"""A passage whose names and fields are all that is asked stands before others about its words."""

from dataclasses import replace

import pytest

from retrieval.context import SearchContext
from retrieval.index.store import ScoredChunk
from retrieval.models import Chunk
from retrieval.ranking.calibration import Weights
from retrieval.ranking.fusion import fuse
from retrieval.ranking.lines import WHOLE
from retrieval.search import search


def test_all_that_is_asked_being_named_adds_its_weight_and_less_adds_nothing() -> None:
    items = [ScoredChunk(n, Chunk(f"{n}.md", "S", 1, 1, "text"), 0.5 - n / 100) for n in range(2)]
    weights = Weights(text=0.0, late=0.0, rerank=None, whole=0.3)
    for named, order in ((WHOLE, [1, 0]), (WHOLE - 0.01, [0, 1])):
        found = fuse(items, [], {}, weights, {}, {1: (named, 0.0)})
        assert [one.scored.row_id for one in found] == order
    first = fuse(items, [], {}, weights, {}, {1: (WHOLE, 0.0)})[0]
    assert first.score == pytest.approx(0.49 + 0.3)


@pytest.mark.parametrize(
    ("asked", "file"),
    [
        ("How many hit dice does a troll have?", "Troll"),
        ("What is the armour class of an orc?", "Orc"),
        ("What is the morale of a rat?", "Rat"),
    ],
)
def test_a_field_of_a_thing_goes_before_a_section_about_the_field(
    indexed_rules: SearchContext, asked: str, file: str
) -> None:
    assert search(indexed_rules, asked).hits[0].chunk.path == f"7. Monsters/{file}.md"
    plain = replace(indexed_rules, weights=replace(indexed_rules.weights, whole=0.0))
    assert search(plain, asked).hits[0].chunk.path != f"7. Monsters/{file}.md"
