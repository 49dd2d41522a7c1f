"""Every route by every method for every kind of caller, and nothing of the vault without a key."""

import re
import time
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import httpx2
import pytest
from starlette.routing import BaseRoute

from api import ask
from api.keys.authorization import COOKIE
from api.main import create_app
from api.openai.request import MODEL
from retrieval.context import SearchContext
from retrieval.settings import Settings
from tests.support.servers.with_keys import ASKED, PATH, WORDS, Guarded, bearer, guarded

# What each route needs; "": nothing, "any": a known key in its form. A route that is not here, or a
# row without a route, is a red test.
NEEDS = {
    "/": "ask", "/ask": "ask", "/search": "ask", "/page/ask": "ask", "/headings": "ask",
    "/vault": "ask", "/vault/": "ask", "/vault/{path:path}": "ask", "/llms.txt": "ask",
    "/llms-full.txt": "ask", "/mcp": "ask", "/v1/chat/completions": "ask", "/v1/models": "ask",
    "/v1/models/{model}": "ask", "/v1/{path:path}": "ask", "/feedback": "feedback",
    "/metrics": "metrics", "/status": "admin", "/livez": "", "/readyz": "", "/openapi.json": "",
    "/docs": "", "/page/{version}/{name}": "", "/sign-in": "any", "/sign-out": "",
}  # fmt: skip
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
CALLERS = ("nobody", "wrong", "gone", "ask", "feedback", "metrics", "admin")
UNKNOWN = {"nobody", "wrong", "gone"}
BODIES: dict[str, Any] = {
    "/v1/chat/completions": {"model": MODEL, "messages": [{"role": "user", "content": ASKED}]},
    "/feedback": {"request_id": "none", "rating": "up"},
    "/mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
}


def routes(found: Iterable[BaseRoute]) -> Iterator[tuple[str, set[str] | None]]:
    """The path and the methods of each route of the app; None for all methods."""
    for route in found:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from routes(included.routes)
        else:
            yield getattr(route, "path", ""), getattr(route, "methods", None)


ROUTES: dict[str, set[str] | None] = {}
for _path, _methods in routes(create_app(Settings()).routes):
    ROUTES[_path] = None if _methods is None else (ROUTES.get(_path) or set()) | _methods


def call(api: Guarded, path: str, method: str, caller: str, *, by_cookie: bool) -> httpx2.Response:
    """Call a route with the caller's key and a body that it can read."""
    token = api.tokens.get(caller, "wrong" if caller == "wrong" else "")
    # GET /mcp would be a stream without an end.
    streamed = "" if method == "GET" else ", text/event-stream"
    headers = {"Accept": f"text/html, application/json{streamed}"}
    if token:
        headers |= {"Cookie": f"{COOKIE}={token}"} if by_cookie else bearer(token)
    given: dict[str, Any] = {"json": BODIES.get(path, {"question": ASKED})}
    if path == "/sign-in":
        given = {"data": {"key": token or "none", "to": "/vault/"}}
    filled = path.replace("{version}/{name}", "x/page.css").replace("{model}", MODEL)
    address = filled.replace("{path:path}", "none" if path.startswith("/v1") else PATH)
    if method in {"GET", "HEAD"}:
        given = {"params": {"q": "quimbat"}} if path in {"/", "/headings"} else {}
    return api.client.request(method, address, headers=headers, follow_redirects=False, **given)


def expected(path: str, method: str, caller: str) -> set[int]:
    """The statuses that say what the table says of a cell; empty where any but these do."""
    methods = ROUTES[path]
    if path.startswith("/v1") and methods is not None:
        methods = methods | (ROUTES["/v1/{path:path}"] or set())  # which takes what others do not
    if methods is not None and method not in methods:
        return {405}
    needs = NEEDS[path]
    if needs == "any":
        return {401} if caller in UNKNOWN else {303}
    if not needs or caller == needs:
        return set()
    return {401} if caller in UNKNOWN else {403}


def test_the_table_has_every_route_of_the_app() -> None:
    assert set(ROUTES) == set(NEEDS)


