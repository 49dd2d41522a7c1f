"""The wheel in environments of its own: pyproject.toml names all that it and an extra need.

Its dependencies come from the package index that pip knows, so this runs by `make soak` alone.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from evals.answers.running_apis import free_port
from tests.conftest import RULES, write_vault
from tests.support.index.embedded import clean, open_folder
from tests.support.source import built
from tests.support.source.documented import blocks

MOST = 1_000  # megabytes on the disk, for what runs, its weights included
OF_EXTRAS = {"retrieval.llama_index": "llama_index"}  # the modules that want one, and what
IMPORT_ALL = """
import importlib, json, pkgutil, sys
lacking = {}
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            lacking[module.name] = error.name
print(json.dumps([sys.modules["api"].__file__, lacking]))
"""
WAIT = 900  # seconds, for the slowest: an install over the network

pytestmark = pytest.mark.soak


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment that holds the wheel and what it depends on, and a folder elsewhere."""

    programs: Path
    folder: Path

    def environment(self) -> dict[str, str]:
        """That of these tests without what would let our source be found, and with a vault."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
        own = {"VAULT": str(self.folder / "rules"), "RAG_DATA_DIR": str(self.folder / ".data")}
        return kept | own

    def run(self, program: str, *arguments: str, more: Mapping[str, str] | None = None) -> str:
        """What a program of the environment prints, run in the folder."""
        done = subprocess.run(
            [self.programs / program, *arguments], cwd=self.folder, timeout=WAIT,
            env=self.environment() | dict(more or {}), capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def megabytes(self) -> float:
        """What the environment takes on the disk, with Python's compiled modules."""
        files = [one.lstat() for one in self.programs.parent.rglob("*")]
        return sum(one.st_blocks for one in files) * 512 / 1e6


@contextmanager
def environment_with(wheel: Path, extra: str = "") -> Iterator[Installed]:
    """A new environment with the wheel, its dependencies and perhaps an extra; tells its size."""
    with open_folder() as folder:
        write_vault(folder / "rules", RULES)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        found = Installed(folder / "venv" / "bin", folder)
        began = time.monotonic()
        found.run("python", "-m", "pip", "install", "--quiet", f"{wheel}{extra}")
        seconds = time.monotonic() - began
        print(f"\n{wheel.name}{extra}: installed in {seconds:.0f} s, {found.megabytes():.0f} MB")
        yield found
        clean(folder / ".data")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built.wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Iterator[Installed]:
    with environment_with(wheel) as found:
        yield found


def test_its_dependencies_are_complete_and_agree(installed: Installed) -> None:
    assert "No broken requirements found." in installed.run("python", "-m", "pip", "check")
    names = {one["name"] for one in json.loads(installed.run("pip", "list", "--format", "json"))}
    assert {"rules-oracle", "onnxruntime", "mcp"} <= names
    assert not {"torch", "llama-index-core", "pytest"} & names
    assert installed.megabytes() <= MOST


def test_all_but_the_modules_of_extras_import(installed: Installed) -> None:
    where, lacking = json.loads(installed.run("python", "-c", IMPORT_ALL, *built.PACKAGES))
    assert Path(where).is_relative_to(installed.programs.parent)
    assert lacking == OF_EXTRAS


def test_the_command_says_what_it_can(installed: Installed) -> None:
    assert "{serve,ingest,ask,keys,mcp}" in installed.run("rules-oracle", "--help")
    for program in ("serve", "ingest", "ask", "mcp", "evals retrieval"):
        assert "usage: " in installed.run("rules-oracle", *program.split(), "--help")


def test_a_folder_elsewhere_is_ingested_served_and_asked(installed: Installed) -> None:
    assert "3 files" in installed.run("rules-oracle", "ingest")
    port = {"PORT": str(free_port())}
    with subprocess.Popen(
        [installed.programs / "rules-oracle", "serve"], cwd=installed.folder,
        env=installed.environment() | port, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout
            assert next((line for line in server.stdout if port["PORT"] in line), "")
            said = installed.run("rules-oracle", "ask", "How long does a torch burn?", more=port)
        finally:
            server.send_signal(signal.SIGINT)
    assert "A torch burns for one hour." in said
    assert "1. Light/Torches.md" in said


def test_with_its_extra_the_documented_example_of_llamaindex_runs(wheel: Path) -> None:
    (code,) = (one for one in blocks("langchain.md", "python") if "retrieval.llama_index" in one)
    with environment_with(wheel, "[llama-index]") as found:
        assert "No broken requirements found." in found.run("python", "-m", "pip", "check")
        found.run("rules-oracle", "ingest")
        said = found.run("python", "-c", code)
    assert re.match(r"1\. Light/Torches\.md:\d+ \d\.\d\d\n", said)
