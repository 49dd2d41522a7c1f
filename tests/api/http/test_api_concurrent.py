"""Questions while an ingest runs: each is answered, from one whole version of the rules."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.settings import Settings
from tests.conftest import write_vault
from tests.support.servers.serving import serving

READERS = 8
VERSIONS = 6
FILES = 4


def write(settings: Settings, version: int) -> None:
    """Every file of the vault says which version it is of."""
    write_vault(
        settings.vault,
        {
            f"torch {number}.md": f"# Torch {number}\n\nA torch burns in edition x{version}x.\n"
            for number in range(FILES)
        },
    )


@pytest.mark.proves("promise 1", "row 11")
def test_every_reply_during_ingests_is_of_one_whole_version(
    settings: Settings, open_rules: Callable[[Settings], SearchContext]
) -> None:
    settings = settings.model_copy(update={"rag_threshold": -9.0})  # all files, whatever they score
    rules = open_rules(settings)
    for file in settings.vault.rglob("*.md"):
        file.unlink()
    write(settings, 0)
    pipeline.run(rules, settings.vault)
    done = threading.Event()

    def ask(client: httpx2.Client) -> list[httpx2.Response]:
        replies = []
        body = {"question": "How long does a torch burn in this edition?", "top_k": FILES}
        while not done.is_set():
            replies.append(client.post("/ask", json=body))
        return replies

    with serving(settings) as client, ThreadPoolExecutor(READERS) as threads:
        asking = [threads.submit(ask, client) for _ in range(READERS)]
        try:
            for version in range(1, VERSIONS):
                write(settings, version)
                pipeline.run(rules, settings.vault)
        finally:
            done.set()
        replies = [reply for future in asking for reply in future.result()]
    versions: dict[str, set[str]] = {}
    for reply in replies:
        assert reply.status_code == 200, reply.text
        answered = reply.json()
        assert len(answered["passages"]) == FILES
        texts = [passage["text"] for passage in answered["passages"]]
        texts += [cited["quote"] for cited in answered["citations"]]
        seen = {found for text in texts for found in re.findall(r"x\d+x", text)}
        versions.setdefault(answered["generation"], set()).update(seen)
    assert all(len(seen) == 1 for seen in versions.values()), versions
    assert len(versions) > 1  # else nothing was read while it changed
