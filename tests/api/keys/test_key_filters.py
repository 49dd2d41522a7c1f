"""A key with a filter: for who has it no other file exists, whatever is asked by whichever way."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.keys import key_file
from api.keys.__main__ import main
from api.keys.key_ring import KeyRing
from api.main import create_app
from api.openai.request import MODEL
from api.state import AppState
from retrieval.context import SearchContext
from tests.conftest import write_vault
from tests.support.index.ingested import index_of
from tests.support.servers.serving import serving
from tests.support.servers.with_keys import bearer
from tests.support.source.promises_table import Runs
from tests.support.vaults.made_scopes import PUBLIC, SECRET, VAULT, Words, alone, files, questions

SCOPES = {"public": (PUBLIC, SECRET), "secret": (SECRET, PUBLIC)}
HTML = {"Accept": "text/html"}


@dataclass(frozen=True, slots=True)
class Callers:
    """The API over both sets of files; who sees one of them, or all; and an API over one alone."""

    seeing: dict[str, httpx2.Client]
    alone: httpx2.Client
    vault: Path


@pytest.fixture(scope="module")
def callers(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callers]:
    """The running APIs, each over an index of its own."""
    folder = tmp_path_factory.mktemp("scopes")
    file = folder / "keys.jsonl"
    tokens = {
        status: key_file.add(file, status, ["ask", "feedback"], None, {"status": status})
        for status in SCOPES
    }
    tokens["odd"] = key_file.add(file, "odd", ["ask"], None, {"nosuch": "x"})
    tokens["all"] = key_file.add(file, "all", ["ask", "feedback"])
    with ExitStack() as stack:
        vault = write_vault(folder / "vault", VAULT)
        rules = stack.enter_context(index_of(loaded, server, vault))
        client = stack.enter_context(
            serving(rules.settings, create_app(AppState(rules, None, keys=KeyRing(str(file)))))
        )
        seeing = {
            name: stack.enter_context(
                httpx2.Client(base_url=client.base_url, headers=bearer(token), timeout=60)
            )
            for name, token in tokens.items()
        }
        own = stack.enter_context(
            index_of(loaded, server, write_vault(folder / "alone", alone(PUBLIC)))
        )
        yield Callers(
            seeing,
            stack.enter_context(serving(own.settings, create_app(AppState(own, None)))),
            vault,
        )


def mcp(client: httpx2.Client, method: str, **params: Any) -> httpx2.Response:
    """Send a message of the Model Context Protocol."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    sent = {"Accept": "application/json, text/event-stream"}
    return client.post("/mcp", json=body, headers=sent)


def tool(client: httpx2.Client, name: str, **arguments: Any) -> httpx2.Response:
    """Call a tool."""
    return mcp(client, "tools/call", name=name, arguments=arguments)


def ways(client: httpx2.Client, asked: str, before: list[str], other: Words) -> list[Any]:
    """Every way to ask: each is a call without arguments that returns the reply."""
    body: dict[str, Any] = {"question": asked, "history": before}
    messages = [{"role": "user", "content": one} for one in (*before, asked)]
    any_of = {"or": [{"status": other.status}, {"status": {"not": other.status}}]}
    return [
        lambda: client.post("/ask", json=body),
        lambda: client.post("/search", json={**body, "explain": True, "top_k": 50}),
        lambda: client.post("/page/ask", json=body),
        lambda: client.post("/v1/chat/completions", json={"model": MODEL, "messages": messages}),
        lambda: client.post("/ask", json={**body, "filters": any_of, "stream": True}),
        lambda: tool(client, "ask", question=asked, history=before),
        lambda: tool(client, "search", query=asked, limit=50, filters={"status": other.status}),
        lambda: client.get("/", params={"q": asked, "before": before}, headers=HTML),
        lambda: client.get("/headings", params={"q": asked}),
        lambda: client.get("/vault/", params={"find": asked}),
        lambda: client.post("/search", json={"question": asked, "filters": {other.field: asked}}),
        lambda: client.post("/ask", json={**body, "filters": {"path": {"prefix": other.folder}}}),
    ]


def foreign(reply: httpx2.Response, other: Words, said: str) -> list[str]:
    """The words of the other set in a reply that nobody had said to it."""
    text, said = reply.text.lower(), said.lower()
    names = [one.lower() for one in (*other.asked, *other.told) if len(one) > 2]
    return [one for one in names if one in text and one not in said]


@pytest.mark.proves("row 40")
def test_five_hundred_questions_in_two_scopes_bring_no_foreign_line(
    callers: Callers, runs: Runs
) -> None:
    for status, (seen, other) in SCOPES.items():
        client, found = callers.seeing[status], 0
        for number, (asked, before) in enumerate(questions(seen, other)):
            calls = ways(client, asked, before, other)
            reply = calls[number % len(calls)]()
            assert reply.status_code in {200, 422}, (asked, reply.text)
            said = " ".join((asked, *before, other.status, other.folder, other.field))
            if "field" in reply.text and reply.status_code == 422:
                said = asked  # which field there is must not be told
            assert foreign(reply, other, f"{said} {other.field}") == [], (asked, reply.text)
            found += any(word in reply.text.lower() for word in seen.told)
            runs(1)
        assert number >= 249
        assert found > 50  # who asks gets lines of their own


