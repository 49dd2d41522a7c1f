"""FILTERS: what the settings hide is hidden from every question, and no question widens it."""

import pytest

from api.main import create_app
from api.state import AppState, open_app_state
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError
from retrieval.settings import Settings
from tests.api.http.test_api_filters import asked
from tests.support.index.index_state import same_models
from tests.support.index.ingested import IndexFiles
from tests.support.servers.serving import serving
from tests.support.vaults.made_editions import FILES, FRANCE, LANTERN, NEW, TORCH


@pytest.fixture(scope="module")
def rules(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


def test_the_settings_filters_hold_for_every_question_and_narrow_its_own(
    loaded: SearchContext, rules: SearchContext
) -> None:
    given = rules.settings.model_copy(update={"filters": {"status": {"not": "superseded"}}})
    with same_models(loaded, given) as context:
        app = create_app(AppState(context, None))
        with serving(given, app) as client:
            for question in (TORCH, LANTERN, "hello", "list all monsters"):
                assert "First" not in str(asked(client, "/ask", question=question)["cards"])
            paths = [one["path"] for one in asked(client, "/search", filters=NEW)["passages"]]
            assert set(paths) == {one for one in FILES if one.startswith("Second/")}
            for question, reason in ((TORCH, "filters"), (FRANCE, "no_passage")):
                reply = asked(client, "/ask", question=question, filters={"edition": 1})
                assert (reply["refused"], reply["refusal_reason"]) == (True, reason)
            assert "Wight" not in client.get("/").text  # among the examples
            headings = [client.get("/headings", params={"q": q}).json() for q in ("wig", "burns")]
            assert [{one["path"].split("/")[0] for one in h["headings"]} for h in headings] == [
                set(), {"Second"},
            ]  # fmt: skip


def test_settings_filters_that_do_not_fit_the_vault_stop_the_start(rules: SearchContext) -> None:
    wrong = rules.settings.model_copy(update={"filters": {"statsu": "current"}})
    with (
        pytest.raises(ConfigurationError, match=r"FILTERS: .*do you mean 'status'"),
        open_app_state(wrong),
    ):
        pass


def test_filters_of_the_settings_are_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILTERS", '{"status": {"in": ["current", "house rule"]}}')
    assert Settings().filters == {"status": {"in": ["current", "house rule"]}}
