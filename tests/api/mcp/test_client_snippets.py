"""What docs/clients.md tells agents and editors to configure, taken from there and spoken with.

The clients of that document are not at hand: the SDK's own client stands for them, told what they
would read. Replaced is where the project lies, or where its server listens.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

from tests.api.mcp.conftest import ADDRESS, DOCUMENT, OVER_HTTP, OVER_PIPES, TOOLS, at, servers
from tests.support.source.documented import blocks

QUESTION = "How long does a torch burn?"


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


@pytest.mark.parametrize("heeded", [True, False], ids=["cwd heeded", "cwd ignored"])
def test_the_command_of_the_snippet_starts_a_server_that_answers(
    heeded: bool, project: Path, tmp_path: Path
) -> None:
    given = {**at(project), **({} if heeded else {"cwd": str(tmp_path)})}
    program = StdioServerParameters.model_validate(given, extra="forbid")
    anyio.run(spoken, Client(stdio_client(program), mode="legacy"))


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
