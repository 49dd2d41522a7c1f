"""No text is lost, moved or torn by cutting, whatever Markdown a file holds."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ingest.read import vault
from ingest.read.plain import plain
from retrieval.text.normalize import searchable
from tests.support.index.cutting import check, index
from tests.support.source.promises_table import Runs
from tests.support.vaults.composed_markdown import (
    BLOCKS,
    DOCUMENTS,
    FLAT_LISTS,
    LONG,
    PARAGRAPHS,
    SOURCES,
    TABLES,
)
from tests.support.vaults.markdown_seeds import SEEDS

EXAMPLES = 500
# A long unit behind one whose last item and lead-in it repeats: item 45 and 44.
NESTED = "\n".join(
    [f"{'  ' * n}- {n} {'fall ' * 40}" for n in range(1, 46)]
    + [f"{'  ' * n}- {n} antidisestablishment." for n in range(36)]
)
SOAK_EXAMPLES = 50_000
# What stands above the first heading is headed by it, which is the file's title: 40 word pieces.
_DEEP = "\n".join(f"{'  ' * n}- {n} {'fall ' * 11}" for n in range(31))
UNTITLED = "\n\n".join([_DEEP, _DEEP, "fall fall.", "fall " * 44 + "\n==="])
OFTEN = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=True,
)


@pytest.mark.proves("row 1", "promise 4")
@settings(OFTEN, max_examples=EXAMPLES)
@given(source=SOURCES)
@example(source="# Falling\n\n" + LONG)
@example(source="# A\n\n## B\n\nAll of these:\n\n" + LONG)
@example(source="- item\n\n  " + LONG + "\n\n# Alone")
@example(source="# A\n\n" + "A long rule.  Two spaces   or three. " * 60)
@example(source="| a | b |\n|---|---|\n| c | " + LONG + " |\n| d | e |")
@example(source="# " + "heading " * 90 + "\n\n" + LONG)
@example(source="\n".join("  " * n + "- " + "word " * 15 for n in range(24)) + "\n\n# fall")
@example(source="A rule.\n\n" + "many " * 60 + "may:\n\n" + "- a rule of fifteen words\n" * 90)
@example(source="\n\n".join(["# " + "heading " * 60, "Short. " * 120, "Short. " * 120]))
@example(source="# " + "heading " * 300 + "\n\ntext")
@example(source="/".join("abcdefgh" * 30))
@example(source="# A\n\n## B\n\n" + LONG)
@example(source="text\n\n# A\n\n# B")
@example(source="# A\n\n- " + LONG + "\n\n# B\n\n## C")
@example(source=NESTED)
@example(source=UNTITLED)
@example(source="- " + "word " * 900 + "\n\n  " + "A fall hurts. " * 300)
def test_composed_markdown_is_cut_without_loss(runs: Runs, source: str) -> None:
    check(source)
    runs(1)


@pytest.mark.soak
@pytest.mark.proves("row 1", "promise 4")
@settings(OFTEN, max_examples=SOAK_EXAMPLES, derandomize=False)
@given(source=SOURCES | st.lists(BLOCKS, min_size=14, max_size=40).map("\n\n".join))
def test_fifty_thousand_composed_files_are_cut_without_loss(runs: Runs, source: str) -> None:
    check(source)
    runs(1)


@pytest.mark.proves("row 1", "promise 4")
@pytest.mark.parametrize("name", SEEDS)
def test_what_other_splitters_cut_wrongly_is_cut_without_loss(name: str) -> None:
    source = SEEDS[name]
    check(source)
    check("text\n\n" + source * 12)  # long enough to be cut in the middle
    check(f"# Above\n\n{LONG}\n\n{source}\n\n{LONG}")


@pytest.mark.proves("row 1")
@pytest.mark.parametrize("name", [name for name in SEEDS if "fence" in name or "tildes" in name])
def test_no_line_of_a_fence_heads_a_chunk(name: str) -> None:
    for item in index(SEEDS[name]):
        assert not {"no heading", "no", "nor this"} & set(item.chunk.heading.split(" > "))


@pytest.mark.proves("row 1")
@OFTEN
@given(source=DOCUMENTS)
def test_a_line_with_a_hash_in_a_fence_is_no_heading(source: str) -> None:
    for item in index(source):
        assert "in a fence" not in item.chunk.heading
        assert all("in a fence" not in entry.heading for entry in item.entries)


@pytest.mark.proves("row 1")
@OFTEN
@given(source=st.lists(PARAGRAPHS | FLAT_LISTS | TABLES, min_size=1, max_size=6).map("\n\n".join))
def test_the_words_of_every_line_are_searched(source: str) -> None:
    said = " ".join(_letters(entry.text) for item in index(source) for entry in item.entries)
    for line in source.split("\n"):
        for word in _letters(searchable(plain(line))).split():
            assert word in said


@pytest.mark.proves("row 1")
@OFTEN
@given(source=SOURCES, ends=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1))
@example(source="a\n\nb", ends=["\r", "\n"])  # together one line end
def test_line_ends_of_other_systems_change_no_line(
    tmp_path: Path, source: str, ends: list[str]
) -> None:
    lines = source.split("\n")
    mixed = "".join(line + ends[n % len(ends)] for n, line in enumerate(lines))
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf" + mixed.encode())
    (file,) = vault.read(tmp_path).files
    if len(set(ends)) == 1:
        assert file.text == source + "\n"
    assert [line for line in file.text.split("\n") if line] == [line for line in lines if line]


def _letters(text: str) -> str:
    return "".join(c if c.isalnum() else " " for c in text)
