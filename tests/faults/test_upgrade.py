"""An upgrade: today's ingest brings old tables forward while the program of before answers.

The database is made by that program's own ingest, and its own API is asked all the time. The
migrations alone: tests/retrieval/index/test_migrations.py.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evals.labels.options import folder_named
from retrieval import context as context_module
from retrieval.context import open_context
from retrieval.database.pool import Store
from retrieval.index import migrate
from retrieval.search import search
from retrieval.settings import Settings
from tests.support.faults.crash_child import HashingEmbedder
from tests.support.servers import old_program

V1 = "c000378d51c82bc425d3ca9bcc7fe3149bae89c2"  # the first that is called 1.0.0: migration 8
BEFORE_V1 = {  # 0.1.0, of which nothing is promised: what was served, and the first migrations
    "migration 6": "842ac819eb32f1cc4533f89f034bb4e00d0d7a09",
    "migration 2": "4eb8ed3c80c78b9864f51ab7827aeeeba6cd2775",
}
CALLERS = 3
LEAST = 9  # answers before ingest, and again after it
SECONDS = 120.0
SMALL = {  # a question, and what its reply says
    "How long does a torch burn?": "one hour",
    "What does a battle axe cost?": "Battle axe",
    "How much damage does a fall deal?": "1d6",
}
HANDBOOK = {
    "what is the refund window on annual plans?": "non-refundable",
    "team plan, price per seat if we pay for a whole year": "| Team | 11 | 9 |",
    "within how many days are monthly plans refundable?": "14 days",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a caller got; `generation` is the one that it was answered from."""

    status: int
    text: str
    wanted: str
    generation: str
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether it is an answer, and has what was asked for."""
        return self.status == 200 and self.wanted in self.text


@dataclass(slots=True)
class Asking:
    """Callers that ask one question after the other, and what they got until now."""

    client: httpx2.Client
    questions: Mapping[str, str]
    replies: list[Reply] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def call(self, caller: int) -> None:
        """Ask until it is over."""
        asked = list(self.questions.items())
        while not self.done.is_set():
            question, wanted = asked[(caller + len(self.replies)) % len(asked)]
            began = time.monotonic()
            got = self.client.post("/ask", json={"question": question})
            of = str(got.json().get("generation", "")) if got.status_code == 200 else ""
            passed = time.monotonic() - began
            self.replies.append(Reply(got.status_code, got.text, wanted, of, passed))

    def wait_for(self, more: int) -> int:
        """Wait until there are so many more, and return how many there are."""
        wanted, give_up = len(self.replies) + more, time.monotonic() + SECONDS
        while len(self.replies) < wanted:
            assert time.monotonic() < give_up, self.replies
            time.sleep(0.01)
        return len(self.replies)


@contextmanager
def asking(client: httpx2.Client, questions: Mapping[str, str]) -> Iterator[Asking]:
    """Let callers ask all the time; where one breaks off that is raised in the end."""
    asking = Asking(client, questions)
    with ThreadPoolExecutor(CALLERS) as pool:
        calls = [pool.submit(asking.call, caller) for caller in range(CALLERS)]
        try:
            yield asking
        finally:
            asking.done.set()
    for call in calls:
        call.result()


def upgraded(
    before: old_program.Program, now: old_program.Program,
    settings: Settings, questions: Mapping[str, str],
) -> tuple[Sequence[Reply], Sequence[Reply], Sequence[Reply]]:  # fmt: skip
    """Run today's ingest beside the API of before; return its replies before, during and after."""
    assert settings.database_url
    environment = {
        "DATABASE_URL": settings.database_url.get_secret_value(), "VAULT": str(settings.vault),
        "RAG_THRESHOLD": "-9",
    }  # fmt: skip
    before.ingest(environment)
    with before.api(environment) as client, asking(client, questions) as running:
        began = running.wait_for(LEAST)
        now.ingest(environment)
        ended = len(running.replies)
        running.wait_for(LEAST)
    replies = running.replies
    return replies[:began], replies[began:ended], replies[ended:]


def applied(settings: Settings) -> tuple[migrate.Migration, ...]:
    assert settings.database_url
    with Store(settings.database_url.get_secret_value()).connect() as conn:
        return migrate.applied(conn)


def check(
    told: dict[str, Any], replies: tuple[Sequence[Reply], ...], settings: Settings,
    questions: Mapping[str, str],
) -> None:  # fmt: skip
    """All replies of the API of before are right, and so is what today's search finds."""
    before, during, after = replies
    everything = [*before, *during, *after]
    told |= {"replies": [len(part) for part in replies]}
    told |= {"slowest": round(max(reply.seconds for reply in everything), 3)}
    told |= {"generations": sorted({reply.generation for reply in everything})}
    print(told)
    assert [reply for reply in everything if not reply.is_right] == []
    assert during, "nobody was answered while ingest ran"
    assert after[-1].generation != before[0].generation
    assert applied(settings) == migrate.known()
    with open_context(settings.model_copy(update={"rag_threshold": -9.0})) as context:
        for question, wanted in questions.items():
            hits = search(context, question).hits
            assert any(wanted in hit.chunk.text for hit in hits), question


def test_the_api_of_the_oldest_release_answers_while_ingest_brings_its_tables_forward(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = old_program.of_commit(V1, tmp_path / "before", hashed=True)
    monkeypatch.setattr(context_module, "Embedder", HashingEmbedder)
    replies = upgraded(before, old_program.todays(hashed=True), settings, SMALL)
    check({}, replies, settings, SMALL)


@pytest.mark.soak
@pytest.mark.parametrize("before", ["1.0.0", *BEFORE_V1])
def test_the_same_with_the_models_and_the_handbook(
    before: str, settings: Settings, tmp_path: Path
) -> None:
    commit = BEFORE_V1.get(before, V1)
    old = old_program.of_commit(commit, tmp_path / "before", hashed=False)
    whole = settings.model_copy(update={"vault": folder_named("handbook")})
    replies = upgraded(old, old_program.todays(hashed=False), whole, HANDBOOK)
    check({"from": before}, replies, whole, HANDBOOK)
