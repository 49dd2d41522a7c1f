"""Markdown as blocks of source lines, and each block in its context."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.read import markdown
from ingest.read.markdown import Document, block_text, is_lead_in
from ingest.read.outline import outline, overlapping


def blocks(text: str) -> list[tuple[str, str]]:
    document = markdown.parse(text)
    return [(block.kind, block_text(document, block)) for block in document.blocks]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A\ntext\nmore", [("heading", "# A"), ("paragraph", "text\nmore")]),
        ("A\n===\n\nB\n---", [("heading", "A\n==="), ("heading", "B\n---")]),
        ("- a\n- b\n  c", [("item", "- a"), ("item", "- b\n  c")]),
        ("|a|\n|---|\n| b | c |\n\nd", [("table", "|a|\n|---|\n| b | c |"), ("paragraph", "d")]),
        ("```\n# a\n\n# b\n```", [("fence", "```\n# a\n\n# b\n```")]),
        ("    # code\n\n    more", [("fence", "    # code\n\n    more")]),
        ("> # q\n> - x\n\n# h", [("quote", "> # q\n> - x"), ("heading", "# h")]),
        ("<div>\n# a\n</div>\n\nb", [("html", "<div>\n# a\n</div>"), ("paragraph", "b")]),
        ("a\n\n***\n\nb", [("paragraph", "a"), ("rule", "***"), ("paragraph", "b")]),
        ("[a]: http://b\n\nc", [("paragraph", "[a]: http://b"), ("paragraph", "c")]),
        ("[^1]: one\n    two\n\nc", [("paragraph", "[^1]: one\n    two"), ("paragraph", "c")]),
        ("t\n: d\n: e\n\nc", [("paragraph", "t\n: d\n: e"), ("paragraph", "c")]),
        ("- a\n\n  | x |\n  |---|\n  | y |", [("item", "- a\n\n  | x |\n  |---|\n  | y |")]),
        ("a\x0cb\x85c\u2028d\n\ne", [("paragraph", "a\x0cb\x85c\u2028d"), ("paragraph", "e")]),
        ("", []),
        ("\n \n\t\n", []),
    ],
)  # fmt: skip
def test_a_block_is_its_source_lines(text: str, found: list[tuple[str, str]]) -> None:
    assert blocks(text) == found


def test_headings_have_level_and_title_and_items_their_depth() -> None:
    document = markdown.parse("## The *light* ##\n\n- a\n  - b\n    1. c\n- d\n\n###### Six")
    assert [(b.kind, b.level, b.title) for b in document.blocks] == [
        ("heading", 2, "The *light*"),
        ("item", 1, ""),
        ("item", 2, ""),
        ("item", 3, ""),
        ("item", 1, ""),
        ("heading", 6, "Six"),
    ]


def test_seven_hashes_a_hash_without_space_and_a_hash_in_a_list_are_no_headings() -> None:
    text = "####### a\n\n#b\n\n- # c\n\n> # d\n"
    assert [b.kind for b in markdown.parse(text).blocks] == [
        "paragraph",
        "paragraph",
        "item",
        "quote",
    ]


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    document = markdown.parse("---\ntitle: x\n---\na\n\n\n# b")
    assert [(block.first + 1, block.last) for block in document.blocks] == [(4, 4), (7, 7)]


TEXTS = st.text(alphabet="#ab \n\t\x0c\x85\u2028-=>|:*_`~[]()<!1.^", max_size=200)


@given(TEXTS)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_every_line_with_text_is_in_exactly_one_block(text: str) -> None:
    document = markdown.parse(text)
    owned = [n for block in document.blocks for n in range(block.first, block.last)]
    assert len(owned) == len(set(owned))
    start = document.header.count("\n") + 3 if document.header else 0
    filled = {n for n, line in enumerate(document.lines) if n >= start and line.strip()}
    if document.blocks or document.header:
        assert filled <= set(owned)
    assert [b.first for b in document.blocks] == sorted(b.first for b in document.blocks)


@pytest.mark.parametrize("text", ["These may:", "**Only these**", "__Bold__", "So: ", "**So:**"])
def test_a_colon_or_all_bold_introduces_what_follows(text: str) -> None:
    assert is_lead_in(text)


@pytest.mark.parametrize("text", ["A rule.", "**Bold** and more", "", "a: b"])
def test_other_paragraphs_introduce_nothing(text: str) -> None:
    assert not is_lead_in(text)


def leads(text: str) -> list[str]:
    return [placed.lead for placed in outline(markdown.parse(text))]


def test_a_lead_in_goes_with_every_item_a_table_or_a_fence() -> None:
    assert leads("May:\n\n- a\n- b\n\nNo.\n\n- c") == ["", "May:", "May:", "", ""]
    assert leads("Costs:\n\n| a |\n|---|") == ["", "Costs:"]
    assert leads("Costs:\n\n```\na\n```") == ["", "Costs:"]
    assert leads("Costs:\n\n# B\n\n- c") == ["", "", ""]


def test_a_nested_item_is_led_by_its_parent() -> None:
    text = "All:\n\n- a\n  - b\n    - c\n  - d\n- e\n  - f"
    assert leads(text) == ["", "All:", "- a", "  - b", "- a", "All:", "- e"]


def test_a_text_of_a_thousand_characters_is_no_lead_in() -> None:
    assert leads("x" * 1_000 + ":\n\n- a\n- b") == ["", "", ""]


def trails(document: Document) -> list[tuple[str, ...]]:
    return [placed.trail for placed in outline(document)]


def test_the_trail_is_the_headings_above_without_marks() -> None:
    text = "a\n\n# **B** [x](y)\n\nb\n\n### C\n\n## D\n\nd\n\n# E"
    assert trails(markdown.parse(text)) == [
        (), ("B x",), ("B x",), ("B x", "C"), ("B x", "D"), ("B x", "D"), ("E",),
    ]  # fmt: skip
    assert len(trails(markdown.parse("# " + "long " * 500))[0][0]) == 300


@pytest.mark.parametrize(
    ("text", "glued"),
    [
        ("# A\n\nb\n\nc", [False, True, False]),
        ("a\n\nHowever, b.\n\nc", [False, True, False]),
        ("a:\n\n- b\n- c\n  - d", [False, True, False, True]),
        ("| a |\n|---|\n\n**D:** death. **W:** wands.", [False, True]),
        ("**D:** death. **W:** wands.\n\n| a |\n|---|", [False, True]),
        ("- a\n- unless b", [False, True]),
    ],
)
def test_no_cut_may_part_what_belongs_together(text: str, glued: list[bool]) -> None:
    assert [placed.glued for placed in outline(markdown.parse(text))] == glued


def test_overlapping_blocks_are_those_with_one_of_the_lines() -> None:
    placed = outline(markdown.parse("a\na\n\nb\n\nc\nc"))  # lines 0 to 1, 3, 5 to 6
    for first in range(8):
        for last in range(first + 1, 9):
            wanted = [p for p in placed if p.block.first < last and p.block.last > first]
            assert list(overlapping(placed, first, last)) == wanted
