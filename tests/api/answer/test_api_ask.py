"""POST /ask and /search without a language model: the shape, the cards, the ids."""

from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from api.answer import pipeline
from api.http.problems import STATUS
from api.main import create_app
from retrieval.context import SearchContext
from retrieval.errors import RulesError
from retrieval.settings import Settings
from tests.support.servers.serving import serving
from tests.support.source.quoted import unshown

REFUSAL = "The Oracle did not return any results for that rule."
# As the API promises it: the fields of each object.
_PLACE = "path heading first_line last_line"
ANSWER = (
    "question answer certainty confidence refused refusal_reason mode notice corrections folders "
    "cards guard citations citation_counts passages usage timings generation request_id"
)
PARTS = {
    "corrections": "typed searched",
    "cards": f"{_PLACE} form text marked folded more listed badges fresh",
    "citations": f"marker {_PLACE} quote score status fresh",
    "passages": f"{_PLACE} text context score",
    "guard": "verdict findings readers",
    "citation_counts": "verified repaired unverified dropped",
    "usage": "prompt_tokens completion_tokens",
    "timings": "embed_ms search_ms rerank_ms generate_ms total_ms",
}


def lines(vault: Path, cited: dict[str, object]) -> str:
    """Return the lines of the file that a citation or passage names."""
    text = (vault / str(cited["path"])).read_text("utf-8").split("\n")
    return "\n".join(text[int(str(cited["first_line"])) - 1 : int(str(cited["last_line"]))])


def test_an_answer_has_the_promised_shape(client: httpx2.Client) -> None:
    reply = client.post("/ask", json={"question": "How long does a troch burn?"})
    assert reply.status_code == 200
    answered = reply.json()
    assert list(answered) == ANSWER.split()
    for name, fields in PARTS.items():
        parts = answered[name] if isinstance(answered[name], list) else [answered[name]]
        assert parts
        assert {tuple(part) for part in parts} == {tuple(fields.split())}
    assert {tuple(part) for part in answered["cards"][0]["marked"]} == {("first_line", "last_line")}
    assert (answered["mode"], answered["refused"]) == ("quotes", False)
    assert answered["certainty"] == "answered"
    assert answered["corrections"] == [{"typed": "troch", "searched": "torch"}]
    assert answered["question"] == "How long does a torch burn?"
    assert answered["guard"] == {"verdict": "off", "findings": [], "readers": []}
    assert {(c["status"], c["fresh"]) for c in answered["citations"]} == {("verified", "fresh")}
    assert answered["citation_counts"]["verified"] == len(answered["citations"])
    assert answered["usage"] == {"prompt_tokens": 0, "completion_tokens": 0}
    assert answered["timings"]["total_ms"] >= answered["timings"]["search_ms"] > 0


@pytest.mark.parametrize(
    ("question", "path", "words"),
    [
        ("How long does a torch burn?", "1. Light/Torches.md", "burns for one hour"),
        ("How much damage does a fall deal?", "2. Arms/Hazards.md", "1d6 for each 10'"),
        ("What does a battle axe cost?", "2. Arms/Weapons.md", "| Battle axe | 7 | 1d8 |"),
    ],
)
def test_every_quote_stands_in_the_lines_that_it_names(
    client: httpx2.Client, indexed: Settings, question: str, path: str, words: str
) -> None:
    answered = client.post("/ask", json={"question": question}).json()
    assert any(c["path"] == path and words in c["quote"] for c in answered["citations"])
    for cited in answered["citations"]:
        assert cited["quote"] == lines(indexed.vault, cited)
    assert unshown(answered) == []
    for passage in answered["passages"]:
        assert passage["text"] == lines(indexed.vault, passage)


def test_a_table_row_is_shown_under_its_header(client: httpx2.Client) -> None:
    answered = client.post("/ask", json={"question": "What damage does a dagger do?"}).json()
    table = "| Weapon | Cost (gp) | Damage |\n|---|---|---|\n| Battle axe | 7 | 1d8 |"
    first = answered["cards"][0]
    assert (first["form"], first["text"]) == ("table", f"{table}\n| Dagger | 3 | 1d4 |")
    assert first["marked"] == [{"first_line": 6, "last_line": 6}]


