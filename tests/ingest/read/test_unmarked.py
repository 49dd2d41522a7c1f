"""Headings in bold or in capitals, and what a printed document repeats on every page."""

import pytest

from ingest.read import markdown, unmarked
from ingest.read.outline import outline


def headings(text: str) -> list[tuple[int, str]]:
    return [(b.level, b.title) for b in markdown.parse(text).blocks if b.kind == "heading"]


def trails(text: str) -> list[tuple[str, ...]]:
    return [one.trail for one in outline(markdown.parse(text)) if one.block.kind == "paragraph"]


def test_bold_lines_and_lines_in_capitals_are_headings_below_the_marked_ones() -> None:
    text = "# Club\n\n**1 Entry**\n\nForm E.\n\nGUEST PLAYERS\n\nOne a match.\n\n## B\n\nEnd."
    assert headings(text) == [(1, "Club"), (7, "1 Entry"), (7, "GUEST PLAYERS"), (2, "B")]
    assert trails(text) == [("Club", "1 Entry"), ("Club", "GUEST PLAYERS"), ("Club", "B")]


def test_numbers_say_how_deep_a_heading_is() -> None:
    text = "**4 Fixtures**\n\na b\n\n**4.2 Weather**\n\nc d\n\n__5 Conduct__\n\ne f"
    assert trails(text) == [("4 Fixtures",), ("4 Fixtures", "4.2 Weather"), ("5 Conduct",)]


@pytest.mark.parametrize(
    "line",
    [
        "**Never run.**",  # a sentence
        "**You need:**",  # a lead-in
        "**Who**:",
        "**Speed** 4",  # a field
        "**Speed** and **range**",
        "**2026**",  # no letter
        "AC",  # too short to tell
        "All of it",
        f"**{'word ' * 20}**",  # too long
        "| A | B |",
    ],
)
def test_what_is_no_heading(line: str) -> None:
    text = f"**One**\n\na\n\n{line}\n\nb\n\n**Two**\n\nc"
    assert headings(text) == [(7, "One"), (7, "Two")]


def test_a_single_bold_line_is_a_remark() -> None:
    assert headings("# A\n\nb\n\n**Members only**\n\nc") == [(1, "A")]


def test_a_bold_line_with_nothing_below_it_says_something_itself() -> None:
    text = "**One**\n\na\n\n**Two**\n\nb\n\n**Members only**\n\n# C\n\n**No dogs**"
    assert headings(text) == [(7, "One"), (7, "Two"), (1, "C")]


def pages(count: int) -> str:
    return "\n\n".join(
        f"Rule {n} holds.\n\nThe Handbook - page {n}\n\nLeague" for n in range(count)
    )


def test_a_page_number_and_what_stands_beside_it_is_no_rule() -> None:
    kinds = [block.kind for block in markdown.parse(pages(4)).blocks]
    assert kinds == ["paragraph", "rule", "rule"] * 4
    assert "rule" not in [block.kind for block in markdown.parse(pages(2)).blocks]


@pytest.mark.parametrize("line", ["Step {}", "Level {}", "Players: {}"])
def test_lines_that_count_something_else_stay(line: str) -> None:
    assert unmarked.page_lines({n: line.format(n) for n in range(9)}) == frozenset()


def test_text_beside_page_numbers_stays_where_it_differs() -> None:
    text = "\n\n".join(f"Rule {'abcd'[n]}\n\nPage {n}" for n in range(4))
    assert [b.kind for b in markdown.parse(text).blocks] == ["paragraph", "rule"] * 4


def test_a_list_that_ends_a_sentence_has_it_as_its_lead_in() -> None:
    text = "He may\n\n1) warn;\n2) go.\n\n**HD** 4 **TT** D\n\n- claws\n\nSo it is\n\nthere"
    leads = [one.lead for one in outline(markdown.parse(text))]
    assert leads == ["", "He may", "He may", "", "", "", ""]


def test_a_heading_of_an_online_editor_has_neither_its_id_nor_its_backslashes() -> None:
    text = "# **1\\. Opening hours** {#1.-opening-hours}\n\nFrom 8:00.\n\n## Gate {#12}\n\nOpen."
    assert trails(text) == [("1. Opening hours",), ("1. Opening hours", "Gate {#12}")]
