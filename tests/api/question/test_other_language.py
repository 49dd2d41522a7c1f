"""LANGUAGE: a German vault is searched with German stems, and an index keeps to its language."""

from collections.abc import Iterator

import pytest

from api.answer.card_reply import card_reply
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError, IndexMismatchError
from retrieval.index import store
from retrieval.ranking import bm25
from retrieval.search import search
from retrieval.settings import Settings
from tests.conftest import write_vault
from tests.support.index.index_state import same_models
from tests.support.index.ingested import index_of
from tests.support.vaults.made_german import FILES, QUESTIONS


@pytest.fixture(scope="module")
def german(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SearchContext]:
    """A search context of the German vault."""
    vault = write_vault(tmp_path_factory.mktemp("german"), FILES)
    with index_of(loaded, server, vault, language="German") as context:
        yield context


@pytest.mark.parametrize(("question", "path", "line"), QUESTIONS)
def test_a_german_question_is_answered_by_its_line(
    german: SearchContext, question: str, path: str, line: int
) -> None:
    reply = card_reply(german, question)
    assert reply.certainty != "refused"
    assert reply.question == question  # nothing is "corrected"
    assert reply.cards[0].path == path
    assert line in reply.cards[0].lines
    best = german.store.read(
        lambda conn: bm25.full_text(conn, store.live(conn).id, question, 1)
    )  # by forms alone: "Kündigungen" of "Kündigung"
    assert [one.chunk.path for one in best] == [path]


def test_stop_words_are_those_of_the_language(german: SearchContext) -> None:
    assert {"der", "das", "nicht", "und"} <= german.terms_of(None).stop
    assert not {"boot", "hund", "steg"} & german.terms_of(None).stop


def test_an_index_of_another_language_is_built_again(
    loaded: SearchContext, german: SearchContext
) -> None:
    said: list[str] = []
    other = german.settings.model_copy(update={"language": "simple"})
    with same_models(loaded, other) as context:
        with pytest.raises(IndexMismatchError, match=r"language 'german'.*'simple'.*python -m ing"):
            search(context, "Kaution")
        assert pipeline.run(context, other.vault, dry_run=True).plan.rebuild
    with same_models(loaded, german.settings) as context:
        pipeline.run(context, german.settings.vault, rebuild=True, say=said.append)
    assert [line for line in said if "LANGUAGE=german" in line and "English" in line] == said[:1]


@pytest.mark.parametrize("locale", ["en", "en_US", "de_DE:de", "de_DE.UTF-8", "fr:en"])
def test_what_a_desktop_sets_is_no_language_of_rules(locale: str) -> None:
    assert Settings.model_validate({"language": locale}).language == "english"
    assert Settings.model_validate({"language": " German"}).language == "german"


def test_an_unknown_language_names_those_there_are(
    loaded: SearchContext, settings: Settings
) -> None:
    wrong = settings.model_copy(update={"language": "germna"})
    told = pytest.raises(ConfigurationError, match=r"'germna'; did you mean german\?.*simple")
    with same_models(loaded, wrong) as context, told:
        pipeline.run(context, wrong.vault)
