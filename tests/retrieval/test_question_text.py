"""Whatever a user writes is searched as words: it is no query, no operator and no SQL."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx2
import psycopg
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retrieval.database.pool import Store
from retrieval.index.store import live
from retrieval.settings import Settings
from tests.support.index.index_state import TABLES
from tests.support.servers.serving import serving
from tests.support.source.promises_table import Runs

QUESTION = "How long does a torch burn?"
ATTACKS = [
    "' OR '1'='1' --",
    "author' = 'alice' OR '1'='1' --",
    "'; DROP TABLE chunk; --",
    "\"; COPY chunk TO PROGRAM 'id'; --",
    "$$; DELETE FROM entry; $$",
    "%s",
    "%(generation)s",
    "{which}",
    "/* */",
    "E'\\x27'",
    "torch\0",
]
OPERATORS = [":*", "<->", "<2>", "&", "|", "!", "(", ")", ":A", "''", "\\", '"', "'", "[1]", "::"]
WORDS = ["torch", "battle axe", "30’", "cost", "1d8", "und", "the", "Ω", "🔥", "\u202e", "\u200b"]
PIECES = st.sampled_from([*ATTACKS, *OPERATORS, *WORDS, " ", "\n", "\t"])
TEXT = (
    st.lists(PIECES | st.text(max_size=8), min_size=1, max_size=20).map("".join)
    | st.text(st.characters(categories=["Cs", "Cc", "Cf", "L", "P"]), max_size=60)
    | st.tuples(PIECES, st.integers(10, 4_500)).map(lambda found: found[0] * found[1])
).map(lambda text: text[:4_500])  # the longest question has 4,000 characters


@pytest.fixture(scope="module")
def client(indexed: Settings) -> Iterator[httpx2.Client]:
    """An API without telemetry, which is written behind replies whenever a second has passed."""
    with serving(indexed.model_copy(update={"telemetry_days": 0})) as quiet:
        yield quiet


def post(client: httpx2.Client, path: str, body: dict[str, Any]) -> httpx2.Response:
    """Post a question, with its half characters as JSON's escapes."""
    reply = client.post(
        path, content=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert reply.status_code in (200, 422), f"{reply.status_code}: {reply.text[:300]}"
    return reply


@pytest.mark.proves("row 22", "promise 8")
@settings(max_examples=50, deadline=None)
@example(text="torch:* <-> !axe | ('")
@example(text="torch\0")
@example(text=":* <-> & | ! ( )")
@example(text="the and of")
@example(text="\U000f0000")
@example(text="a\\'b\\" * 20)
@given(text=TEXT)
def test_any_text_is_searched_as_words_or_refused_with_a_reason(
    client: httpx2.Client, runs: Runs, text: str
) -> None:
    reply = post(client, "/search", {"question": text, "explain": True}).json()
    if "passages" in reply:
        assert any(row["dense_rank"] for row in reply["trace"])
        assert reply["passages"]
    else:
        assert reply["detail"].startswith("the question ")
    runs(1)


@pytest.mark.proves("row 22", "promise 8")
@pytest.mark.parametrize("piece", ["x", "torch ", ":* <-> ", "' OR '1'='1' --", "\\", "🔥"])
@pytest.mark.parametrize("path", ["/ask", "/search"])
def test_a_text_of_100_kb_is_refused(client: httpx2.Client, path: str, piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    for history in ([], [text]):
        reply = client.post(path, json={"question": text, "history": history})
        # A body over 256 KB is not read at all.
        assert reply.status_code == (413 if len(reply.request.content) > 256 * 1024 else 422)


@contextmanager
def listening() -> Iterator[set[str]]:
    """Yield the texts of all statements that this process, and the API in it, run meanwhile."""
    said: set[str] = set()
    execute = psycopg.Cursor.execute

    def heard(self: Any, query: Any, params: Any = None, **options: Any) -> Any:
        said.add(query if isinstance(query, str) else query.as_string())
        return execute(self, query, params, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", heard)
        yield said


def rows(url: str) -> list[int]:
    with psycopg.connect(url) as conn:
        return [len(conn.execute(f"SELECT 1 FROM {name}").fetchall()) for name in TABLES]


@pytest.mark.proves("row 21", "promise 9")
def test_no_text_of_a_request_changes_a_statement(
    client: httpx2.Client, indexed: Settings, runs: Runs
) -> None:
    assert indexed.database_url
    url = indexed.database_url.get_secret_value()

    def ask(text: str) -> None:
        post(client, "/ask", {"question": text, "history": [QUESTION, "and in water?"]})
        post(client, "/search", {"question": "and for them?", "history": [text], "top_k": 50})
        for body in ({"filters": {text: text}}, {text or "x": 1}, {"top_k": text}):
            assert post(client, "/search", {"question": QUESTION, **body}).status_code == 422
        path = quote(text[:1_000].encode("utf-8", "replace"), safe="")
        assert client.get(f"/vault/x{path}").status_code == 404
        runs(1)

    with listening() as usual:
        store = Store(url)  # whose connections say what new ones of the API may say
        store.open()
        store.read(live)
        store.close()
        ask("A torch and a battle axe")
    before = rows(url)
    with listening() as said:
        for text in ATTACKS:
            ask(text)
        settings(max_examples=20, deadline=None)(given(text=TEXT)(ask))()
    assert len(said) > 5
    assert said <= usual
    assert rows(url) == before
