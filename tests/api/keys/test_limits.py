"""How often a key and an address may ask, counted by two APIs over one database."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import psycopg
import pytest

from api.keys import key_file
from api.keys.authorization import COOKIE
from api.keys.key_ring import KeyRing
from api.main import create_app
from api.state import AppState
from retrieval.context import SearchContext
from retrieval.database import rate_window
from retrieval.database.pool import Store
from retrieval.index import migrate
from tests.support.index.index_state import same_models
from tests.support.servers.serving import serving
from tests.support.servers.with_keys import bearer

QUESTION = {"question": "How long does a torch burn?"}
PATHS = ("/ask", "/search", "/page/ask", "/v1/chat/completions", "/feedback", "/mcp")


@pytest.fixture
def apis(search_context: SearchContext, tmp_path: Path) -> Iterator[list[httpx2.Client]]:
    """Two APIs: 4 requests a minute of "slow", 6 of any other key, 9 of an address."""
    values = {"rate_limit_key": 6, "rate_limit_address": 9, "rag_threshold": -9.0}
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
    assert one.get("/vault/").status_code == 200  # reading is not counted
    later(search_context, 61)
    assert one.post("/search", json=QUESTION).status_code == 200


def test_an_address_has_its_minute_with_all_keys_together(
    apis: list[httpx2.Client], search_context: SearchContext
) -> None:
    one, other = apis
    statuses = [client.post("/search", json=QUESTION).status_code for client in (one, other) * 5]
    assert statuses == [200] * 8 + [
        429,
        429,
    ]  # slow has 4, and 4 of the other's 6: the tenth is over
    transport = httpx2.HTTPTransport(local_address="127.0.0.2")
    with httpx2.Client(base_url=other.base_url, transport=transport) as elsewhere:
        cookie = {"Cookie": f"{COOKIE}={other.headers['authorization'].split()[1]}"}
        assert elsewhere.post("/search", json=QUESTION, headers=cookie).status_code == 200


def test_of_requests_at_once_as_many_pass_as_may_and_old_rows_go(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as conn:
        migrate.install(conn)
        conn.execute(
            "INSERT INTO rate_window SELECT 'address ' || n, now() - interval '2 hours', 1 "
            "FROM generate_series(1, 20) AS n"
        )
    store = Store(database)
    store.open()

    def passes(number: int) -> bool:
        with store.connect() as conn:
            # One after the other would wait for each other without an order.
            names = ["key a", "address b"][:: 1 if number % 2 else -1]
            return not any(one.is_over for one in rate_window.count(conn, dict.fromkeys(names, 7)))

    try:
        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(passes, range(40))) == 7
        with store.connect() as conn:
            assert conn.execute("SELECT count(*) FROM rate_window").fetchone() == (2,)
    finally:
        store.close()
