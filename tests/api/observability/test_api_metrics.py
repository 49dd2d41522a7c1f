"""GET /metrics: what the guard and the API did, counted exactly and without what was asked."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest

from api.main import create_app
from api.state import AppState, open_app_state
from retrieval.settings import Settings
from tests.support.index.embedded import until
from tests.support.llm.fake_llm import USAGE, FakeLlm
from tests.support.llm.openai_client import BODY
from tests.support.servers.scraped import counts, series, shown
from tests.support.servers.serving import events, serving

REFUSAL = "The Oracle did not return any results for that rule."
TORCH = "How long does a torch burn?"
RIGHT = "A torch burns for one hour [1]."
ALTERED = "A torch burns for two hours [1]."
STAGES = ("embed", "search", "rerank", "generate", "total")
QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "ask": ("/ask", {"question": TORCH}),
    "ask, streamed": ("/ask", {"question": TORCH, "stream": True}),
    "openai": ("/v1/chat/completions", BODY),
    "openai, streamed": ("/v1/chat/completions", {**BODY, "stream": True}),
}
every_way = pytest.mark.parametrize("way", QUESTIONS)
Series = Mapping[tuple[str, ...], float]


@pytest.fixture(scope="module")
def opened(with_model: Settings) -> Iterator[AppState]:
    """What every app here shares; each counts for itself, and waits long for the model."""
    with open_app_state(with_model.model_copy(update={"llm_timeout": 30.0})) as oracle:
        yield oracle


@pytest.fixture
def api(opened: AppState, llm: FakeLlm) -> Iterator[httpx2.Client]:
    """A client of an app that has counted nothing, which asks the well-behaved model."""
    with serving(opened.rules.settings, create_app(opened)) as client:
        yield client


def ask(client: httpx2.Client, way: str) -> httpx2.Response:
    """Return the reply to the question, read to its end."""
    path, body = QUESTIONS[way]
    return client.post(path, json=body)


def answers(client: httpx2.Client) -> Series:
    """Return the counts of what became of questions."""
    return counts(client, "rag_answers_total", "outcome", "reason")


@every_way
def test_an_answer_that_passes_is_counted_with_what_it_took(
    api: httpx2.Client, llm: FakeLlm, way: str
) -> None:
    llm.reply = RIGHT
    for number in (1, 2):
        assert ask(api, way).status_code == 200
        assert answers(api) == {("answered", ""): number}
        assert counts(api, "rag_guard_verdicts_total", "verdict") == {("pass",): number}
        assert counts(api, "rag_citations_total", "status") == {("verified",): number}
        assert counts(api, "rag_tokens_total", "direction") == {
            ("prompt",): number * USAGE["prompt_tokens"],
            ("completion",): number * USAGE["completion_tokens"],
        }
        taken = counts(api, "rag_stage_duration_seconds_count", "stage")
        assert taken == {(stage,): number for stage in STAGES}
    assert counts(api, "rag_guard_violations_total", "guard") == {}


def test_the_stages_are_counted_in_seconds_as_the_answer_tells_them(api: httpx2.Client) -> None:
    timings = ask(api, "ask").json()["timings"]
    told = {(stage,): pytest.approx(timings[f"{stage}_ms"] / 1000) for stage in STAGES}
    assert series(api, "rag_stage_duration_seconds_sum", "stage") == told


@every_way
@pytest.mark.parametrize(
    ("reply", "outcome", "verdict", "violations"),
    [
        (ALTERED, ("answered", ""), "repaired", {("number",): 1}),
        (REFUSAL, ("refused", "model"), "off", {}),
    ],
)
def test_what_became_of_a_models_words_is_counted(
    api: httpx2.Client,
    llm: FakeLlm,
    way: str,
    reply: str,
    outcome: tuple[str, str],
    verdict: str,
    violations: Series,
) -> None:
    llm.reply = reply
    assert "two hours" not in ask(api, way).text
    assert answers(api) == {outcome: 1}
    assert counts(api, "rag_guard_verdicts_total", "verdict") == {(verdict,): 1}
    assert counts(api, "rag_guard_violations_total", "guard") == violations
    if reply == REFUSAL:
        assert counts(api, "rag_citations_total", "status") == {}
    completion = counts(api, "rag_tokens_total", "direction")[("completion",)]
    assert completion == USAGE["completion_tokens"]


def test_markers_are_counted_by_what_became_of_them(api: httpx2.Client, llm: FakeLlm) -> None:
    llm.reply = "A torch burns for one hour [2]. A torch burns for one hour [1] [9]."
    told = ask(api, "ask").json()
    found = {(status,): number for status, number in told["citation_counts"].items() if number}
    assert len(found) > 1
    assert counts(api, "rag_citations_total", "status") == found
    assert counts(api, "rag_guard_verdicts_total", "verdict") == {("repaired",): 1}


@every_way
def test_an_error_of_the_model_is_counted_by_its_title(
    api: httpx2.Client, llm: FakeLlm, way: str
) -> None:
    llm.mode = "500"
    assert "LlmReplyError" in ask(api, way).text
    assert answers(api) == {("error", "LlmReplyError"): 1}
    assert counts(api, "rag_guard_verdicts_total", "verdict") == {}
    assert counts(api, "rag_stage_duration_seconds_count", "stage") == {}


@every_way
def test_a_client_that_leaves_is_no_error(api: httpx2.Client, llm: FakeLlm, way: str) -> None:
    llm.mode = "a byte now and then"  # whole after a minute
    path, body = QUESTIONS[way]
    with suppress(httpx2.ReadTimeout):
        api.post(path, json=body, timeout=2.0)
    until(lambda: bool(answers(api)))  # the server learns of it a little later
    assert answers(api) == {("abandoned", ""): 1}


@pytest.mark.parametrize(
    ("path", "body", "title"),
    [
        ("/ask", {"question": " "}, "QuestionError"),
        ("/ask", {"question": " ", "stream": True}, "QuestionError"),
        ("/ask", {"questions": TORCH}, "RequestError"),
        ("/v1/chat/completions", {**BODY, "n": 2}, "RequestError"),
        ("/v1/chat/completions", {**BODY, "messages": 7}, "RequestError"),
        (
            "/v1/chat/completions",
            {**BODY, "messages": [{"role": "user", "content": " "}]},
            "QuestionError",
        ),
    ],
)
def test_a_request_without_a_question_is_an_error(
    api: httpx2.Client, path: str, body: object, title: str
) -> None:
    assert api.post(path, json=body).status_code in {400, 422}
    assert answers(api) == {("error", title): 1}


@every_way
def test_a_bug_is_an_error(opened: AppState, way: str) -> None:
    broken = replace(opened, model=cast(Any, SimpleNamespace()))  # cannot be asked
    with serving(opened.rules.settings, create_app(broken)) as client:
        path, body = QUESTIONS[way]
        with suppress(httpx2.RemoteProtocolError):  # a stream breaks off
            # The server closes the connection, maybe just when the next request uses it.
            client.post(path, json=body, headers={"Connection": "close"})
        assert answers(client) == {("error", "InternalError"): 1}


def test_errors_where_nothing_was_asked_are_no_answers(api: httpx2.Client) -> None:
    for method, path in [("GET", "/ask"), ("POST", "/search"), ("GET", "/v1/models/x")]:
        assert api.request(method, path, json={}).status_code >= 400
    assert answers(api) == {}


def test_requests_are_counted_by_their_route_and_never_by_what_was_written(
    api: httpx2.Client,
) -> None:
    sent = [
        ("GET", "/livez", "/livez", 200),
        ("GET", "/vault/canary.md", "/vault/{path:path}", 404),
        ("GET", "/v1/models/canary", "/v1/models/{model}", 404),
        ("GET", "/canary/1", "other", 404),
        ("GET", "/canary/2?canary=1", "other", 404),
        ("POST", "/ask?canary=1", "/ask", 422),
    ]
    for method, path, _, status in sent:
        reply = api.request(method, path, headers={"X-Request-ID": "canary"})
        assert reply.status_code == status
    assert api.request("CANARY", "/ask").status_code == 405
    expected: dict[tuple[str, ...], float] = {("other", "/ask", "405"): 1}
    for method, _, template, status in sent:
        key = (method, template, str(status))
        expected[key] = expected.get(key, 0) + 1
    found = counts(api, "http_request_duration_seconds_count", "method", "path", "status")
    assert found == expected
    assert "canary" not in shown(api).lower()


def test_a_stream_takes_until_its_last_byte(api: httpx2.Client, llm: FakeLlm) -> None:
    llm.pace = 0.05  # seconds before each of seven words
    assert events(api, QUESTIONS["ask, streamed"][1])[-1][0] == "final_answer"
    taken = partial(series, api, "http_request_duration_seconds_sum", "method", "path", "status")
    until(lambda: ("POST", "/ask", "200") in taken())  # just after the client has it all
    assert taken()["POST", "/ask", "200"] > 0.3


def test_no_word_of_a_question_or_a_reply_is_shown(api: httpx2.Client, llm: FakeLlm) -> None:
    words = ("torch", "burn", "hour", "canary")
    for llm.reply in (RIGHT, ALTERED, REFUSAL, "The canary costs 7777 gp [1]."):
        for way in QUESTIONS:
            ask(api, way)
    for path in ("/ask", "/search"):
        api.post(path, json={"question": f"{TORCH} canary", "history": [TORCH]})
        api.post(path, json={"question": TORCH, "canary": 1})
    assert sum(answers(api).values()) == 18
    assert not [word for word in words if word in shown(api).lower()]


def test_what_can_be_counted_is_there_before_it_happens(api: httpx2.Client) -> None:
    assert set(series(api, "rag_guard_verdicts_total", "verdict")) == {
        (name,) for name in ("pass", "repaired", "retried", "quotes", "refused", "off")
    }
    assert set(series(api, "rag_answers_total", "outcome", "reason")) == {
        ("answered", ""),
        ("abandoned", ""),
        *(("refused", r) for r in ("no_passage", "model", "no_citation", "language", "filters")),
    }
    assert ("number",) in series(api, "rag_guard_violations_total", "guard")
    assert set(series(api, "rag_tokens_total", "direction")) == {("prompt",), ("completion",)}
    assert set(series(api, "rag_citations_total", "status")) == {
        (name,) for name in ("verified", "repaired", "unverified", "dropped")
    }
    assert "_created" not in shown(api)


def test_two_apps_do_not_share_their_counts(
    api: httpx2.Client, opened: AppState, llm: FakeLlm
) -> None:
    with serving(opened.rules.settings, create_app(opened)) as other:
        ask(api, "ask")
        assert (len(answers(api)), len(answers(other))) == (1, 0)
