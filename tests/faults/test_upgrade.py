"""An upgrade: today's ingest brings old tables forward while the program of before answers.

The database is made by that program's own ingest, and its own API is asked all the time. The
migrations alone: tests/retrieval/index/test_migrations.py.
"""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from retrieval import context as context_module
from retrieval.context import open_context
from retrieval.database.pool import Store
from retrieval.index import migrate
from retrieval.search import search
from retrieval.settings import Settings
from tests.support.faults.crash_child import HashingEmbedder
from tests.support.servers import old_program

V1 = "c000378d51c82bc425d3ca9bcc7fe3149bae89c2"  # the first that is called 1.0.0: migration 8
CALLERS = 3
LEAST = 9  # answers before ingest, and again after it
SECONDS = 120.0
QUESTIONS = {  # and what their replies say
    "How long does a torch burn?": "one hour",
    "What does a battle axe cost?": "Battle axe",
    "How much damage does a fall deal?": "1d6",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a caller got; `generation` is the one that it was answered from."""

    status: int
    text: str
    wanted: str
    generation: str

    @property
    def is_right(self) -> bool:
        """Whether it is an answer, and has what was asked for."""
        return self.status == 200 and self.wanted in self.text


@dataclass(slots=True)
class Asking:
    """Callers that ask one question after the other, and what they got until now."""

    client: httpx2.Client
    replies: list[Reply] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def call(self, caller: int) -> None:
        """Ask until it is over."""
        asked = list(QUESTIONS.items())
        while not self.done.is_set():
            question, wanted = asked[(caller + len(self.replies)) % len(asked)]
            got = self.client.post("/ask", json={"question": question})
            of = str(got.json().get("generation", "")) if got.status_code == 200 else ""
            self.replies.append(Reply(got.status_code, got.text, wanted, of))

    def wait_for(self, more: int) -> int:
        """Wait until there are so many more, and return how many there are."""
        wanted, give_up = len(self.replies) + more, time.monotonic() + SECONDS
        while len(self.replies) < wanted:
            assert time.monotonic() < give_up, self.replies
            time.sleep(0.01)
        return len(self.replies)


@contextmanager
def asking(client: httpx2.Client) -> Iterator[Asking]:
    """Let callers ask all the time; where one breaks off that is raised in the end."""
    asking = Asking(client)
    with ThreadPoolExecutor(CALLERS) as pool:
        calls = [pool.submit(asking.call, caller) for caller in range(CALLERS)]
        try:
            yield asking
        finally:
            asking.done.set()
    for call in calls:
        call.result()


def test_the_api_of_the_oldest_release_answers_while_ingest_brings_its_tables_forward(
    settings: Settings, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = old_program.of_commit(V1, tmp_path / "before")
    monkeypatch.setattr(context_module, "Embedder", HashingEmbedder)
    place = {"DATABASE_URL": database, "VAULT": str(settings.vault), "RAG_THRESHOLD": "-9"}
    before.ingest(place)
    with before.api(place) as client, asking(client) as running:
        began = running.wait_for(LEAST)
        old_program.todays().ingest(place)
        ended = len(running.replies)
        running.wait_for(LEAST)
    replies = running.replies
    assert [reply for reply in replies if not reply.is_right] == []
    assert ended > began, "nobody was answered while ingest ran"
    assert replies[-1].generation != replies[0].generation
    with Store(database).connect() as conn:
        assert migrate.applied(conn) == migrate.known()
    with open_context(settings.model_copy(update={"rag_threshold": -9.0})) as context:
        for question, wanted in QUESTIONS.items():
            hits = search(context, question).hits
            assert any(wanted in hit.chunk.text for hit in hits), question
