"""Markdown without its marks, and where its sentences end."""

import re
from collections.abc import Iterator

from retrieval.text.dialects import WIKI, link_words

# Linear patterns: no run of characters can be parted in two ways, or is scanned from its middle.
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\s\"[^\"\n]*\")?\)")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]*\]:?")
_CALLOUT = re.compile(r"^((?:>[ \t]?)+)\[!(\w+)\][+-]?", re.MULTILINE)
_LINE_MARK = re.compile(
    r"^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]|[-*+][ \t]+(?:\[[ xX]\][ \t])?|\d{1,9}[.)][ \t]|:[ \t])?",
    re.MULTILINE,
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")  # a sign that is not meant as Markdown
_STARS = re.compile(r"\*+|(?<!\w)_+|(?<=[^\W_])_++(?!\w)|`+|~~")
_DELIMITER = re.compile(
    r"^[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*(?::?-+:?[ \t]*)?)*$", re.MULTILINE
)
_BOUNDARY = re.compile(r"[.!?][\"'”’)\]*_]*(?=\s+[\"'“‘(\[*_]*[A-Z0-9])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|max|min|no|p|pp|St|Dr|Mr|Mrs)|^\d{1,3})$"
)

_EXCEPTION = re.compile(
    r"\b(?:except|exception|unless|however|does not|do not|doesn[’']t|don[’']t|not apply|cannot|"
    r"only if|only when|instead|otherwise|but not|no longer|nor|even then|in that case)\b",
    re.IGNORECASE,
)
_EXCEPTION_REACH = 120  # characters: a limit that comes later in a text is a rule of its own


def plain(text: str) -> str:
    """Return `text` as words: without link targets, emphasis, bullets and pipes.

    What a browser hides is to be left out before (`retrieval.text.hidden`): a part of a text does
    not say whether it stands in code, which shows its tags.
    """
    text = WIKI.sub(link_words, text)
    text = _FOOTNOTE.sub("", _LINK.sub(r"\1", text))
    text = _DELIMITER.sub("", _CALLOUT.sub(r"\1\2:", text))
    text = _STARS.sub("", _LINE_MARK.sub("", text))
    cells = (cell.strip() for cell in text.replace("\\|", "/").split("|"))
    return " ".join(_ESCAPED.sub(r"\1", "; ".join(cell for cell in cells if cell)).split())


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of every sentence of `text`, in order, white space between left out."""
    start = 0
    for match in _BOUNDARY.finditer(text):
        if _ABBREVIATION.search(text[max(start, match.start() - 12) : match.start()]):
            continue
        yield from _stripped(text, start, match.end())
        start = match.end()
    yield from _stripped(text, start, len(text))


def limits_what_precedes(text: str) -> bool:
    """Tell whether a sentence, item or paragraph opens by limiting the rule above it."""
    return _EXCEPTION.search(text[:_EXCEPTION_REACH]) is not None


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    if part.strip():
        start += len(part) - len(part.lstrip())
        yield start, start + len(part.strip())
