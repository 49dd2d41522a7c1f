"""POST /ask gives what the evals measure: the same cards and passages, follow-ups included."""

from collections.abc import Iterator, Sequence

import httpx2
import pytest

from api.answer.card_reply import AskOptions, card_reply
from api.answer.cards import render
from api.main import create_app
from api.state import AppState
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles
from tests.support.made.made_cards import VAULT
from tests.support.servers.serving import serving

ASKED: list[tuple[list[str], str]] = [
    ([], "What is the wage of a helmsman?"),
    ([], "What must a ship carry before it leaves the harbour?"),
    ([], "Does the kraken or the selkie have more hit dice?"),
    ([], "List all sailors"),
    (["What is the morale of a kraken?"], "And of a selkie?"),
    (["How long does Calm last?"], "What about its range?"),
]


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    """A vault of more passages than a reply has."""
    return index_files(VAULT, rag_threshold=-9.0)


@pytest.fixture(scope="module")
def over_http(context: SearchContext) -> Iterator[httpx2.Client]:
    """The API over that vault, without a language model."""
    with serving(context.settings, create_app(AppState(context, None))) as client:
        yield client


@pytest.mark.parametrize(("history", "question"), ASKED, ids=[asked for _, asked in ASKED])
def test_a_reply_is_the_one_that_is_measured(
    over_http: httpx2.Client, context: SearchContext, history: Sequence[str], question: str
) -> None:
    body = {"question": question, "history": list(history)}
    reply = over_http.post("/ask", json=body).raise_for_status().json()
    measured = card_reply(context, question, AskOptions(history=history))
    assert measured.found
    assert [(card["path"], card["first_line"], card["text"]) for card in reply["cards"]] == [
        (card.path, card.first_line, render.text(card)) for card in measured.cards
    ]
    assert [(hit["path"], hit["first_line"]) for hit in reply["passages"]] == [
        (hit.chunk.path, hit.chunk.first_line) for hit in measured.found.hits
    ]
    assert len(reply["passages"]) >= context.settings.rag_top_k


def test_a_follow_up_is_answered_by_what_was_asked_before(over_http: httpx2.Client) -> None:
    asked = "What about its range?"
    alone = over_http.post("/ask", json={"question": asked}).json()
    before = {"question": asked, "history": ["How long does Calm last?"]}
    answered = over_http.post("/ask", json=before).json()
    assert "Calm" in answered["question"]
    assert "Calm" in answered["cards"][0]["path"]
    assert answered["cards"] != alone["cards"]
