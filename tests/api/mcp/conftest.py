"""What docs/clients.md tells clients to configure, and the project's folder as it names it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import get_default_environment

from tests.conftest import RULES, write_vault
from tests.support.index.embedded import clean
from tests.support.source.documented import blocks

ROOT = Path(__file__).parents[3]
DOCUMENT = "clients.md"
PROJECT = "/path/to/rules-oracle"  # as the document writes it
ADDRESS = "http://127.0.0.1:8000"
TOOLS = {"ask", "fetch", "list_sources", "search"}


def servers() -> list[dict[str, Any]]:
    """The servers of all JSON snippets, as a client reads them from its file."""
    files = [json.loads(text) for text in blocks(DOCUMENT, "json")]
    return [one["rules"] for file in files for one in file.values()]


OVER_PIPES = [one for one in servers() if "command" in one]
OVER_HTTP = [one for one in servers() if "url" in one]


def at(folder: Path) -> dict[str, Any]:
    """The snippet over pipes, where the project lies in this folder."""
    (one,) = json.loads(json.dumps(OVER_PIPES).replace(PROJECT, str(folder)))
    return dict(one)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project's folder with its environment, three files of rules and, as told, an index."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("api", "evals", "ingest", "retrieval"):
        (folder / name).symlink_to(ROOT / name)
    (folder / ".venv").symlink_to(sys.prefix)
    write_vault(folder / "vault", RULES)
    one = at(folder)
    environment = {**get_default_environment(), **one["env"]}
    command = [one["command"], "-m", "ingest"]
    made = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
    assert made.returncode == 0, made.stderr
    yield folder
    clean(folder / ".data")
