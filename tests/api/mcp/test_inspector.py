"""The MCP inspector's command line over our server, by the configuration of docs/clients.md.

It is fetched by npx, so these run by hand and by `make soak` alone, where there is a Node.
"""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.mcp.conftest import ADDRESS, DOCUMENT, OVER_HTTP, TOOLS, at
from tests.support.source.documented import blocks

PACKAGE = "@modelcontextprotocol/inspector"
VERSION = "2.12.0"
WAIT = 300  # seconds; the first time it is fetched

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(shutil.which("npx") is None, reason="there is no npx here"),
]


def inspected(home: Path, *options: str) -> Any:
    """What the inspector's command line prints; its own files go into `home`."""
    command = ["npx", "--yes", f"{PACKAGE}@{VERSION}", "--cli", *options]
    catalog = {} if "--config" in options else {"MCP_CATALOG_PATH": str(home / "catalog.json")}
    done = subprocess.run(
        command, cwd=home, env={**os.environ, **catalog},
        capture_output=True, text=True, timeout=WAIT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


def checked(home: Path, *target: str) -> None:
    """Its three looks at a server: the tools with their schemas, a call, a file."""
    listed = inspected(home, *target, "--method", "tools/list", "--strict")
    assert {tool["name"] for tool in listed["tools"]} == TOOLS
    call = ["--tool-name", "ask", "--tool-arg", "question=How long does a torch burn?"]
    asked = inspected(home, *target, "--method", "tools/call", *call)
    assert not asked.get("isError")
    assert asked["structuredContent"]["citations"][0]["id"] == "1. Light/Torches.md#L3"
    where = ["--uri", "vault:///1.%20Light/Torches.md#L3-L3"]
    read = inspected(home, *target, "--method", "resources/read", *where)
    assert read["contents"][0]["text"].startswith("A torch burns for one hour.")


def configured(folder: Path, servers: dict[str, Any]) -> list[str]:
    """The options that have it read a client's file with these servers."""
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    return ["--config", str(file), "--server", "rules"]


def test_over_pipes_by_the_documents_configuration(project: Path, tmp_path: Path) -> None:
    checked(tmp_path, *configured(tmp_path, {"rules": at(project)}))


def test_over_http_by_the_documents_configuration(client: httpx2.Client, tmp_path: Path) -> None:
    here = OVER_HTTP[0]["url"].replace(ADDRESS, str(client.base_url).rstrip("/"))
    checked(tmp_path, *configured(tmp_path, {"rules": {**OVER_HTTP[0], "url": here}}))


def test_the_documented_command_lists_the_tools(client: httpx2.Client, tmp_path: Path) -> None:
    (line,) = (one for one in "".join(blocks(DOCUMENT, "")).splitlines() if PACKAGE in one)
    npx, package, cli, *options = shlex.split(line)
    assert (npx, package, cli) == ("npx", PACKAGE, "--cli")
    here = str(client.base_url).rstrip("/")
    listed = inspected(tmp_path, *(one.replace(ADDRESS, here) for one in options))
    assert {tool["name"] for tool in listed["tools"]} == TOOLS
