"""What one visitor can do to the rest: eight who ask beside half-open connections and overload.

By `make load`, on a quiet machine. What each attack meets, `make test` proves by itself:
test_connection_limits, test_slow_readers, test_page_load, test_concurrency_limit.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import pytest

from api.keys import key_file
from retrieval.context import SearchContext
from tests.conftest import RULES, write_vault
from tests.support.index.ingested import index_of
from tests.support.servers.attacks import KINDS
from tests.support.servers.served import api_process
from tests.support.servers.with_keys import bearer
from tests.support.source.figures import Figure, long_round

HONEST = 8  # who ask, each from an address of its own
PAUSE = 1.0  # seconds of one of them between two questions
FEW_FILES = 256
STALLED = 100  # of 200 who do not read, also where there are files for 144 connections
LIVEZ_MS, REFUSED_MS = 100, 50  # p95
ROUND = long_round(60.0)  # seconds
pytestmark = pytest.mark.soak
DENSE = "# Dense\n\n" + "\n".join(
    f"- *a{n % 50}* **b** [c](d.md) `e` ~~f~~ *g* **h** [i](j.md) `k` ~~l~~ *m* **n** [o](p.md) `q`"
    for n in range(2_200)
)  # 200 KB; texts that come again are embedded once


@dataclass(frozen=True, slots=True)
class Served:
    """The API as a process, and who asks it."""

    url: httpx2.URL
    honest: str  # tokens
    attacker: str
    has_few_files: bool


@pytest.fixture(params=["as the system has it", "few files"], scope="module")
def served(
    request: pytest.FixtureRequest,
    loaded: SearchContext,
    server: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    """The API with two keys, with few files where the parameter says so."""
    folder = tmp_path_factory.mktemp("attacked")
    vault = write_vault(folder / "vault", {**RULES, "Dense.md": DENSE})
    keys = folder / "keys.jsonl"
    honest, attacker = (key_file.add(keys, name, ["ask"]) for name in ("honest", "attacker"))
    with index_of(loaded, server, vault) as rules:
        assert rules.settings.database_url
        environment = {
            "DATABASE_URL": rules.settings.database_url.get_secret_value(),
            "VAULT": str(vault), "API_KEYS": str(keys), "LOG_LEVEL": "ERROR",
        }  # fmt: skip
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        if request.param == "few files":
            resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, before[1]))
        with api_process(environment, program=("-m", "api")) as (client, _):
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
            yield Served(client.base_url, honest, attacker, request.param == "few files")


def asked(served: Served, seconds: float) -> tuple[list[float], list[float], list[str]]:
    """Ask and probe for some seconds; return the milliseconds of both, and what failed."""
    done, failed = Event(), list[str]()

    def repeat(number: int, path: str, pause: float) -> list[float]:
        transport = httpx2.HTTPTransport(local_address=f"127.0.0.{10 + number}", verify=False)
        took: list[float] = []
        headers = bearer(served.honest)
        with httpx2.Client(
            base_url=served.url, transport=transport, timeout=30, headers=headers
        ) as client:
            body = {"question": "How long does a torch burn?"} if path == "/ask" else None
            while not done.wait(pause):
                began = time.perf_counter()
                try:
                    reply = client.request("POST" if body else "GET", path, json=body)
                except httpx2.HTTPError as error:
                    failed.append(f"{path}: {type(error).__name__}")
                    continue
                took.append(1000 * (time.perf_counter() - began))
                if reply.status_code != 200:
                    failed.append(f"{path}: {reply.status_code} {reply.text}")
        return took

    with ThreadPoolExecutor(HONEST + 1) as threads:
        asking = [threads.submit(repeat, number, "/ask", PAUSE) for number in range(HONEST)]
        probing = threads.submit(repeat, HONEST, "/livez", 0.2)
        done.wait(seconds)
        done.set()
        return [ms for one in asking for ms in one.result()], probing.result(), failed


def p95(took: list[float]) -> float:
    return sorted(took)[int(0.95 * len(took))]


@pytest.mark.proves("row 28", "row 29", "promise 8")
def test_who_asks_is_served_beside_every_attack(served: Served, figure: Figure) -> None:
    idle, _, failed = asked(served, ROUND)
    assert not failed
    files = f", {FEW_FILES} files" if served.has_few_files else ""
    figure(f"at rest{files}", f"p95 {p95(idle):.0f} ms (n = {len(idle)})", "")
    late: dict[str, float] = {}
    slow = list[dict[str, Any]]()
    for kind in KINDS:
        command = [sys.executable, "-m", "tests.support.servers.attacks", kind]
        command += [str(served.url.port), served.attacker, str(ROUND + 2)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
        ) as attackers:
            time.sleep(1.0)  # they connect
            took, probes, failed = asked(served, ROUND)
            said, _ = attackers.communicate(timeout=60)
        attack = json.loads(said)
        late[kind] = p95(took) / p95(idle)
        row = {
            "attack": kind, "n": len(took), "p95 ms": round(p95(took), 1), "times idle": round(
            late[kind], 2), "failed": len(failed), "probes": len(probes),
            "livez p95 ms": round(p95(probes), 1), "livez max ms": round(max(probes), 1), **attack,
        }  # fmt: skip
        print(row, flush=True)
        told = f"p95 {row['p95 ms']} ms, {row['times idle']} times that at rest (n = {len(took)})"
        told += f"; `/livez` p95, slowest {row['livez p95 ms']}, {row['livez max ms']} ms"
        told += f"; refused p95, slowest {attack['refused p95 ms']}, {attack['refused max ms']} ms"
        figure(f"beside {kind}{files}", told, "3 times; p95 of `/livez` 100, refused 50 ms")
        assert not failed, (kind, failed[:3])
        check_attack(kind, attack)
        if row["livez p95 ms"] > LIVEZ_MS or row["refused p95 ms"] > REFUSED_MS:
            slow.append(row)
    assert max(late.values()) <= 3, late
    assert not slow, slow


def check_attack(kind: str, attack: dict[str, Any]) -> None:
    """See that it was one: that replies waited for their readers, and that some were refused."""
    if kind == "slow readers":
        assert attack["stalled at once"] >= STALLED, attack
    if kind == "overload":
        assert attack["statuses"]["503"] > attack["statuses"]["200"] > 0, attack
