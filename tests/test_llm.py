"""The client of the language model: any reply is an answer or an error with a name."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from api.llm import LanguageModel
from retrieval.errors import ConfigurationError, LlmReplyError, LlmUnreachableError
from retrieval.settings import Settings
from tests.fake_llm import FakeLlm

ASK = [{"role": "user", "content": "How long does a torch burn?"}]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["message", "content", "finish_reason", "prompt_tokens", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
# The places of a completion, each of which may hold anything.
PLACES: list[tuple[str | int, ...]] = [
    (),
    ("choices",),
    ("choices", 0),
    ("choices", 0, "message"),
    ("choices", 0, "message", "content"),
    ("choices", 0, "finish_reason"),
    ("usage",),
    ("usage", "prompt_tokens"),
    ("usage", "completion_tokens"),
]


@pytest.fixture(scope="module")
def model(llm_server: FakeLlm) -> Iterator[LanguageModel]:
    with closing(LanguageModel(configured(openai_base_url=llm_server.url))) as model:
        yield model


def configured(**values: Any) -> Settings:
    return Settings.model_validate({"openai_model": "fake", "llm_timeout": 1.0, **values})


def put(where: tuple[str | int, ...], value: Any) -> Any:
    """Return a completion with `value` at one place."""
    good: Any = {
        "choices": [{"message": {"content": "One hour [1]."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }
    if not where:
        return value
    inner = good
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    return good


@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(where=st.sampled_from(PLACES), value=JSON)
def test_a_completion_of_any_shape_is_a_reply_or_a_named_error(
    model: LanguageModel, llm: FakeLlm, where: tuple[str | int, ...], value: Any
) -> None:
    llm.body = json.dumps(put(where, value)).encode()
    try:
        reply = model.reply(ASK)
    except LlmReplyError:
        return
    assert reply.text.strip() == reply.text != ""
    reply.text.encode()  # what cannot be encoded could not be sent on
    assert isinstance(reply.prompt_tokens, int)
    assert isinstance(reply.completion_tokens, int)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}])
def test_a_server_that_counts_no_tokens_is_no_error(
    model: LanguageModel, llm: FakeLlm, usage: object
) -> None:
    llm.body = json.dumps(put(("usage",), usage)).encode()
    reply = model.reply(ASK)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("One hour [1].", 0, 0)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"openai_model": None}, "OPENAI_MODEL"),
        ({"openai_base_url": "localhost:11434/v1"}, "OPENAI_BASE_URL"),
        ({"openai_base_url": "file:///etc/passwd"}, "OPENAI_BASE_URL"),
        ({"openai_base_url": "http://[::1/v1"}, "OPENAI_BASE_URL"),
        ({"openai_api_key": "sk-caf\u00e9"}, "OPENAI_API_KEY"),
        ({"openai_api_key": "sk-\n1"}, "OPENAI_API_KEY"),
    ],
)
def test_settings_that_no_call_could_use_are_refused_at_start(
    values: dict[str, str], named: str
) -> None:
    with pytest.raises(ConfigurationError, match=named) as refused:
        LanguageModel(configured(**values))
    assert "sk-" not in str(refused.value)


def test_a_password_in_the_address_is_in_no_error() -> None:
    url = "http://me:canary@127.0.0.1:1/v1"
    with (
        closing(LanguageModel(configured(openai_base_url=url))) as model,
        pytest.raises(LlmUnreachableError, match=r"127\.0\.0\.1:1/v1") as refused,
    ):
        model.reply(ASK)
    assert "canary" not in str(refused.value)


def test_closing_waits_for_no_call(llm: FakeLlm) -> None:
    llm.mode = "silence"
    model = LanguageModel(configured(openai_base_url=llm.url))
    with pytest.raises(LlmUnreachableError, match=r"in 1 s.*LLM_TIMEOUT"):
        model.reply(ASK)
    started = time.monotonic()
    model.close()
    assert time.monotonic() - started < 0.5
