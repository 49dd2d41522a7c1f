"""More questions at once than can be answered: the last ones are told so, and soon."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

import httpx2
import pytest

from api.admission import concurrency_limit
from api.admission.concurrency_limit import Place, Questions
from api.keys import key_file
from api.keys.key_ring import KeyRing
from api.main import create_app
from api.state import AppState
from retrieval.context import SearchContext
from retrieval.errors import OverloadedError
from retrieval.settings import Settings
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.serving import serving
from tests.support.servers.with_keys import bearer
from tests.support.source.promises_table import Runs

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
def test_one_too_many_is_a_503_at_once(client: httpx2.Client, llm: FakeLlm, runs: Runs) -> None:
    with ThreadPoolExecutor(PLACES) as threads:
        kinds = ("ask", "stream")
        waiting = [threads.submit(waiting_for_the_model, client, kind) for kind in kinds]
        until = monotonic() + 60
        while len(llm.prompts) < PLACES:
            assert monotonic() < until
            sleep(0.01)
        started = perf_counter()
        replies = {way: client.post(path, json=body) for way, (path, body) in WAYS.items()}
        took = perf_counter() - started
        assert client.get("/livez").status_code == 200
        assert client.get("/readyz").status_code == 200
        assert [future.result() for future in waiting] == [503, 200]  # a stream's error is in it
    for way, reply in replies.items():
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
        assert reason(way, reply) == "2 questions are being answered; ask again in some seconds"
        runs(1)
    assert took < 1.0  # not the four seconds of the others
    llm.mode = ""
    for path, body in WAYS.values():
        assert client.post(path, json=body).status_code == 200  # their places are free again


def reason(way: str, reply: httpx2.Response) -> str:
    """Why a question is refused, as each way says it."""
    told = reply.json()
    return str(told["error"]["message"] if way == "openai" else told["detail"])


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


async def begun(calls: list[tuple[str, int]]) -> list[str]:
    """Who was searched for, in order: `calls` are callers with how many questions, all at once."""
    questions, order = Questions(), list[str]()

    async def ask(caller: str) -> None:
        place = questions.admit(caller, has_model=False)
        try:
            await questions.wait_for_turn(place)
            order.append(caller)
            await asyncio.sleep(0.001)
        finally:
            questions.leave(place)

    tasks = [asyncio.create_task(ask(caller)) for caller, times in calls for _ in range(times)]
    await asyncio.sleep(0)
    tasks[calls[0][1] - 1].cancel()  # a client that leaves
    await asyncio.wait(tasks)
    assert questions.count == 0
    return order


def test_who_has_fewest_questions_goes_first_and_each_fourth_turn_goes_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrency_limit, "AT_WORK", 1)
    order = asyncio.run(begun([("many", 12), ("few", 5)]))
    assert order == ["many", "few", "few", "few", "many", "few", "few", *["many"] * 9]


def test_who_has_many_questions_leaves_a_turn_while_others_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrency_limit, "AT_WORK", 3)
    questions = Questions()

    async def begin(caller: str) -> Place:
        place = questions.admit(caller, has_model=False)
        await questions.wait_for_turn(place)
        return place

    async def at_work(tasks: list[asyncio.Task[Place]], *, ended: Place | None = None) -> int:
        if ended:
            questions.leave(ended)
        for _ in range(3):
            await asyncio.sleep(0)
        return sum(one.done() and one.result().has_turn for one in tasks)

    async def run() -> None:
        many = [asyncio.create_task(begin("many")) for _ in range(20)]
        assert await at_work(many) == 3  # nobody else is there
        few = [asyncio.create_task(begin("few"))]
        assert await at_work(few) == 0
        assert await at_work(few, ended=many[0].result()) == 1
        assert await at_work(many, ended=few[0].result()) == 2
        few = [asyncio.create_task(begin("few"))]
        assert await at_work(few) == 1  # at once
        for one in many:
            one.cancel()

    asyncio.run(run())


def test_one_caller_leaves_places_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency_limit, "MOST", 8)
    questions = Questions()
    places = [questions.admit("many", has_model=False) for _ in range(6)]
    with pytest.raises(OverloadedError, match="6 questions are being answered"):
        questions.admit("many", has_model=False)
    places.append(questions.admit("few", has_model=False))
    for place in places:
        questions.leave(place)
    assert questions.count == 0


def test_who_has_no_place_is_refused_before_the_body_is_read(
    search_context: SearchContext, tmp_path: Path
) -> None:
    file = tmp_path / "keys.jsonl"
    many, few, other = (
        bearer(key_file.add(file, name, [scope]))
        for name, scope in (("many", "ask"), ("few", "ask"), ("other", "feedback"))
    )
    app = create_app(AppState(search_context, None, keys=KeyRing(str(file))))
    with serving(search_context.settings, app) as client:
        places = [app.state.questions.admit("key many", has_model=False) for _ in range(24)]
        for way, (path, body) in WAYS.items():
            refused = client.post(path, content=b"no JSON", headers=many)
            assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
            assert len(refused.headers["X-Request-ID"]) == 32
            said = "24 questions are being answered; ask again in some seconds"
            assert reason(way, refused) == said
            assert client.post(path, content=b"no JSON", headers=few).status_code in {400, 422}
            assert client.post(path, json=body, headers=few).status_code == 200
            assert client.post(path, json=body, headers=bearer("wrong")).status_code == 401
            assert client.post(path, json=body, headers=other).status_code == 403
        for place in places:
            app.state.questions.leave(place)
        assert client.post(path, json=body, headers=many).status_code == 200
        scraped = app.state.metrics.registry.get_sample_value
        told_as = {"outcome": "error", "reason": "OverloadedError"}
        assert scraped("rag_answers_total", told_as) == 3  # a search is no question
    with search_context.store.connect() as conn:
        rows = conn.execute("SELECT count(*) FROM telemetry WHERE reason = 'OverloadedError'")
        assert rows.fetchone() == (0,)


@pytest.mark.proves("row 29", "promise 8")
def test_while_as_many_ask_as_may_the_models_keep_nobody_from_probing(
    search_context: SearchContext,
) -> None:
    app = create_app(AppState(search_context, None))
    many = concurrency_limit.MOST // 2  # of one caller there may be 24
    with serving(search_context.settings, app) as client, ThreadPoolExecutor(many) as threads:
        ask = partial(client.post, "/ask", json={"question": TORCH})
        asking = [threads.submit(ask) for _ in range(3 * many)]
        counts, probed = list[int](), list[int]()
        while not all(one.done() for one in asking):
            probed.append(client.get("/livez").status_code)
            counts.append(app.state.questions.count)
    assert {one.result().status_code for one in asking} == {200}
    assert (set(probed), len(probed) > 10) == ({200}, True)
    assert max(counts) > concurrency_limit.AT_WORK
