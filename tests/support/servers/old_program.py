"""A program of before, from this repository's history: its own code, with today's packages."""

import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.support.servers.served import api_process

_ROOT = Path(__file__).parents[3]
_PARTS = ("api", "ingest", "retrieval", "tests")
_INGEST_SECONDS = 300.0
_HASHED = """
import sys
from {package}.__main__ import main
from retrieval import context
from tests.support.faults.crash_child import HashingEmbedder
HashingEmbedder.warm = lambda self: None  # its weights are not used
context.Embedder = HashingEmbedder
sys.exit(main([]))
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program whose code is in `folder`, with vectors that cost nothing."""

    folder: Path

    def ingest(self, environment: Mapping[str, str]) -> str:
        """Run its ingest to a good end and return what it prints."""
        done = subprocess.run(
            [sys.executable, *_started("ingest")], cwd=self.folder,
            env=self._environment(environment), capture_output=True, text=True,
            timeout=_INGEST_SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def api(self, environment: Mapping[str, str]) -> Iterator[httpx2.Client]:
        """Yield a client of its running API."""
        named = self._environment(environment)
        with api_process(named, program=_started("api"), folder=self.folder) as (client, _):
            yield client

    def _environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        return {**os.environ, **environment, "PYTHONPATH": str(self.folder)}


def _started(package: str) -> tuple[str, str]:
    return "-c", _HASHED.format(package=package)


def todays() -> Program:
    """The program that is tested."""
    return Program(_ROOT)


def of_commit(commit: str, folder: Path) -> Program:
    """Put the code of a commit into `folder`; the test is skipped where history lacks it."""
    archive = ["git", "-C", str(_ROOT), "archive", "--format=tar", commit, *_PARTS]
    try:
        packed = subprocess.run(archive, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"no commit {commit[:7]} here (git fetch --unshallow): no program of before")
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        tar.extractall(folder, filter="data")
    return Program(folder)
