"""A club's two files are about everyday matters: these words do not speak of another subject."""

import pytest

from retrieval.context import SearchContext
from retrieval.search import search
from tests.support.index.ingested import IndexFiles

CLUB = {
    "boats.md": (
        "# Boats\n\nMembers may take out a dinghy from April to October. A dinghy is booked in the "
        "log at the pier.\n\n| Boat | Crew | Deposit |\n|---|---|---|\n| Dinghy | 1-2 | 20 EUR |\n"
        "| Keelboat | 3-5 | 100 EUR |\n\nWhoever damages a boat tells the boatman the same day.\n"
    ),
    "clubhouse.md": (
        "# Clubhouse\n\nThe clubhouse is open from 8:00 to 22:00.\n\n- Dogs stay on the terrace.\n"
        "- The grill is lit by adults only.\n\n## Keys\n\nA lost key costs 80 EUR.\n"
    ),
}


@pytest.fixture(scope="module")
def club(index_files: IndexFiles) -> SearchContext:
    return index_files(CLUB)


@pytest.mark.parametrize(
    "question",
    [
        "can I bring my dog?",
        "do I need to book a dinghy?",
        "I lost my key, what now?",
        "who may light the grill?",
        "I broke a boat, what do I have to do?",
        "when does the clubhouse close?",
    ],
)
def test_what_a_small_vault_says_is_not_refused(club: SearchContext, question: str) -> None:
    assert search(club, question).certainty != "refused"


@pytest.mark.parametrize(
    "question",
    [
        "what is the capital of France?",
        "how do I cook risotto?",
        "who won the world cup in 2014?",
        "when was Napoleon born?",
        "how do I change a tyre?",
        "Python list comprehension syntax",
    ],
)
def test_another_subject_is_refused_by_a_small_vault_too(
    club: SearchContext, question: str
) -> None:
    assert search(club, question).certainty == "refused"


GAME = {
    "round.md": (
        "# The round\n\nThe holder of the token takes the first turn. The others follow "
        "clockwise.\n\nEach has two actions: to stride, to strike, or to rest.\n"
    ),
    "outcome.md": (
        "# Outcome\n\n## Triumph\n\nThe expedition succeeds as soon as the wyrm has been "
        "defeated and somebody has brought the lamp back to the stairs.\n"
    ),
}


@pytest.mark.parametrize("question", ["when have we lost", "when does it end"])
def test_the_best_passages_are_nearest_where_none_reaches_a_threshold_of_other_vaults(
    index_files: IndexFiles, question: str
) -> None:
    context = index_files(GAME)
    found = search(context, question)
    assert found.certainty == "nearest"
    assert found.hits[0].chunk.path == "outcome.md"
    assert found.threshold < context.threshold
    over = [row.final_score or 0.0 for row in found.trace if row.fate == "returned"]
    assert found.threshold <= min(over) <= max(over) < context.threshold


def test_what_is_further_under_the_threshold_is_still_refused(index_files: IndexFiles) -> None:
    found = search(index_files(GAME), "can I play alone")
    assert (found.hits, found.certainty, found.refusal) == ((), "refused", "no_passage")
