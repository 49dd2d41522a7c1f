"""A reader sees every line of a file: cells beyond a header, definitions of links, deep nesting."""

import re
from html import unescape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from api.page.markdown.links import Links
from api.page.markdown.render import html
from api.page.markdown.writer import Shown
from tests.support.faults.growth import ratio, times_as_long

TAGS = (
    "a blockquote br code dd details del div dl dt em h1 h2 h3 h4 h5 h6 hr li mark ol p pre s span "
    "strong summary sup table tbody td th thead tr ul"
)
ATTRIBUTES = {
    "class", "colspan", "data-line", "href", "id", "open", "scope", "start", "tabindex", "role",
    "aria-label",
}  # fmt: skip
# Each with a word of its own, W, which must be on the page.
PIECES = [
    "# W", "## W *b*", "- W", "  - W", "1. W", "   W", "> W", "> - W", ">> W", "|W|W|", "|---|--:|",
    "|W|W|W|W|", "W | W | W", "> |W|", "> |-|", "> |W|W|", "- |W|", "  |-|", "  |W|W|",
    "word **W", "W** more", "`W", "W`", "", "[W]: W.md", "  [W]: W.md 'W'", "> [W]: W.md",
    "- [W]: W.md", "'W'", "[^W]: W", "W", ": W", "---", "title: W", "[[x|W]]", "a<br>W", "    W",
    "```", "\tW", "<W", "<!-- W", "-->", "\\W", "===",
]  # fmt: skip


def lines_shown(text: str) -> str:
    """The text of a file's page, without markup."""
    numbers = range(1, text.count("\n") + 2)
    return unescape(re.sub(r"<[^>]*>", " ", html(text, Shown(numbers, anchored=True))))


def numbered(pieces: list[str]) -> str:
    """The pieces, a line each, with words that stand nowhere else."""
    words = iter(range(10_000))
    return re.sub("W", lambda _: f"word{next(words)}x", "\n".join(pieces))


def test_cells_beyond_the_header_stand_in_columns_without_one() -> None:
    page = str(html("|Weapon|Cost|\n|-|-|\n|Axe|7|and **heavy**|1d8|\n|Dagger|3|\n", Shown()))
    rows = [
        [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", page)
    ]
    assert rows == [["Weapon", "Cost", "", ""], ["Axe", "7", "and heavy", "1d8"], ["Dagger", "3"]]
    assert page.count("<th ") == 2  # an empty header would name nothing
    assert "<strong>heavy</strong>" in page


@pytest.mark.parametrize("before", ["", "> ", "> > ", "  "])
def test_cells_beyond_the_header_are_those_of_the_row_wherever_it_stands(before: str) -> None:
    page = html("\n".join(before + row for row in ("|a|b|", "|-|-|", "|1|2|3|")), Shown())
    assert re.findall(r"<td[^>]*>(.*?)</td>", page) == ["", "1", "2", "3"]


def test_a_row_that_ends_with_empty_cells_makes_no_column() -> None:
    assert "<td></td>" not in html("|a|\n|-|\n|1|||  |\n", Shown())


def test_a_note_that_stands_alone_in_its_row_goes_over_all_columns() -> None:
    page = html("|a|b|c|\n|-|-|-|\n|*note*|||\n||2||\n", Shown(range(1, 5), {3}))
    cell = '<td colspan="3"><span class="across"><mark><em>note</em></mark></span></td>'
    assert f"<tr>{cell}</tr>" in page
    assert page.count("colspan") == 1


@pytest.mark.parametrize("before", ["", "> ", "- ", "1. ", "> - ", "- > "])
def test_a_definition_is_shown_where_it_stands_and_still_defines(before: str) -> None:
    text = f"{before}[axe]: Weapons.md 'sharp'\n\nAn [axe]."
    page = html(text, Shown(range(1, 4), {1}, anchored=True))
    assert '<p class="raw" data-line="1">' in page
    assert "<mark>[axe]: Weapons.md &#39;sharp&#39;</mark>" in page
    assert "An axe." in lines_shown(text)
    assert "raw" not in html(text, Shown())  # a card shows rules alone


@settings(max_examples=400, deadline=None)
@example(["- a", *["> " * depth + "W" for depth in range(1, 120)]])
@example(["  " * depth + "- W" for depth in range(120)])
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_every_word_of_a_file_is_on_its_page(pieces: list[str]) -> None:
    text = numbered(pieces)
    shown = lines_shown(text)
    lost = [word for word in re.findall(r"word\d+x", text) if word not in shown]
    assert lost == []


@pytest.mark.parametrize("marks", ["[[", "[[\n", "![[", "[a](["])
def test_brackets_that_nobody_closes_take_no_longer_than_links(marks: str) -> None:
    """With the parser's own limit of a hundred open brackets they took fourteen times as long."""

    def shown(length: int) -> object:
        return html((marks * length)[:length], Shown())

    links = ("[[a]] " * 4_000)[:16_000]
    assert ratio(shown, 4_000) < 3
    assert times_as_long(lambda: shown(16_000), lambda: html(links, Shown())) < 8


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=14).map("\n".join))
def test_every_line_has_its_address_and_only_known_elements_come_out(text: str) -> None:
    lines = text.split("\n")
    shown = Shown(range(1, len(lines) + 1), {1, 2, 3}, anchored=True, links=Links.of(["W.md"], ""))
    page = str(html(text, shown))
    anchored = [int(number) for number in re.findall(r'id="L(\d+)"', page)]
    assert len(anchored) == len(set(anchored))
    wanted = {number for number, line in enumerate(lines, 1) if line.strip()}
    assert wanted <= set(anchored) | _dropped(text)
    for tag, inside in re.findall(r"<(/?[^\s>]*)([^>]*)>", page):
        assert tag.removeprefix("/") in TAGS.split()
        assert set(re.findall(r'([\w-]+)(?:="[^"]*")', inside)) <= ATTRIBUTES


def _dropped(text: str) -> set[int]:
    """Lines of control characters alone may end others: markdown-it reads them so."""
    return set(range(1, text.count("\n") + 2)) if re.search(r"[\x00\r\x0b\x0c]", text) else set()
