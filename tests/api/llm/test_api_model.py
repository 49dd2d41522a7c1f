"""POST /ask with a language model, which is a real server that answers by script."""

import json
import logging
import re
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from api.answer.fixed_texts import DEFAULT
from api.llm import faults
from retrieval.settings import Settings
from tests.support.llm.fake_llm import USAGE, FakeLlm
from tests.support.llm.llm_fixtures import API_KEY
from tests.support.llm.misbehaviour import EMPTY, RETRIED
from tests.support.servers.serving import serving

REFUSAL = "The Oracle did not return any results for that rule."
QUESTION = {"question": "How long does a torch burn?"}
DEADLINE = 1.0  # llm_timeout of model_client
GIVEN_UP = 15.0  # before a model that keeps silent says something, which is after 20 s or more


def test_an_answer_cites_the_passage_that_the_model_named(
    model_client: httpx2.Client, llm: FakeLlm
) -> None:
    llm.reply = "It burns for one hour [1]. It lights 30' around its bearer [1, 9]."
    answer = model_client.post("/ask", json=QUESTION).json()
    assert answer["answer"] == "It burns for one hour [1]. It lights 30' around its bearer [1]."
    assert (answer["refused"], answer["refusal_reason"]) == (False, None)
    assert (answer["mode"], answer["guard"]["verdict"]) == ("model", "repaired")
    counts = {"verified": 2, "repaired": 0, "unverified": 0, "dropped": 1}  # there is no passage 9
    assert answer["citation_counts"] == counts
    assert [(c["marker"], c["path"], c["quote"]) for c in answer["citations"]] == [
        (1, "1. Light/Torches.md", "A torch burns for one hour."),
        (1, "1. Light/Torches.md", "It lights 30\u2019 around its bearer."),
    ]
    assert answer["usage"] == {
        "prompt_tokens": USAGE["prompt_tokens"],
        "completion_tokens": USAGE["completion_tokens"],
    }


@pytest.mark.parametrize("reply", [REFUSAL, f"Sorry! {REFUSAL.lower()} [1]"])
def test_the_words_of_refusal_are_a_refusal(
    model_client: httpx2.Client, llm: FakeLlm, reply: str
) -> None:
    llm.reply = reply
    answer = model_client.post("/ask", json=QUESTION).json()
    assert (answer["answer"], answer["refused"]) == (REFUSAL, True)
    assert (answer["refusal_reason"], answer["citations"]) == ("model", [])
    assert (answer["guard"]["verdict"], len(llm.requests)) == ("off", 1)


def test_a_follow_up_is_made_whole_by_the_model_and_searched_so(
    model_client: httpx2.Client, llm: FakeLlm
) -> None:
    llm.reply = "And in water, how long does a torch burn?"
    body = {"question": "And in water?", "history": [QUESTION["question"]]}
    answer = model_client.post("/ask", json=body).json()
    assert answer["question"] == llm.reply
    assert answer["usage"]["prompt_tokens"] == len(llm.prompts) * USAGE["prompt_tokens"]
    between = r"<last-question-(\w{16})>\nAnd in water\?\n</last-question-\1>"
    assert re.search(between, llm.prompts[0])
    assert f"Question: {llm.reply}" in llm.prompts[1]


def test_the_model_gets_the_passages_between_fences_that_are_new_each_time(
    model_client: httpx2.Client, llm: FakeLlm
) -> None:
    answer = model_client.post("/ask", json=QUESTION).json()
    model_client.post("/ask", json=QUESTION)
    first, second = llm.prompts
    fences = [set(re.findall(r"<passage-(\w{16}) ", prompt)) for prompt in (first, second)]
    assert len(fences[0]) == len(fences[1]) == 1
    assert fences[0] != fences[1]
    assert first.count("<passage-") == len(answer["passages"])
    for text in ("A torch burns for one hour.", REFUSAL, QUESTION["question"]):
        assert text in first
    assert "cite" in first


