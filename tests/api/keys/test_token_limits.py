"""Tokens of the language model that an address may use, whichever keys its callers have."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2

from api.keys import key_file
from api.keys.key_ring import KeyRing
from api.llm.client import LanguageModel
from api.main import create_app
from api.state import AppState
from retrieval import rates
from retrieval.context import SearchContext
from tests.api.keys.test_limits import QUESTION, later
from tests.support.index.index_state import same_models
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.serving import serving
from tests.support.servers.with_keys import bearer


@contextmanager
def opened(
    search_context: SearchContext, llm: FakeLlm, keys: KeyRing | None
) -> Iterator[httpx2.Client]:
    """Start an API with or without keys: 400 tokens a minute and 900 a day of an address."""
    values = {
        "openai_base_url": llm.url, "openai_model": "fake", "guard_llm": "off",
        "token_limit_address": rates.read("400/m,900/d"), "rag_threshold": -9.0,
    }  # fmt: skip
    settings = search_context.settings.model_copy(update=values)
    with (
        same_models(search_context, settings) as rules,
        closing(LanguageModel(settings)) as model,
        serving(settings, create_app(AppState(rules, model, keys=keys))) as client,
    ):
        yield client


def status(client: httpx2.Client, headers: dict[str, str]) -> int:
    """The status of the reply to a question."""
    return client.post("/ask", json=QUESTION, headers=headers).status_code


def test_tokens_of_an_address_are_limited_for_all_its_keys_together(
    search_context: SearchContext, llm: FakeLlm, tmp_path: Path
) -> None:
    file = tmp_path / "keys.jsonl"
    first, second = (bearer(key_file.add(file, name, ["ask"])) for name in ("first", "second"))
    with opened(search_context, llm, KeyRing(str(file))) as client:
        for key in (first, second):  # 328 tokens each: the first leaves some
            reply = client.post("/ask", json=QUESTION, headers=key)
            assert (reply.status_code, reply.json()["mode"]) == (200, "model")
        policy = reply.headers["RateLimit-Policy"]
        assert policy.split(", ") == [
            '"address-tokens";q=400;w=60;qu="tokens"',
            '"address-tokens-day";q=900;w=86400;qu="tokens"',
        ]
        assert reply.headers["RateLimit"].startswith('"address-tokens";r=72;t=')
        for key in (first, second):
            over = client.post("/ask", json=QUESTION, headers=key)
            assert (over.status_code, 1 <= int(over.headers["Retry-After"]) <= 60) == (429, True)
            assert "this address may use 400 tokens of the language model a minute" in over.text
        assert client.post("/search", json=QUESTION, headers=first).status_code == 200  # no tokens
        transport = httpx2.HTTPTransport(local_address="127.0.0.2")
        with httpx2.Client(base_url=client.base_url, transport=transport, timeout=60) as elsewhere:
            assert elsewhere.post("/ask", json=QUESTION, headers=first).status_code == 200
        later(search_context, 61)
        assert client.post("/ask", json=QUESTION, headers=second).status_code == 200
        later(search_context, 61)  # 984 tokens today
        over = client.post("/ask", json=QUESTION, headers=second)
        assert (over.status_code, int(over.headers["Retry-After"]) > 3_600) == (429, True)
        assert "this address may use 900 tokens of the language model a day" in over.text


def test_an_address_without_a_key_has_the_same_limit(
    search_context: SearchContext, llm: FakeLlm
) -> None:
    with opened(search_context, llm, None) as client:
        replies = [client.post("/ask", json=QUESTION).status_code for _ in range(3)]
    assert replies == [200, 200, 429]
