"""A stream that its reader cuts counts for the model's budget, whenever it is cut."""

from contextlib import ExitStack, closing
from functools import partial

import psycopg
import pytest

from api.answer.fixed_texts import DEFAULT
from api.keys import limits
from api.llm.client import LanguageModel
from api.main import create_app
from api.state import AppState
from retrieval.context import SearchContext
from tests.support.index.embedded import until
from tests.support.index.index_state import same_models
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.serving import serving

QUESTION = {"question": "How long does a torch burn?"}


@pytest.mark.parametrize("pace", [0.02, 0.2])  # seconds a word: most of it is still to come
def test_each_stream_that_its_reader_cuts_is_charged(
    search_context: SearchContext, llm: FakeLlm, pace: float
) -> None:
    values = {
        "openai_base_url": llm.url, "openai_model": "fake", "guard_llm": "off",
        "rag_threshold": -9.0, "model_budget_tokens": 1_000,
    }  # fmt: skip
    settings = search_context.settings.model_copy(update=values)
    llm.reply = "A torch burns for one hour [1]. " * 12
    llm.pace = pace
    with ExitStack() as stack:
        rules = stack.enter_context(same_models(search_context, settings))
        model = stack.enter_context(closing(LanguageModel(settings)))
        opened = AppState(rules, model)
        client = stack.enter_context(serving(settings, create_app(opened)))
        while not limits.is_budget_spent(opened):
            before = tokens(search_context)
            with client.stream("POST", "/ask", json={**QUESTION, "stream": True}) as reply:
                for line in reply.iter_lines():
                    if line.startswith("event: message"):
                        break
            # The server learns of it a little later.
            until(partial(has_more, search_context, before))
        spent = client.post("/ask", json=QUESTION).json()
    assert (spent["mode"], spent["notice"]) == ("quotes", DEFAULT.budget)


def has_more(context: SearchContext, than: int) -> bool:
    return tokens(context) > than


def tokens(context: SearchContext) -> int:
    """How many tokens of the model are counted."""
    url = context.settings.database_url
    assert url
    with psycopg.connect(url.get_secret_value()) as conn:
        counted = "SELECT coalesce(sum(used), 0)::int FROM rate_window WHERE caller LIKE 'model%'"
        row = conn.execute(counted).fetchone()
    assert row
    return int(row[0])
