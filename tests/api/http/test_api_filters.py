"""What a filter hides is hidden in every reply, over HTTP, whatever asks."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client as McpClient
from openai import BadRequestError

from api.main import create_app
from api.openai.request import MODEL
from api.state import AppState
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import FilterError
from retrieval.langchain import RulesRetriever
from retrieval.search import search
from tests.conftest import write_vault
from tests.support.index.ingested import IndexFiles, index_of
from tests.support.llm.openai_client import BODY, MESSAGES, client_of, refused
from tests.support.servers.serving import events, serving
from tests.support.vaults.made_editions import FILES, FRANCE, LANTERN, NEW, TORCH

Given = Mapping[str, Any]
Surface = Callable[[httpx2.Client, SearchContext, Given], str]
TORCHES = {"First/Torches.md", "Second/Torches.md"}


@pytest.fixture(scope="module")
def rules(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.fixture(scope="module")
def api(rules: SearchContext) -> Iterator[httpx2.Client]:
    with serving(rules.settings, create_app(AppState(rules, None))) as client:
        yield client


def asked(client: httpx2.Client, path: str, **body: Any) -> dict[str, Any]:
    reply = client.post(path, json={"question": TORCH, **body})
    assert reply.status_code == 200, reply.text
    given: dict[str, Any] = reply.json()
    return given


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        (None, {"First/Torches.md", "Second/Torches.md"}),
        (NEW, {"Second/Torches.md"}),
        ({"edition": {"lt": 2}}, {"First/Torches.md"}),
        ({"path": {"prefix": "First/"}, "status": "current"}, set()),
    ],
)
def test_answers_and_passages_are_of_files_that_pass(
    api: httpx2.Client, filters: dict[str, Any] | None, paths: set[str]
) -> None:
    top = [one["path"] for one in asked(api, "/search", filters=filters)["passages"]]
    answer = asked(api, "/ask", filters=filters)
    streamed = dict(events(api, {"question": TORCH, "filters": filters, "stream": True}))
    assert streamed["final_answer"]["answer"] == answer["answer"]
    cited = {one["path"] for one in (*answer["cards"], *answer["citations"])}
    assert set(top) & TORCHES == paths
    assert cited & TORCHES == paths, answer["answer"]
    assert paths or (top, answer["refusal_reason"]) == ([], "filters")


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"editoin": 2}, "do you mean 'edition'?"),
        ({"edition": "' OR '1'='1' --"}, "is no number"),
        ({"edition' OR '1'='1": 1}, "do you mean"),
        ([], "filters"),
        ("status", "filters"),
        ({"status": {"$ne": 1}}, "no operator"),
    ],
)
@pytest.mark.parametrize("path", ["/ask", "/search"])
def test_a_wrong_filter_is_a_422_in_words(
    api: httpx2.Client, path: str, filters: Any, said: str
) -> None:
    for question in (TORCH, "hello"):
        reply = api.post(path, json={"question": question, "filters": filters})
        assert reply.status_code == 422
        assert said in reply.json()["detail"]


@pytest.mark.parametrize(
    "question",
    ["hello", "What can you do?", "list all monsters", "Which monsters drain levels?", "thanks",
     LANTERN, "What is a wight?", TORCH],
)  # fmt: skip
def test_nothing_of_a_hidden_file_is_in_a_reply(api: httpx2.Client, question: str) -> None:
    shown = asked(api, "/ask", question=question)
    reply = asked(api, "/ask", question=question, filters=NEW)
    told = {**reply, "question": "", "request_id": ""}
    assert "First" not in str(told)
    for hidden in ("Lantern", "Wight", "Ghoul", "Spectre"):
        assert hidden not in str(told), question
    assert any(one in str(shown) for one in ("First", "Torch", "welcome"))


def of_http(path: str, **more: Any) -> Surface:
    def surface(api: httpx2.Client, rules: SearchContext, filters: Given) -> str:
        body = {"question": TORCH, "filters": filters, **more}
        return api.post(path, json=body).text

    return surface


def of_openai(api: httpx2.Client, rules: SearchContext, filters: Given) -> str:
    given = client_of(api).chat.completions.create(
        model=MODEL, messages=MESSAGES, extra_body={"filters": filters}
    )
    return given.model_dump_json()


def of_mcp(tool: str, argument: str) -> Surface:
    def surface(api: httpx2.Client, rules: SearchContext, filters: Given) -> str:
        async def visit() -> str:
            async with McpClient(f"{str(api.base_url).rstrip('/')}/mcp") as server:
                given = await server.call_tool(tool, {argument: TORCH, "filters": filters})
                return str(given.content if given.is_error else given.structured_content)

        return anyio.run(visit)

    return surface


def of_langchain(api: httpx2.Client, rules: SearchContext, filters: Given) -> str:
    return str(RulesRetriever(rules=rules, filters=dict(filters)).invoke(TORCH))


def of_library(api: httpx2.Client, rules: SearchContext, filters: Given) -> str:
    return str([hit.chunk for hit in search(rules, TORCH, filters=filters).hits])


SURFACES: dict[str, Surface] = {
    "POST /search": of_http("/search"),
    "POST /ask": of_http("/ask"),
    "POST /ask, streamed": of_http("/ask", stream=True),
    "the page": of_http("/page/ask"),
    "OpenAI's client": of_openai,
    "MCP search": of_mcp("search", "query"),
    "MCP ask": of_mcp("ask", "question"),
    "LangChain": of_langchain,
    "the library": of_library,
}


@pytest.mark.parametrize("name", SURFACES)
def test_every_way_to_ask_takes_filters(
    api: httpx2.Client, rules: SearchContext, name: str
) -> None:
    for edition, shown, hidden in ((2, "Second/", "First/"), (1, "First/", "Second/")):
        reply = SURFACES[name](api, rules, {"edition": edition}).replace("%2F", "/")
        assert shown in reply
        assert hidden not in reply
    try:
        said = SURFACES[name](api, rules, {"editoin": 2})
    except (FilterError, BadRequestError) as error:
        said = str(error)
    assert re.search("do you mean .{,9}edition", said)


def test_an_openai_client_is_told_which_field_is_wrong(api: httpx2.Client) -> None:
    error = refused(api.post("/v1/chat/completions", json={**BODY, "filters": {"editoin": 2}}))
    assert (error["param"], error["code"]) == ("filters", "FilterError")
    error = refused(api.post("/v1/chat/completions", json={**BODY, "filters": [1]}))
    assert error["param"] == "filters"


def test_a_follow_up_stays_under_its_filters(api: httpx2.Client) -> None:
    reply = asked(api, "/ask", question="and a lantern?", history=[TORCH], filters=NEW)
    assert "First" not in str(reply)


@pytest.mark.parametrize(
    ("question", "filters", "named"),
    [
        (TORCH, {"edition": 3}, "*edition 3*"),
        (TORCH, {"edition": {"eq": 3}, "path": {"prefix": "First/"}}, "*edition 3, First/*"),
        (TORCH, {"edition": {"gt": 2}}, "the files under these filters"),
        (TORCH, {"status": "[a](http://b.c)\n# d"}, r"*status \[a\]( # d*"),
        (FRANCE, {"edition": 3}, None),
        (FRANCE, NEW, None),
    ],
)
def test_a_reply_says_where_only_the_filters_are_in_the_way(
    api: httpx2.Client, question: str, filters: dict[str, Any], named: str | None
) -> None:
    reply = asked(api, "/ask", question=question, filters=filters)
    assert reply["certainty"] != "answered"
    said = re.match(r"Nothing in (.*) says so; the rest of the rules do\.", reply["answer"])
    assert (said[1] if said else None) == named


def test_an_index_from_before_the_metadata_is_completed_without_embedding(
    loaded: SearchContext, server: str, tmp_path: Any
) -> None:
    vault = write_vault(tmp_path / "old", FILES)
    with index_of(loaded, server, vault, rag_threshold=-9.0) as rules:
        with rules.store.connect(autocommit=True) as conn:
            conn.execute("UPDATE file SET metadata = NULL")
            conn.execute("UPDATE generation SET revision = revision + 1")
        with serving(rules.settings, create_app(AppState(rules, None))) as client:
            body = {"question": TORCH, "filters": NEW}
            reply = client.post("/search", json=body)
            assert (reply.status_code, "python -m ingest" in reply.text) == (503, True)
            assert asked(client, "/search")["passages"]
            assert pipeline.run(rules, vault).embedded == 0
            assert client.post("/search", json=body).json()["passages"]
