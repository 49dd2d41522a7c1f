"""A passage whose names and fields are all that is asked stands before others about its words."""

from dataclasses import replace

import pytest

from retrieval.context import SearchContext
from retrieval.index.store import ScoredChunk
from retrieval.models import Chunk
from retrieval.ranking.calibration import Weights
from retrieval.ranking.fusion import fuse
from retrieval.ranking.lines import WHOLE, QuestionWords, coverage
from retrieval.search import search
from tests.support.index.indexed_text import indexed_file, terms_of
from tests.support.index.ingested import IndexFiles

FILES = {
    "Reading.md": "# Reading entries\n\n- **AC:** Armour Class (AC).\n- **HD:** Hit Dice (HD).\n",
    "Armour class.md": (
        "# Armour class\n\nThe armour class of somebody says how hard they are to hit. What is the "
        "armour class of a knight? It is 3.\n\n## Armour class of a beast\n\nThe armour class of "
        "a beast is written in its entry.\n"
    ),
    "Beasts/Ogre.md": (
        "# Ogre\n\n| AC | 5 [14] |\n|---|---|\n| HD | 4+1 (19hp) |\n| Att | 1 x club (1d10) |\n"
        "| ML | 10 |\n\nLarge and hungry, they live in caves and sleep by day.\n"
    ),
}


def test_all_that_is_asked_being_named_adds_its_weight_and_less_adds_nothing() -> None:
    items = [ScoredChunk(n, Chunk(f"{n}.md", "S", 1, 1, "text"), 0.5 - n / 100) for n in range(2)]
    weights = Weights(text=0.0, late=0.0, rerank=None, whole=0.3)
    for named, order in ((WHOLE, [1, 0]), (WHOLE - 0.01, [0, 1])):
        found = fuse(items, [], {}, weights, {}, {1: (named, 0.0)})
        assert [one.scored.row_id for one in found] == order
    first = fuse(items, [], {}, weights, {}, {1: (WHOLE, 0.0)})[0]
    assert first.score == pytest.approx(0.49 + 0.3)


@pytest.mark.parametrize(
    ("question", "is_whole"),
    [
        ("60 foot fall", True),
        ("falling 60 feet", True),
        ("falling for 12 days", True),
        ("falling from a roof of 60 feet", False),
        ("60 feet", False),
        ("falling 404", False),  # a figure alone may be a name
    ],
)
def test_an_amount_is_no_part_of_what_is_named(question: str, is_whole: bool) -> None:
    path, text = "Dangers.md", "# Dangers\n\n## Falling\n\nA fall deals 1d6 for 10 feet.\n"
    roof = ("Roofs.md", "# Roofs\n\nA roof costs 60 gp and is mended in 12 days.\n")
    terms = terms_of(dict([(path, text), roof]))
    entries = indexed_file(text, path).entries
    covered = coverage(QuestionWords.of(question, terms), path, entries)
    assert (covered >= WHOLE) is is_whole, covered


def test_a_field_of_a_thing_goes_before_a_section_about_the_field(index_files: IndexFiles) -> None:
    context: SearchContext = index_files(FILES)
    asked = "What is the armour class of an ogre?"
    assert search(context, asked).hits[0].chunk.path == "Beasts/Ogre.md"
    plain = replace(context, weights=replace(context.weights, whole=0.0))
    assert search(plain, asked).hits[0].chunk.path != "Beasts/Ogre.md"
