"""Write Markdown again from its parsed form: text, emphasis, lists, tables and code, nothing else.

Whatever is not named here is left out, so a construct that nobody thought of does not get through.
All text is escaped, so that a more generous parser finds no markup in it either.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from api.checks.url_pattern import ADDRESS

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# javascript: must be seen as a link, or it would stay as text. The parser has no option for it,
# only this method, and the type checker forbids to assign one.
_PARSER.validateLink = lambda url: True  # type: ignore[method-assign]  # no option for it
_MARKER = re.compile(
    r"\[\d+(?:\s?,\s?\d+)*\]", re.ASCII
)  # a citation, as `api.checks.citations` reads it
_NUMBER = re.compile(r"\d+", re.ASCII)
_MARKUP = re.compile(r"([\\`*_\[\]<>&~|$])")
_LINE_START = re.compile(r"^([ \t]*)(?:([-+#=])|(\d+)([.)]))", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")  # of code in a cell; text has its own escapes
_LEFT_OUT = "(address left out)"  # said where it stood: a quote that ends in nothing misleads
_SENTENCE_END = re.compile(r"(?<![).,;!?])[).,;!?]{1,9}$")
_AFTER_MARKER = re.compile(r"(?<!\\)(\[[\d, ]+\])(?=[(:])", re.ASCII)


@dataclass(slots=True)
class _Writer:
    removed: list[str] = field(default_factory=list)

    def blocks(self, nodes: Sequence[SyntaxTreeNode], gap: str = "\n\n") -> str:
        written = [_BLOCKS[node.type](self, node) for node in nodes if node.type in _BLOCKS]
        return gap.join(block for block in written if block)

    def inline(self, node: SyntaxTreeNode) -> str:
        """Return the text of a block that holds an "inline" node, safe at every line's start."""
        text = "".join(self.spans(child.children) for child in node.children)
        text = _AFTER_MARKER.sub(r"\1 ", text).strip()
        return _LINE_START.sub(
            lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}{m[3]}\\{m[4]}", text
        )

    def spans(self, nodes: Sequence[SyntaxTreeNode]) -> str:
        return "".join(_SPANS[node.type](self, node) for node in nodes if node.type in _SPANS)

    def without_addresses(self, text: str) -> str:
        plain = unicodedata.normalize("NFKC", text)
        if ADDRESS.search(plain) and not ADDRESS.search(text):
            text = plain
        self.removed += ["address" for _ in ADDRESS.finditer(text)]
        return ADDRESS.sub(_left_out, text)


def _left_out(address: re.Match[str]) -> str:
    """What stands for an address, and the punctuation behind it, which ends the sentence."""
    end = _SENTENCE_END.search(address[0])
    return _LEFT_OUT + (end[0] if end else "")


def rewrite(markdown: str) -> tuple[str, list[str]]:
    """Return `markdown` written again, and the kinds of what was left out (`sanitize.Cleaned`).

    Formatting may change (`_a_` becomes `*a*`), text does not.
    """
    environment: dict[str, dict[str, object]] = {}
    tree = SyntaxTreeNode(_PARSER.parse(markdown, environment))
    writer = _Writer()
    text = writer.blocks(tree.children)
    definitions = len(environment.get("references", {})) + len(
        environment.get("duplicate_refs", [])
    )
    return text, ["definition"] * definitions + writer.removed


def _list(writer: _Writer, node: SyntaxTreeNode) -> str:
    number = int(node.attrs.get("start", 1))
    lines = []
    for place, item in enumerate(node.children):
        mark = f"{number + place}. " if node.type == "ordered_list" else "- "
        tight = all(child.hidden for child in item.children if child.type == "paragraph")
        text = writer.blocks(item.children, "\n" if tight else "\n\n")
        lines.append(mark + text.replace("\n", "\n" + " " * len(mark)))
    return "\n".join(lines)


def _table(writer: _Writer, node: SyntaxTreeNode) -> str:
    rows = [row for part in node.children for row in part.children]
    cells = [
        [_BAR.sub(r"\\|", writer.inline(cell).replace("\n", " ")) for cell in row.children]
        for row in rows
    ]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], "|" + "---|" * len(cells[0]), *lines[1:]])


def _code_block(writer: _Writer, node: SyntaxTreeNode) -> str:
    text = writer.without_addresses(node.content)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text if text.endswith(chr(10)) else text + chr(10)}{fence}"


def _code(writer: _Writer, node: SyntaxTreeNode) -> str:
    text = writer.without_addresses(node.content)
    if _MARKUP.search(text):  # cut off before its last backtick, as in a stream, it would be live
        return _MARKUP.sub(r"\\\1", text)
    return f"`{text}`" if text.strip() else ""


def _text(writer: _Writer, node: SyntaxTreeNode) -> str:
    text, written, end = writer.without_addresses(node.content), "", 0
    for marker in _MARKER.finditer(text):
        written += _MARKUP.sub(r"\\\1", text[end : marker.start()]) + marker[0]
        end = marker.end()
    return written + _MARKUP.sub(r"\\\1", text[end:])


def _link(writer: _Writer, node: SyntaxTreeNode) -> str:
    if node.markup == "autolink":
        writer.removed.append("autolink")
        return _LEFT_OUT
    text = writer.spans(node.children)
    writer.removed.append("link")
    return f"[{text}]" if _NUMBER.fullmatch(text) else text  # a marker that was made a link


def _dropped(kind: str) -> Callable[[_Writer, SyntaxTreeNode], str]:
    def drop(writer: _Writer, _: SyntaxTreeNode) -> str:
        writer.removed.append(kind)
        return ""

    return drop


def _around(mark: str) -> Callable[[_Writer, SyntaxTreeNode], str]:
    def wrap(writer: _Writer, node: SyntaxTreeNode) -> str:
        text = writer.spans(node.children)
        return f"{mark}{text}{mark}" if text.strip() else text

    return wrap


_Write = Callable[[_Writer, SyntaxTreeNode], str]
_BLOCKS: dict[str, _Write] = {
    "paragraph": _Writer.inline,
    "heading": lambda writer, node: f"{'#' * int(node.tag[1])} {writer.inline(node)}",
    "bullet_list": _list,
    "ordered_list": _list,
    "blockquote": lambda writer, node: "> " + writer.blocks(node.children).replace("\n", "\n> "),
    "table": _table,
    "fence": _code_block,
    "code_block": _code_block,
    "hr": lambda writer, node: "---",
    "html_block": _dropped("html"),
}
_SPANS: dict[str, _Write] = {
    "text": _text,
    "code_inline": _code,
    "strong": _around("**"),
    "em": _around("*"),
    "s": _around("~~"),
    "softbreak": lambda writer, node: "\n",
    "hardbreak": lambda writer, node: "\\\n",
    "link": _link,
    "image": _dropped("image"),
    "html_inline": _dropped("html"),
}
