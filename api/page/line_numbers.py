"""Which lines of a file a card shows: its Markdown is made of them, its marks are their numbers."""

import re
from collections.abc import Mapping

from api.schema.answer import Answer
from retrieval.text.dialects import WIKI, link_words

_WORDS = re.compile(r"[^\W_]+")

SourceLines = Mapping[int, str]  # a file's lines by number, those that are known


def source_lines(answer: Answer, path: str) -> dict[int, str]:
    """Return the lines of a file that an answer quotes or was made from, as they were indexed."""
    found: dict[int, str] = {}
    for passage in answer.passages:
        if passage.path == path:
            found |= dict(enumerate(passage.text.split("\n"), passage.first_line))
    for cited in answer.citations:
        if cited.path == path:
            found |= dict(enumerate(cited.quote.split("\n"), cited.first_line))
    return found


def numbered(text: str, known: SourceLines, first: int, last: int) -> list[int | None]:
    """Return for each line of a card's Markdown the number of the file's line that it is.

    Both are compared by their words, in order: what writes a card may change the marks, the space
    and the emphasis of a line, never its words. None where no line from `first` to `last` has them.
    """
    words = {number: _words(known[number]) for number in sorted(known) if first <= number <= last}
    found: list[int | None] = []
    at = first
    for line in text.split("\n"):
        wanted = _words(line)
        match = next((n for n, has in words.items() if n >= at and wanted and has == wanted), None)
        found.append(match)
        at = match + 1 if match is not None else at
    return found


def _words(line: str) -> list[str]:
    return _WORDS.findall(WIKI.sub(link_words, line).lower())