def alike(one: Any, other: Any) -> bool:
    """Compare replies; vectors of a text differ by the texts that are encoded with it."""
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, abs=1e-5)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


@pytest.mark.proves("row 40")
def test_a_filtered_key_gets_what_an_index_of_its_files_alone_would_say(callers: Callers) -> None:
    def told(client: httpx2.Client, way: int, asked: str, before: list[str]) -> Any:
        reply = ways(client, asked, before, SECRET)[way]().json()
        return {k: v for k, v in reply.items() if k not in {"request_id", "generation", "timings"}}

    ways_that_count = cycle((0, 1, 8))
    for number, (asked, before) in enumerate(questions(PUBLIC, SECRET)):
        if number % 5 == 0:
            way = next(ways_that_count)
            mine = told(callers.seeing["public"], way, asked, before)
            assert alike(mine, told(callers.alone, way, asked, before)), (asked, mine)


def test_a_file_outside_of_the_filter_reads_as_one_that_does_not_exist(callers: Callers) -> None:
    for status, (seen, other) in SCOPES.items():
        client = callers.seeing[status]
        theirs = list(files(other, seen))
        for path in theirs:
            address = f"/vault/{path}"
            none = client.get(address.replace(other.folder, "none"))
            hidden = client.get(address)
            assert (hidden.status_code, hidden.json()["detail"]) == (404, none.json()["detail"])
            assert callers.seeing["all"].get(address).status_code == 200
            assert client.get("/", params={"source": path}, headers=HTML).status_code == 404
            for read in (
                tool(client, "fetch", id=path), mcp(client, "resources/read", uri=f"vault:///{path}"),
            ):  # fmt: skip
                assert foreign(read, other, path) == []
                assert "no source" in read.text
        assert tool(client, "list_sources", folder=other.folder).json()["result"]["isError"]
        for listing in (
            client.get("/vault/"), client.get("/"), client.get("/llms.txt"),
            client.get("/llms-full.txt"), tool(client, "list_sources"),
            mcp(client, "resources/list"), mcp(client, "tools/list"),
            client.get(f"/vault/{seen.folder}/{seen.place}.md?view=panel"),
        ):  # fmt: skip
            assert listing.status_code == 200
            # A file of theirs may name another itself: what it supersedes.
            assert foreign(listing, other, f"{other.folder} {other.place}") == [], listing.text
        assert seen.thing in mcp(client, "resources/list").text


def test_a_file_that_became_secret_is_read_by_no_filtered_key_before_the_next_ingest(
    callers: Callers,
) -> None:
    path = next(path for path in files(PUBLIC, SECRET) if path.startswith(PUBLIC.folder))
    file = callers.vault / path
    before = file.read_text("utf-8")
    file.write_text(f"---\nstatus: secret\n---\n# Plans\n\nHidden {SECRET.thing}.\n", "utf-8")
    try:
        for name, status in (("public", 404), ("all", 200)):
            client = callers.seeing[name]
            assert client.get(f"/vault/{path}").status_code == status
            for reply in (client.get("/llms-full.txt"), tool(client, "fetch", id=path)):
                assert (f"Hidden {SECRET.thing}." in reply.text) is (status == 200)
    finally:
        file.write_text(before, "utf-8")
    assert callers.seeing["public"].get(f"/vault/{path}").status_code == 200


def test_an_answer_is_rated_by_who_could_have_got_it(callers: Callers) -> None:
    given = callers.seeing["secret"].post("/ask", json={"question": "What is a vexomar?"}).json()
    rating = {"request_id": given["request_id"], "rating": "up"}
    statuses = {
        name: client.post("/feedback", json=rating).status_code
        for name, client in callers.seeing.items()
    }
    assert statuses == {"public": 404, "secret": 204, "odd": 403, "all": 204}


def test_a_filter_that_does_not_fit_lets_nothing_be_seen_and_names_no_field(
    callers: Callers,
) -> None:
    for number in (0, 1, 8, 9):
        reply = ways(callers.seeing["odd"], "What is a quimbat?", [], SECRET)[number]()
        assert (reply.status_code, reply.json()["title"]) == (500, "ConfigurationError")
        assert not [one.field for one in (PUBLIC, SECRET) if one.field in reply.text]


def test_the_command_takes_filters_and_keeps_scopes_of_the_whole_vault_apart(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["--file", str(tmp_path / "keys.jsonl"), "add"]
    given = ["--filter", "status=public", "--filter", '{"edition": {"gte": 2}}']
    assert main([*start, "reader", "--scope", "ask,feedback", *given]) == 0
    (key,) = key_file.read(tmp_path / "keys.jsonl")
    assert key.filter == {"and": [{"status": "public"}, {"edition": {"gte": 2}}]}
    assert main([*start, "seer", "--scope", "ask,metrics", "--filter", "status=public"]) == 2
    assert "metrics tells of all files" in capsys.readouterr().err
    (tmp_path / "keys.jsonl").write_text(
        json.dumps({"name": "a", "scopes": ["admin"], "sha256": "0" * 64, "filter": {}})
    )
    assert main(["--file", str(tmp_path / "keys.jsonl"), "list"]) == 2
