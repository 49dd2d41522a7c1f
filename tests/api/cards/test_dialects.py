"""Vaults as Obsidian, MkDocs and Docusaurus keep them: found, shown, cited by their own lines."""

import pytest

from api.answer.card_reply import AskOptions, card_reply
from api.answer.cards import render
from api.page.markdown.links import Links
from api.page.markdown.render import html
from api.page.markdown.writer import Shown
from retrieval.context import SearchContext
from retrieval.text import embeds
from retrieval.text.dialects import plain_markdown
from tests.support.index.cutting import check
from tests.support.index.ingested import IndexFiles
from tests.support.vaults.made_dialects import CODE, DIALECTS, MARKUP, Dialect

_each = pytest.mark.parametrize("dialect", DIALECTS, ids=[one.path for one in DIALECTS])


@pytest.fixture(scope="module")
def rules(index_files: IndexFiles) -> SearchContext:
    """A search context of the eleven files."""
    return index_files({d.path: d.text for d in DIALECTS}, rag_threshold=-9.0)


@_each
def test_the_answer_is_the_files_own_lines_without_markup(
    rules: SearchContext, dialect: Dialect
) -> None:
    card = card_reply(rules, dialect.question).cards[0]
    assert card.path == dialect.path
    assert [(part.first_line, part.last_line) for part in card.marked] == [dialect.lines]
    lines = dialect.text.split("\n")
    assert all(lines[number - 1] == line for number, line in card.lines.items())
    for shown in (render.text(card), render.listed_line(card.best), card.best.text):
        assert not [mark for mark in MARKUP if mark in shown.replace(CODE, "")]
    missing = [words for words in dialect.shown if words not in render.text(card)]
    assert not missing


@_each
def test_the_page_shows_a_file_without_markup_and_each_line_by_its_number(dialect: Dialect) -> None:
    numbers = range(1, dialect.text.count("\n") + 2)
    page = str(html(dialect.text, Shown(numbers=numbers, anchored=True)))
    body = page.partition("</details>")[2] or page  # what stands below the head of the file
    assert not [mark for mark in MARKUP if mark in body.replace(CODE, "")]
    assert all(f'id="L{number}"' in page for number in numbers[:-1])
    check(dialect.text)


def test_an_embed_is_a_link_to_what_it_embeds_or_its_name() -> None:
    links = Links.of(["notes/Fees.md"], "notes/Boats.md")
    page = html("![[Fees#Boats]] ![[Fees|all fees]] ![[Lost]]", Shown(links=links))
    assert '<a href="/vault/notes/Fees.md">Fees &gt; Boats</a>' in page
    assert '<a href="/vault/notes/Fees.md">all fees</a> Lost' in page


EMBEDDING = {
    "Harbour.md": "# Harbour\n\n## Charges\n\n![[fees#Boats]]\n\n## Chart\n\n![[Chart.png]]\n",
    "notes/Fees.md": "---\nopen: true\n---\n# Fees\n\n## Boats\n\nA ketch pays 11 florins.\n",
    "notes/Dogs.md": "# Dogs\n\nA dog stays on its lead.\n",
}


def test_what_a_section_only_embeds_is_shown_below_it_by_its_own_lines(
    index_files: IndexFiles,
) -> None:
    rules = index_files(EMBEDDING, rag_threshold=-9.0)
    found = card_reply(rules, "What are the charges of the harbour?")
    assert [(card.path, card.first_line) for card in found.cards[:2]] == [
        ("Harbour.md", 5),
        ("notes/Fees.md", 8),
    ]
    assert render.text(found.cards[1]) == "A ketch pays 11 florins."
    assert found.hashes.keys() >= {"Harbour.md", "notes/Fees.md"}
    hidden = AskOptions(filters={"not": {"open": True}})
    cards = card_reply(rules, "What are the charges of the harbour?", hidden).cards
    assert cards[0].path == "Harbour.md"
    assert "notes/Fees.md" not in [card.path for card in cards]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("![[Fees#Boats]]", [("Fees > Boats", "notes/Fees.md")]),
        ("- ![[notes/fees.md|all fees]] ^ab", []),  # a block id is a word: beside text, perhaps
        ("> ![[notes/fees.md|all fees]]", [("all fees", "notes/Fees.md")]),
        (
            "![[Dogs]] ![[Fees]] ![[Harbour]]",
            [("Dogs", "notes/Dogs.md"), ("Fees", "notes/Fees.md")],
        ),
        ("[[Fees]]", []),
        ("See ![[Fees]]", []),
        ("![[ees]] ![[Chart.png]] ![[#Boats]] ![[]]", []),
    ],
)
def test_which_files_a_line_embeds(line: str, named: list[tuple[str, str]]) -> None:
    made = [(words, {"and": [{"path": path}]}) for words, path in named]
    assert list(embeds.alone(line, EMBEDDING, None)) == made


def test_details_that_may_be_hidden_are_left_to_who_knows() -> None:
    for mark in ("<details hidden>", '<summary style="display:none">', "<details  HIDDEN>"):
        text = f"{mark}\n<summary>A key</summary>\nunder the mat\n</details>\n"
        assert plain_markdown(text).text == text
    html = "Use {.NET} or {x}.\n`{.a}`\n<details><summary>A</summary> B\n"
    assert plain_markdown(html).text == html


@pytest.mark.parametrize(
    "text",
    [
        "```\n!!! note\n    x\n=== \"A\"\nimport a from 'b'\n:::tip\n```",
        "A duty on\nimport of goods from 'abroad'\n",
        "import duties from the port are high",
        "Wow\n=== \n!!! What a day it was\n???\n",
        "<Name of the guest>\n\n:::\n",
        "> text\n> !!! shouted",
    ],
)
def test_what_is_no_dialect_stays_as_it_is(text: str) -> None:
    assert plain_markdown(text, quoted=True).text == text


def test_what_stands_behind_a_block_is_not_in_it() -> None:
    text = '=== "A"\n\n\tone\n\t=== "B"\n\t\ttwo\n=== "C"\n    - three\nfour\n</Tabs>\n'
    plain = "**A:**\n\none\n**B:**\ntwo\n**C:**\n- three\nfour\n</Tabs>\n"
    assert plain_markdown(text).text == plain
