"""The markers of an answer: `[1]`, and `[1, 2]` as `[1][2]`."""

import re
from collections.abc import Set

from retrieval.text.normalize import fold

MARKER = re.compile(r"\s?\[(\d+)\]", re.ASCII)  # with the space before it
_STRONG = re.compile(r"(?<!\w)\*\*(?=\S)([^*]+)(?<=\S)\*\*(?!\w)")
_LIST = re.compile(r"\s?\[(\d+(?:\s?,\s?\d+)*)\]", re.ASCII)


def plain(text: str) -> str:
    """Return `text` as it is checked: folded, without markers, and bold text as plain."""
    return _STRONG.sub(r"\1", fold(MARKER.sub("", text))).strip()


def known_markers(reply: str, known: Set[str]) -> tuple[str, int]:
    """Return `reply` with the known markers alone, each for itself, and how many were dropped.

    Read from bracket to bracket, as what goes can leave a marker: "[8[9]]".
    """
    dropped = 0
    text = ""
    *closed, rest = reply.split("]")
    for part in closed:
        text += part + "]"
        opened = text.rfind("[")
        start = opened - 1 if opened > 0 and text[opened - 1].isspace() else max(opened, 0)
        if opened >= 0 and (match := _LIST.fullmatch(text[start:])):
            written = re.split(r"\s?,\s?", match[1])
            numbers = [number for number in written if number in known]
            dropped += len(written) - len(numbers)
            space = text[start:opened] if numbers else ""
            text = text[:start] + space + "".join(f"[{number}]" for number in numbers)
    return text + rest, dropped


def without_doubles(text: str) -> str:
    """Two markers that were moved to one passage stand there once."""
    return re.sub(r"(\s?\[\d+\])(?:\s?\[\d+\])+", _distinct, text, flags=re.ASCII)


def _distinct(match: re.Match[str]) -> str:
    first: dict[str, str] = {}
    for found in MARKER.finditer(match[0]):
        first.setdefault(found[1], found[0])
    return "".join(first.values())
