"""Readers while the index changes: each reply is of one version, none is old, none waits."""

import re
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from ingest import pipeline
from retrieval import context as context_module
from retrieval.context import SearchContext
from retrieval.index import generations, writer
from retrieval.search import search
from retrieval.settings import Settings
from tests.support.faults import editions
from tests.support.faults.crash_child import HashingEmbedder
from tests.support.index.index_state import revision
from tests.support.servers.served import api_process
from tests.support.source.promises_table import Runs

TOPICS = (
    *("torch", "lantern", "rope", "axe", "dagger", "mace", "sling", "bow", "shield", "helmet"),
    *("horse", "mule", "boat", "tent", "bell", "mirror", "holly", "wolfsbane", "garlic", "chalk"),
)
REINGESTS = 30
Read = Callable[[str], tuple[str, list[str]]]  # a question; the generation and the texts found


@pytest.fixture(scope="module")
def context(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchContext]:
    """A search context of two documents, in the version that the last test left.

    Texts have hashes for vectors: full text search finds what these tests ask.
    """
    vault = tmp_path_factory.mktemp("readers")
    settings = Settings.model_validate({"database_url": database_url, "vault": vault})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context_module, "Embedder", HashingEmbedder)
        with editions.ingested(settings, TOPICS) as opened:
            yield opened


@pytest.fixture(scope="module")
def second(context: SearchContext) -> Iterator[httpx2.Client]:
    """A client of an API process on the same database."""
    assert context.settings.database_url is not None
    url = context.settings.database_url.get_secret_value()
    with api_process({"DATABASE_URL": url, "VAULT": str(context.settings.vault)}) as (client, _):
        yield client


def over_http(client: httpx2.Client) -> Read:
    def read(question: str) -> tuple[str, list[str]]:
        reply = client.post("/search", json={"question": question, "top_k": 20})
        assert reply.status_code == 200, reply.text
        found = reply.json()
        return found["generation"], [passage["text"] for passage in found["passages"]]

    return read


def inside(context: SearchContext) -> Read:
    def read(question: str) -> tuple[str, list[str]]:
        found = search(context, question, top_k=20)
        return found.generation, [hit.chunk.text for hit in found.hits]

    return read


def versions(texts: list[str]) -> set[str]:
    return {found for text in texts for found in re.findall(r"x\d+x", text)}


@pytest.mark.proves("row 11", "promise 1")
def test_readers_see_one_whole_version_through_thirty_ingests(
    context: SearchContext, second: httpx2.Client, runs: Runs
) -> None:
    done = threading.Event()

    def poll(read: Read) -> list[tuple[str, list[str]]]:
        seen: list[tuple[str, list[str]]] = []
        while not done.is_set():
            topic = TOPICS[len(seen) % len(TOPICS)]
            seen.append(read(f"What does a {topic} weigh in this edition?"))
        return seen

    readers = [inside(context), inside(context), over_http(second), over_http(second)]
    with ThreadPoolExecutor(len(readers)) as threads:
        polling = [threads.submit(poll, read) for read in readers]
        try:
            for number in range(REINGESTS):
                editions.write(context.settings.vault, 1 + number % 2, TOPICS)
                pipeline.run(context, context.settings.vault, rebuild=number % 5 == 4)
        finally:
            done.set()
        seen = [one for future in polling for one in future.result()]
    by_generation: dict[str, set[str]] = {}
    for generation, texts in seen:
        assert texts
        found = versions(texts)
        assert len(found) == 1, (generation, found)
        by_generation.setdefault(generation, set()).update(found)
    assert all(len(found) == 1 for found in by_generation.values()), by_generation
    assert len(by_generation) > 10  # else nothing was read while it changed
    runs(len(seen))


@pytest.mark.proves("row 16", "promise 5")
def test_another_process_answers_from_the_index_of_this_moment(
    context: SearchContext, second: httpx2.Client
) -> None:
    read = over_http(second)
    asked = "What does a torch weigh?"
    for version in range(1, 6):
        editions.write(context.settings.vault, version, TOPICS)
        pipeline.run(context, context.settings.vault, rebuild=version == 4)
        assert versions(read(asked)[1]) == versions(inside(context)(asked)[1]) == {f"x{version}x"}
        assert read(asked)[0] == revision(context)
    pipeline.roll_back(context)
    assert versions(read(asked)[1]) == {"x3x"}  # what was live before the rebuild


@pytest.mark.proves("promise 1")
@pytest.mark.parametrize("step", ["edit", "promote", "drop"])
def test_a_reader_waits_for_no_writer(context: SearchContext, step: str) -> None:
    read = inside(context)
    pipeline.run(context, context.settings.vault, rebuild=True)
    before = read("What does a torch weigh?")
    with context.store.connect(autocommit=True) as conn:
        pipeline.begin(conn)
        live, previous = generations.live_or_none(conn), generations.previous(conn)
        assert live is not None
        with conn.transaction(force_rollback=True):
            if step == "edit":
                writer.apply(conn, live.id, removed=["gear 0.md"], written=())
            elif step == "promote":
                generations.promote(conn, previous.id)
            else:
                generations.drop(conn, previous.id)
            with ThreadPoolExecutor(1) as thread:
                assert thread.submit(read, "What does a torch weigh?").result(5) == before


@pytest.mark.proves("promise 1")
def test_a_promotion_blocks_readers_no_longer_than_an_ordinary_query(
    context: SearchContext, second: httpx2.Client, runs: Runs
) -> None:
    pipeline.run(context, context.settings.vault, rebuild=True)
    read, promoting, done = over_http(second), threading.Event(), threading.Event()
    ordinary: list[float] = []
    during: list[float] = []
    promotions = 0

    def poll() -> None:
        while not done.is_set():
            busy = promoting.is_set()
            started = time.perf_counter()
            assert read("What does a torch weigh?")[1]
            (during if busy else ordinary).append(time.perf_counter() - started)

    with ThreadPoolExecutor(2) as threads, context.store.connect(autocommit=True) as conn:
        polling = [threads.submit(poll) for _ in range(2)]
        generations.lock(conn)
        try:
            for _ in range(20):
                promoting.clear()
                time.sleep(0.1)
                promoting.set()
                stop = time.perf_counter() + 0.1
                while time.perf_counter() < stop:
                    generations.promote(conn, generations.previous(conn).id)
                    promotions += 1
                    time.sleep(0.005)
        finally:
            done.set()
        for future in polling:
            future.result()
    usual, slow = statistics.median(ordinary), statistics.quantiles(ordinary, n=100)[98]
    worst = max(during)
    print(
        f"{promotions} promotions; ordinary {len(ordinary)}: p50 {1e3 * usual:.1f} ms, p99 "
        f"{1e3 * slow:.1f}, worst {1e3 * max(ordinary):.1f}; during {len(during)}: p50 "
        f"{1e3 * statistics.median(during):.1f}, worst {1e3 * worst:.1f}; worst during / ordinary "
        f"p50 {worst / usual:.2f}, / p99 {worst / slow:.2f}"
    )
    # A search whose generation was replaced under it is made once more. The rest of the margin is
    # the machine's: that no reader waits for a lock is the subject of the test before.
    assert statistics.median(during) < 3 * usual
    assert worst < 3 * max(slow, max(ordinary))
    runs(promotions)
