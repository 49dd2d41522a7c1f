"""A file of nothing but marks: named at ingest, and in the way of no question."""

import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.search import search
from retrieval.settings import Settings


@pytest.mark.parametrize("text", ["<!-- to be written -->\n", "***\n", "![](dragon.png)\n"])
def test_the_words_of_its_name_can_be_asked(
    settings: Settings, search_context: SearchContext, text: str
) -> None:
    (settings.vault / "Dragons.md").write_text(text, "utf-8")
    report = pipeline.run(search_context, settings.vault)
    assert "Dragons.md: holds no words, so nothing of it can be found" in report.notes
    found = search(search_context, "How do dragons burn?")
    assert found.hits
    assert "Dragons.md" not in {row.chunk_id.partition(":")[0] for row in found.trace}
