"""An hour of questions beside edits, restarts of PostgreSQL, changes of keys and a lying model."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from statistics import linear_regression

import httpx2
import psycopg
import pytest

from api.keys import key_file
from ingest import pipeline
from retrieval.context import SearchContext, open_context
from retrieval.index import store
from retrieval.settings import Settings
from tests.support.faults.long_run import INVENTED, READERS, TOPICS, Run, during, read, write
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.faulty_server import Server, faulty_server, seconds_to_recover
from tests.support.servers.served import api_process
from tests.support.servers.with_keys import bearer
from tests.support.source.figures import Figure, long_round

ROUND = 60.0  # seconds: an edit a quarter, a change of keys and a restart in between
RECOVERY = 3.0  # seconds after the database is back
MOST_GROWTH = 1.0  # MB for 1,000 questions


@pytest.fixture(scope="module")
def server(made: Path) -> Iterator[Server]:
    with faulty_server(made) as running:
        yield running


@pytest.fixture
def context(server: Server, tmp_path: Path) -> Iterator[SearchContext]:
    """The search context that ingests."""
    vault = tmp_path / "vault"
    write(vault, 0)
    settings = Settings.model_validate({"database_url": server.url, "vault": vault})
    with open_context(settings) as opened:
        pipeline.run(opened, vault)
        yield opened


@pytest.fixture
def run(server: Server, context: SearchContext, tmp_path: Path) -> Iterator[Run]:
    """The API as a process, with keys and a model that says the truth once in three times."""
    keys, llm = tmp_path / "keys.jsonl", FakeLlm()
    token = key_file.add(keys, "number-0", ["ask", "feedback"])
    environment = {
        "DATABASE_URL": server.url, "VAULT": str(context.settings.vault), "API_KEYS": str(keys),
        "OPENAI_BASE_URL": llm.url, "OPENAI_MODEL": "fake", "GUARD_LLM": "off",
    }  # fmt: skip
    with ExitStack() as stack:
        stack.callback(llm.shutdown)
        client, process = stack.enter_context(api_process(environment, program=("-m", "api")))
        running = Run(client, process.pid, keys, token)
        turn = count()

        def lie() -> None:
            prompt = llm.requests[-1]["messages"][-1]["content"]
            topic = max(TOPICS, key=lambda topic: prompt.rfind(f"does a {topic}"))
            truth = str(1000 + running.version)
            stale = str(999 + running.version)
            said = (truth, stale, INVENTED)[next(turn) % 3]
            llm.reply = f"A {topic} costs {said} gold coins at the market [1]."
            if len(llm.requests) > 100:  # the hour's prompts are not kept
                llm.requests[:-10] = []

        llm.before_reply = lie
        yield running


def edit(run: Run, context: SearchContext, *, rebuild: bool = False) -> None:
    """Write the next version and ingest it."""
    run.version += 1
    write(context.settings.vault, run.version)
    pipeline.run(context, context.settings.vault, rebuild=rebuild)
    run.returned.append(time.monotonic())
    name = context.store.read(lambda conn: store.live(conn).name)
    run.cost_of[name] = 1000 + run.version


def change_keys(run: Run, number: int) -> None:
    """Add a key, let the readers go over to it, and revoke the one before: it lets nobody in."""
    old = run.token
    run.token = key_file.add(run.keys, f"number-{number}", ["ask", "feedback"])
    run.turns()
    key_file.revoke(run.keys, f"number-{number - 1}")
    asked = {"question": "What does a rope cost?"}
    assert run.client.post("/ask", json=asked, headers=bearer(old)).status_code == 401


def restart(run: Run, server: Server, number: int) -> None:
    """Stop PostgreSQL, softly or at once, start it again, and ask until a question is answered."""
    began = time.monotonic()
    server.stop(signal.SIGINT if number % 2 else signal.SIGQUIT)
    server.start()
    headers = bearer(run.token)
    with httpx2.Client(base_url=run.client.base_url, headers=headers, timeout=60) as client:
        seconds_to_recover(client)
    run.outages.append((began, time.monotonic() + RECOVERY))


def disturb(run: Run, server: Server, context: SearchContext, seconds: float) -> None:
    """Edit, change keys and restart in turn until the time is over."""
    name = context.store.read(lambda conn: store.live(conn).name)
    run.cost_of[name] = 1000
    end, pause = time.monotonic() + seconds, min(ROUND, seconds / 2) / 4
    for number in count(1):
        for step in range(4):
            edit(run, context, rebuild=step == 3)
            time.sleep(pause / 2)
            if step == 1:
                change_keys(run, number)
            if step == 2:
                restart(run, server, number)
            time.sleep(pause / 2)
        status = Path(f"/proc/{run.pid}/status").read_text("utf-8")
        resident = int(status.partition("VmRSS:")[2].split()[0]) / 1024
        run.memory.append((len(run.seen), resident))
        print(f"round {number}: {len(run.seen)} questions, {resident:.0f} MB", flush=True)
        if time.monotonic() > end:
            return


@pytest.mark.proves("promise 1", "promise 5", "promise 10", "row 23")
@pytest.mark.parametrize(
    "seconds", [20.0, pytest.param(long_round(3600.0), marks=pytest.mark.soak)]
)
def test_nothing_is_stale_half_or_lost_whatever_is_changed_meanwhile(
    run: Run, server: Server, context: SearchContext, seconds: float, figure: Figure
) -> None:
    with ThreadPoolExecutor(READERS) as threads:
        reading = [threads.submit(read, run, number) for number in range(READERS)]
        try:
            disturb(run, server, context, seconds)
        finally:
            run.done.set()
        for one in reading:
            one.result()

    whole = [one for one in run.seen if one.status == 200]
    refused = [one for one in run.seen if during(one, run.outages)]
    lost = [one for one in run.seen if one.status != 200 and one not in refused]
    half = [one for one in whole if one.costs != {run.cost_of.get(one.generation)}]
    stale = [
        one
        for version, moment in enumerate(run.returned, start=1)
        for one in whole
        if one.began > moment and min(one.costs, default=0) < 1000 + version
    ]
    with psycopg.connect(server.url) as conn:
        kept = {row[0] for row in conn.execute("SELECT request_id FROM feedback")}
    unkept = set(run.rated) - kept
    settled = run.memory[len(run.memory) // 4 :]
    growth = 1000 * linear_regression(*zip(*settled, strict=True)).slope if settled[1:] else 0.0
    told = {
        "questions": len(run.seen), "refused in a restart": len(refused), "lost": len(lost),
        "half": len(half), "stale": len(stale), "lies shown": sum(one.is_invented for one in whole),
        "lies found": sum(one.is_corrected for one in whole),
        "edits": len(run.returned), "restarts": len(run.outages), "ratings": len(run.rated),
        "ratings lost": len(unkept), "MB per 1,000 questions": round(growth, 2),
    }  # fmt: skip
    value = "; ".join(f"{name} {number:,}" for name, number in told.items())
    figure("an hour of changes", value, "0 lost, half or stale; 1 MB per 1,000 questions")
    assert not lost, lost[:3]
    assert not half, half[:3]
    assert not stale, stale[:3]
    assert not unkept
    assert not any(one.is_invented for one in whole)
    assert len(whole) > 3 * len(run.returned)
    assert run.rated
    assert any(one.is_corrected for one in whole), "the model told no lie"
    assert seconds < 600 or growth <= MOST_GROWTH, run.memory
