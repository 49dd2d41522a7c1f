"""The libraries that are compared, and for each an environment of its own with pinned versions."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from retrieval.errors import RetrieverError

_INSTALL = 1200.0  # seconds
_SAID = 300  # characters of what pip says that an error shows


@dataclass(frozen=True, slots=True)
class Peer:
    """A library under its defaults: what is installed, the module that runs it, with options."""

    name: str
    module: str
    packages: tuple[str, ...]
    options: Mapping[str, object] = field(default_factory=dict)


_LLAMA_INDEX = ("llama-index-core==0.14.25", "llama-index-readers-file==0.7.0")
_TXTAI = ("txtai==9.14.0", "torch==2.13.0")  # its newest torch brings gigabytes of CUDA
PEERS = (
    Peer("langchain", "langchain_quickstart",
         ("langchain-core==1.8.3", "langchain-text-splitters==1.1.3", "numpy==2.4.6")),
    Peer("llama-index", "llama_index_quickstart", _LLAMA_INDEX),
    # Its default pieces are four times what our encoder reads.
    Peer("llama-index-200", "llama_index_quickstart", _LLAMA_INDEX, {"chunk_size": 200}),
    Peer("txtai", "txtai_quickstart", _TXTAI),
    Peer("txtai-hybrid", "txtai_quickstart", _TXTAI, {"hybrid": True}),
)  # fmt: skip


def python_of(peer: Peer, folder: Path) -> Path:
    """Return the Python of a peer's environment below `folder`, which is made where it is not.

    Peers of equal packages share one. Raises RetrieverError, with what pip said, where they cannot
    be installed.
    """
    digest = hashlib.sha256("\n".join((sys.version, *peer.packages)).encode()).hexdigest()[:12]
    made = folder / f"{peer.module}-{digest}"
    python, complete = made / "bin" / "python", made / "complete"
    if complete.exists():
        return python
    shutil.rmtree(made, ignore_errors=True)
    _run(peer, sys.executable, "-m", "venv", "--without-pip", str(made))
    pip = ("-m", "pip", "--python", str(python), "install", "--quiet", "--no-input")
    _run(peer, sys.executable, *pip, *peer.packages)
    complete.touch()
    return python


def _run(peer: Peer, *command: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_INSTALL, check=False
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        raise RetrieverError(f"{peer.name} was not installed: {error}; try again") from error
    if done.returncode:
        said = " ".join(done.stderr[-_SAID:].split())
        raise RetrieverError(f"{peer.name} was not installed: {said}; is there a network?")
