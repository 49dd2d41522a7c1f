"""The MCP server: four tools that read and change nothing, and the files of the vault as resources.

Over HTTP a question is admitted, counted and rated as one to POST /ask is; over stdio there is one
client.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Annotated, Any, TypeVar

import anyio
from fastapi import HTTPException, Request
from mcp.server import Server
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import Resource, ResourceTemplate
from pydantic import AnyUrl, Field

from api import VERSION
from api.admission.concurrency_limit import admitted
from api.answer.card_reply import AskOptions
from api.http import answering, problems
from api.http.client_disconnect import ClientDisconnect
from api.keys import limits
from api.mcp import results, sources
from api.mcp.results import Asked, Fetched, Found, Place, Sources
from api.mcp.tool import reading
from api.sources.titles import titles
from api.state import AppState, app_state
from retrieval.errors import RulesError

# The HTTP request of a message, which the SDK does not hand to what lists resources.
REQUEST: ContextVar[Request | None] = ContextVar("request", default=None)
_Result = TypeVar("_Result")
_INSTRUCTIONS = """\
These are the rules of one vault, and nothing else is known here. To answer a person, call `ask`: \
its answer stands on exact lines, which you cite by their url. Where certainty is "nearest", say \
that the rules may not cover it; where it is "refused", say that they do not, and do not answer \
from memory. `search` and `fetch` are for reading on: quote what `fetch` returns word for word."""
_SEARCH = """\
Find the passages of the rules for a question or keywords; returns ids for `fetch`, best first. \
Ask in plain words, in one sentence, as a person would. Returns no text: call `fetch` before you \
quote. For a direct question prefer `ask`."""
_FETCH = """\
Return exact lines of the rules, or a whole file, by an id that `search`, `ask` or `list_sources` \
returned ("path#L12-L14" or "path"). The text is the file's own characters, to be quoted as is."""
_ASK = """\
Answer a question from the rules, with the exact lines and their addresses, or refuse. Pass the \
person's question on as it was asked. Do not answer from memory where it is refused."""
_LIST = """\
List the files of the rules with their titles, all or those of one folder; `count` is how many \
there are, and at most 500 are listed."""
_Question = Annotated[str, Field(description="what to ask, in plain words")]
_History = Annotated[
    list[str], Field(max_length=20, description="the person's earlier questions, oldest first")
]
_Filters = Annotated[
    dict[str, Any] | None,
    Field(
        description='of which files, where the person asks for some alone: {"field": value}, '
        '{"field": {"in": […]}}, {"path": {"prefix": "Folder/"}}; a wrong field is told with all '
        "there are"
    ),
]
_Limit = Annotated[int | None, Field(ge=1, le=50, description="results; default RAG_TOP_K")]


class RulesServer(MCPServer[Any]):
    """Lists the files of the live index as resources, whatever was ingested meanwhile."""

    def __init__(self, opened: AppState) -> None:
        """Make the tools over what is opened."""
        super().__init__(
            "rules-oracle", instructions=_INSTRUCTIONS, version=VERSION, tools=_tools(opened)
        )
        self._opened = opened

    @property
    def lowlevel(self) -> Server[Any]:
        """What a transport serves."""
        return self._lowlevel_server

    async def list_resources(self) -> list[Resource]:
        """Return every file of the live index. Raises what `titles` raises."""
        found = await anyio.to_thread.run_sync(titles, _seen(self._opened, REQUEST.get()))
        return [
            Resource(uri=Place(path).url(""), name=path, title=title, mime_type="text/markdown")
            for path, title in found.items()
        ]

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """Return the one form of an address of lines."""
        return [
            ResourceTemplate(
                uri_template="vault:///{+path}#L{first}-L{last}",
                name="lines",
                description="Lines of a file of the rules: vault:///path#L12-L14",
                mime_type="text/markdown",
            )
        ]

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> list[ReadResourceContents]:
        """Return a file of the live index, or lines of it, as it stands on disk.

        Raises ResourceNotFoundError where there is none, ResourceError where the index is missing.
        """
        try:
            opened = _seen(self._opened, REQUEST.get())
            read = await anyio.to_thread.run_sync(sources.fetched, opened, str(uri), "")
        except RulesError as error:
            raise ResourceError(str(error)) from error
        return [ReadResourceContents(content=read.text, mime_type="text/markdown")]


