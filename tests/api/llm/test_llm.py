"""The client of the language model: any reply is an answer or an error with a name."""

import json
import logging
import time
import traceback
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from api.llm.client import LanguageModel
from retrieval.errors import ConfigurationError, LlmError, LlmReplyError, LlmUnreachableError
from tests.support.llm.fake_llm import FakeLlm
from tests.support.llm.llm_fixtures import ASK, configured

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
# Addresses of machine metadata, also as resolvers and IPv6 spell them.
METADATA = (
    "http://169.254.169.254/v1",
    "https://169.254.169.254:443",
    "http://2852039166/v1",
    "http://0xa9fea9fe/v1",
    "http://[fe80::1]/v1",
    "http://[::ffff:169.254.169.254]/v1",
    "http://[64:ff9b::a9fe:a9fe]/v1",
    "http://[2002:a9fe:a9fe::1]/v1",
    "http://[fd00:ec2::254]/v1",
    "http://100.100.100.200/v1",
)


@pytest.fixture(scope="module")
def model(llm_server: FakeLlm) -> Iterator[LanguageModel]:
    settings = configured(openai_base_url=llm_server.url, llm_timeout=10)
    with closing(LanguageModel(settings)) as model:
        yield model


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


@pytest.mark.proves("row 32")
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


@pytest.mark.proves("row 36")
@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"openai_model": None}, "OPENAI_MODEL"),
        ({"openai_base_url": "localhost:11434/v1"}, "OPENAI_BASE_URL"),
        ({"openai_base_url": "file:///etc/passwd"}, "OPENAI_BASE_URL"),
        ({"openai_base_url": "http://[::1/v1"}, "OPENAI_BASE_URL"),
        *(({"openai_base_url": url}, "OPENAI_BASE_URL.*metadata") for url in METADATA),
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


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "http://10.0.0.7", "http://[::1]:1/v1"])
def test_a_model_on_this_machine_or_network_is_welcome(url: str) -> None:
    LanguageModel(configured(openai_base_url=url)).close()


@pytest.mark.proves("row 36")
def test_a_name_that_resolves_to_metadata_is_refused_at_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def resolve(host: str, *_: object, **__: object) -> list[Any]:
        assert host == "model.example"
        return [(2, 1, 6, "", ("169.254.169.254", 0))]

    monkeypatch.setattr("socket.getaddrinfo", resolve)
    with pytest.raises(ConfigurationError, match=r"169\.254\.169\.254"):
        LanguageModel(configured(openai_base_url="https://model.example/v1"))


def test_a_name_that_does_not_resolve_yet_is_no_error_at_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def resolve(*_: object, **__: object) -> list[Any]:
        raise OSError("no resolver")

    monkeypatch.setattr("socket.getaddrinfo", resolve)
    LanguageModel(configured(openai_base_url="https://model.example/v1")).close()


@pytest.mark.proves("row 37")
@pytest.mark.parametrize("mode", ["", "401", "500", "closes at once", "redirect"])
@pytest.mark.parametrize("streamed", [False, True])
def test_no_key_password_or_question_is_in_any_log_or_error(
    llm: FakeLlm, caplog: pytest.LogCaptureFixture, mode: str, streamed: bool
) -> None:
    llm.mode = mode
    url = llm.url.replace("://", "://me:canary-password@")
    settings = configured(openai_base_url=url, openai_api_key="sk-canary-key", llm_timeout=10)
    told = ""
    with caplog.at_level(logging.DEBUG), closing(LanguageModel(settings)) as model:
        try:
            list(model.stream(ASK) if streamed else [model.reply(ASK)])
        except LlmError as error:
            told = "".join(traceback.format_exception(error))
        told += repr(model) + repr(vars(model))
    assert llm.keys[0].startswith("Basic ")  # the password was used
    assert bool(mode) == ("LlmReplyError" in told)
    assert "httpcore" in caplog.text  # the libraries did log
    assert "canary" not in told + caplog.text
    assert "torch" not in told + caplog.text


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


def own(llm: FakeLlm, **values: Any) -> closing[LanguageModel]:
    """A client that has not learnt yet what its server takes."""
    return closing(LanguageModel(configured(openai_base_url=llm.url, llm_timeout=10, **values)))


def test_a_server_that_knows_no_schema_is_asked_without_it_and_not_for_it_again(
    llm: FakeLlm,
) -> None:
    llm.refuses = "response_format"
    with own(llm) as model:
        for _ in range(2):
            assert model.reply(ASK, schema={"name": "answer"}).text == llm.reply
    asked = ["response_format" in request for request in llm.requests]
    assert asked == [True, False, False]


def test_a_request_that_is_wrong_in_itself_says_nothing_of_the_schema(llm: FakeLlm) -> None:
    llm.refuses = "all"
    with own(llm) as model:
        with pytest.raises(LlmReplyError, match="status 400"):
            model.reply(ASK, schema={"name": "answer"})
        llm.refuses = "nothing"
        assert model.reply(ASK, schema={"name": "answer"}).text == llm.reply
    assert ["response_format" in request for request in llm.requests] == [True, False, True]


def test_a_schema_is_not_asked_for_where_the_settings_say_so(llm: FakeLlm) -> None:
    with own(llm, openai_json_schema=False) as model:
        model.reply(ASK, schema={"name": "answer"})
    assert "response_format" not in llm.requests[0]
