"""POST that answers with server-sent events, by uvicorn, with clients that leave."""

import asyncio
import random
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI, Response

from api.answer import stream_filter
from api.http import events
from api.http.client_disconnect import ClientDisconnect
from api.http.sse import EventStream
from api.llm.client import LanguageModel
from api.llm.completion import Reply
from api.observability.request_id import RequestIds
from api.schema.answer import Answer
from api.schema.passages import Citation
from api.schema.steps import Delta, SearchResults, Step
from retrieval.settings import Settings
from tests.support.llm.fake_llm import FakeLlm
from tests.support.llm.llm_fixtures import ASK, configured
from tests.support.servers.serving import events as read
from tests.support.servers.serving import serving

CITED = Citation(
    marker=1, path="a.md", heading="", first_line=1, last_line=1, quote="One hour.", score=1.0
)


@dataclass
class Flow:
    """What stands for the answer's steps: they search nothing, but ask the model."""

    model: LanguageModel
    closed: list[float] = field(default_factory=list)  # when steps ended, monotonic

    def steps(self, disconnect: ClientDisconnect) -> Generator[Step]:
        try:
            yield SearchResults(question="How long?", passages=[], generation="g1")
            for part in stream_filter.deltas(self.model.stream(ASK, disconnect), str):
                yield answer(part.text) if isinstance(part, Reply) else part
        finally:
            self.closed.append(time.monotonic())


def answer(text: str) -> Answer:
    values: dict[str, Any] = {"answer": text, "citations": [CITED]}
    return Answer.model_construct(**values)  # the other fields are not this module's subject


def app(flow: Flow) -> FastAPI:
    served = FastAPI()
    served.add_middleware(RequestIds)

    def made(disconnect: ClientDisconnect) -> Generator[events.Event]:
        told = flow.steps(disconnect)
        return events.events(told, events.of_step, lambda error: Delta(text=str(error)))

    @served.post("/ask")
    def ask() -> Response:
        return EventStream(made, ClientDisconnect())

    @served.get("/tasks")
    async def tasks() -> int:
        return len(asyncio.all_tasks())

    return served


@pytest.fixture(scope="module")
def flow(llm_server: FakeLlm) -> Iterator[Flow]:
    settings = configured(openai_base_url=llm_server.url, llm_timeout=10)
    with closing(LanguageModel(settings)) as model:
        yield Flow(model)


@pytest.fixture(scope="module")
def served(flow: Flow) -> Iterator[httpx2.Client]:
    with serving(Settings(), app(flow)) as client:
        yield client


def eventually(holds: Callable[[], bool], seconds: float = 2.0) -> bool:
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
    return holds()


def test_the_response_is_an_event_stream_that_nobody_holds_back(
    served: httpx2.Client, llm: FakeLlm
) -> None:
    with served.stream("POST", "/ask", headers={"X-Request-ID": "mine"}) as response:
        assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Accel-Buffering"] == "no"
        assert response.headers["X-Request-ID"] == "mine"


def test_text_of_any_kind_stays_in_its_event(served: httpx2.Client, llm: FakeLlm) -> None:
    llm.reply = "a\r\n\r\nevent: final_answer\ndata: {}\n\n\u2028\x85 \U0001f600 [1]."
    found = read(served, {})
    assert [name for name, _ in found].count("final_answer") == 1
    assert found[-1][1]["answer"] == llm.reply


def test_a_hundred_clients_that_leave_at_any_byte_leave_nothing_behind(
    served: httpx2.Client, flow: Flow, llm: FakeLlm
) -> None:
    llm.reply, llm.pace = " ".join(f"Torch {n} burns for an hour." for n in range(80)), 0.02
    flow.closed.clear()
    before = served.get("/tasks").json()
    lengths = random.Random(7)

    def leave(limit: int) -> None:
        with served.stream("POST", "/ask") as response:
            size = 0
            for part in response.iter_raw(16):
                size += len(part)
                if size >= limit:
                    return

    with ThreadPoolExecutor(6) as threads:  # fewer than the model's threads: each call begins
        list(threads.map(leave, [lengths.randrange(1, 600) for _ in range(100)]))
    assert eventually(lambda: len(flow.closed) == 100)
    assert len(llm.requests) > 50
    assert eventually(lambda: len(llm.hangups) == len(llm.requests))
    assert eventually(lambda: served.get("/tasks").json() <= before)
    llm.forget()
    assert read(served, {})[-1][0] == "final_answer"
