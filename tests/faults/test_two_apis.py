"""Two APIs over one PostgreSQL answer nearly twice as many questions as one; models are simulated.

Each API has a core of its own. Its models' passes are pauses, since the two cores would be used up
by them and by those who ask; HTTP, PostgreSQL and all the rest of an answer are real.
"""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from retrieval import context as context_module
from retrieval.settings import Settings
from tests.support.faults import editions
from tests.support.faults.crash_child import HashingEmbedder
from tests.support.servers.served import api_process

TOPICS = ("torch", "lantern", "rope", "axe", "dagger", "mace")
CALLERS = 4  # of an API: two whose questions are searched for, and two who wait
SECONDS = 60.0  # of a round
LEAST = 1.9  # times as many
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


@dataclass(frozen=True, slots=True)
class Answered:
    """What some callers got: how many answers, in how many seconds."""

    answers: int
    seconds: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds


@pytest.fixture
def apis(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[httpx2.Client]]:
    """Clients of two running APIs over one database, each on a core of its own."""
    if len(CORES) < 2:
        pytest.skip("two APIs want two cores, on Linux")
    monkeypatch.setattr(context_module, "Embedder", HashingEmbedder)
    assert settings.database_url
    environment = {
        "DATABASE_URL": settings.database_url.get_secret_value(), "VAULT": str(settings.vault),
        "RERANKER_MODEL": "bundled",
    }  # fmt: skip
    program = ("-m", "tests.support.servers.simulated_api")
    with editions.ingested(settings, TOPICS), ExitStack() as stack, ThreadPoolExecutor(2) as start:
        yield [
            client
            for client, _ in start.map(
                lambda core: stack.enter_context(
                    api_process(environment, program=(*program, str(core)))
                ),
                CORES[:2],
            )
        ]


def ask(apis: Sequence[httpx2.Client], seconds: float) -> Answered:
    """Let callers ask each of `apis`, one question after the other, and count the answers."""
    began = time.monotonic()

    def call(caller: int) -> int:
        url = apis[caller % len(apis)].base_url
        with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
            answers = 0
            while time.monotonic() < began + seconds:
                topic = TOPICS[(caller + answers) % len(TOPICS)]
                reply = client.post("/ask", json={"question": f"What does a {topic} weigh?"})
                assert reply.status_code == 200, reply.text
                assert f"A {topic} weighs as much as edition x0x says" in reply.text
                answers += 1
            return answers

    callers = CALLERS * len(apis)
    with ThreadPoolExecutor(callers) as threads:
        answers = sum(threads.map(call, range(callers)))
    return Answered(answers, time.monotonic() - began)


@pytest.mark.soak
def test_two_apis_answer_nearly_twice_as_many_questions_as_one(
    apis: list[httpx2.Client], record_property: Any
) -> None:
    ask(apis, 0.0)  # once each, so that nothing is done for the first time
    one, two = ask(apis[:1], SECONDS), ask(apis, SECONDS)
    told = {"one": round(one.rate, 2), "two": round(two.rate, 2)}
    told |= {"n": one.answers + two.answers, "times": round(two.rate / one.rate, 3)}
    print(told)
    record_property("answers a second", str(told))
    assert two.rate >= LEAST * one.rate, told