def test_the_model_is_asked_once_at_temperature_0_with_the_key(
    model_client: httpx2.Client, llm: FakeLlm
) -> None:
    model_client.post("/ask", json=QUESTION)
    (request,) = llm.requests
    assert (request["model"], request["temperature"]) == ("fake", 0)
    assert (llm.paths, llm.keys) == (["/v1/chat/completions"], [f"Bearer {API_KEY}"])


def test_without_a_passage_no_model_is_called(with_model: Settings, llm: FakeLlm) -> None:
    with serving(with_model.model_copy(update={"rag_threshold": 9.0})) as client:
        answer = client.post("/ask", json=QUESTION).json()
    assert (answer["answer"], answer["refused"]) == (REFUSAL, True)
    assert (answer["refusal_reason"], answer["citations"]) == ("no_passage", [])
    assert answer["passages"] == []
    assert llm.requests == []


@pytest.mark.parametrize("mode", ["silence", "500", "429", "redirect", "null content"])
def test_a_model_that_misbehaves_is_an_error_that_says_what_to_do(
    model_client: httpx2.Client, llm: FakeLlm, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    llm.mode = mode
    started = time.monotonic()
    with caplog.at_level(logging.DEBUG):
        reply = model_client.post("/ask", json=QUESTION)
    assert time.monotonic() - started < GIVEN_UP
    assert reply.status_code in {502, 503}, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert re.search("OPENAI_|LLM_TIMEOUT", reply.json()["detail"])
    assert set(llm.paths) == {"/v1/chat/completions"}  # nothing followed
    assert len(llm.paths) <= 2 if mode in RETRIED else len(llm.paths) == 1
    assert API_KEY not in reply.text + str(reply.headers) + caplog.text
    assert f"{reply.json()['title']}: " in caplog.text
    if mode in EMPTY:
        assert reply.status_code == 502


def test_a_call_is_given_up_and_not_only_no_longer_waited_for(
    model_client: httpx2.Client, llm: FakeLlm
) -> None:
    llm.mode = "a byte now and then"  # whole after a minute
    model_client.post("/ask", json=QUESTION)
    assert llm.hung_up.wait(5)


def test_more_calls_than_threads_all_end_in_time(model_client: httpx2.Client, llm: FakeLlm) -> None:
    llm.mode = "silence"

    def ask(_: int) -> tuple[int, float]:
        started = time.monotonic()
        status = model_client.post("/ask", json=QUESTION).status_code
        return status, time.monotonic() - started

    with ThreadPoolExecutor(12) as threads:
        replies = list(threads.map(ask, range(12)))
    assert {status for status, _ in replies} == {503}
    assert max(seconds for _, seconds in replies) < 12 * DEADLINE  # one after the other takes more
    llm.stopped.set()
    llm.mode = ""
    assert model_client.post("/ask", json=QUESTION).status_code == 200


@pytest.mark.parametrize("streamed", [False, True])
def test_where_no_model_listens_the_rules_lines_answer_from_the_first_question_on(
    with_model: Settings,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    streamed: bool,
) -> None:
    own = FakeLlm()
    with serving(with_model.model_copy(update={"openai_base_url": own.url})) as client:
        own.shutdown()
        for asked in ("to find it out", "while it is left alone", "to look again"):
            caplog.clear()
            with caplog.at_level(logging.DEBUG):
                reply = client.post("/ask", json={**QUESTION, "stream": streamed})
            assert reply.status_code == 200
            given = json.loads(reply.text.split("data: ")[-1]) if streamed else reply.json()
            assert (given["mode"], given["notice"]) == ("quotes", DEFAULT.unreachable)
            assert given["answer"].startswith(DEFAULT.unreachable)
            assert "for one hour" in given["answer"]
            assert own.url not in reply.text
            line = f"request {given['request_id']}: LlmUnreachableError: no language model at "
            assert (f"{line}{own.url}" in caplog.text) == (asked != "while it is left alone")
            assert API_KEY not in reply.text + caplog.text
            ready = client.get("/readyz")
            assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
            if asked == "while it is left alone":
                later = time.monotonic() + faults.RETRY + 1
                monkeypatch.setattr(faults, "monotonic", lambda later=later: later)