def test_the_first_card_is_whole_and_what_is_far_from_it_is_one_line(
    client: httpx2.Client,
) -> None:
    answered = client.post("/ask", json={"question": "How long does a torch burn?"}).json()
    first, *others = answered["cards"]
    assert (first["folded"], first["first_line"], first["last_line"]) == (False, 3, 5)
    assert first["text"].endswith("\n\nHowever, a torch goes out at once in water.")
    assert all((card["folded"], "\n" in card["text"]) == (True, False) for card in others)


def test_top_k_is_the_most_passages(client: httpx2.Client) -> None:
    for top_k in (1, 2, 50):
        body = {"question": "How long does a torch burn?", "top_k": top_k}
        assert len(client.post("/ask", json=body).json()["passages"]) <= top_k
        assert len(client.post("/search", json=body).json()["passages"]) <= top_k
    assert len(client.post("/search", json=body).json()["passages"]) > 2


def test_a_question_without_a_passage_is_refused_in_the_exact_words(
    search_context: SearchContext,
) -> None:
    strict = replace(search_context, threshold=9.0)
    refused = pipeline.ask(strict, None, "How do I reset my password?")
    assert (refused.answer, refused.refused, refused.mode) == (REFUSAL, True, "quotes")
    assert (refused.refusal_reason, refused.citations, refused.passages) == ("no_passage", [], [])
    assert (refused.certainty, refused.confidence, refused.cards) == ("refused", 0, [])


def test_search_explains_every_stage_only_where_asked(client: httpx2.Client) -> None:
    body = {"question": "How long does a torch burn?"}
    plain = client.post("/search", json=body).json()
    explained = client.post("/search", json={**body, "explain": True}).json()
    assert plain["trace"] is None
    assert plain["rerank"] == "off"
    returned = [row for row in explained["trace"] if row["fate"] == "returned"]
    assert len(returned) == len(explained["passages"])
    assert [row["fused_rank"] for row in explained["trace"]] == list(
        range(1, len(explained["trace"]) + 1)
    )


@pytest.mark.parametrize("path", ["/ask", "/search"])
def test_a_request_id_comes_back_as_it_went_in(client: httpx2.Client, path: str) -> None:
    body = {"question": "How long does a torch burn?"}
    reply = client.post(path, json=body, headers={"X-Request-ID": "mine-42"})
    assert (reply.headers["X-Request-ID"], reply.json()["request_id"]) == ("mine-42", "mine-42")
    wrong = client.post(path, json={}, headers={"X-Request-ID": "mine-43"})
    assert (wrong.headers["X-Request-ID"], wrong.json()["request_id"]) == ("mine-43", "mine-43")


@pytest.mark.parametrize("given", ["", "x" * 129, "tab\there", "caf\u00e9"])
def test_a_request_id_that_is_not_plain_is_replaced(client: httpx2.Client, given: str) -> None:
    replies = [client.get("/livez", headers=[(b"x-request-id", given.encode())]) for _ in range(2)]
    ids = [reply.headers["X-Request-ID"] for reply in replies]
    assert len({*ids, given}) == 3


def test_every_error_has_a_status() -> None:
    known, found = [RulesError], []
    while known:
        found.append(known.pop())
        known.extend(found[-1].__subclasses__())
    assert set(STATUS) == set(found) - {RulesError}


def test_a_bug_is_a_500_that_tells_no_secrets(indexed: Settings) -> None:
    app = create_app(indexed)

    def fail() -> None:
        raise KeyError("canary-of-the-inside")

    app.get("/fail")(fail)
    with serving(indexed, app) as client:
        reply = client.get("/fail")
    assert reply.status_code == 500
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["X-Request-ID"] == reply.json()["request_id"]
    assert "canary" not in reply.text
