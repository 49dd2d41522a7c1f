"""The MCP server by its own SDK's client: over a real socket, and as a process over its pipes."""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import MCPError, StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import TextContent, TextResourceContents, ToolAnnotations

from api.admission import concurrency_limit
from api.main import create_app
from api.mcp.results import Place
from retrieval.settings import Settings
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.serving import serving

ROOT = Path(__file__).parents[3]
TORCH = "1. Light/Torches.md#L3-L5"
READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
Visit = Callable[[Client], Awaitable[Any]]


def visited(client: httpx2.Client, visit: Visit, mode: str = "auto") -> Any:
    """What a visit over streamable HTTP returns."""

    async def run() -> Any:
        async with Client(f"{str(client.base_url).rstrip('/')}/mcp", mode=mode) as server:
            return await visit(server)

    return anyio.run(run)


async def called(server: Client, name: str, **arguments: Any) -> Any:
    """The structured result of a tool, which its text says too."""
    result = await server.call_tool(name, arguments)
    assert not result.is_error, result.content
    (said,) = result.content
    assert isinstance(said, TextContent)
    assert json.loads(said.text) == result.structured_content
    return result.structured_content


async def everything(server: Client) -> dict[str, Any]:
    """What both transports must give alike."""
    tools = (await server.list_tools()).tools
    asked = await called(server, "ask", question="How long does a torch burn?")
    found = await called(server, "search", query="How long does a torch burn?", limit=1)
    fetched = await called(server, "fetch", id=asked["citations"][0]["id"])
    listed = await called(server, "list_sources", folder="2. Arms")
    resources = (await server.list_resources()).resources
    (templates,) = (await server.list_resource_templates()).resource_templates
    read = (await server.read_resource(f"vault:///{TORCH}".replace(" ", "%20"))).contents[0]
    assert isinstance(read, TextResourceContents)
    return {
        "tools": tools, "asked": asked, "found": found, "fetched": fetched, "listed": listed,
        "resources": [one.uri for one in resources], "template": templates.uri_template,
        "read": read.text,
    }  # fmt: skip


def check(given: dict[str, Any], url: str) -> None:
    tools = {tool.name: tool for tool in given["tools"]}
    assert set(tools) == {"search", "fetch", "ask", "list_sources"}
    for tool in tools.values():
        assert tool.description
        assert tool.output_schema
        assert tool.annotations == READS
        assert tool.input_schema["additionalProperties"] is False
    assert set(tools["search"].input_schema["properties"]) == {"query", "filters", "limit"}
    assert given["asked"]["certainty"] == "answered"
    assert "A torch burns for one hour." in given["asked"]["answer"]
    cited = given["asked"]["citations"][0]
    assert (cited["id"], cited["fresh"]) == ("1. Light/Torches.md#L3", "fresh")
    assert cited["url"] == f"{url}1.%20Light/Torches.md#L3"
    assert (
        given["fetched"]["text"] == "A torch burns for one hour. It lights 30’ around its bearer."
    )
    assert given["fetched"]["id"] == cited["id"]
    (hit,) = given["found"]["results"]
    assert set(hit) == {"id", "title", "url"}
    assert hit["id"].startswith("1. Light/Torches.md#L")
    assert given["listed"]["count"] == 2
    assert [one["title"] for one in given["listed"]["sources"]] == ["Hazards", "Weapons"]
    assert given["resources"][0] == "vault:///1.%20Light/Torches.md"
    assert given["template"] == "vault:///{+path}#L{first}-L{last}"
    assert given["read"].startswith("A torch burns for one hour.")
    assert given["read"].endswith("However, a torch goes out at once in water.")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_http_the_tools_search_fetch_ask_and_list(client: httpx2.Client, mode: str) -> None:
    check(visited(client, everything, mode), f"{str(client.base_url).rstrip('/')}/vault/")


def over_pipes(settings: Settings, folder: Path, visit: Visit, **more: str) -> Any:
    """What a visit to a process of its own returns, whose environment has `more`."""
    assert settings.database_url
    environment = {
        "DATABASE_URL": settings.database_url.get_secret_value(),
        "VAULT": str(settings.vault), "RAG_THRESHOLD": str(settings.rag_threshold),
        "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", **more,
    }  # fmt: skip
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "api.mcp"], env=environment, cwd=folder
    )

    async def run() -> Any:
        async with Client(stdio_client(program)) as server:
            return await visit(server)

    return anyio.run(run)


