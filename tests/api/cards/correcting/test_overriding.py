"""A rule is never shown without what stands above it, however far behind that was found."""

from collections.abc import Iterator
from dataclasses import replace

import httpx2
import pytest

from api.answer.cards import card_selection
from api.answer.prompt import messages
from api.answer.question.intent import Reading
from retrieval.models import Chunk, Evidence, Hit, SearchResult, SourceNote
from retrieval.search_trace import Timings
from tests.support.index.indexed_text import indexed_file, terms_of
from tests.support.index.ingested import IndexFiles
from tests.support.servers.serving import serving

BASE, ERRATA, HOUSE = "Arms/Missiles.md", "Errata/Errata.md", "Errata/House.md"
FILES = {
    BASE: (
        "# Missiles\n\nHow much damage missile weapons do:\n\n| Weapon | Damage |\n|---|---|\n"
        "| Crossbow | 1d6 |\n| Sling | 1d4 |\n"
    ),
    ERRATA: (
        "---\nstatus: errata\nedition: 2nd\nsupersedes: [Arms/Missiles.md]\n---\n"
        "# Errata\n\nThe printed line of the crossbow is wrong: it deals 1d8.\n"
    ),
    HOUSE: "---\nstatus: optional\nsupersedes: [Arms/Missiles.md]\n---\n# House\n\nNo slings.\n",
    "Castle/Gate.md": "# Gate\n\nA gate is shut at dusk and opened at dawn.\n",
}
CROSSBOW = "How much damage does a crossbow do, of the missile weapons?"


@pytest.fixture(scope="module")
def ruled(index_files: IndexFiles) -> Iterator[httpx2.Client]:
    """A client of the API over these rules."""
    with serving(index_files(FILES, rag_threshold=-9.0).settings) as client:
        yield client


def test_an_erratum_below_the_returned_passages_is_quoted_first(ruled: httpx2.Client) -> None:
    plain = ruled.post("/search", json={"question": CROSSBOW, "top_k": 1}).json()
    assert [passage["path"] for passage in plain["passages"]] == [BASE]
    reply = ruled.post("/ask", json={"question": CROSSBOW, "top_k": 1}).json()
    assert [passage["path"] for passage in reply["passages"]] == [BASE, ERRATA]
    assert reply["citations"][0]["path"] == ERRATA
    assert "1d8" in reply["citations"][0]["quote"]
    above, below = reply["cards"]
    assert (above["path"], above["folded"]) == (ERRATA, False)
    assert above["badges"] == ["errata", "edition 2nd"]
    assert (below["path"], below["badges"]) == (BASE, ["corrected-above"])
    first = reply["answer"].splitlines()[0]
    assert first == "**[1] Errata** (errata; edition 2nd) (Errata/Errata.md:8)"


def test_what_supersedes_something_else_of_the_file_stays_away(ruled: httpx2.Client) -> None:
    asked = {"question": "How much damage does a sling do?", "top_k": 1}
    reply = ruled.post("/ask", json=asked).json()
    assert ERRATA not in [passage["path"] for passage in reply["passages"]]
    assert [(card["path"], card["badges"]) for card in reply["cards"]] == [(BASE, [])]


def test_an_erratum_of_a_fourth_card_s_rule_is_not_cut_off() -> None:
    texts = {f"{n}.md": f"# Tolls {n}\n\nThe toll of road {n} is {n} gp.\n" for n in range(4)}
    texts["e.md"] = "# Errata\n\nThe toll of road 3, in Tolls 3, is 9 gp.\n"
    found = []
    for number, (path, text) in enumerate(texts.items()):
        file = indexed_file(text, path)
        chunk = Chunk(path, file.entries[0].heading, 1, 3, text)
        evidence = tuple(Evidence(one, 0.9 - number / 50) for one in file.entries)
        found.append((file, Hit(chunk, 2.0 - number / 50, evidence)))
    nothing = SearchResult("", (), (), "off", "off", 0.0, "1.1", Timings(0.0, 0.0, 0.0))
    hits = [hit for _, hit in found]
    result = replace(
        nothing, question="What are the tolls of the road?", hits=tuple(hits[:4]),
        overriding=(hits[4],), files={file.path: file for file, _ in found},
        terms=terms_of(texts), notes={"e.md": SourceNote("e.md", "errata", "", ("3.md",))},
    )  # fmt: skip
    shown = [card.path for card in card_selection.choose(result, (), Reading("plain"))]
    assert shown == ["0.md", "1.md", "2.md", "e.md"]


def test_a_model_is_told_which_passage_stands_above_which() -> None:
    hits = [Hit(Chunk(path, "A", 1, 1, "text"), 1.0, ()) for path in (BASE, ERRATA)]
    note = SourceNote(ERRATA, "errata", "2nd", (BASE,))
    asked = messages(CROSSBOW, hits, {ERRATA: note})[1]["content"].splitlines()
    first, second = (line for line in asked if line.startswith("<passage-"))
    assert "status=" not in first
    assert second.endswith(f"status='errata' edition='2nd' supersedes=['{BASE}']>")
