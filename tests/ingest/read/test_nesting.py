"""What is deep, long or odd takes a time in proportion to its length, and loses nothing."""

import re
from collections.abc import Callable

import pytest

from ingest.chunking import document
from ingest.read.vault import SourceFile
from tests.support.faults import growth
from tests.support.index.cutting import check, index

NASTY: dict[str, Callable[[int], str]] = {
    "quote marks": lambda n: "> " * n + "x",
    "list marks": lambda n: "- " * n + "x",
    "brackets": lambda n: "[" * n,
    "emphasis": lambda n: "*_" * n,
    "images": lambda n: "![" * n,
    "back ticks": lambda n: "`" * n,
    "pipes": lambda n: "|" * n,
    "wide tables": lambda n: "|" * n + "\n" + "|-" * n + "|\n",
    "ragged tables": lambda n: (
        "|a" * int(n**0.5) + "|\n" + "|-" * int(n**0.5) + "|\n" + "|b|\n" * (n // 4)
    ),
    "empty cells": lambda n: "| - " + "|  " * n + "| x |",
    "rows": lambda n: "| a | b |\n|---|---|\n" + "| one | two |\n" * (n // 4),
    "items": lambda n: "- an item\n" * (n // 4),
    "children": lambda n: "- parent\n" + "  - a child\n" * (n // 4),
    "long parents": lambda n: "- parent\n" + "  of many\n" * n + "  - a child\n" * (n // 4),
    "paragraphs": lambda n: "A rule of the game.\n\n" * (n // 4),
    "headings": lambda n: "# a heading\n\n" * (n // 4),
    "exceptions": lambda n: "However, not this.\n\n" * (n // 4),
    "words": lambda n: "word " * n,
    "sentences": lambda n: "A fall hurts. " * n,
    "one word": lambda n: "a" * n,
    "ideographs": lambda n: "龍" * n,
    "spaces": lambda n: "x" + " " * n + "x",
    "line breaks": lambda n: "\n" * n + "x",
    "underscores": lambda n: "a" + "_" * n + "b",
    "open comments": lambda n: "# " + "<!--" * n,
    "empty quotes": lambda n: ">\n" * n + "> x",
    "full stops": lambda n: ". A" * n,
    "hashes": lambda n: "#" * n + " x",
    "footnotes": lambda n: "".join(f"[^{i}]: a note\n\n" for i in range(n // 8)),
    "references": lambda n: "".join(f"[{i}]: http://x.y/{i}\n" for i in range(n // 8)),
}

DEEP = ("quote marks", "list marks", "brackets", "emphasis")  # up to 20,000, the others to 10,000


@pytest.mark.proves("row 2")
@pytest.mark.parametrize("name", NASTY)
def test_twice_as_much_takes_less_than_three_times_as_long(name: str) -> None:
    length = 5_000 if name in DEEP else 2_500
    assert growth.ratio(lambda n: index(NASTY[name](n)), length) < 3


@pytest.mark.proves("row 2", "promise 4")
@pytest.mark.parametrize("name", NASTY)
def test_what_is_deep_or_odd_loses_no_line(name: str) -> None:
    for length in (1, 2, 3, 50, 700):
        check(NASTY[name](length))


@pytest.mark.proves("row 2", "promise 4")
@pytest.mark.parametrize("depth", [10, 49, 50, 60, 101, 200, 700])
@pytest.mark.parametrize("mark", ["- ", "1. ", "> ", "* > ", "- 1) "])
def test_what_is_nested_deeper_than_the_parser_follows_is_not_lost(mark: str, depth: int) -> None:
    width = " " * (0 if mark == "> " else len(mark))
    marks = mark if mark == "> " else ""
    lines = [f"{(marks or width) * n}{mark}level {n}" for n in range(depth)]
    shown = "".join(item.chunk.text for item in index("\n".join(lines)))
    # A line of 700 signs may itself be cut, also within its last words
    assert set(re.findall(r"level (\d+)", shown)) == {str(n) for n in range(depth)}


@pytest.mark.proves("row 2")
@pytest.mark.parametrize("name", DEEP)
def test_twenty_thousand_levels_raise_nothing(name: str) -> None:
    source = NASTY[name](20_000)
    file = SourceFile("a.md", source, "", 0)
    chunks = document.index(file, entry_limit=254, count=lambda text: len(text) // 4)
    assert "".join(item.chunk.text for item in chunks) == source
