"""The first person to ask waits no longer than the next: the words are read at the start."""

from typing import Any

import pytest

from api.state import open_app_state
from retrieval.database import pool
from retrieval.index import store
from retrieval.settings import Settings
from retrieval.vocabulary import file_terms


def test_what_is_opened_knows_the_words_of_the_vault(indexed: Settings) -> None:
    with open_app_state(indexed) as opened:
        with opened.rules.store.connect() as conn:
            now = store.live(conn)
        # The connection is closed, so nothing can be read that was not read before.
        terms = opened.rules.terms.of(conn, now.id, now.name)
    assert "torch" in terms.words


def test_the_sections_are_known_too(indexed: Settings) -> None:
    with open_app_state(indexed) as opened:
        with opened.rules.store.connect() as conn:
            now = store.live(conn)
        assert opened.rules.sections_at(conn, now).all


def test_the_words_are_read_however_long_it_takes(
    indexed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_READ", 0.5)
    entries_of = file_terms._entries_of

    def slow(conn: store.Connection, *given: Any) -> Any:
        conn.execute("SELECT pg_sleep(0.7)")  # the time of a search would be over
        return entries_of(conn, *given)

    monkeypatch.setattr(file_terms, "_entries_of", slow)
    with open_app_state(indexed) as opened:
        with opened.rules.store.connect() as conn:
            now = store.live(conn)
        terms = opened.rules.terms.of(conn, now.id, now.name)  # of what was read: it is closed
    assert "torch" in terms.words


def test_without_an_index_it_opens_all_the_same_and_says_so(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with open_app_state(settings):
        said = [one.getMessage() for one in caplog.records if one.name == "api"]
    assert said == ["nothing is warmed: the database holds no rules; run: python -m ingest"]
