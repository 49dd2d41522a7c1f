"""GET /metrics: what the guard and the API did, counted exactly and without what was asked."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import psycopg
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
STREAMED = {"question": TORCH, "stream": True}
CHAT = "/v1/chat/completions"
WAYS: dict[str, Callable[[httpx2.Client], httpx2.Response]] = {
    "ask": lambda client: client.post("/ask", json={"question": TORCH}),
    "ask, streamed": lambda client: client.post("/ask", json=STREAMED),
    "openai, streamed": lambda client: client.post(CHAT, json={**BODY, "stream": True}),
    "page": lambda client: client.get("/", params={"q": TORCH}),
}
every_way = pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)
Ask = Callable[[httpx2.Client], httpx2.Response]
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


def answers(client: httpx2.Client) -> Series:
    """Return the counts of what became of questions."""
    return counts(client, "rag_answers_total", "outcome", "reason")


@every_way
def test_an_answer_that_passes_is_counted_with_what_it_took(
    api: httpx2.Client, llm: FakeLlm, ask: Ask
) -> None:
    llm.reply = RIGHT
    for number in (1, 2):
        assert ask(api).status_code == 200
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
    timings = WAYS["ask"](api).json()["timings"]
    told = {(stage,): pytest.approx(timings[f"{stage}_ms"] / 1000) for stage in STAGES}
    assert series(api, "rag_stage_duration_seconds_sum", "stage") == told


@every_way
def test_what_became_of_a_models_words_is_counted(
    api: httpx2.Client, llm: FakeLlm, ask: Ask
) -> None:
    llm.reply = REFUSAL
    ask(api)
    assert counts(api, "rag_citations_total", "status") == {}
    llm.reply = ALTERED
    assert "two hours" not in ask(api).text
    assert answers(api) == {("refused", "model"): 1, ("answered", ""): 1}
    assert counts(api, "rag_guard_verdicts_total", "verdict") == {("off",): 1, ("repaired",): 1}
    assert counts(api, "rag_guard_violations_total", "guard") == {("number",): 1}
    completion = counts(api, "rag_tokens_total", "direction")[("completion",)]
    assert completion == 2 * USAGE["completion_tokens"]


def test_markers_are_counted_by_what_became_of_them(api: httpx2.Client, llm: FakeLlm) -> None:
    llm.reply = "A torch burns for one hour [2]. A torch burns for one hour [1] [9]."
    told = WAYS["ask"](api).json()
    found = {(status,): number for status, number in told["citation_counts"].items() if number}
    assert len(found) > 1
    assert counts(api, "rag_citations_total", "status") == found
    assert counts(api, "rag_guard_verdicts_total", "verdict") == {("repaired",): 1}


@every_way
def test_an_error_of_the_model_is_counted_by_its_title(
    api: httpx2.Client, llm: FakeLlm, ask: Ask
) -> None:
    llm.mode = "500"
    assert "LlmReplyError" in ask(api).text
    assert answers(api) == {("error", "LlmReplyError"): 1}
    assert counts(api, "rag_guard_verdicts_total", "verdict") == {}
    assert counts(api, "rag_stage_duration_seconds_count", "stage") == {}


@every_way
def test_a_client_that_leaves_is_no_error(api: httpx2.Client, llm: FakeLlm, ask: Ask) -> None:
    llm.mode = "a byte now and then"  # whole after a minute
    api.timeout = httpx2.Timeout(1.0)
    with suppress(httpx2.ReadTimeout):
        ask(api)
    api.timeout = httpx2.Timeout(30.0)
    until(lambda: bool(answers(api)))  # the server learns of it a little later
    assert answers(api) == {("abandoned", ""): 1}


def test_a_request_without_a_question_is_an_error(api: httpx2.Client) -> None:
    empty = {**BODY, "messages": [{"role": "user", "content": " "}]}
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("/ask", {"question": " "}, "QuestionError"),
        ("/ask", {"question": " ", "stream": True}, "QuestionError"),
        ("/ask", {"questions": TORCH}, "RequestError"),
        (CHAT, {**BODY, "n": 2}, "RequestError"),
        (CHAT, {**BODY, "messages": 7}, "RequestError"),
        (CHAT, empty, "QuestionError"),
        ("/", {"q": "x" * 5_000}, "QuestionError"),
        ("/", {"q": TORCH, "before": "x" * 4_001}, "RequestError"),
    ]
    expected: dict[tuple[str, ...], float] = {}
    for path, given, title in wrong:
        reply = api.get(path, params=given) if path == "/" else api.post(path, json=given)
        assert reply.status_code in {400, 422}
        expected["error", title] = expected.get(("error", title), 0) + 1
        assert answers(api) == expected, (path, given)


@every_way
def test_a_bug_is_an_error(opened: AppState, ask: Ask) -> None:
    broken = replace(opened, model=cast(Any, SimpleNamespace()))  # cannot be asked
    with serving(opened.rules.settings, create_app(broken)) as client:
        # The server closes the connection, maybe just when the next request uses it.
        client.headers["Connection"] = "close"
        with suppress(httpx2.RemoteProtocolError):  # a stream breaks off
            ask(client)
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
    assert events(api, STREAMED)[-1][0] == "final_answer"
    taken = partial(series, api, "http_request_duration_seconds_sum", "method", "path", "status")
    until(lambda: ("POST", "/ask", "200") in taken())  # just after the client has it all
    assert taken()["POST", "/ask", "200"] > 0.3


def test_no_word_of_a_question_or_a_reply_is_shown(api: httpx2.Client, llm: FakeLlm) -> None:
    words = ("torch", "burn", "hour", "canary")
    for llm.reply in (RIGHT, ALTERED, REFUSAL, "The canary costs 7777 gp [1]."):
        for ask in WAYS.values():
            ask(api)
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


def test_a_question_has_one_end_though_the_page_around_its_answer_fails(
    copied: None, settings: Settings, with_model: Settings, llm: FakeLlm
) -> None:
    url = settings.database_url
    assert url

    def lose_the_index() -> None:
        with psycopg.connect(url.get_secret_value()) as conn:
            conn.execute("UPDATE generation SET state = 'temporary'")

    own = with_model.model_copy(update={"database_url": url, "vault": settings.vault})
    llm.reply, llm.before_reply = RIGHT, lose_the_index
    with open_app_state(own) as opened, serving(own, create_app(opened)) as api:
        assert api.get("/", params={"q": TORCH}).status_code == 503
        assert api.get("/").status_code == 503  # nothing was asked
        assert len(llm.requests) == 1
        assert answers(api) == {("answered", ""): 1}
