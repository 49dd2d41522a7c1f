"""What of a Markdown text a browser does not show: comments, and HTML that hides what it holds.

A writer sees the page and not its source, so hidden text is no rule that anybody agreed on: it is
neither searched nor shown nor given to a model. Code is shown as it stands, tags and all.
"""

import re
from html import unescape

_NAME = r"[A-Za-z][A-Za-z0-9-]*"
# Values have a limit, or a text of nothing but openings would be read again from each of them.
_VALUE = r"""(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^\s"'=<>`]{1,2000})"""
_ATTRIBUTE = rf"\s+([^\s\"'=<>`/]{{1,200}})(?:\s{{0,20}}=\s{{0,20}}({_VALUE}))?"
_MARK = re.compile(
    r"(?P<fence>^[ >]{0,12}(?P<ticks>`{3,}|~{3,})[^\n]*$)"
    r"|\\."
    r"|(?P<code>(?<!`)`+(?!`))"
    r"|(?P<comment><!--)"
    r"|(?P<bogus><[!?])"
    rf"|<(?P<tag>{_NAME})(?P<attributes>(?:{_ATTRIBUTE}){{0,50}})\s{{0,20}}/?>",
    re.MULTILINE,
)
_TAG = re.compile(rf"<(/?)({_NAME})(?![\w-])[^<>]*>")
_TICKS = re.compile("`+")
_CLOSING = re.compile(r"^[ >]{0,12}(`{3,}|~{3,})[ \t]*$", re.MULTILINE)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_HIDDEN_TAGS = {"script", "style", "template", "head", "title", "datalist", "dialog"}
_ENDED_BY_BLOCK = {"p", "li", "dt", "dd", "td", "th", "tr", "option"}  # of these the end may lack
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
         "track", "wbr"}  # fmt: skip
_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden"
    r"|(?:opacity|font-size)\s*:\s*0(?:\.0+)?(?:px|pt|r?em|%)?\s*(?:!important\s*)?(?:;|$)",
    re.IGNORECASE,
)
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_NOT_A_LINE_END = re.compile(r"[^\n]+")


def visible(text: str) -> str:
    """Return `text` without what a browser would hide; every line stays, perhaps empty.

    An element that is never closed hides all that follows, as in a browser.
    """
    if "<" not in text:
        return text
    parts: list[str] = []
    end = start = 0
    while match := _MARK.search(text, start):
        start, hidden = _after(text, match)
        if hidden:
            parts += [
                text[end : match.start()],
                _NOT_A_LINE_END.sub("", text[match.start() : start]),
            ]
            end = start
    return "".join([*parts, text[end:]])


def _after(text: str, match: re.Match[str]) -> tuple[int, bool]:
    """Where what begins at a mark ends, and whether it is hidden."""
    if match["fence"]:
        return _fence_end(text, match["ticks"], match.end()), False
    if match["code"]:
        return _code_end(text, len(match["code"]), match.end()), False
    if match["comment"]:
        return _comment(text, match)
    if match["bogus"]:
        close_at = text.find(">", match.end())
        return (close_at + 1, True) if close_at >= 0 else (match.end(), False)
    if match["tag"] and _hides(match["tag"].lower(), match["attributes"]):
        return _element_end(text, match["tag"].lower(), match.end()), True
    return match.end(), False


def _comment(text: str, match: re.Match[str]) -> tuple[int, bool]:
    """One that is not closed hides the rest where it begins a line; in a line it is text."""
    close = text.find("-->", match.end())
    if close >= 0:
        return close + 3, True
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    return (match.end(), False) if line.strip(" >") else (len(text), True)


def _hides(tag: str, attributes: str) -> bool:
    if tag in _VOID:
        return False
    given = {}
    for match in _ATTRIBUTES.finditer(attributes):
        given[match[1].lower()] = unescape((match[2] or "").strip("\"'"))
    if tag == "dialog":
        return "open" not in given
    style = _CSS_COMMENT.sub("", given.get("style", ""))
    return tag in _HIDDEN_TAGS or "hidden" in given or _STYLE.search(style) is not None


def _fence_end(text: str, ticks: str, start: int) -> int:
    for match in _CLOSING.finditer(text, start):
        if match[1][0] == ticks[0] and len(match[1]) >= len(ticks):
            return match.end()
    return len(text)


def _code_end(text: str, ticks: int, start: int) -> int:
    """The end of inline code, which ends in its paragraph; else it is no code."""
    paragraph = text.find("\n\n", start)
    for match in _TICKS.finditer(text, start, paragraph if paragraph >= 0 else len(text)):
        if len(match[0]) == ticks:
            return match.end()
    return start


def _element_end(text: str, tag: str, start: int) -> int:
    """The end of an element whose opening tag ends at `start`, those of its name within counted."""
    end = text.find("\n\n", start) if tag in _ENDED_BY_BLOCK else -1
    end = end if end >= 0 else len(text)
    depth = 1
    for match in _TAG.finditer(text, start, end):
        if match[2].lower() != tag or (tag in {"script", "style"} and not match[1]):
            continue  # what stands within these two is no HTML
        depth += -1 if match[1] else 1
        if depth == 0:
            return match.end()
    return end
