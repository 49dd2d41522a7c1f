"""Markdown becomes HTML here and nowhere else: text, structure and links within the vault.

Raw HTML is text to this parser, images are their words, and a link that leaves the vault is no
link. What `elements` does not name is left out, so nothing that nobody thought of gets through.
"""

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.tree import SyntaxTreeNode
from markupsafe import Markup
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from api.checks.sanitize import visible
from api.page.markdown.elements import BLOCKS, SPANS
from api.page.markdown.lossless import lossless_plugin
from api.page.markdown.obsidian import obsidian_plugin
from api.page.markdown.writer import Shown, Writer
from retrieval.text.dialects import WIKI, callouts, link_words, plain_markdown

# Brackets within brackets, as in [[[a]](b)](c). The parser looks again from each bracket through
# all that it allows: 80 KB of "[[" took some seconds with its own 100.
_MOST_BRACKETS = 8


def _without_more_brackets(state: StateInline, silent: bool) -> bool:
    """Let a look ahead end where more brackets are open than anybody writes."""
    if not silent or state.level <= _MOST_BRACKETS:
        return False
    state.pos = state.posMax
    return True


_PARSER = (
    MarkdownIt("commonmark", {"html": False, "maxNesting": 100})
    .enable(["table", "strikethrough"])
    .use(front_matter_plugin)
    .use(footnote_plugin, inline=False)
    .use(deflist_plugin)
    .use(lossless_plugin)
    .use(obsidian_plugin)
    .disable("footnote_tail")  # it moves footnotes out of their lines
)
_PARSER.inline.ruler.before("text", "brackets", _without_more_brackets)


def html(text: str, shown: Shown | None = None) -> Markup:
    """Return Markdown as HTML. Characters that show nothing are shown as escapes."""
    source = _source(text)
    return _written(_parsed(source), source, shown or Shown())


def first_words(text: str) -> tuple[str, str]:
    """Return the first heading of a text and its first paragraph, both without markup."""
    found = {"heading": "", "paragraph": ""}
    for node in _parsed(_source(text)).children:
        if node.type in found and not found[node.type]:
            found[node.type] = " ".join(_plain(node).split())
    return found["heading"], found["paragraph"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a file, for its outline."""

    level: int
    title: str
    line: int


def with_outline(text: str, shown: Shown) -> tuple[Markup, tuple[Heading, ...]]:
    """Return Markdown as HTML, and its headings in order, without markup."""
    source = _source(text)
    tree = _parsed(source)
    headings = tuple(
        Heading(int(node.tag[1]), " ".join(_plain(node).split()), node.map[0] + 1)
        for node in tree.children
        if node.type == "heading" and node.map
    )
    return _written(tree, source, shown), headings


def header(text: str) -> str:
    """Return the lines between the `---` of a file's front matter; "" where there is none."""
    tokens = _PARSER.parse(text[:70_000], {}) if text.startswith("---") else []
    return tokens[0].content if tokens and tokens[0].type == "front_matter" else ""


def _source(text: str) -> str:
    return callouts(plain_markdown(visible(text), quoted=True).text, unnamed=True)


def _parsed(source: str) -> SyntaxTreeNode:
    return SyntaxTreeNode(_PARSER.parse(source, {}))


def _written(tree: SyntaxTreeNode, source: str, shown: Shown) -> Markup:
    return Writer(shown, source.split("\n"), BLOCKS, SPANS).document(tree)


def _plain(node: SyntaxTreeNode) -> str:
    if node.type in {"text", "code_inline"}:
        return WIKI.sub(link_words, node.content)
    return " " if node.type in {"softbreak", "hardbreak"} else "".join(map(_plain, node.children))
