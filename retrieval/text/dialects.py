"""The Markdown of Obsidian, MkDocs and Docusaurus as plain Markdown, line for line.

An admonition, tab, directive, summary or component with a name becomes its name in bold above its
text, which is no longer indented; `import` lines, attributes and what closes a block become blank.
So each line keeps its number, and whatever reads plain Markdown reads these as well.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from retrieval.text import details

WIKI = re.compile(r"!?\[\[([^\[\]|\n]*?)(?:\\?\|([^\[\]\n]*))?\]\]")
BLOCK_ID = re.compile(
    r"(?<!\S)\^(?=[\d-]*[A-Za-z])[A-Za-z\d-]{2,}\s*\Z", re.ASCII
)  # by which Obsidian links to a block; not the power of "r ^2"
_SIZE = re.compile(r"\d+(?:x\d+)?")  # of an embedded picture: ![[Map.png|300]]
_CALLOUT = re.compile(r"^([ \t]*(?:>[ \t]*)+)\[!(\w[\w-]*)\][+-]?[ \t]*([^\n]*)$", re.MULTILINE)

MARKS = re.compile(
    r"^[ \t]*(?:!!!|\?\?\?|===|:::|</?(?:[A-Z]|details|summary)|import\b|export\b|\{/\*|"
    r">[^\n]*\[!)|\{:?[ \t]*[#.]\w",
    re.MULTILINE,
)  # of a text without them nothing here changes anything
_HEADER = re.compile(r"---[ \t]*\n(?:(?!---)[^\n]*\n)*---[ \t]*\n")
_FENCED = re.compile(r"^[ >]*(`{3,}|~{3,})(.*)")
_ADMONITION = re.compile(
    r"(?:!!!|\?\?\?\+?)[ \t]*([\w-]+)"
    r"(?:(?:[ \t]+[\w-]+)*[ \t]+\"([^\"]*)\"|(?:[ \t]+(?:inline|end))*)"
)
_TAB = re.compile(r"===[+!]{0,2}[ \t]+\"([^\"]+)\"")
_DIRECTIVE = re.compile(
    r"(:{3,})[ \t]*(?:([A-Za-z][\w-]*)(?:\[(.*)\])?(?:\{.*\})?(?:[ \t]+(.*))?)?"
)
_COMPONENT = re.compile(r"<(/?)([A-Z][\w.]*)(\s[^<>]*?)?(/?)>")
# "{#id}", "{#2.-id}", "{: .class }"; not "{.NET}", nor "{#12}"
_ATTRIBUTE = r"(?:#(?=[\d.-]*[A-Za-z])|\.[a-z]|\w+=)[^\s{}]*"
_ATTRIBUTES = re.compile(rf"\{{:?[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*[ \t]*\}}\s*\Z")
_LABEL = re.compile(r"\b(label|title|value)=\{?[\"']([^\"']+)[\"']")
_CLOSING = re.compile(r"^[ \t]*</([A-Z][\w.]*)>", re.MULTILINE)
_MODULE = re.compile(
    r"import\s*[\"'][^\"']+[\"'];?|import\s[^\"']*\sfrom\s*[\"'][^\"']+[\"'];?|import\s*\{[^}]*"
    r"|export\s+(?:(?:const|let|var|function|class|async)\s.*|[{*].*"
    r"|default\s+(?:function\b.*|class\b.*|[({\[].*|[\w.]+(?:\(.*\))?;?))"
)  # of MDX: no line of prose is all of this form
_FROM = re.compile(r"^$|\bfrom\s*[\"'][^\"']+[\"'];?$")
_END_OF_COMMENT = re.compile(r"\*/\}$")
_BLANK = re.compile("^$")
_DEEPEST = 8  # blocks around a line: each is looked at for every line in them
_BODY = 4  # columns by which the text of an admonition or tab is indented


@dataclass(frozen=True, slots=True)
class PlainMarkdown:
    """A text without what only its own program reads; `titles` are lines of names, from 0."""

    text: str
    titles: tuple[int, ...] = ()


@dataclass(slots=True)
class _Opened:
    """A block that is open: where its mark stands, without what is around it, and its body."""

    closed_by: str  # its colons, the name of its component; "": whatever is not indented
    indent: int  # in the file
    column: int
    named: bool
    strip: int | None  # columns that its body loses; None: not known before its first line


@dataclass(slots=True)
class _Reader:
    quoted: bool
    closing: Collection[str]  # names of the components that are closed somewhere
    folds: bool  # whether <details> are read
    opened: list[_Opened] = field(default_factory=list)
    fence: tuple[str, int] | None = None  # its mark, and how many blocks it stands in
    skipped: re.Pattern[str] | None = None  # lines are left out until one has this
    after_blank: bool = True

    def line(self, line: str) -> tuple[str, bool]:
        """Return a line in plain Markdown, and whether it is a name."""
        words = line.strip()
        if self.skipped:
            self.skipped = None if self.skipped.search(words) else self.skipped
            return "", False
        indent = len(line.expandtabs(_BODY)) - len(line.expandtabs(_BODY).lstrip())
        if words:
            self._leave(indent)
        column = self._column(indent, words)
        if self._is_code(words):
            self.after_blank = False
            return self._written(line, column), False
        if self.after_blank and not column and self._is_left_out(words):
            return "", False
        self.after_blank = not words
        line = _ATTRIBUTES.sub("", line)
        opened = self._opened(line.strip(), indent, column)
        if opened is None:
            return self._written(line, column), False
        return (opened and self._written(opened, column)), bool(opened)

    def _is_left_out(self, words: str) -> bool:
        """Whether a line is a module's, or begins a comment of MDX; what follows may be as well."""
        if words.startswith("{/*"):
            end = words.find("*/}")
            self.skipped = _END_OF_COMMENT if end < 0 else None
            return end < 0 or end + 3 == len(words)
        if not _MODULE.fullmatch(words):
            return False
        if words.startswith("import"):
            self.skipped = None if _FROM.search(words) or "{" not in words else _FROM
        else:
            self.skipped = None if words.endswith(";") else _BLANK
        return True

    def _opened(self, words: str, indent: int, column: int) -> str | None:
        """The name in bold of the block that a line opens, "" without one; None where it is text.

        Also of a line that closes one it is "".
        """
        if found := _ADMONITION.fullmatch(words):
            name = found[1].title() if found[2] is None else found[2]
            return self._open(_Opened("", indent, column, bool(name), _BODY), name)
        if found := _TAB.fullmatch(words):
            return self._open(_Opened("", indent, column, True, _BODY), found[1])
        if found := _DIRECTIVE.fullmatch(words):
            if not found[2]:
                return "" if self._close(found[1]) else None
            name = found[3] or found[4] or found[2].title()
            return self._open(_Opened(found[1], indent, column, True, 0), name)
        if self.folds and words[:1] == "<" and (said := details.summary(words)) is not None:
            return _bold(said)
        found = _COMPONENT.fullmatch(words)
        names = dict(_LABEL.findall(found[3] or "")) if found else {}
        if found is None or not (found[4] or names or found[2] in self.closing):
            return None  # "<Name of the guest>" is no component
        if found[1] or found[4]:
            return "" if found[4] or self._close(found[2]) else None
        name = names.get("label") or names.get("title") or names.get("value") or ""
        return self._open(_Opened(found[2], indent, column, bool(name), None), name)

    def _leave(self, indent: int) -> None:
        """Close the blocks whose text a line that is indented so far no longer belongs to."""
        for at, block in enumerate(self.opened):
            if not block.closed_by and indent < block.indent + _BODY:
                del self.opened[at:]
                break
        if self.fence and self.fence[1] > len(self.opened):
            self.fence = None

    def _column(self, indent: int, words: str) -> int:
        """The column of a line of these words, without the blocks that it is in."""
        for block in self.opened:
            if block.strip is None and words and not words.startswith("</"):
                block.strip = indent
            indent = max(0, indent - (block.strip or 0))
        return indent

    def _is_code(self, words: str) -> bool:
        found = _FENCED.fullmatch(words)
        if self.fence:
            if found and found[1].startswith(self.fence[0]) and not found[2].strip():
                self.fence = None
            return True
        if found and not (found[1][0] == "`" and "`" in found[2]):
            self.fence = (found[1], len(self.opened))
            return True
        return False

    def _open(self, block: _Opened, name: str) -> str:
        if len(self.opened) < _DEEPEST:
            self.opened.append(block)
        return _bold(name)

    def _close(self, closed_by: str) -> bool:
        """Close the block of these colons, or of this component, and whatever is open in it."""
        for at in range(len(self.opened) - 1, -1, -1):
            if self.opened[at].closed_by == closed_by:
                del self.opened[at:]
                return True
        return False

    def _written(self, line: str, column: int) -> str:
        """The line in its column, behind a `>` for each named block that it is in."""
        if not self.opened:
            return line
        before, at = "", 0
        for block in self.opened if self.quoted else ():
            if block.named:
                before += " " * (block.column - at) + "> "
                at = block.column
        words = line.lstrip()
        return before + " " * max(0, column - at) + words if words else before.rstrip()


