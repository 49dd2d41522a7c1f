"""Several API processes behind the balancer of deploy/haproxy.cfg."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from evals.answers.running_apis import free_port
from tests.support.servers.served import api_process

CONFIGURATION = Path(__file__).parents[3] / "deploy" / "haproxy.cfg"
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Balanced:
    """The balancer's address, and a client and the process of each API behind it."""

    url: str
    apis: tuple[tuple[httpx2.Client, subprocess.Popen[bytes]], ...]


@contextmanager
def balanced(environment: Mapping[str, str], log: Path) -> Iterator[Balanced]:
    """Yield three running APIs behind a running balancer, which writes to `log`.

    Skips the test where there is no haproxy.
    """
    haproxy = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    if haproxy is None:
        pytest.skip("no haproxy (Debian: apt-get install haproxy): no APIs behind a balancer")
    with ExitStack() as stack, ThreadPoolExecutor(3) as starting:
        one = lambda _: stack.enter_context(api_process(environment))  # noqa: E731
        apis = tuple(starting.map(one, range(3)))
        url = f"127.0.0.1:{free_port()}"
        addresses = {
            f"API_{number}": f"{client.base_url.host}:{client.base_url.port}"
            for number, (client, _) in enumerate(apis, start=1)
        }
        with log.open("wb") as said:
            process = subprocess.Popen(
                [haproxy, "-db", "-f", str(CONFIGURATION)],
                env={**os.environ, **addresses, "BIND": url}, stdout=said, stderr=said,
            )  # fmt: skip
        stack.callback(process.wait)
        stack.callback(process.terminate)
        _wait(f"http://{url}", process, log)
        yield Balanced(f"http://{url}", apis)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until each API has answered through the balancer."""
    served: set[str] = set()
    give_up = time.monotonic() + _START_SECONDS
    while len(served) < 3:
        assert process.poll() is None, log.read_text("utf-8")
        assert time.monotonic() < give_up, f"{served} alone answer: {log.read_text('utf-8')}"
        try:
            reply = httpx2.get(f"{url}/livez", trust_env=False)
        except httpx2.ConnectError:
            time.sleep(0.02)
            continue
        served.add(reply.headers.get("X-Served-By", ""))
        served.discard("")
