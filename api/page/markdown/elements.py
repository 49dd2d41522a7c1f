"""How each kind of Markdown's parts is written as HTML. What is not named here is left out."""

import re
from collections.abc import Callable, Iterator

from markdown_it.tree import SyntaxTreeNode
from markupsafe import Markup, escape

from api.page.markdown.lossless import AS_WRITTEN
from api.page.markdown.obsidian import HIGHLIGHT
from api.page.markdown.writer import Write, Writer
from retrieval.text.dialects import WIKI, link_words

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)  # the one tag that tables of rules hold
_CITATION = re.compile(r"\[(\d+)\]", re.ASCII)
_NAME = 16  # characters of a first cell that stay on one line
_ALIGNED = {"text-align:right": "right", "text-align:center": "center"}


def _heading(writer: Writer, node: SyntaxTreeNode) -> Markup:
    own = int(node.tag[1])
    gutter = writer.gutter(node.map[0]) if node.map else ""
    return Markup('<h{0} class="l{1}"{2}>{3}</h{0}>').format(
        min(6, own + writer.shown.heading_shift), own, gutter, writer.inline(node)
    )


def _paragraph(writer: Writer, node: SyntaxTreeNode) -> Markup:
    body = writer.inline(node)
    return body if node.hidden else writer.element("p", node, body)


def _list(writer: Writer, node: SyntaxTreeNode) -> Markup:
    items = [writer.element("li", item, writer.blocks(item.children)) for item in node.children]
    start = str(node.attrs.get("start", ""))
    begin = Markup(' start="{}"').format(start) if start.isdigit() else Markup("")
    return Markup("<{0}{1}>{2}</{0}>").format(node.tag, begin, Markup("\n").join(items))


def _around(tag: str) -> Callable[[Writer, SyntaxTreeNode], Markup]:
    return lambda writer, node: Markup("<{0}>{1}</{0}>").format(tag, writer.blocks(node.children))


def _table(writer: Writer, node: SyntaxTreeNode) -> Markup:
    parts = []
    for part in node.children:
        rows = [
            Markup("<tr>{}</tr>").format(Markup("").join(_cells(writer, row)))
            for row in part.children
        ]
        parts.append(Markup("<{0}>{1}</{0}>").format(part.tag, Markup("\n").join(rows)))
    # It can be scrolled sideways, so a keyboard must reach it.
    label, body = _label(writer, node), Markup("").join(parts)
    return Markup('<div class="table" tabindex="0" role="region" aria-label="{}"><table>'
                  "{}</table></div>").format(label, body)  # fmt: skip


def _label(writer: Writer, table: SyntaxTreeNode) -> str:
    """A name that no other table of the page has: of its file, unless that is shown, and lines."""
    first, last = table.map or (0, 0)
    numbers = [number for at in range(first, last) if (number := writer.number(at)) is not None]
    of_file = f" of {writer.shown.file}" if writer.shown.file else ""
    lines = f", lines {numbers[0]} to {numbers[-1]}" if numbers else ""
    return f"Table{of_file}{lines}"


def _cells(writer: Writer, row: SyntaxTreeNode) -> Iterator[Markup]:
    """The cells of a row; one that stands alone in it, as a note does, goes over all columns."""
    first, *others = row.children
    if first.tag == "td" and others and not any(cell.content for cell in map(_inline, others)):
        yield _cell(writer, row, 0, across=len(row.children))
    else:
        yield from (_cell(writer, row, place) for place in range(len(row.children)))


def _cell(writer: Writer, row: SyntaxTreeNode, place: int, *, across: int = 1) -> Markup:
    cell = row.children[place]
    at = row.map[0] if row.map else None
    body = writer.spans(_inline(cell).children)
    if at is not None:
        body = writer.marked(body, at, at + 1)
    gutter = writer.gutter(at) if at is not None and not place else Markup("")
    side = _ALIGNED.get(str(cell.attrs.get("style", "")).replace(" ", ""))
    if side is None and not place and cell.tag == "td" and len(_inline(cell).content) <= _NAME:
        side = "name"
    how = Markup(' class="{}"').format(side) if side else Markup("")
    if across > 1:
        how = Markup(' colspan="{}"').format(across)
        body = Markup('<span class="across">{}</span>').format(body)
    elif cell.tag == "th" and body:
        how += Markup(' scope="col"')
    tag = "td" if cell.tag == "th" and not body else cell.tag  # an empty header names nothing
    return Markup("<{0}{1}{2}>{3}</{0}>").format(tag, gutter, how, body)


