"""Lines of a file as HTML: where each line has its address, and which lines are marked."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it.tree import SyntaxTreeNode
from markupsafe import Markup, escape

from api.page.markdown.links import Links

_BREAKS = {"softbreak", "hardbreak"}


@dataclass(frozen=True, slots=True)
class Shown:
    """How a text is shown: the file's numbers of its lines, and which of them are marked.

    `numbers` has one for each line of the text, None where the file has no such line. `anchored`
    gives every line its address. `citations` are links by marker.
    """

    numbers: Sequence[int | None] = ()
    marked: Collection[int] = ()
    anchored: bool = False
    links: Links = field(default_factory=Links)
    citations: Mapping[int, Markup] = field(default_factory=dict)
    file: str = ""  # the path, where the text is a part of a page
    heading_shift: int = 0  # an article's own heading stands above those of its text


Write = Callable[["Writer", SyntaxTreeNode], Markup]


@dataclass(slots=True)
class Writer:
    """Writes parsed Markdown: `blocks_of` and `spans_of` say how each kind of node is written."""

    shown: Shown
    lines: Sequence[str]
    blocks_of: Mapping[str, Write]
    spans_of: Mapping[str, Write]
    placed: set[int] = field(default_factory=set)  # lines that have their address

    def document(self, tree: SyntaxTreeNode) -> Markup:
        """Return the whole text as HTML."""
        parts, end = [], 0
        for node in tree.children:
            first, last = node.map or (end, end)
            parts += [self.left_out(end, first), self.block(node, first, last)]
            end = max(end, last)
        return Markup("\n").join(filter(None, [*parts, self.left_out(end, len(self.lines))]))

    def block(self, node: SyntaxTreeNode, first: int, last: int) -> Markup:
        """Return a block behind the addresses of those of its lines that nothing in it carries."""
        made = self.blocks([node])
        return Markup("").join(map(self.anchor, range(first, last))) + made

    def left_out(self, first: int, last: int) -> Markup:
        """Return lines that the parser takes out as they are written."""
        return self.as_written(self.lines[first:last], first)

    def as_written(self, lines: Sequence[str], first: int) -> Markup:
        """Return lines that have no form of their own, in small; a card leaves them out."""
        if not self.shown.anchored:
            return Markup("")
        shown = [
            Markup('<p class="raw"{}>{}</p>').format(
                self.gutter(at), self.marked(escape(line), at, at + 1)
            )
            if line.strip()
            else self.anchor(at)
            for at, line in enumerate(lines, first)
        ]
        return Markup("\n").join(shown)

    def blocks(self, nodes: Sequence[SyntaxTreeNode]) -> Markup:
        """Return blocks, one below the other."""
        written = [
            self.blocks_of[node.type](self, node) for node in nodes if node.type in self.blocks_of
        ]
        return Markup("\n").join(written)

    def element(self, tag: str, node: SyntaxTreeNode, body: Markup) -> Markup:
        """Return an element with the number of its first line."""
        first = node.map[0] if node.map else None
        gutter = self.gutter(first) if first is not None else ""
        return Markup("<{0}{1}>{2}</{0}>").format(tag, gutter, body)

    def number(self, at: int) -> int | None:
        """Return the number in the file of the line at `at`; None where it has none."""
        return self.shown.numbers[at] if at < len(self.shown.numbers) else None

    def gutter(self, at: int) -> Markup:
        """Return the attribute that shows the number of the line at `at`."""
        number = self.number(at)
        if not self.shown.anchored or number is None:
            return Markup("")
        return Markup(' data-line="{}"').format(number)

    def anchor(self, at: int) -> Markup:
        """Return the address of the line at `at`, once."""
        number = self.number(at)
        if not self.shown.anchored or number is None or number in self.placed:
            return Markup("")
        self.placed.add(number)
        return Markup('<span id="L{}"></span>').format(number)

    def marked(self, body: Markup, first: int, last: int) -> Markup:
        """Return what stands in lines `first` to `last` (excluded): marked where one of them is."""
        numbers = [number for at in range(first, last) if (number := self.number(at)) is not None]
        anchors = Markup("").join(map(self.anchor, range(first, last)))
        if body.strip() and not set(self.shown.marked).isdisjoint(numbers):
            return anchors + Markup("<mark>{}</mark>").format(body)
        return anchors + body

    def inline(self, node: SyntaxTreeNode) -> Markup:
        """Return the text of a block, line by line where no emphasis goes over a line's end."""
        found = next((child for child in node.children if child.type == "inline"), None)
        if found is None:
            return Markup("")
        first, _ = found.map or (0, 0)
        count = found.content.count("\n") + 1
        if sum(map(_breaks, found.children)) + 1 != count:  # a line's end inside of code
            return self.marked(self.spans(found.children), first, first + count)
        parts: list[Markup] = []
        held: list[SyntaxTreeNode] = []
        at = begun = first
        for child in found.children:
            if child.type in _BREAKS:
                parts.append(self.marked(self.spans(held), begun, at + 1))
                parts.append(self.spans_of[child.type](self, child))
                held, begun = [], at + 1
            else:
                held.append(child)
            at += _breaks(child)
        return Markup("").join([*parts, self.marked(self.spans(held), begun, at + 1)])

    def spans(self, nodes: Sequence[SyntaxTreeNode]) -> Markup:
        """Return what stands in a line."""
        return Markup("").join(
            self.spans_of[node.type](self, node) for node in nodes if node.type in self.spans_of
        )


def _breaks(node: SyntaxTreeNode) -> int:
    return 1 if node.type in _BREAKS else sum(map(_breaks, node.children))
