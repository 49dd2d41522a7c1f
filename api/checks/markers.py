"""The markers of an answer: `[1]`, and `[1, 2]`, `[1-3]`, `【1】` and `[^1]` as such ones."""

import re

from retrieval.text.normalize import fold

MARKER = re.compile(r"\s?\[(\d+)\]", re.ASCII)  # with the space before it
RUN = re.compile(r"(?:\s?\[\d+\])++", re.ASCII)  # of markers beside one another
_STRONG = re.compile(r"(?<!\w)\*\*(?=\S)([^*]+)(?<=\S)\*\*(?!\w)")
_LIST = re.compile(r"\s?\[(\d+(?:\s?,\s?\d+)*)\]", re.ASCII)
_DASHES = r"\u2010\u2011\u2013\u2014-"
_NUMBERS = rf"\^?\d++(?:\s?(?:[,;&{_DASHES}]|and)\s?\^?\d++)*"
_OTHER_FORM = re.compile(rf"\[({_NUMBERS})\]|【({_NUMBERS})(?:†[^】\n]{{0,40}})?】", re.ASCII)
_RANGE = re.compile(rf"(?<!\d)(\d\d?)\s?[{_DASHES}]\s?(\d\d?)(?!\d)", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)


def plain(text: str) -> str:
    """Return `text` as it is checked: folded, without markers, and bold text as plain."""
    return _STRONG.sub(r"\1", fold(MARKER.sub("", text))).strip()


def unified(reply: str) -> str:
    """Return `reply` with every marker as `[1]` or `[1, 2]`; of a range all its numbers."""
    return _OTHER_FORM.sub(lambda found: f"[{_listed(found[1] or found[2])}]", reply)


def _listed(numbers: str) -> str:
    return ", ".join(_DIGITS.findall(_RANGE.sub(_in_full, numbers)))


def _in_full(ends: re.Match[str]) -> str:
    between = range(int(ends[1]) + 1, int(ends[2]))
    return ",".join([ends[1], *map(str, between), ends[2]])


def known_markers(reply: str, passages: int) -> tuple[str, int]:
    """Return `reply` with the markers of its passages alone, and how many were dropped.

    Each stands for itself. Read from bracket to bracket, as what goes can leave a marker: "[8[9]]".
    """
    known = {str(number) for number in range(1, passages + 1)}
    dropped = 0
    text = ""
    *closed, rest = unified(reply).split("]")
    for part in closed:
        text += part + "]"
        opened = text.rfind("[")
        start = opened - 1 if opened > 0 and text[opened - 1].isspace() else max(opened, 0)
        if opened >= 0 and (match := _LIST.fullmatch(text[start:])):
            written = _DIGITS.findall(match[1])
            numbers = [number for number in written if number in known]
            dropped += len(written) - len(numbers)
            space = text[start:opened] if numbers else ""
            text = text[:start] + space + "".join(f"[{number}]" for number in numbers)
    return text + rest, dropped


def without_doubles(text: str) -> str:
    """Two markers that were moved to one passage stand there once."""
    return RUN.sub(_distinct, text)


def _distinct(match: re.Match[str]) -> str:
    first: dict[str, str] = {}
    for found in MARKER.finditer(match[0]):
        first.setdefault(found[1], found[0])
    return "".join(first.values())
