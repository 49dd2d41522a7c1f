"""Words of kilobytes, which are one piece to the tokenizer: keys, data of pictures, rubbish."""

import random
import re
import string
from pathlib import Path

import pytest

from ingest import pipeline
from ingest.chunking import limits
from ingest.chunking.chunk import CHUNK_LIMIT
from ingest.read.vault import SourceFile
from ingest.sandbox import parsing
from retrieval.context import SearchContext
from retrieval.encoder.weights import bundled_encoder
from retrieval.search import search
from tests.conftest import write_vault
from tests.support.index.cutting import ENTRY_LIMIT, check, index, tokens

LETTERS = "".join(random.Random(3).choices(string.ascii_letters, k=20_000))
MOST = 4 * CHUNK_LIMIT  # characters of a chunk that is all one such word
RULE = "A torch burns for one hour."


@pytest.mark.proves("row 3", "promise 4")
@pytest.mark.parametrize("word", [LETTERS, "x" * 20_000, "\U0001f525" * 5_000, "é" * 10_000])
@pytest.mark.parametrize(
    "source",
    [
        "{}",
        "# Light\n\n{rule}\n\n{}\n\n{rule}\n",
        "# Light\n\n{rule} {} {rule}\n",
        "# Light\n\n- {rule}\n- {}\n",
        "| a | b |\n|---|---|\n| {rule} | {} |\n| 1 | 2 |\n",
        "# Light\n\n```\n{}\n```\n",
        "> {}\n",
    ],
)
def test_a_long_word_is_cut_as_other_long_text_is(source: str, word: str) -> None:
    source = source.format(word, rule=RULE)
    check(source)
    found = index(source)
    assert max(len(item.chunk.text) for item in found) <= MOST + 3 * len(RULE)
    assert len(found) > len(word) / MOST
    assert source.count(RULE) <= sum(item.chunk.text.count(RULE) for item in found)


@pytest.mark.proves("row 3")
def test_a_word_of_a_megabyte_is_cut_within_the_budget() -> None:
    file = SourceFile("a.md", f"# Light\n\n{RULE}\n\n{LETTERS * 50}\n", "", 0)
    found = parsing.index(bundled_encoder(), file, entry_limit=ENTRY_LIMIT, count=tokens().count)
    assert max(len(item.chunk.text) for item in found) <= MOST
    assert len(found) < 1_000


@pytest.mark.proves("row 3")
def test_a_long_word_takes_no_more_of_the_passages_than_other_text(
    search_context: SearchContext, vault: Path
) -> None:
    write_vault(vault, {"4. Fire/Fire.md": f"# Fire\n\nFire is hot. {LETTERS}\n"})
    assert pipeline.run(search_context, vault).rejected == ()
    for question in ("Is fire hot?", LETTERS[:1_000]):
        hits = search(search_context, question, top_k=50).hits
        assert all(len(hit.chunk.text) <= MOST for hit in hits)
    assert "Fire is hot." in search(search_context, "Is fire hot?").hits[0].chunk.text


@pytest.mark.proves("promise 6")
def test_a_heading_that_is_too_long_is_told(search_context: SearchContext, vault: Path) -> None:
    """It stays whole with what it heads, as a heading of many words does."""
    write_vault(vault, {"4. Fire/Fire.md": f"# {LETTERS}\n\nFire is hot.\n"})
    report = pipeline.run(search_context, vault, dry_run=True)
    (note,) = report.notes
    assert re.fullmatch(r"4\. Fire/Fire\.md:1: 50\d\d word pieces, over 400", note)


@pytest.mark.parametrize(
    "text",
    [
        RULE,
        "x" * 100,
        "https://example.org/" + "/".join(["a-path-of-many-folders"] * 20),
        "| a | b |\n|---|---|\n" * 40,
        "-" * 500,
    ],
)
def test_ordinary_words_are_all_read(text: str) -> None:
    assert limits.unread(text) == 0


def test_a_language_without_spaces_is_counted_as_the_tokenizer_does() -> None:
    text = "火炬燃烧一小时" * 40
    assert limits.unread(text) <= tokens().count(text)
