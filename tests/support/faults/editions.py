"""Two files of which every section says its version, for tests of what readers see of edits."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ingest import pipeline
from retrieval.context import SearchContext, open_context
from retrieval.settings import Settings
from tests.conftest import write_vault

EDITION = "weighs as much as edition x{version}x says"


def write(vault: Path, version: int, topics: Sequence[str], said: str = EDITION) -> None:
    """Write the files with a section for each topic: a topic, and what is `said` of it."""
    for number in range(2):
        sections = [
            f"## {topic.title()}\n\nA {topic} {said.format(version=version)}.\n"
            for topic in topics[number::2]
        ]
        write_vault(vault, {f"gear {number}.md": f"# Gear {number}\n\n" + "\n".join(sections)})


@contextmanager
def ingested(settings: Settings, topics: Sequence[str]) -> Iterator[SearchContext]:
    """Open a search context of those files alone, in version 0."""
    for file in settings.vault.rglob("*.md"):
        file.unlink()
    write(settings.vault, 0, topics)
    with open_context(settings.model_copy(update={"rag_threshold": -9.0})) as opened:
        pipeline.run(opened, settings.vault)
        yield opened
