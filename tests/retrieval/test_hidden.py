"""What a browser hides is left out and every line stays; what it shows stays, code among it."""

import pytest

from retrieval.text.hidden import visible

HIDDEN = [
    "<!-- SECRET -->",
    "<!-- two\nlines SECRET -->",
    "<!-- one --> <!-- SECRET -->",
    "<!--SECRET",
    "<!-- > SECRET -->",
    "<span hidden>SECRET</span>",
    "<SPAN HIDDEN>SECRET</SPAN>",
    "<span hidden=''>SECRET</span>",
    '<span class="a" hidden="hidden">SECRET</span>',
    "<span\nhidden>SECRET</span>",
    "<div hidden>\n\nSECRET\n\n</div>",
    "<div hidden><div>in</div>SECRET</div>",
    "<div hidden>never closed SECRET\n\nSECRET",
    "<p hidden>never closed SECRET",
    '<p style="display:none">SECRET</p>',
    "<p style='DISPLAY : None ;color:red'>SECRET</p>",
    "<p style=display:none>SECRET</p>",
    '<p style="display/**/:none">SECRET</p>',
    '<p style="display&#58;none">SECRET</p>',
    '<p style="visibility: hidden">SECRET</p>',
    '<p style="visibility:collapse">SECRET</p>',
    '<p style="opacity:0">SECRET</p>',
    '<p style="color:red; opacity: 0.0; margin:0">SECRET</p>',
    '<p style="font-size:0px">SECRET</p>',
    "<template>SECRET</template>",
    "<script>if (a < b) say('SECRET')</script>",
    "<style>p::after { content: 'SECRET' }</style>",
    "<dialog>SECRET</dialog>",
    "<datalist><option>SECRET</option></datalist>",
    "<?php SECRET ?>",
    "<![CDATA[SECRET]]>",
    "<!DOCTYPE SECRET>",
    '<span data-a="<b>" hidden>SECRET</span>',
    "| a | <i hidden>SECRET</i> |",
    "> <span hidden>SECRET</span>",
    "- item <span hidden>SECRET</span>",
]
SHOWN = [
    "`<!-- SECRET -->`",
    "`` <span hidden>SECRET</span> ``",
    "```\n<!-- SECRET -->\n```",
    "~~~html\n<div hidden>SECRET</div>\n~~~",
    "> ```\n> <div hidden>SECRET</div>\n> ```",
    "<details><summary>More</summary>SECRET</details>",
    "<details>\n\nSECRET\n\n</details>",
    "<span>SECRET</span> is not hidden",
    "a hidden SECRET",
    "\\<span hidden>SECRET",
    "a <!-- in a line that is never closed SECRET",
    '<p style="display:block">SECRET</p>',
    '<p style="opacity:0.5">SECRET</p>',
    '<p style="font-size:0.9em">SECRET</p>',
    '<span title="hidden">SECRET</span>',
    '<span aria-hidden="true">SECRET</span>',
    "<dialog open>SECRET</dialog>",
    "<noscript>SECRET</noscript>",
    "<input hidden> SECRET",
    "<!-- closed --> SECRET",
    "<p hidden>never closed\n\nSECRET",
    "5 < 6 and SECRET > 4",
    "<https://example.org/hidden> SECRET",
    "<hidden-thing>SECRET</hidden-thing>",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_what_a_browser_hides_is_left_out_and_lines_stay(text: str) -> None:
    shown = visible(f"Before.\n\n{text}")
    assert "SECRET" not in shown
    assert shown.startswith("Before.\n\n")
    assert shown.count("\n") == text.count("\n") + 2


@pytest.mark.parametrize("text", SHOWN)
def test_what_a_browser_shows_stays(text: str) -> None:
    assert "SECRET" in visible(f"Before.\n\n{text}\n\nAfter.")


def test_what_follows_hidden_text_stays() -> None:
    closed = [text for text in HIDDEN if "never closed" not in text and text != "<!--SECRET"]
    assert len(closed) >= 30
    for text in closed:
        assert visible(f"{text} after").endswith(" after"), text


def test_a_text_of_nothing_but_openings_is_read_in_one_pass() -> None:
    for part in (
        "<a ",
        '<a b="',
        "<!-",
        "<span hidden",
        "`",
        "<p hidden>",
        "<!--",
        "\\<",
        "<!",
        "<p hidden>\n\n",
    ):
        shown = visible(part * 20_000)
        assert shown.count("\n") == (part * 20_000).count("\n")
