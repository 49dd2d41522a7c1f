"""How much is answered at once: /ask and /search by 1, 8, 32 and 128 callers, cold and warm."""

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
PAUSE = 0.5  # seconds of who was refused; Retry-After says five
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
    url: httpx2.URL, path: str, callers: int, seconds: float, questions: list[str]
) -> tuple[list[float], Counter[int]]:
    """Let so many callers ask one after the other; return the answers' ms and statuses."""
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
                status = client.post(path, json=asked).status_code
                statuses[status] += 1
                if status == 200:
                    took.append(1000 * (time.perf_counter() - began))
                else:
                    time.sleep(PAUSE)
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
        best = rate = 0.0
        for number, callers in enumerate(CALLERS):
            began = time.monotonic()
            took, statuses = stage(url[0], path, callers, seconds, questions)
            rate = len(took) / (time.monotonic() - began)
            best = max(best, rate)
            took.sort()
            resident = Path(f"/proc/{url[1]}/status").read_text("utf-8").partition("VmRSS:")[2]
            row = {
                "path": path, "callers": callers,
                "state": "cold" if (path, number) == ("/ask", 0) else "warm",
                "a second": round(rate, 1), "answered": len(took), "refused": statuses[503],
                **{f"p{p} ms": round(took[int(p / 100 * len(took))]) for p in (50, 95, 99)},
                "MB": int(resident.split()[0]) // 1024,
            }  # fmt: skip
            print(row, flush=True)
            record_property(f"{path} {callers}", str(row))
            assert set(statuses) <= {200, 503}, statuses
        assert is_short or rate >= 0.9 * best, (path, rate, best)
