"""A word alone after another question: a new one where it names a thing, else a follow-up."""

from collections.abc import Iterator

import pytest

from api.answer.card_reply import AskOptions, card_reply
from retrieval.context import SearchContext
from tests.conftest import index_of, write_vault
from tests.support.made.made_vault import FILES


@pytest.fixture(scope="module")
def context(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SearchContext]:
    vault = write_vault(tmp_path_factory.mktemp("subject"), FILES)
    with index_of(loaded, server, vault, rag_threshold=-9.0) as rules:
        yield rules


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("kraken", "kraken"),  # a thing of the vault
        ("basilisk", "basilisk"),  # nothing that the vault knows
        ("morale", "Selkie morale"),  # a field of what was spoken of
        ("kraken?", "Selkie kraken?"),
        ("and the kraken", "hit dice of a kraken?"),  # the thing takes the other one's place
    ],
)
def test_a_word_alone_is_a_new_question_where_it_names_a_thing(
    context: SearchContext, typed: str, searched: str
) -> None:
    reply = card_reply(context, typed, AskOptions(history=["What is the hit dice of a selkie?"]))
    assert reply.question.lower().endswith(searched.lower())
    assert (reply.question == typed) == (typed == searched)
