"""`python -m api` in a process of its own, with vectors that cost nothing, for tests of readers."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx2

from evals.answers.running_apis import free_port

_ROOT = Path(__file__).parents[3]
_START_SECONDS = 300.0  # models are loaded, on a slow machine by several processes at once
_API = """
import sys
from api.__main__ import main
from retrieval import context
from tests.support.faults.crash_child import HashingEmbedder
context.Embedder = HashingEmbedder
sys.exit(main([]))
"""


@contextmanager
def api_process(
    environment: Mapping[str, str],
    log: IO[bytes] | None = None,
    program: Sequence[str] = ("-c", _API),
    folder: Path = _ROOT,
) -> Iterator[tuple[httpx2.Client, subprocess.Popen[bytes]]]:
    """Yield a client of a running API process, and the process; Ctrl-C ends it.

    What it writes to stderr goes to `log`, else to this process's. With `program` ("-m", "api") it
    is the program that users run. `folder` is where its code is.
    """
    port = free_port()
    settings = {"PORT": str(port), "RAG_THRESHOLD": "-9", "LOG_LEVEL": "WARNING", **environment}
    process = subprocess.Popen(
        [sys.executable, *program],
        cwd=folder,
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=log,
    )
    try:
        with httpx2.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False
        ) as client:
            _wait(client, process)
            yield client, process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


def _wait(client: httpx2.Client, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + _START_SECONDS
    while True:
        assert process.poll() is None, f"the API ended with {process.returncode}"
        assert time.monotonic() < give_up, f"the API did not start in {_START_SECONDS:g} s"
        try:
            client.get("/livez")
            return
        except httpx2.ConnectError:
            time.sleep(0.02)
