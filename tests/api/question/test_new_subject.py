"""A word alone after another question: asked of the thing that it names, or with what was asked."""

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
        ("basilisk", "basilisk"),  # nothing that the vault knows
        ("kraken", "What is the hit dice of a kraken?"),  # the thing takes the other one's place
        ("and the kraken", "What is the hit dice of a kraken?"),
        ("morale", "morale (hit dice selkie)"),  # a field of what was spoken of
    ],
)
def test_a_word_alone_is_asked_with_what_was_spoken_of_where_the_vault_knows_it(
    context: SearchContext, typed: str, searched: str
) -> None:
    reply = card_reply(context, typed, AskOptions(history=["What is the hit dice of a selkie?"]))
    assert reply.question == searched
