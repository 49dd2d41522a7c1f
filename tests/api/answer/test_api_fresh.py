"""Whether a cited file still is what was indexed, over HTTP, and the page that its lines are on."""

from collections.abc import Callable

import httpx2

from api.answer.card_reply import AskOptions
from api.answer.pipeline import steps
from api.schema.answer import Answer
from api.sources import vault_links
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.settings import Settings
from tests.support.servers.serving import serving

TORCH = {"question": "How long does a torch burn?"}
PATH = "1. Light/Torches.md"


def torch_of(client: httpx2.Client) -> dict[str, object]:
    """Return the citation of the torch."""
    answer = client.post("/ask", json=TORCH).json()
    found: dict[str, object] = next(c for c in answer["citations"] if c["path"] == PATH)
    return found


def test_an_edited_file_and_a_removed_one_are_told(
    settings: Settings, open_rules: Callable[[Settings], SearchContext]
) -> None:
    settings = settings.model_copy(update={"rag_threshold": -9.0})
    rules = open_rules(settings)
    pipeline.run(rules, settings.vault)
    file = settings.vault / PATH
    with serving(settings) as client:
        assert torch_of(client)["fresh"] == "fresh"
        file.write_text("# Torches\n\nA torch burns for two hours.\n", "utf-8")
        changed = torch_of(client)
        assert changed["fresh"] == "file-changed"
        assert (
            changed["quote"] == "A torch burns for one hour. It lights 30\u2019 around its bearer."
        )
        file.unlink()
        assert torch_of(client)["fresh"] == "file-gone"
        file.write_text("# Torches\n\nA torch burns for two hours.\n", "utf-8")
        pipeline.run(rules, settings.vault)
        again = torch_of(client)
        assert (again["fresh"], again["quote"]) == ("fresh", "A torch burns for two hours.")


def test_the_lines_of_a_citation_are_on_the_page_of_its_file(client: httpx2.Client) -> None:
    cited = torch_of(client)
    first, last = int(str(cited["first_line"])), int(str(cited["last_line"]))
    page = client.get(vault_links.link(PATH, first, last))
    assert page.status_code == 200
    assert all(f'id="L{number}"' in page.text for number in range(first, last + 1))


def test_a_file_ingested_anew_between_search_and_answer_is_not_called_fresh(
    settings: Settings, open_rules: Callable[[Settings], SearchContext]
) -> None:
    settings = settings.model_copy(update={"rag_threshold": -9.0})
    rules = open_rules(settings)
    pipeline.run(rules, settings.vault)
    made = steps(rules, None, TORCH["question"], AskOptions())
    next(made)  # it has been searched
    (settings.vault / PATH).write_text("# Torches\n\nA torch burns for two hours.\n", "utf-8")
    pipeline.run(rules, settings.vault)
    *_, answer = made
    assert isinstance(answer, Answer)
    shown = {citation.path: citation.fresh for citation in answer.citations}
    assert "one hour" in answer.answer
    assert shown[PATH] == "file-changed"