def plain_markdown(text: str, *, quoted: bool = False) -> PlainMarkdown:
    """Return `text` in plain Markdown, of as many lines; what is in a fence stays as it is.

    `quoted` shows a block with a name as a quote, for a reader, who sees no indentation otherwise.
    """
    if not MARKS.search(text):
        return PlainMarkdown(text)
    header = match[0].count("\n") if (match := _HEADER.match(text)) else 0
    lines = text.split("\n")
    reader = _Reader(quoted, frozenset(_CLOSING.findall(text)), details.are_shown(text))
    read = [reader.line(line) for line in lines[header:]]
    return PlainMarkdown(
        "\n".join([*lines[:header], *_parted([line for line, _ in read], quoted)]),
        tuple(number for number, (_, is_name) in enumerate(read, header) if is_name),
    )


def callouts(text: str, *, unnamed: bool) -> str:
    """Return `text` with the names of Obsidian's callouts in bold; `unnamed` ones by their kind."""

    def named(found: re.Match[str]) -> str:
        return found[1] + _bold(found[3] or (found[2].title() if unnamed else ""))

    return _CALLOUT.sub(named, text)


def link_words(found: re.Match[str]) -> str:
    """Return what a match of WIKI shows: its label, else the page and heading that it leads to.

    An embed is named as the link to what it embeds: "![[Fees#Boats]]" is "Fees > Boats".
    """
    if found[2] and not _SIZE.fullmatch(found[2].strip()):
        return found[2]
    parts = (part.strip() for part in found[1].split("#"))
    return " > ".join(part for part in parts if part and not part.startswith("^"))


def _bold(name: str) -> str:
    words = name.replace("**", "").replace("__", "").strip()
    stop = "" if words[-1:] in {".", "!", "?", ":"} else ":"
    return f"**{words}{stop}**" if words else ""


def _parted(lines: Sequence[str], quoted: bool) -> Sequence[str]:
    """The lines, of which a blank one before another block is not quoted."""
    if not quoted:
        return lines
    made = list(lines)
    for at in range(len(made) - 2, -1, -1):
        below = made[at + 1]
        if not made[at].strip(" >") and (not below.strip() or below.lstrip().startswith("> **")):
            made[at] = ""
    return made
