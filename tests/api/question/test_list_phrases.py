"""Lists that are asked for in other words, and questions that only sound like it."""

import pytest

from api.answer.question import intent
from retrieval.models import Terms
from tests.support.index.indexed_text import terms_of
from tests.support.vaults.made_vault import FILES


@pytest.fixture(scope="module")
def terms() -> Terms:
    return terms_of(FILES)


@pytest.mark.parametrize(
    ("asked", "form", "steps"),
    [
        ("how do I sign up, step by step", "list", True),
        ("what happens each week of a siege, in order?", "list", True),
        ("walk me through a mutiny, step by step", "list", True),
        ("list all the steps of a mutiny", "list", True),
        ("how long do you keep what data", "list", False),
        ("who does what", "list", False),
        ("what do all those labels like ML and TT mean", "list", False),
        ("when is the course chosen, for every kind of ship or raft", "list", False),
        ("the nine sailors and what each earns", "open", False),
        ("how do I cancel the order?", "plain", False),
        ("is my passport in order", "plain", False),
        ("can you walk me through the price of a canoe", "plain", False),
        ("how do I know what time", "plain", False),
        ("can I get a refund for every type of ticket", "plain", False),
        ("who decides what happens at sea?", "plain", False),
    ],
)
def test_all_of_a_list_is_asked_for_in_other_words(
    asked: str, form: str, steps: bool, terms: Terms
) -> None:
    reading = intent.read(asked, terms)
    assert (reading.form, reading.steps) == (form, steps)


def test_which_of_two_kinds_within_a_limit_compares_nothing(terms: Terms) -> None:
    for asked in (
        "which krakens or selkies cost less than 50 gp",
        "which spells do a kraken and a selkie both have",
    ):
        assert intent.read(asked, terms).form in {"which", "list"}
