"""POST /ask as server-sent events: the same answer as whole, errors, clients that leave."""

import time
from collections.abc import Iterator

import httpx2
import pytest

from retrieval.settings import Settings
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.serving import events, serving

TORCH = "How long does a torch burn?"
BODY = {"question": TORCH, "stream": True}
CHANGING = {"timings", "request_id"}


@pytest.fixture(scope="module")
def patient(with_model: Settings) -> Iterator[httpx2.Client]:
    """A client of the API, which waits long for the model."""
    with serving(with_model.model_copy(update={"llm_timeout": 20.0})) as client:
        yield client


def stable(answer: dict[str, object]) -> dict[str, object]:
    """Return what two answers to one question have in common."""
    return {name: value for name, value in answer.items() if name not in CHANGING}


def test_quotes_are_streamed_as_results_citations_and_the_answer(client: httpx2.Client) -> None:
    found = events(client, BODY)
    whole = client.post("/ask", json={"question": TORCH}).json()
    names = [name for name, _ in found]
    citations = ["citation"] * len(whole["citations"])
    assert names == ["search_results", *citations, "final_answer"]
    assert stable(found[-1][1]) == stable(whole)
    assert found[0][1]["passages"] == whole["passages"]
    assert [data for name, data in found if name == "citation"] == whole["citations"]


def test_a_streamed_draft_comes_before_the_answer(
    model_client: httpx2.Client, llm: FakeLlm
) -> None:
    found = events(model_client, BODY)
    assert [name for name, _ in found] == ["search_results", "message", "citation", "final_answer"]
    assert found[1][1] == {"text": llm.reply, "attempt": 1, "claim": 1}
    assert llm.requests[0]["stream"] is True
    whole = model_client.post("/ask", json={"question": TORCH}).json()
    assert stable(found[-1][1]) == stable(whole)


@pytest.mark.parametrize(
    "mode", ["stream: no end", "stream: invalid JSON", "stream: an error", "500"]
)
def test_a_model_that_fails_in_the_stream_is_an_error_event(
    model_client: httpx2.Client, llm: FakeLlm, mode: str
) -> None:
    llm.mode = mode
    found = events(model_client, BODY)
    names = [name for name, _ in found]
    assert (names[0], names[-1]) == ("search_results", "error")
    assert "final_answer" not in names
    problem = found[-1][1]
    assert set(problem) == {"type", "title", "status", "detail", "request_id"}
    assert (problem["title"], problem["status"]) == ("LlmReplyError", 502)


def test_a_question_that_cannot_be_searched_keeps_its_status(client: httpx2.Client) -> None:
    reply = client.post("/ask", json={"question": " ", "stream": True})
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    assert reply.json()["title"] == "QuestionError"


def ask_and_leave(client: httpx2.Client, body: dict[str, object]) -> None:
    """Send a question and leave after three seconds, which the model does not take to answer."""
    with client.stream("POST", "/ask", json=body, timeout=3) as response:
        list(response.iter_raw())


@pytest.mark.proves("row 30")
@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_leaves_ends_the_call_of_the_model(
    patient: httpx2.Client, llm: FakeLlm, stream: bool
) -> None:
    llm.mode = "silence"
    with pytest.raises(httpx2.ReadTimeout):
        ask_and_leave(patient, {"question": TORCH, "stream": stream})
    left = time.monotonic()
    assert llm.requests
    assert llm.hung_up.wait(2)
    assert llm.hangups[0] - left < 1
