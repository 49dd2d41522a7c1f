"""More questions at once than can be answered: the last ones are told so, and soon."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic, perf_counter, sleep
from typing import Any

import httpx2
import pytest

from api.http import concurrency_limit
from api.http.concurrency_limit import Questions
from retrieval.errors import OverloadedError
from retrieval.settings import Settings
from tests.support.servers.fake_llm import FakeLlm
from tests.support.servers.serving import serving

PLACES = 2
TORCH = "How long does a torch burn?"
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "ask": ("/ask", {"question": TORCH}),
    "stream": ("/ask", {"question": TORCH, "stream": True}),
    "search": ("/search", {"question": TORCH}),
    "openai": (
        "/v1/chat/completions",
        {"model": "rules-oracle", "messages": [{"role": "user", "content": TORCH}]},
    ),
}


@pytest.fixture
def client(
    with_model: Settings, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> Iterator[httpx2.Client]:
    """A client of an API with two places, whose model says nothing until its deadline."""
    monkeypatch.setattr(concurrency_limit, "MOST_OF_A_MODEL", PLACES)
    llm.mode = "silence"
    with serving(with_model.model_copy(update={"llm_timeout": 4.0})) as found:
        yield found


def waiting_for_the_model(client: httpx2.Client, way: str) -> int:
    """Ask a question that keeps its place until the model's deadline; return the status."""
    path, body = WAYS[way]
    return client.post(path, json=body, timeout=20.0).status_code


@pytest.mark.proves("row 28", "promise 8")
@pytest.mark.parametrize("way", WAYS)
def test_one_too_many_is_a_503_at_once(client: httpx2.Client, llm: FakeLlm, way: str) -> None:
    path, body = WAYS[way]
    with ThreadPoolExecutor(PLACES) as threads:
        kinds = ("ask", "stream")
        waiting = [threads.submit(waiting_for_the_model, client, kind) for kind in kinds]
        until = monotonic() + 10
        while len(llm.prompts) < PLACES:
            assert monotonic() < until
            sleep(0.01)
        started = perf_counter()
        reply = client.post(path, json=body)
        took = perf_counter() - started
        assert client.get("/livez").status_code == 200
        assert client.get("/readyz").status_code == 200
        assert [future.result() for future in waiting] == [503, 200]  # a stream's error is in it
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
    told = reply.json()
    said = told["error"]["message"] if way == "openai" else told["detail"]
    assert said == "2 questions are being answered; ask again in some seconds"
    assert took < 1.0  # not the four seconds of the others
    llm.mode = ""
    assert client.post(path, json=body).status_code == 200  # their places are free again


@pytest.mark.proves("row 28", "promise 8")
def test_places_are_given_back_whatever_came_of_a_question(
    client: httpx2.Client, llm: FakeLlm
) -> None:
    llm.mode = ""
    path, body = WAYS["ask"]
    for wrong in ({"question": " "}, {"question": TORCH, "top_k": 0}, {"question": 7}):
        for _ in range(PLACES + 1):
            assert client.post(path, json=wrong).status_code == 422
    llm.mode = "a byte now and then"
    for _ in range(PLACES + 1):
        with suppress(httpx2.ReadTimeout):
            client.post(path, json={**body, "stream": True}, timeout=0.5)
        sleep(0.5)  # the server learns a little later that nobody reads
    llm.mode = ""
    assert client.post(path, json=body).status_code == 200


@pytest.mark.proves("row 28", "promise 8")
def test_a_client_that_leaves_before_the_first_event_gives_its_place_back(
    client: httpx2.Client, llm: FakeLlm
) -> None:
    body = {
        "question": "And in water?",
        "history": [TORCH],
        "stream": True,
    }  # the model rewrites it
    for _ in range(PLACES):
        with suppress(httpx2.ReadTimeout):
            client.post("/ask", json=body, timeout=0.7)
    llm.mode = ""
    until, status = monotonic() + 2.0, 503  # the model's deadline is four seconds
    while status == 503 and monotonic() < until:
        status = client.post("/ask", json={"question": TORCH}).status_code
        sleep(0.05)
    assert status == 200


def test_callers_take_turns_and_one_of_them_leaves_places_for_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrency_limit, "MOST", 8)
    monkeypatch.setattr(concurrency_limit, "AT_WORK", 1)

    async def run() -> list[str]:
        questions, begun, gate = Questions(), list[str](), asyncio.Event()

        async def ask(caller: str) -> None:
            place = questions.admit(caller, has_model=False)
            try:
                await questions.wait_for_turn(place)
                begun.append(caller)
                await gate.wait()
            finally:
                questions.leave(place)

        many = [asyncio.create_task(ask("many")) for _ in range(6)]
        await asyncio.sleep(0)  # one is at work
        with pytest.raises(OverloadedError, match="6 questions are being answered"):
            questions.admit("many", has_model=False)
        few = [asyncio.create_task(ask("few")) for _ in range(2)]
        await asyncio.sleep(0)
        many[5].cancel()  # its client left
        gate.set()
        await asyncio.wait([*many, *few])
        assert questions.count == 0
        return begun

    begun = asyncio.run(run())
    assert begun == ["many", "many", "few", "many", "few", "many", "many"]
