"""What leaves an answer: no image, no HTML, no foreign address, and all of the harmless rest."""

import re
from collections.abc import Iterable
from html import escape
from html.parser import HTMLParser
from unicodedata import category

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from api.checks.sanitize import clean, visible
from tests.support.faults.hostile import FETCHING, FORMS, hostile
from tests.support.servers.browser import Sink, browse

ELF = "/vault/2.%20Classes/3.%20Elf.md"
SINK = "http://127.0.0.1:9/7"
TAGS = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "br", "em",
    "strong", "s", "code", "pre", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
# As generous as a renderer can be: HTML passes, no destination is refused.
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
RENDERER.validateLink = lambda url: True  # type: ignore[method-assign]  # no option for it


class Elements(HTMLParser):
    """Collects the elements of a page with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs if name != "start")))


def active(markdown: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the elements of the rendered text that do more than stand there."""
    found = Elements(RENDERER.render(markdown)).found
    return [element for element in found if element[0] not in TAGS or element[1]]


@pytest.mark.proves("row 34", "promise 9")
@pytest.mark.parametrize("name", FORMS)
def test_a_hostile_form_leaves_no_address_and_no_element(name: str) -> None:
    cleaned = clean(hostile(name, SINK))
    assert "CANARY" not in cleaned.text
    assert "127.0.0.1" not in cleaned.text
    assert active(cleaned.text) == []
    assert set(cleaned.removed) - {"control"}


@pytest.mark.parametrize("name", FORMS)
def test_a_hostile_form_between_harmless_words_leaves_the_words(name: str) -> None:
    text = f"A torch burns for one hour [1].\n\n{hostile(name, SINK)}\n\nIt lights 30 feet [2]."
    cleaned = clean(text)
    assert cleaned.text.startswith("A torch burns for one hour [1].")
    assert "CANARY" not in cleaned.text
    assert active(cleaned.text) == []


@pytest.mark.parametrize("name", FETCHING)
def test_the_hostile_forms_are_hostile(name: str) -> None:
    assert active(hostile(name, SINK)), "this form would prove nothing"


@pytest.mark.proves("row 34", "promise 9")
def test_a_browser_that_shows_cleaned_answers_sends_no_request(sink: Sink) -> None:
    shown = {
        str(number): hostile(name, f"{sink.url}/{number}") for number, name in enumerate(FORMS)
    }
    browse(sink, frames(shown.values()))
    fetched = {path.split("/")[1].split("?")[0] for path in sink.requests}
    assert len(fetched) > 0.8 * len(FETCHING), "the browser would have to fetch what it is shown"
    sink.requests.clear()
    cleaned = [clean(f"Shown. {text}\n\n{text}").text for text in shown.values()]
    page = browse(sink, frames(cleaned))
    assert page.count("Shown.") >= len(FORMS)
    assert sink.requests == []


def frames(answers: Iterable[str]) -> str:
    """Return a page that shows each answer, rendered, in a document of its own."""
    return "".join(
        f'<iframe srcdoc="{escape(RENDERER.render(answer))}"></iframe>' for answer in answers
    )


@pytest.mark.proves("row 34")
def test_cut_anywhere_a_cleaned_text_stays_harmless() -> None:
    for name in FORMS:
        cleaned = clean(f"One [1].\n\n{hostile(name, SINK)} two").text
        for end in range(len(cleaned)):
            assert active(cleaned[:end]) == [], (name, cleaned[:end])


def test_pieces_of_one_form_that_a_stream_joins_are_one_form() -> None:
    for name in FORMS:
        text = hostile(name, SINK)
        for cut in range(1, len(text), 7):
            joined = clean(clean(text[:cut]).text + text[cut:]).text
            assert active(joined) == [], (name, cut)


@pytest.mark.parametrize(
    "text",
    [
        "A torch burns for one hour [1].",
        "Both hold [1][2], and [1, 2] too.",
        "**[1] Elf > Ghouls** (2. Classes/3. Elf.md:62)\n\nThe touch of a ghoul *never* hurts.",
        "| Weapon | Cost (gp) |\n|---|---|\n| Dagger | 3 |",
        "1. 30' for 1d6+1 rounds\n2. 12 % of 1,200 gp\n\n- a\n  - b",
        "HP < 10 and AC > 5 & more; 3*4 = 12, a_b_c, #5, ~2d6, $7 | 5",
        "ratio 3:1, 10:30, and/or, i.e. e.g. 2.5/3, vs. `code`, “quotes” – ½",
        "[sic] [x] a note (see there)",
        "tab\there",
        "",
    ],
)
def test_a_harmless_answer_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert (cleaned.text, cleaned.removed) == (text, ())


