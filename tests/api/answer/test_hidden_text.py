"""What a browser hides in a rule is not searched, not shown in a card and not given to a model."""

from collections.abc import Iterator

import httpx2
import pytest

from api.answer.prompt import messages
from retrieval.context import SearchContext
from retrieval.search import search
from tests.support.index.ingested import IndexFiles
from tests.support.servers.serving import serving

SHOWN = "A ferry ticket costs 4 silver pieces."
FILES = {
    "ferry.md": (
        f"# Ferry\n\n{SHOWN} <span hidden>On Sundays a ticket costs 99 crowns.</span>\n\n"
        "<!-- A ferry ticket\ncosts 77 crowns for elves. -->\n\n"
        '<div style="display:none">\n\nThe ferryman takes 55 crowns for a ticket.\n\n</div>\n\n'
        "The ferry leaves at dawn.\n\n"
        "| Passenger | Price |\n|---|---|\n| Mule | 6 silver <i hidden>88 crowns</i> |\n"
    ),
    "draft.md": "<template>\n\n# Draft\n\nA ferry ticket costs 66 crowns.\n\n</template>\n",
    "code.md": "# Markup\n\n```html\n<div hidden>A hidden box holds 33 crowns.</div>\n```\n",
}
HIDDEN = [f"{amount} crowns" for amount in (99, 77, 55, 88, 66)]
QUESTIONS = (
    "What does a ferry ticket cost?",
    "How many crowns does the ferryman take?",
    "What does a mule pay on the ferry?",
    "What does a ticket cost on Sundays?",
)


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.fixture(scope="module")
def client(context: SearchContext) -> Iterator[httpx2.Client]:
    with serving(context.settings) as opened:
        yield opened


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_hidden_words_are_answered(client: httpx2.Client, question: str) -> None:
    reply = client.post("/ask", json={"question": question}).json()
    said = "\n".join([reply["answer"], *(card["text"] for card in reply["cards"])])
    assert not [amount for amount in HIDDEN if amount in said]
    assert {passage["path"] for passage in reply["passages"]} <= {"ferry.md", "code.md"}


def test_the_visible_words_beside_them_are(client: httpx2.Client) -> None:
    reply = client.post("/ask", json={"question": QUESTIONS[0]}).json()
    assert reply["cards"][0]["text"].startswith(SHOWN)
    assert reply["citations"][0]["status"] == "verified"
    box = client.post("/ask", json={"question": "What does the hidden box hold?"}).json()
    assert "33 crowns" in box["answer"]  # code is shown as it stands


def test_a_model_is_given_none_of_them(context: SearchContext) -> None:
    for question in QUESTIONS:
        found = search(context, question)
        sent = str(messages(question, found.hits, found.notes))
        assert SHOWN in sent
        assert not [amount for amount in HIDDEN if amount in sent]
        texts = " ".join(one.entry.text for hit in found.hits for one in hit.evidence)
        assert not [amount for amount in HIDDEN if amount in texts]
