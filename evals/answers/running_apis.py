"""A copy of a vault with running APIs that answer from its index, each a process of its own."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import SystemRandom
from time import monotonic, sleep

import httpx2

from retrieval.database.embedded.postgres import serve
from retrieval.errors import DatasetError
from retrieval.settings import names

_ROOT = Path(__file__).parents[2]
_START = 600.0  # seconds for a process that loads models, or a whole ingest
_STOP = 15.0  # seconds for a server that ends its requests
_LOG_END = 600  # characters of a log that an error shows
_PORTS = (15_000, 32_000)  # below those that Linux, macOS and Windows give to whoever connects


@dataclass(frozen=True, slots=True)
class Stage:
    """A copy of a vault with the addresses of the APIs that answer from its index."""

    folder: Path
    vault: Path
    apis: tuple[str, ...]
    environment: Mapping[str, str]

    def wait_ready(self) -> None:
        """Wait until every API answers questions. Raises DatasetError where one is late."""
        for number, url in enumerate(self.apis, start=1):
            log = self.folder / f"api-{number}.log"
            wait_until(partial(is_ready, url, seconds=5), partial(_not_ready, number, log))

    def ingest(self, *arguments: str) -> None:
        """Run one ingest as users do. Raises DatasetError unless it ends with 0."""
        ended = subprocess.run(
            [sys.executable, "-m", *(arguments or ("ingest",))], cwd=self.folder,
            env=self.environment, capture_output=True, text=True, timeout=_START, check=False,
        )  # fmt: skip
        if ended.returncode:
            said = (ended.stdout + ended.stderr)[-_LOG_END:].strip()
            raise DatasetError(f"ingest ended with {ended.returncode}: {said}")


@contextmanager
def opened(vault: Path, apis: Sequence[Sequence[str]]) -> Iterator[Stage]:
    """Yield a copy of `vault` with one running API for each module; all is gone afterwards.

    The models are the bundled ones, the database is an embedded one of its own, and nothing is
    ingested yet. No language model is asked. Raises DatabaseUnreachableError.
    """
    folder = Path(tempfile.mkdtemp(prefix="stale-"))
    folder.chmod(0o711)  # where root starts it, the server runs as somebody else
    try:
        copy = shutil.copytree(vault, folder / "vault")
        own = {"VAULT": copy, "RAG_DATA_DIR": folder / "pg", "PYTHONPATH": _ROOT}
        kept = {name: value for name, value in os.environ.items() if name not in names()}
        environment = kept | {name: str(path) for name, path in own.items()}
        with ExitStack() as stack:
            stack.enter_context(serve(folder / "pg"))
            urls = [stack.enter_context(_api(module, n, folder, environment))
                    for n, module in enumerate(apis, start=1)]  # fmt: skip
            yield Stage(folder, copy, tuple(urls), environment)
    finally:
        shutil.rmtree(folder)


def free_port() -> int:
    """A port of this machine that is free at all its addresses just now.

    It is none of those that systems give to whoever connects: such a one may be taken next.
    """
    while True:
        port = SystemRandom().randrange(*_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("", port))
            return port


@contextmanager
def _api(
    module: Sequence[str], number: int, folder: Path, environment: Mapping[str, str]
) -> Iterator[str]:
    port = free_port()
    with running(module, folder / f"api-{number}.log", {**environment, "PORT": str(port)}):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def running(
    module: Sequence[str], log: Path, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process of a module with its arguments, in the folder of its log; it is ended."""
    with log.open("w") as said, subprocess.Popen(
        [sys.executable, "-m", *module], cwd=log.parent, stdout=said, stderr=said, env=environment
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP)
            process.kill()  # of one that has ended: nothing


def is_ready(url: str, *, seconds: float) -> bool:
    """Tell whether an API says within these seconds that it answers questions."""
    with suppress(httpx2.HTTPError):
        return httpx2.get(f"{url}/readyz", timeout=seconds, trust_env=False).status_code == 200
    return False


def _not_ready(number: int, log: Path) -> str:
    return f"API {number} is not ready: {log.read_text('utf-8')[-_LOG_END:] or 'no word of it'}"


def wait_until(done: Callable[[], bool], late: Callable[[], str]) -> None:
    """Wait for minutes at most. Raises DatasetError with what `late` says where that is over."""
    give_up = monotonic() + _START
    while not done():
        if monotonic() > give_up:
            raise DatasetError(late())
        sleep(0.05)
