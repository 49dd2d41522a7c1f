"""How much is answered at once: /ask and /search by 1, 8, 32 and 128 callers, cold and warm.

Who is refused waits as long as `Retry-After` says. One more stage of 128 callers does not, and asks
again after half a second: what that costs is measured as well.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evals.labels import dataset
from retrieval.context import SearchContext
from tests.conftest import RULES, write_vault
from tests.support.index.ingested import index_of
from tests.support.servers.served import api_process

CALLERS = (1, 8, 32, 128)
EAGER = 0.5  # seconds that a refused caller waits who does not read Retry-After
ROOT = Path(__file__).parents[3]


@pytest.fixture(params=["small", pytest.param("sample", marks=pytest.mark.soak)])
def url(
    request: pytest.FixtureRequest, loaded: SearchContext, server: str, tmp_path: Path
) -> Iterator[tuple[httpx2.URL, int]]:
    """The address and the process of an API that answers from a small vault or from the sample."""
    vault = ROOT / "vault"
    if request.param == "small":
        vault = write_vault(tmp_path / "vault", RULES)
    with index_of(loaded, server, vault) as rules:
        assert rules.settings.database_url
        url = rules.settings.database_url.get_secret_value()
        environment = {"DATABASE_URL": url, "VAULT": str(vault), "LOG_LEVEL": "ERROR"}
        with api_process(environment, program=("-m", "api")) as (client, process):
            yield client.base_url, process.pid


def stage(
    url: httpx2.URL, path: str, callers: int, seconds: float, questions: list[str],
    pause: float | None = None,
) -> tuple[list[float], Counter[int]]:  # fmt: skip
    """Let so many callers ask one after the other; return the answers' ms and statuses.

    Who is refused waits for `pause` seconds; None: as long as the reply says, or to the end.
    """
    statuses = Counter[int]()
    ways = [
        httpx2.HTTPTransport(local_address=f"127.0.1.{1 + number}", verify=False)
        for number in range(callers)
    ]
    end = time.monotonic() + seconds

    def ask(number: int) -> list[float]:
        transport = ways[number]
        took = []
        with httpx2.Client(base_url=url, transport=transport, timeout=60) as client:
            turn = number * 7
            while time.monotonic() < end:
                turn += 1
                began = time.perf_counter()
                asked = {"question": questions[turn % len(questions)]}
                reply = client.post(path, json=asked)
                statuses[reply.status_code] += 1
                if reply.status_code == 200:
                    took.append(1000 * (time.perf_counter() - began))
                else:
                    wait = float(reply.headers["Retry-After"]) if pause is None else pause
                    time.sleep(max(0.0, min(wait, end - time.monotonic())))
        return took

    with ThreadPoolExecutor(callers) as threads:
        return [ms for one in threads.map(ask, range(callers)) for ms in one], statuses


@pytest.mark.proves("row 28", "promise 8")
def test_more_callers_than_can_be_answered_cost_no_answers(
    url: tuple[httpx2.URL, int], request: pytest.FixtureRequest, record_property: Any
) -> None:
    questions = [one.question for one in dataset.load(ROOT / "evals/datasets/rules.jsonl")
                 if one.split == "calibration"]  # fmt: skip
    is_short = "small" in request.node.name
    seconds = 1.0 if is_short else float(os.environ.get("LOAD_SECONDS", "180"))
    for path in ("/ask", "/search"):
        rates: dict[float | None, float] = {}
        best = 0.0
        for number, (callers, pause) in enumerate([*((n, None) for n in CALLERS), (128, EAGER)]):
            began = time.monotonic()
            took, statuses = stage(url[0], path, callers, seconds, questions, pause)
            rate = rates[pause] = len(took) / (time.monotonic() - began)
            best = max(best, rate)
            took.sort()
            resident = Path(f"/proc/{url[1]}/status").read_text("utf-8").partition("VmRSS:")[2]
            row = {
                "path": path, "callers": callers, "eager": pause is not None,
                "state": "cold" if (path, number) == ("/ask", 0) else "warm",
                "a second": round(rate, 1), "answered": len(took), "refused": statuses[503],
                **{f"p{p} ms": round(took[int(p / 100 * len(took))]) for p in (50, 95, 99)},
                "MB": int(resident.split()[0]) // 1024,
            }  # fmt: skip
            print(row, flush=True)
            record_property(f"{path} {callers} {pause}", str(row))
            assert set(statuses) <= {200, 503}, statuses
        assert is_short or rates[None] >= 0.9 * best, (path, rates, best)
