"""Three APIs over one PostgreSQL behind a balancer: what readers see of edits and of a kill."""

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ingest import pipeline
from retrieval import context as context_module
from retrieval.context import SearchContext
from retrieval.index import store
from retrieval.settings import Settings
from tests.support.faults import editions
from tests.support.faults.crash_child import HashingEmbedder
from tests.support.servers.balanced import Balanced, balanced

TOPICS = ("torch", "lantern", "rope", "axe", "dagger", "mace")
READERS = 4
DAILY = 1_000_000  # questions of an address
VERSION = re.compile(r"x(\d+)x")
LEFT = re.compile(r";r=(\d+)")


@dataclass(frozen=True, slots=True)
class Seen:
    """A reply through the balancer; `versions` are those of all its lines."""

    began: float  # monotonic seconds, as is `ended`
    ended: float
    status: int  # 0: the connection broke
    server: str
    generation: str
    versions: frozenset[int]


@pytest.fixture
def context(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchContext]:
    """The search context that ingests; texts have hashes for vectors, full text search finds."""
    monkeypatch.setattr(context_module, "Embedder", HashingEmbedder)
    with editions.ingested(settings, TOPICS) as opened:
        yield opened


@pytest.fixture
def served(context: SearchContext, tmp_path: Path) -> Iterator[Balanced]:
    """Three APIs over the context's database."""
    assert context.settings.database_url is not None
    url = context.settings.database_url.get_secret_value()
    environment = {"DATABASE_URL": url, "VAULT": str(context.settings.vault)}
    environment["RATE_LIMIT_ADDRESS"] = f"{DAILY}/d"
    with balanced(environment, tmp_path / "haproxy.log") as running:
        yield running


def asked(client: httpx2.Client, topic: str) -> Seen:
    """Ask, and return what came back."""
    began = time.monotonic()
    question = {"question": f"What does a {topic} weigh in this edition?", "top_k": 6}
    try:
        reply = client.post("/ask", json=question)
    except httpx2.HTTPError:
        return Seen(began, time.monotonic(), 0, "", "", frozenset())
    said: dict[str, Any] = reply.json() if reply.status_code == 200 else {}
    texts = [said.get("answer", ""), *(passage["text"] for passage in said.get("passages", ()))]
    versions = frozenset(int(found) for text in texts for found in VERSION.findall(text))
    server = reply.headers.get("X-Served-By", "")
    return Seen(
        began, time.monotonic(), reply.status_code, server, said.get("generation", ""), versions
    )


def rate_answers(url: str) -> None:
    """Rate each of some answers, which the process that gave it knows."""
    with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
        given = [client.post("/ask", json={"question": f"Is a {t} heavy?"}) for t in TOPICS]
        assert len({reply.headers["X-Served-By"] for reply in given}) == 2
        for reply in given:
            rating = {"request_id": reply.json()["request_id"], "rating": "up"}
            rated = client.post("/feedback", json=rating)
            assert rated.is_success, (rated.status_code, rated.text)


def left_of(url: str, address: str, says: str = "") -> int:
    """Ask from an address, forwarded for another one as the caller says; what it may still ask."""
    transport = httpx2.HTTPTransport(local_address=address)
    headers = {"X-Forwarded-For": says} if says else {}
    with httpx2.Client(base_url=url, transport=transport, timeout=60) as client:
        reply = client.post("/search", json={"question": "torch"}, headers=headers)
    assert reply.status_code == 200, reply.text
    (left,) = LEFT.findall(reply.headers["RateLimit"])
    return int(left)


def live(context: SearchContext) -> str:
    return context.store.read(lambda conn: store.live(conn).name)


@pytest.mark.proves("row 11", "promise 1")
@pytest.mark.parametrize("edits", [8, pytest.param(100, marks=pytest.mark.soak)])
def test_no_reply_is_mixed_or_stale_and_a_kill_costs_only_what_it_was_answering(
    context: SearchContext, served: Balanced, edits: int, record_property: Any
) -> None:
    done = threading.Event()

    def read(reader: int) -> list[Seen]:
        with httpx2.Client(base_url=served.url, timeout=60, trust_env=False) as client:
            found: list[Seen] = []
            while not done.is_set():
                found.append(asked(client, TOPICS[(reader + len(found)) % len(TOPICS)]))
            return found

    version_of = {live(context): 0}
    returned: list[float] = []  # when each ingest was over
    late = 0.0  # seconds from there until all APIs have shown the new version
    alive = [client for client, _ in served.apis]
    killed_at = dead_at = 0.0
    with ThreadPoolExecutor(READERS) as threads:
        reading = [threads.submit(read, number) for number in range(READERS)]
        try:
            for version in range(1, edits + 1):
                if version == edits // 2:
                    killed_at = time.monotonic()
                    served.apis[1][1].kill()
                    served.apis[1][1].wait()  # until then its sockets still take connections
                    dead_at = time.monotonic()
                    alive.remove(served.apis[1][0])
                editions.write(context.settings.vault, version, TOPICS)
                pipeline.run(context, context.settings.vault, rebuild=version % 4 == 3)
                returned.append(time.monotonic())
                version_of[live(context)] = version
                for client in alive:
                    assert asked(client, "torch").versions == {version}  # its first reply since
                late = max(late, time.monotonic() - returned[-1])
        finally:
            done.set()
        replies = [reply for one in reading for reply in one.result()]
    rate_answers(served.url)
    asked_as = [left_of(served.url, "127.0.0.7", says) for says in ("", "127.0.0.8", "10.1.1.1")]
    assert asked_as == [DAILY - 1, DAILY - 2, DAILY - 3]  # whatever a caller says of itself
    assert left_of(served.url, "127.0.0.8") == DAILY - 1  # nor do all have the balancer's address

    failed = [reply for reply in replies if reply.status != 200]
    assert all(r.began <= dead_at and r.ended >= killed_at for r in failed), (killed_at, failed)
    assert len(failed) <= READERS
    whole = [reply for reply in replies if reply.status == 200]
    mixed = [reply for reply in whole if reply.versions != {version_of.get(reply.generation)}]
    assert not mixed, mixed[:3]
    for version, moment in enumerate(returned, start=1):
        stale = [r for r in whole if r.began > moment and min(r.versions) < version]
        assert not stale, (version, stale[:3])
    assert {reply.server for reply in whole if reply.ended < killed_at} == {
        "api-1", "api-2", "api-3"
    }  # fmt: skip
    record_property("replies", len(whole))
    record_property("failed", len(failed))
    record_property("seconds to the new version", round(late, 3))
    assert len(whole) > edits
