"""The first person to ask waits no longer than the next: the words are read at the start."""

from api.oracle import open_oracle
from retrieval import store
from retrieval.settings import Settings


def test_what_is_opened_knows_the_words_of_the_vault(indexed: Settings) -> None:
    with open_oracle(indexed) as opened:
        with opened.rules.store.connect() as conn:
            now = store.live(conn)
        # The connection is closed, so nothing can be read that was not read before.
        terms = opened.rules.terms.of(conn, now.id, now.name)
    assert "torch" in terms.words


def test_without_an_index_it_opens_all_the_same(settings: Settings) -> None:
    with open_oracle(settings) as opened:
        assert opened.rules.settings == settings
