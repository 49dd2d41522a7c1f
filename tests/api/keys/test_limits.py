"""How often a key and an address may ask, counted by two APIs over one database."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from api.answer.fixed_texts import DEFAULT
from api.keys import key_file, limits
from api.keys.authorization import COOKIE
from api.keys.key_ring import KeyRing
from api.llm.client import LanguageModel
from api.main import create_app
from api.state import AppState
from retrieval import rates
from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.index import migrate
from retrieval.usage import rate_window
from retrieval.usage.rate_window import Window
from tests.support.index.index_state import same_models
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.serving import serving
from tests.support.servers.with_keys import bearer

QUESTION = {"question": "How long does a torch burn?"}
TIMES = (rates.MINUTE, rates.DAY)
PATHS = ("/ask", "/search", "/page/ask", "/v1/chat/completions", "/feedback", "/mcp")


@pytest.fixture
def apis(search_context: SearchContext, tmp_path: Path) -> Iterator[list[httpx2.Client]]:
    """Two APIs: 4 requests a minute of "slow", 6 of any other key, 9 of an address."""
    values: dict[str, object] = {
        "rate_limit_key": rates.read("6/m"), "rate_limit_address": rates.read("9"),
        "rag_threshold": -9.0,
    }  # fmt: skip
    settings = search_context.settings.model_copy(update=values)
    file = tmp_path / "keys.jsonl"
    tokens = [
        key_file.add(file, "slow", ["ask", "feedback"], 4),
        key_file.add(file, "any", ["ask"]),
    ]
    with ExitStack() as stack:
        found = []
        for token in tokens:
            rules = stack.enter_context(same_models(search_context, settings))
            app = create_app(AppState(rules, None, keys=KeyRing(str(file))))
            client = stack.enter_context(serving(settings, app))
            client.headers.update(bearer(token))
            found.append(client)
        yield found


def later(context: SearchContext, seconds: int) -> None:
    """Let the windows be as many seconds older."""
    url = context.settings.database_url
    assert url
    with psycopg.connect(url.get_secret_value()) as conn:
        changed = "UPDATE rate_window SET began_at = began_at - make_interval(secs => %s)"
        conn.execute(changed, [seconds])


def test_a_key_has_its_minute_with_all_apis_together(
    apis: list[httpx2.Client], search_context: SearchContext
) -> None:
    one, other = apis
    theirs = {"Authorization": one.headers["authorization"]}
    for left, (client, headers) in zip((3, 2, 1, 0), ((one, {}), (other, theirs)) * 2, strict=True):
        reply = client.post("/search", json=QUESTION, headers=headers)
        assert reply.status_code == 200
        assert reply.headers["RateLimit-Policy"] == '"address";q=9;w=60, "key";q=4;w=60'
        assert reply.headers["RateLimit"].split(", ")[1].startswith(f'"key";r={left};t=')
    for path in PATHS:
        refused = one.post(path, json=QUESTION)
        if path == "/v1/chat/completions":
            assert refused.json()["error"]["type"] == "rate_limit_error"
        assert (path, refused.status_code) == (path, 429)
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert "this key may ask 4 times a minute" in refused.json()["detail"]
    page = one.get("/", params={"q": "torch"}, headers={"Accept": "text/html"})
    assert (page.status_code, "No reply (429)" in page.text) == (429, True)
    for left in (38, 37):  # reading has a count of its own: ten times as much, "/" was one
        read = one.get("/vault/")
        assert read.headers["RateLimit"].split(", ")[1].startswith(f'"key-reads";r={left};t=')
    later(search_context, 61)
    assert one.post("/search", json=QUESTION).status_code == 200


def test_who_is_refused_uses_up_nothing_and_no_connection_is_made(
    apis: list[httpx2.Client], search_context: SearchContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = apis
    assert one.post("/search", json=QUESTION).status_code == 200  # the pool has a connection

    def connect(store: Store, **options: Any) -> Any:
        raise AssertionError("a request is counted by a connection of the pool")

    monkeypatch.setattr(Store, "connect", connect)
    asked = [one.post("/search", json=QUESTION) for _ in range(8)]
    assert [reply.status_code for reply in asked] == [200] * 3 + [429] * 5
    # Of the address's nine, "slow" had its four: its refusals took none of the other's.
    assert asked[-1].headers["RateLimit"].startswith('"address";r=5;t=')
    left = [other.post("/search", json=QUESTION).status_code for _ in range(6)]
    assert left == [200] * 5 + [429]


def test_an_address_has_its_minute_with_all_keys_together(
    apis: list[httpx2.Client], search_context: SearchContext
) -> None:
    one, other = apis
    statuses = [client.post("/search", json=QUESTION).status_code for client in (one, other) * 5]
    assert statuses == [200] * 8 + [429, 200]  # "slow" has had its four, and was refused for it
    transport = httpx2.HTTPTransport(local_address="127.0.0.2")
    with httpx2.Client(base_url=other.base_url, transport=transport, timeout=60) as elsewhere:
        cookie = {"Cookie": f"{COOKIE}={other.headers['authorization'].split()[1]}"}
        assert elsewhere.post("/search", json=QUESTION, headers=cookie).status_code == 200


def test_wrong_keys_count_for_their_address(apis: list[httpx2.Client]) -> None:
    one, _ = apis
    wrong = [one.get("/llms.txt", headers=bearer(f"wrong{number}")) for number in range(10)]
    assert [reply.status_code for reply in wrong] == [401] * 9 + [429]
    assert one.post("/search", json=QUESTION).status_code == 429  # the address has used it up
    assert one.post("/sign-in", data={"key": "wrong", "to": "/"}).status_code == 429
    assert one.get("/livez").status_code == 200


def message(
    client: httpx2.Client, headers: dict[str, str], method: str, params: dict[str, Any]
) -> dict[str, Any]:
    """The reply to a message to /mcp."""
    sent = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    accept = {**headers, "Accept": "application/json, text/event-stream"}
    reply = client.post("/mcp", json=sent, headers=accept)
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


@pytest.mark.parametrize(
    "budget",
    [{"model_budget_tokens": 900}, {"model_budget_money": 0.9, "model_prices": (1000.0, 1000.0)}],
)
def test_tokens_of_a_key_are_limited_and_beyond_the_days_budget_cards_answer(
    search_context: SearchContext, llm: FakeLlm, tmp_path: Path, budget: dict[str, object]
) -> None:
    values = {
        "openai_base_url": llm.url, "openai_model": "fake", "guard_llm": "off",
        "token_limit_key": rates.read("9000/d,400/m"), "rag_threshold": -9.0, **budget,
    }  # fmt: skip
    settings = search_context.settings.model_copy(update=values)
    file = tmp_path / "keys.jsonl"
    first, second = (bearer(key_file.add(file, name, ["ask"])) for name in ("first", "second"))
    with ExitStack() as stack:
        rules = stack.enter_context(same_models(search_context, settings))
        model = stack.enter_context(closing(LanguageModel(settings)))
        app = create_app(AppState(rules, model, keys=KeyRing(str(file))))
        client = stack.enter_context(serving(settings, app))
        for _ in range(2):  # 328 tokens each: the first leaves some, so the second is asked
            reply = client.post("/ask", json=QUESTION, headers=first)
            assert (reply.status_code, reply.json()["mode"]) == (200, "model")
        policy = '"key-tokens";q=400;w=60;qu="tokens", "key-tokens-day";q=9000;w=86400;qu="tokens"'
        assert reply.headers["RateLimit-Policy"] == policy
        over = client.post("/ask", json=QUESTION, headers=first)
        assert (over.status_code, int(over.headers["Retry-After"]) <= 60) == (429, True)
        assert "this key may use 400 tokens of the language model a minute" in over.text
        assert client.post("/search", json=QUESTION, headers=first).status_code == 200  # no tokens
        assert "error" not in message(client, first, "tools/list", {})
        named: dict[str, dict[str, Any]] = {
            name: {"name": name, "arguments": {}} for name in ("ask", "list_sources")
        }
        named["ask"]["arguments"] = QUESTION
        told = {n: message(client, first, "tools/call", one)["result"] for n, one in named.items()}
        assert (told["ask"]["isError"], told["list_sources"]["isError"]) == (True, False)
        assert "this key may use 400 tokens" in told["ask"]["content"][0]["text"]
        assert client.post("/ask", json=QUESTION, headers=second).json()["mode"] == "model"
        asked = len(llm.requests)
        later(search_context, 61)
        for headers in (first, second):  # 984 tokens today, and their minutes are over
            spent = client.post("/ask", json=QUESTION, headers=headers).json()
            assert (spent["mode"], spent["refused"], len(spent["cards"]) > 0) == (
                "quotes", False, True,
            )  # fmt: skip
            assert spent["notice"] == DEFAULT.budget
            assert spent["answer"].startswith(DEFAULT.budget)
        page = client.get("/", params={"q": QUESTION["question"]}, headers=first)
        assert "of the language model is used up" in page.text
        assert len(llm.requests) == asked
        later(search_context, rates.DAY)
        assert client.post("/ask", json=QUESTION, headers=first).json()["notice"] is None


def test_what_is_no_address_is_counted_as_one_unknown_caller() -> None:
    assert {limits.network_of(host) for host in ("", "nonsense", "10.0.0.1:80")} == {"unknown"}
    assert limits.network_of("10.0.0.1") == "10.0.0.1"


def test_of_requests_at_once_as_many_pass_as_may_and_old_rows_go(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as conn:
        migrate.install(conn)
        conn.execute(
            "INSERT INTO rate_window SELECT 'address ' || n, now() - interval '26 hours', 1 "
            "FROM generate_series(1, 20) AS n"
        )
    store = Store(database)
    store.open()

    def passes(number: int) -> bool:
        with store.connect() as conn:
            # One after the other would wait for each other without an order.
            names = ["key a", "address b"][:: 1 if number % 2 else -1]
            asked = [Window(one, "requests", 7, seconds, 1) for one in names for seconds in TIMES]
            return not any(one.is_over for one in rate_window.count(conn, asked))

    try:
        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(passes, range(40))) == 7
        with store.connect() as conn:
            assert conn.execute("SELECT count(*) FROM rate_window").fetchone() == (4,)
    finally:
        store.close()