def test_over_its_pipes_a_models_answer_is_read_as_over_http(
    indexed: Settings, tmp_path: Path, llm: FakeLlm
) -> None:
    async def visit(server: Client) -> Any:
        return await called(server, "ask", question="How long does a torch burn?")

    asked = over_pipes(
        indexed, tmp_path, visit, OPENAI_BASE_URL=llm.url, OPENAI_MODEL="fake", GUARD_LLM="on"
    )
    assert asked["certainty"] == "answered"
    assert len(llm.requests) == 2  # the answer, and a reader that names no words of a rule
    assert llm.requests[0]["messages"] != llm.requests[1]["messages"]


def test_a_refusal_and_the_nearest_lines_are_no_errors(client: httpx2.Client) -> None:
    async def visit(server: Client) -> list[Any]:
        questions = ("Who are you?", "Quelle heure est-il maintenant, mon ami ?", "xyzzy plugh?")
        return [await called(server, "ask", question=one) for one in questions]

    talk, french, nearest = visited(client, visit)
    assert (talk["certainty"], talk["citations"]) == ("answered", [])
    assert (french["certainty"], french["refusal_reason"]) == ("refused", "language")
    assert nearest["certainty"] in {"nearest", "refused"}


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("ask", {"question": " "}, "the question is empty; ask something"),
        (
            "ask",
            {"question": "torch", "vault": "/etc"},
            "ask: there is no argument 'vault'; it takes question, history, filters",
        ),
        ("ask", {}, "ask: question is missing; it takes question"),
        (
            "search",
            {"query": "torch", "limit": 0},
            "limit: it should be greater than or equal to 1",
        ),
        ("search", {"query": "torch", "limit": 51}, "limit: it should be less than or equal to 50"),
        ("search", {"query": "torch", "filters": 5}, "filters: it should be a JSON object"),
        ("ask", {"question": "torch", "history": [{}]}, "history.0: it should be a valid string"),
        ("fetch", {"id": "../pyproject.toml"}, "take an id that search, ask or list_sources"),
        ("fetch", {"id": "1. Light/Torches.md#L6-L3"}, "the lower number first"),
        ("fetch", {"id": "1. Light/Torches.md#L99"}, "has 6 lines, no 99"),
        ("list_sources", {"folder": "9. No"}, "call list_sources without a folder"),
    ],
)
def test_what_cannot_be_done_is_told_to_the_agent_in_words(
    client: httpx2.Client, name: str, arguments: dict[str, Any], words: str
) -> None:
    async def visit(server: Client) -> Any:
        return await server.call_tool(name, arguments)

    result = visited(client, visit)
    assert result.is_error
    assert words in result.content[0].text
    assert "pydantic" not in result.content[0].text


@pytest.mark.parametrize("uri", ["vault:///..%2Fpyproject.toml", "vault:///no.md", "file:///x"])
def test_only_files_of_the_index_are_resources(client: httpx2.Client, uri: str) -> None:
    async def visit(server: Client) -> Any:
        return await server.read_resource(uri)

    with pytest.raises(BaseException) as caught:  # noqa: PT011  # wrapped in the client's groups
        visited(client, visit)
    assert caught.group_contains(MCPError) or isinstance(caught.value, MCPError)


def test_over_the_limit_of_questions_a_call_is_told_to_come_again(
    indexed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency_limit, "MOST", 1)
    app = create_app(indexed)

    async def visit(server: Client) -> list[str]:
        app.state.questions.count = 1
        over = await server.call_tool("ask", {"question": "How long does a torch burn?"})
        app.state.questions.count = 0
        await called(server, "ask", question="How long does a torch burn?")
        assert app.state.questions.count == 0
        return [over.content[0].text]  # type: ignore[union-attr]

    with serving(indexed, app) as client:
        (said,) = visited(client, visit)
        assert "1 questions are being answered; ask again in some seconds" in said
        counted = client.get("/metrics").text
    assert 'rag_answers_total{outcome="answered",reason=""} 1.0' in counted
    assert 'rag_answers_total{outcome="error",reason="OverloadedError"} 1.0' in counted


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("a b/c.md#L3-L5", Place("a b/c.md", 3, 5)),
        ("a.md#L3", Place("a.md", 3, 3)),
        ("vault:///a.md", Place("a.md")),
        ("a.md#L5-L3", None),
        ("a#b.md#L3", Place("a#b.md", 3, 3)),
        ("vault:///a%23b.md#L3", Place("a#b.md", 3, 3)),
        ("", None),
    ],
)
def test_an_id_names_a_file_or_lines_of_it(given: str, place: Place | None) -> None:
    assert Place.of(given) == place
    if place:
        assert Place.of(place.id) == Place.of(place.url("")) == place
