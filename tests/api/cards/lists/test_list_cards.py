"""Whether a list stands first: one that is called as what is asked for, and one in a sentence."""

import pytest

from api.answer.cards.table_signs import explained_signs
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles
from tests.support.made.made_cards import chosen
from tests.support.vaults.made_vault import FILES


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.mark.parametrize(
    ("asked", "counted"),
    [
        ("all sailors with their wages", 9),
        ("crew sailors and wages", 9),
        ("flags and sailors wages", 9),
        ("deserted from both ships", 0),
    ],
)
def test_a_list_is_called_as_what_a_few_words_name(
    context: SearchContext, asked: str, counted: int
) -> None:
    assert (chosen(context, asked)[0].counted or 0) == counted


@pytest.mark.parametrize(
    ("asked", "best"),
    [("which ports are zone 2", "Zone 1: "), ("which ports are free of tolls", "| ")],
)
def test_a_list_within_a_sentence_stands_above_a_table(
    index_files: IndexFiles, asked: str, best: str
) -> None:
    rows = "| Sloop | 5 | 3 | 1 |\n| Barge | 7 | 4 | 2 |\n| Raft | 1 | 1 | 0 |\n"
    page = (
        "# Tolls\n\n| | Zone 1 port | Zone 2 port | Free port |\n|---|---|---|---|\n"
        f"{rows}\nZone 1: Aldmouth, Brine, Corm. Zone 2: the ports of the bay, and Drell, Esk.\n"
    )
    card = chosen(index_files({"Tolls.md": page}, rag_threshold=-9.0), asked)[0]
    assert card.best.quote.startswith(best)


RULES = {
    "Tolls.md": (
        "# Tolls\n\n## Late payment\n\nWhat follows when a toll is paid late:\n\n"
        "1. First reminder, after two weeks: free.\n2. Second reminder: 10 marks.\n"
        "3. After six weeks the boat is chained.\n\n"
    )
}


def test_of_what_happens_all_steps_of_a_list_are_marked(index_files: IndexFiles) -> None:
    card = chosen(index_files(RULES, rag_threshold=-9.0), "what happens if a toll is paid late")[0]
    assert [part.first_line for part in card.marked] == [7, 8, 9]


def test_what_a_dash_means_is_explained_in_words() -> None:
    said = "A dash means: that folk does not serve. A tick in the last column stands for the night."
    assert explained_signs(said, {"-", "✓", "x"}) == {
        "-": "that folk does not serve",
        "✓": "the night",
    }
    assert explained_signs("A dash of salt means luck.", {"-"}) == {}