@pytest.mark.parametrize(
    ("markdown", "text", "removed"),
    [
        ("One [hour](http://e.example) [1]", "One hour [1]", ("link",)),
        ("One hour [1](http://e.example)", "One hour [1]", ("link",)),
        ("a <b>bold</b> word", "a bold word", ("html", "html")),
        ("[1] (x) [1](x y) ![a](b)", "[1] (x) [1] (x y)", ("image",)),
        ("- **a** `b`\n  - <i>c\n- d", "- **a** `b`\n  - c\n- d", ("html",)),
        ("3. a<br>\n4. b", "3. a\n4. b", ("html",)),
        ("# T<br>\n\n> q\n\n---\n\nx", "# T\n\n> q\n\n---\n\nx", ("html",)),
        ("1\\. a - b<br>\n\\- c", "1\\. a - b\n\\- c", ("html",)),
        ("one\\\ntwo<br>~~x~~ *y*", "one\\\ntwo~~x~~ *y*", ("html",)),
    ],
)
def test_the_text_of_what_is_removed_stays(
    markdown: str, text: str, removed: tuple[str, ...]
) -> None:
    cleaned = clean(markdown)
    assert (cleaned.text, cleaned.removed) == (text, removed)


def test_where_an_address_stood_it_is_said_and_the_rest_of_its_line_stays() -> None:
    quote = '```\n{"email": "a@harbour.example", "link": "https://b.example/x", "n": 1}\n```'
    left = "(address left out)"
    assert clean(quote).text == f'```\n{{"email": "{left}", "link": "{left}", "n": 1}}\n```'
    assert clean("Write to a@harbour.example within a day.").text == (
        f"Write to {left} within a day."
    )
    assert clean("Book with Ada (ada@harbour.example), no later.").text == (
        f"Book with Ada ({left}), no later."
    )


def test_rewritten_text_is_rendered_as_it_was() -> None:
    text = (
        "a_b *c* \\* 3 \\< 4 [x] ~ $ | & `a b` 1\\. | \\`\n\n1. x\n\n   y\n2. z\n\n"
        "| a\\|b |\n|-|\n| `c d` |"
    )
    spaces = re.compile(r"\s+")
    want = spaces.sub(" ", RENDERER.render(text))
    got = spaces.sub(" ", RENDERER.render(clean(text + "\n\n<br>").text))
    assert got == want


@pytest.mark.parametrize(
    "destination",
    [
        ELF,
        f"{ELF}#L3",
        f"{ELF}#L12-L14",
        "</vault/2. Classes/3. Elf.md>",
        f"{ELF}?q=CANARY",
        f"{ELF}#CANARY",
        f"{ELF}/../../CANARY",
        f"http://evil.example{ELF}",
        f"//evil.example{ELF}",
        f"\\\\evil.example{ELF}",
        f"javascript:{ELF}",
        "/vault/other.md",
        "/VAULT/2.%20Classes/3.%20Elf.md",
        f"{ELF}%00",
        f"{ELF}#L1?CANARY",
    ],
)
def test_a_link_goes_and_its_words_stay_wherever_it_leads(destination: str) -> None:
    cleaned = clean(f"[Elf]({destination}) [1]")
    assert cleaned.text.startswith("Elf")
    assert active(cleaned.text) == []
    assert "link" in cleaned.removed


@pytest.mark.proves("row 35")
def test_control_characters_are_shown_and_counted() -> None:
    text = "a\x1b]52;c;Q0FOQVJZ\x07b \u202egnorw\u2066 \u200b\ufeff\x00\r\x85\u2028 "
    cleaned = clean(text + "\U000e0041\U000e0101")
    assert cleaned.text.isprintable()
    assert cleaned.removed.count("control") == 12
    assert "\\x1b]52;c;Q0FOQVJZ\\x07b \\u202egnorw\\u2066" in cleaned.text
    assert "\\U000e0041\\U000e0101" in cleaned.text
    assert clean("half \ud800").text == "half \\ud800"
    assert visible("a\n\tb\r") == "a\n\tb\\x0d"


PARTS = st.sampled_from(
    [*(hostile(name, SINK) for name in FORMS), "[", "]", "(", ")", "!", "<", ">", "`", "```", "|",
     "\n", "\n\n", "> ", "- ", "1. ", "\\", "&", "*", "_", "~", ":", "[1]", "[x]: ", " torch "]
)  # fmt: skip


@pytest.mark.proves("row 34", "row 35")
@settings(max_examples=150, deadline=None)
@given(st.lists(PARTS | st.text(max_size=5), max_size=8).map("".join))
@example("[1]\n: http://127.0.0.1:9/7")
@example("![![[[[")
@example("```> ")  # a language, too
def test_whatever_is_put_together_comes_out_harmless_and_stays_so(text: str) -> None:
    cleaned = clean(text).text
    assert active(cleaned) == []
    assert "127.0.0.1:9" not in cleaned
    assert not any(category(c) in {"Cc", "Cf", "Cs"} and c not in "\n\t" for c in cleaned)
    assert clean(cleaned).removed == ()