@pytest.mark.parametrize("path", NEEDS)
def test_every_cell_of_route_method_and_scope(api: Guarded, path: str) -> None:
    for method, caller, by_cookie in product(METHODS, CALLERS, (False, True)):
        if by_cookie and (caller == "nobody" or method not in {"GET", "POST"}):
            continue  # a key is read in one place, whatever the method is
        reply = call(api, path, method, caller, by_cookie=by_cookie)
        cell = f"{method} {path} as {caller}: {reply.status_code} {reply.text[:200]}"
        wanted = expected(path, method, caller)
        if wanted:
            assert reply.status_code in wanted, cell
        else:
            assert reply.status_code not in {401, 403, 500}, cell
            assert reply.status_code != 405 or path == "/mcp", cell
        assert ("WWW-Authenticate" in reply.headers) == (reply.status_code == 401), cell
        if caller != "ask":
            said = f"{reply.text} {reply.headers}".lower()
            assert not [word for word in WORDS if word in said], cell


def test_the_words_of_the_vault_show_where_a_key_may_ask(api: Guarded) -> None:
    shown = ("/", "/headings", "/vault/", "/vault/{path:path}", "/llms.txt", "/llms-full.txt")
    for path in shown:
        text = call(api, path, "GET", "ask", by_cookie=True).text.lower()
        assert [word for word in WORDS if word in text], path
    for path in ("/ask", "/search", "/page/ask", "/v1/chat/completions"):
        text = call(api, path, "POST", "ask", by_cookie=False).text.lower()
        assert [word for word in WORDS if word in text], path


@pytest.mark.parametrize("made", ["Bearer", "Bearer {}x", "Basic {}", "bearer  {}", "Bearer ä{}"])
def test_what_only_looks_like_a_key_is_none(api: Guarded, made: str) -> None:
    value = made.format(api.tokens["ask"]).encode("latin-1")
    reply = api.client.get("/llms.txt", headers=[(b"authorization", value)])
    assert reply.status_code == (200 if made == "bearer  {}" else 401)


def test_an_openai_client_gets_its_own_kind_of_error(api: Guarded) -> None:
    for caller, status, code in (("wrong", 401, "invalid_api_key"), ("feedback", 403, None)):
        reply = call(api, "/v1/models", "GET", caller, by_cookie=False)
        told = reply.json()["error"]
        assert (reply.status_code, told.get("code"), told["type"]) == (
            status, code, "invalid_request_error",
        )  # fmt: skip


def test_who_may_not_ask_raises_no_count_of_failed_questions(api: Guarded) -> None:
    for path in ("/ask", "/v1/chat/completions", "/mcp"):
        assert call(api, path, "POST", "nobody", by_cookie=False).status_code == 401
    counted = call(api, "/metrics", "GET", "metrics", by_cookie=False).text
    assert 'outcome="error",reason="HttpError"' not in counted


def test_readiness_tells_its_parts_to_the_metrics_scope_alone(api: Guarded) -> None:
    for caller in CALLERS:
        told = call(api, "/readyz", "GET", caller, by_cookie=False).json()
        assert (set(told) == {"status"}) == (caller != "metrics")


def test_the_log_names_the_key_and_not_its_token(
    api: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG", "api"):
        call(api, "/llms.txt", "GET", "ask", by_cookie=False)
        call(api, "/llms.txt", "GET", "wrong", by_cookie=False)
        for _ in range(1_000):  # a line is written behind the reply
            if sum("llms" in one for one in caplog.messages) == 2:
                break
            time.sleep(0.01)
    lines = [re.sub(r"\d+ ms, request \w+", "", one) for one in caplog.messages if "llms" in one]
    assert lines == ["GET /llms.txt 200 , key ask", "GET /llms.txt 401 "]
    assert api.tokens["ask"] not in caplog.text


def test_a_page_that_is_listed_may_ask_with_a_key_and_another_may_not(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cors")
    with guarded(loaded, server, folder, cors_origins="https://app.example") as api:
        for origin, status in (("https://app.example", 200), ("https://b.example", 403)):
            headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
            sent = {**headers, **bearer(api.tokens["ask"])}
            reply = api.client.post("/search", json={"question": ASKED}, headers=sent)
            let = {"access-control-allow-origin": origin} if status == 200 else {}
            named = {k: v for k, v in reply.headers.items() if k.startswith("access-control-allow")}
            assert (reply.status_code, named) == (status, let)
            asked = {**headers, "Access-Control-Request-Method": "POST"}
            asked["Access-Control-Request-Headers"] = "authorization, content-type"
            assert api.client.options("/search", headers=asked).is_success == (status == 200)


def test_the_terminal_asks_with_the_key_of_its_environment(
    api: Guarded, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", str(api.client.base_url.port))
    assert ask.main([ASKED]) == 2
    assert "a key is needed" in capsys.readouterr().err
    monkeypatch.setenv("API_KEY", api.tokens["ask"])
    assert ask.main([ASKED]) == 0
    assert "snorvels" in capsys.readouterr().out
