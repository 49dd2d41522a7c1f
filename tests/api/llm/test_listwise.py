"""RERANKER_MODEL=llm: a language model orders the first passages; search's order is the net."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from api.llm import listwise
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError
from retrieval.models import Hit
from retrieval.search import search
from retrieval.settings import Settings, load
from tests.support.llm.fake_llm import USAGE, FakeLlm
from tests.support.servers.serving import serving

QUESTION = "How long does a torch burn?"
ORDER = '{"order": [2, 1]}'


@pytest.fixture(scope="module")
def ordered(with_model: Settings) -> Settings:
    return with_model.model_copy(update={"reranker_model": "llm", "rag_threshold": -9.0})


@pytest.fixture(scope="module")
def client(ordered: Settings) -> Iterator[httpx2.Client]:
    """A client of an API whose language model orders passages."""
    with serving(ordered) as client:
        yield client


@pytest.fixture
def hits(search_context: SearchContext) -> tuple[Hit, ...]:
    """What search finds by itself."""
    return search(replace(search_context, threshold=-9.0), QUESTION).hits


def _places(client: httpx2.Client) -> tuple[list[str], list[float], str]:
    found = client.post("/search", json={"question": QUESTION, "explain": True}).json()
    rows = [row for row in found["trace"] if row["fate"] == "returned"]
    return [row["chunk_id"] for row in rows], [row["final_score"] for row in rows], found["rerank"]


def test_the_models_order_stands_and_the_scores_keep_their_meaning(
    client: httpx2.Client, llm: FakeLlm, hits: tuple[Hit, ...]
) -> None:
    before = [hit.chunk.id for hit in hits]
    llm.reply = ORDER
    ids, scores, name = _places(client)
    assert ids == [before[1], before[0], *before[2:]]
    assert scores == pytest.approx([hit.score for hit in hits])
    assert name == "llm (fake)"
    assert client.get("/readyz").json()["rerank"] == name
    sent = llm.requests[-1]
    assert QUESTION in sent["messages"][1]["content"]
    assert "number=2>\n" in sent["messages"][1]["content"]
    assert sent["response_format"]["json_schema"]["name"] == "order"


@pytest.mark.parametrize(
    ("mode", "reply"),
    [
        *[("", one) for one in ("no", "{}", '{"order": []}', '{"order": [1, 1]}')],
        *[("", one) for one in ('{"order": [13]}', '{"order": [0, 1]}')],
        ("silence", ""),
        ("closes in the middle", ""),
    ],
)
def test_no_order_or_no_answer_leaves_the_order_of_search(
    client: httpx2.Client, llm: FakeLlm, hits: tuple[Hit, ...], mode: str, reply: str
) -> None:
    llm.mode, llm.reply = mode or llm.mode, reply
    ids, _, name = _places(client)
    assert ids == [hit.chunk.id for hit in hits]
    assert (name, len(llm.requests)) == ("off", 1)


def test_an_answer_counts_both_calls_and_beyond_the_budget_none_is_made(
    ordered: Settings, llm: FakeLlm, hits: tuple[Hit, ...]
) -> None:
    cited = hits[0].chunk

    def by_turns() -> None:
        llm.reply = "It burns for one hour [2]." if len(llm.requests) > 1 else ORDER

    llm.before_reply = by_turns
    with serving(ordered.model_copy(update={"model_budget_tokens": 500})) as client:
        given = client.post("/ask", json={"question": QUESTION}).json()
        assert given["usage"]["prompt_tokens"] == 2 * USAGE["prompt_tokens"]
        assert [card["path"] for card in given["cards"]][1] == cited.path
        calls = len(llm.requests)
        spent = client.post("/search", json={"question": QUESTION}).json()
        assert (spent["rerank"], len(llm.requests)) == ("off", calls)


def test_evals_measure_the_order_that_users_get(
    ordered: Settings, llm: FakeLlm, hits: tuple[Hit, ...]
) -> None:
    before = [hit.chunk.id for hit in hits]
    llm.reply = json.dumps({"order": [3]})
    with listwise.open_ordered(ordered) as context:
        found = search(context, QUESTION)
    assert [hit.chunk.id for hit in found.hits[:3]] == [before[2], before[0], before[1]]


def test_without_a_model_it_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RERANKER_MODEL", "llm")
    with pytest.raises(ConfigurationError, match="RERANKER_MODEL=llm needs OPENAI_MODEL"):
        load(tmp_path / "none")