def _inline(cell: SyntaxTreeNode) -> SyntaxTreeNode:
    return cell.children[0]  # a cell's one child, also where nothing stands in it


def _code_block(writer: Writer, node: SyntaxTreeNode) -> Markup:
    first = (node.map[0] if node.map else 0) + (node.type == "fence")
    lines = node.content.removesuffix("\n").split("\n")
    body = Markup("\n").join(
        writer.marked(escape(line), at, at + 1) for at, line in enumerate(lines, first)
    )
    return Markup('<pre tabindex="0"{}><code>{}</code></pre>').format(writer.gutter(first), body)


def _front_matter(writer: Writer, node: SyntaxTreeNode) -> Markup:
    if not writer.shown.anchored:
        return Markup("")
    lines = node.content.split("\n")
    body = Markup("\n").join(
        writer.marked(escape(line), at, at + 1) for at, line in enumerate(lines, 1)
    )
    opened = Markup(" open") if "<mark>" in body else ""
    return Markup(
        '<details class="head"{}><summary>Head of the file</summary>'
        '<pre tabindex="0"{}><code>{}</code></pre></details>'
    ).format(opened, writer.gutter(1), body)


def _footnote(writer: Writer, node: SyntaxTreeNode) -> Markup:
    label = str(node.meta.get("label", ""))
    return Markup('<div class="note"><sup>{}</sup> {}</div>').format(
        label, writer.blocks(node.children)
    )


def _definitions(writer: Writer, node: SyntaxTreeNode) -> Markup:
    parts = [
        writer.element("dt", part, writer.inline(part))
        if part.type == "dt"
        else writer.element("dd", part, writer.blocks(part.children))
        for part in node.children
    ]
    return Markup("<dl>{}</dl>").format(Markup("\n").join(parts))


def _as_written(writer: Writer, node: SyntaxTreeNode) -> Markup:
    first = node.map[0] if node.map else 0
    return writer.as_written(node.content.split("\n"), first)


def _text(writer: Writer, node: SyntaxTreeNode) -> Markup:
    made, end = Markup(""), 0
    for found in WIKI.finditer(node.content):
        made += _words(writer, node.content[end : found.start()])
        made += writer.shown.links.wiki(found[1], link_words(found))
        end = found.end()
    return made + _words(writer, node.content[end:])


def _words(writer: Writer, text: str) -> Markup:
    """Plain text, its citation markers as links and its line breaks as such."""
    made, end = Markup(""), 0
    for found in _CITATION.finditer(text):
        link = writer.shown.citations.get(int(found[1]))
        made += _escaped(text[end : found.start()]) + (link or escape(found[0]))
        end = found.end()
    return made + _escaped(text[end:])


def _escaped(text: str) -> Markup:
    return Markup("<br>").join(_BREAK.split(text))


def _link(writer: Writer, node: SyntaxTreeNode) -> Markup:
    return writer.shown.links.relative(str(node.attrs.get("href", "")), writer.spans(node.children))


def _span(tag: str) -> Callable[[Writer, SyntaxTreeNode], Markup]:
    return lambda writer, node: Markup("<{0}>{1}</{0}>").format(tag, writer.spans(node.children))


BLOCKS: dict[str, Write] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "bullet_list": _list,
    "ordered_list": _list,
    "blockquote": _around("blockquote"),
    "table": _table,
    "fence": _code_block,
    "code_block": _code_block,
    "hr": lambda writer, node: Markup("<hr>"),
    "front_matter": _front_matter,
    "footnote_reference": _footnote,
    "dl": _definitions,
    AS_WRITTEN: _as_written,
}
SPANS: dict[str, Write] = {
    "text": _text,
    "code_inline": lambda writer, node: Markup("<code>{}</code>").format(node.content),
    "strong": _span("strong"),
    "em": _span("em"),
    "s": _span("s"),
    HIGHLIGHT: _span("u"),  # <mark> is for the lines of an answer
    "softbreak": lambda writer, node: Markup("\n"),
    "hardbreak": lambda writer, node: Markup("<br>"),
    "link": _link,
    "image": lambda writer, node: Markup('<span class="picture">[picture: {}]</span>').format(
        node.content or "no words"
    ),
    "footnote_ref": lambda writer, node: Markup("<sup>{}</sup>").format(
        str(node.meta.get("label", ""))
    ),
}
