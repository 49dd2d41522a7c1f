"""What docs/clients.md tells agents and editors to configure, taken from there and spoken with.

The clients of that document are not at hand: the SDK's own client stands for them, told what they
would read. Replaced is where the project lies, or where its server listens.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import get_default_environment, stdio_client

from tests.api.mcp.test_mcp import check, everything
from tests.conftest import RULES, write_vault
from tests.support.index.embedded import clean
from tests.support.source.documented import blocks

ROOT = Path(__file__).parents[3]
DOCUMENT = "clients.md"
PROJECT = "/path/to/rules-oracle"  # as the document writes it
ADDRESS = "http://127.0.0.1:8000"
TOOLS = {"ask", "fetch", "list_sources", "search"}
QUESTION = "How long does a torch burn?"


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


@pytest.fixture(scope="module")
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


def test_the_snippets_are_of_both_keys_and_both_transports() -> None:
    keys = [next(iter(json.loads(text))) for text in blocks(DOCUMENT, "json")]
    assert keys == ["mcpServers", "mcpServers", "servers"]
    assert len(OVER_PIPES) == 1
    assert [one["url"] for one in OVER_HTTP] == [f"{ADDRESS}/mcp"] * 2
    assert [one.get("type") for one in OVER_HTTP] == ["http", "http"]
    assert all(set(one) <= {"type", "url", "command", "args", "cwd", "env"} for one in servers())


async def spoken(server: Client) -> None:
    """What any client does: initialize, the list of tools, one call."""
    async with server:
        assert server.server_info
        assert server.server_info.name == "rules-oracle"
        assert {tool.name for tool in (await server.list_tools()).tools} == TOOLS
        result = await server.call_tool("ask", {"question": QUESTION})
    assert not result.is_error, result.content
    assert result.structured_content
    assert result.structured_content["citations"][0]["id"] == "1. Light/Torches.md#L3"
    assert result.structured_content["citations"][0]["fresh"] == "fresh"


def test_the_command_of_the_snippet_starts_a_server_that_does_the_same_as_over_http(
    project: Path, tmp_path: Path
) -> None:
    """Also for a client that ignores `cwd`: the rest of the snippet says where the project lies."""
    given = {**at(project), "cwd": str(tmp_path)}
    program = StdioServerParameters.model_validate(given, extra="forbid")

    async def run() -> dict[str, Any]:
        async with Client(stdio_client(program), mode="legacy") as server:
            return await everything(server)

    check(anyio.run(run), "vault:///")


@pytest.mark.parametrize("one", OVER_HTTP, ids=["mcpServers", "servers"])
def test_the_address_of_the_snippet_is_that_of_the_running_api(
    one: dict[str, Any], client: httpx2.Client
) -> None:
    here = one["url"].replace(ADDRESS, str(client.base_url).rstrip("/"))
    anyio.run(spoken, Client(here, mode="legacy"))


def test_the_agent_of_the_document_prints_what_it_was_answered(client: httpx2.Client) -> None:
    (code,) = blocks(DOCUMENT, "python")
    here = code.replace(ADDRESS, str(client.base_url).rstrip("/"))
    done = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "answered 1. Light/Torches.md#L3\n"
