"""A word alone after another question: a new one where it names a thing, else a follow-up."""

import pytest

from api.answer.card_reply import AskOptions, card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles
from tests.support.vaults.made_vault import FILES


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("kraken", "kraken"),  # a thing of the vault
        ("basilisk", "basilisk"),  # nothing that the vault knows
        ("morale", "Selkie morale"),  # a field of what was spoken of
        ("and the kraken", "hit dice of a kraken?"),  # the thing takes the other one's place
    ],
)
def test_a_word_alone_is_a_new_question_where_it_names_a_thing(
    context: SearchContext, typed: str, searched: str
) -> None:
    reply = card_reply(context, typed, AskOptions(history=["What is the hit dice of a selkie?"]))
    assert reply.question.lower().endswith(searched.lower())
    assert (reply.question == typed) == (typed == searched)
