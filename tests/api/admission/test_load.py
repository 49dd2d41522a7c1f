"""How much is answered at once: /ask and /search by 1, 8, 32 and 128 callers, warm and cold.

Who is refused waits as long as `Retry-After` says. One more stage of 128 callers does not, and asks
again after half a second: what that costs is measured as well. In a cold stage (`-k cold`) the
process has just begun and answered nothing.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import httpx2
import pytest

from evals.labels import dataset
from retrieval.context import SearchContext
from tests.support.index.ingested import index_of
from tests.support.servers.served import api_process
from tests.support.source.figures import Figure, long_round

PATHS = ("/ask", "/search")
MOST = 128  # callers
EAGER = 0.5  # seconds that a refused caller waits who does not read Retry-After
KEPT, KEPT_EAGER = 0.9, 0.75  # of the best throughput, by 128 callers
FIRST = 10.0  # seconds of a cold stage that are told apart
LONG = long_round(180.0)  # seconds of a stage
pytestmark = pytest.mark.soak  # of one too many test_concurrency_limit says what it is told
# Callers; how long who is refused waits (None: as it is told, 5 s).
STAGES = ((1, None), (8, None), (32, None), (MOST, None), (MOST, EAGER))
ROOT = Path(__file__).parents[3]
QUESTIONS = [
    one.question for one in dataset.load(ROOT / "evals/datasets/rules.jsonl")
    if one.split == "calibration"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Api:
    """A running API and its process."""

    url: httpx2.URL
    pid: int

    def megabytes(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text("utf-8")
        return int(status.partition("VmRSS:")[2].split()[0]) // 1024


@dataclass(frozen=True, slots=True)
class Stage:
    """What callers got: seconds until each answered question began, and the ms that it took."""

    answered: list[tuple[float, float]]
    statuses: Counter[int]
    seconds: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.answered) / self.seconds

    def told(self, api: Api) -> str:
        """Say all of it, with the memory that the API has now."""
        return (
            f"{self.rate:.1f} a second; p50, p95, p99 {percentiles(self.answered)} ms; "
            f"{len(self.answered):,} answered, {self.statuses[503]:,} refused; "
            f"{api.megabytes()} MB"
        )


def named(callers: int) -> str:
    return f"{callers} caller{'s' if callers > 1 else ''}"


def percentiles(answered: Sequence[tuple[float, float]]) -> str:
    took = sorted(ms for _, ms in answered)
    return ", ".join(f"{took[int(p / 100 * len(took))]:,.0f}" for p in (50, 95, 99)) if took else ""


@pytest.fixture(scope="module")
def environment(loaded: SearchContext, server: str) -> Iterator[dict[str, str]]:
    """The settings of an API that answers from the sample."""
    vault = ROOT / "vault"
    with index_of(loaded, server, vault) as rules:
        assert rules.settings.database_url
        url = rules.settings.database_url.get_secret_value()
        yield {"DATABASE_URL": url, "VAULT": str(vault), "LOG_LEVEL": "ERROR"}


@contextmanager
def started(environment: dict[str, str]) -> Iterator[Api]:
    """Start an API."""
    with api_process(environment, program=("-m", "api")) as (client, process):
        yield Api(client.base_url, process.pid)


def stage(api: Api, path: str, callers: int, seconds: float, pause: float | None = None) -> Stage:
    """Let so many callers ask one after the other.

    Who is refused waits for `pause` seconds; None: as long as the reply says, or to the end.
    """
    statuses = Counter[int]()
    ways = [
        httpx2.HTTPTransport(local_address=f"127.0.1.{1 + number}", verify=False)
        for number in range(callers)
    ]
    start = time.perf_counter()

    def ask(number: int) -> list[tuple[float, float]]:
        answered = []
        with httpx2.Client(base_url=api.url, transport=ways[number], timeout=60) as client:
            order = Random(number)  # some questions cost twice what others do
            while (began := time.perf_counter()) < start + seconds:
                asked = {"question": order.choice(QUESTIONS)}
                reply = client.post(path, json=asked)
                statuses[reply.status_code] += 1
                if reply.status_code == 200:
                    answered.append((began - start, 1000 * (time.perf_counter() - began)))
                else:
                    wait = float(reply.headers["Retry-After"]) if pause is None else pause
                    left = start + seconds - time.perf_counter()
                    time.sleep(max(0.0, min(wait, left)))
        return answered

    with ThreadPoolExecutor(callers) as threads:
        answered = [one for caller in threads.map(ask, range(callers)) for one in caller]
    assert set(statuses) <= {200, 503}, statuses
    return Stage(answered, statuses, time.perf_counter() - start)


@pytest.mark.proves("row 28", "promise 8")
def test_more_callers_than_can_be_answered_cost_no_answers(
    environment: dict[str, str], figure: Figure
) -> None:
    with started(environment) as api:
        for path in PATHS:
            rates: dict[float | None, float] = {}
            best = 0.0
            for callers, pause in STAGES:
                done = stage(api, path, callers, LONG, pause)
                rates[pause] = done.rate
                best = max(best, done.rate)
                kept = limit = ""
                if callers == MOST:
                    limit = f"{KEPT if pause is None else KEPT_EAGER} of the best"
                    kept = f"{done.rate / best:.2f} of the best; "
                told = " who come again after 0.5 s" if pause else ""
                figure(f"{path}, {named(callers)}{told}", kept + done.told(api), limit)
            assert rates[None] >= KEPT * best, (path, rates, best)
            assert rates[EAGER] >= KEPT_EAGER * best, (path, rates, best)


@pytest.mark.parametrize("callers", [1, 8, 32, MOST])
@pytest.mark.parametrize("path", PATHS)
def test_cold_a_process_that_has_just_begun_answers_all_or_refuses(
    environment: dict[str, str], path: str, callers: int, figure: Figure
) -> None:
    with started(environment) as api:
        done = stage(api, path, callers, LONG)
        first = [one for one in done.answered if one[0] < FIRST]
        told = f"{done.told(api)}; of the first 10 s {percentiles(first)} ms (n = {len(first)})"
        figure(f"{path}, {named(callers)}, cold", told, "")
    assert first
