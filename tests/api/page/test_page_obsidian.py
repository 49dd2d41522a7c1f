"""The page shows what Obsidian's readers see: no comments, no block ids, and highlights."""

import re

import pytest

from api.page.markdown.render import html, with_outline
from api.page.markdown.writer import Shown
from tests.support.faults.growth import ratio


def page_of(text: str) -> str:
    """The HTML of a text in a file's page, without the addresses of its lines."""
    made = html(text, Shown(range(1, text.count("\n") + 2), anchored=True))
    return " ".join(re.sub(r'<span id="L\d+"></span>| data-line="\d+"', "", str(made)).split())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A staff. %%second rank%% A bow.", "<p>A staff. A bow.</p>"),
        ("A staff. %%second\nrank%%\nA bow.", "<p>A staff. A bow.</p>"),
        ("%%x%% A staff. %%y%%", "<p> A staff. </p>"),
        ("A\n\n%%\nof\n\n# nothing\n%%\n\nB", "<p>A</p> <p>B</p>"),
        ("A\n%% of\n\nnothing %%\nB", "<p>A</p> <p>B</p>"),
        ("> A\n>\n> %% x %%\n\nB", "<blockquote><p>A</p></blockquote> <p>B</p>"),
        ("5%% by day, 10%% by night.", "<p>5%% by day, 10%% by night.</p>"),
        ("%% A, not closed.\n\nB", "<p>%% A, not closed.</p> <p>B</p>"),
        ("`%%x%% ==y== ^ab`", "<p><code>%%x%% ==y== ^ab</code></p>"),
        ("```\n%% a\nb %%\n```", '<pre tabindex="0"><code>%% a b %%</code></pre>'),
        ("A ==bow *or* axe==, ==7== gp", "<p>A <u>bow <em>or</em> axe</u>, <u>7</u> gp</p>"),
        ("[==a==](b.md) a==b and c==d, == e ==", "<p><u>a</u> a==b and c==d, == e ==</p>"),
        ("A bow. ^block1", "<p>A bow. </p>"),
        ("- A bow ^ab-1\n- An axe", "<ul><li>A bow </li> <li>An axe</li></ul>"),
        ("r ^2", "<p>r ^2</p>"),
        ("A ^block1 bow of 2^ab", "<p>A ^block1 bow of 2^ab</p>"),
    ],
)
def test_comments_highlights_and_block_ids(text: str, shown: str) -> None:
    assert page_of(text) == shown


def test_lines_around_a_comment_keep_their_numbers_and_titles_lose_it() -> None:
    text = "# A ==bow== %%x%%\n\n%%\ny\n%%\n\nB\n%%\nz\n%%\nC %%a\nb%%\nD ^id"
    made, (heading,) = with_outline(text, Shown(range(1, 14), {13}, anchored=True))
    assert heading.title == "A bow"
    assert [str(made).count(f'id="L{line}"') for line in range(1, 14)] == [1] * 13
    assert "<mark>D </mark>" in made


@pytest.mark.parametrize("piece", ["%%a\n", "%%a\n\n", " %%a", "==a ", "%%\n", " ^ab", "==a=="])
def test_twice_of_it_takes_twice_as_long(piece: str) -> None:
    assert ratio(lambda length: html((piece * length)[:length]), 4_000) < 3