def _tools(opened: AppState) -> list[Tool]:
    async def find(
        query: _Question, ctx: Context, filters: _Filters = None, limit: _Limit = None
    ) -> Found:
        def work(disconnect: ClientDisconnect) -> Found:
            request = _request(ctx)
            result = answering.passages(
                _seen(opened, request), request, query,
                top_k=limit, filters=filters, disconnect=disconnect,
            )  # fmt: skip
            return results.found(result.hits, result.certainty, _base_url(ctx))

        async with _counted(ctx):
            return await _in_thread(work)

    async def fetch(id: str, ctx: Context) -> Fetched:  # the name that clients send
        async with _told(ctx):
            seen = _seen(opened, _request(ctx))
            return await _in_thread(lambda _: sources.fetched(seen, id, _base_url(ctx)))

    async def ask(
        question: _Question,
        ctx: Context,
        history: _History = [],  # noqa: B006  # copied by pydantic
        filters: _Filters = None,
    ) -> Asked:
        def work(disconnect: ClientDisconnect) -> Asked:
            request = _request(ctx)
            if request:
                asked = answering.options(request, disconnect, history, filters=filters)
                given = answering.answer(request, question, asked)
            else:
                asked = AskOptions(
                    history=history, filters=filters, texts=opened.texts, disconnect=disconnect,
                    readers=opened.readers,
                )  # fmt: skip
                given = answering.local_answer(opened, question, asked)
            return Asked.of(given, _base_url(ctx))

        async with _told(ctx):
            if request := _request(ctx):
                await limits.check_tokens(request)
        async with _counted(ctx):
            return await _in_thread(work)

    async def list_sources(ctx: Context, folder: str = "") -> Sources:
        async with _told(ctx):
            seen = _seen(opened, _request(ctx))
            return await _in_thread(lambda _: sources.listed(seen, folder, _base_url(ctx)))

    return [
        reading(find, "search", "Search the rules", _SEARCH),
        reading(fetch, "fetch", "Read lines of the rules", _FETCH),
        reading(ask, "ask", "Ask the rules", _ASK),
        reading(list_sources, "list_sources", "List the files of the rules", _LIST),
    ]


def _request(ctx: Context) -> Request | None:
    """The HTTP request of a call; None over stdio."""
    return ctx.request_context.request


def _seen(opened: AppState, request: Request | None) -> AppState:
    """What a call may see: over HTTP what its key lets it."""
    return app_state(request) if request else opened


def _base_url(ctx: Context) -> str:
    request = _request(ctx)
    return str(request.base_url) if request else ""


@asynccontextmanager
async def _told(ctx: Context) -> AsyncIterator[None]:
    """Tell an error of ours as the tool's, in words an agent can act on."""
    try:
        yield
    except HTTPException as error:
        raise ToolError(error.detail) from error
    except RulesError as error:
        request = _request(ctx)
        detail = problems.told(request, error).detail if request else str(error)
        raise ToolError(detail) from error


@asynccontextmanager
async def _counted(ctx: Context) -> AsyncIterator[None]:
    """Hold a place among the questions that are answered at once; over the limit an error.

    Over stdio there is one client, and no limit.
    """
    async with _told(ctx):
        if request := _request(ctx):
            await admitted(request)  # the middleware takes it off when the reply is sent
        yield


async def _in_thread(work: Callable[[ClientDisconnect], _Result]) -> _Result:
    """Return what `work` returns, run in a thread, and end it where the call is cancelled."""
    disconnect = ClientDisconnect()
    try:
        return await anyio.to_thread.run_sync(work, disconnect, abandon_on_cancel=True)
    finally:
        disconnect.end_all()
