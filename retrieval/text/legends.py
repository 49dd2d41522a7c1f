"""The abbreviations that a text explains: "Hl = hull points", "**PD:** per diem", "overtime (OT)".

What is beside a table heads its columns and fills its cells, so whoever reads a row needs it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

LONGEST = 6  # characters of what is explained
_LONGEST_MEANING = 60  # characters; the rest of a longer sentence is no name
_SHORT = r"[^\s=:;,.()|*_\"'`!<>]"
_SIGN = re.compile(
    rf"(?<![^\s,;:.(|*])\*{{0,2}}"
    rf"(?P<short>{_SHORT}{{1,3}}(?: ?/ ?{_SHORT}{{1,3}}){{1,3}}|{_SHORT}{{1,{LONGEST}}})"
    r"\*{0,2}\s?=(?=\s?[^=\s])"
)
_BOLD_TERM = re.compile(
    rf"\*\*(?P<short>{_SHORT}{{1,{LONGEST}}})(?::\*\*|\*\*\s?[:–—-])\s?(?P<rest>[^*\n]*)"
)
_BEHIND = re.compile(
    rf"(?P<words>(?:[A-Za-z][\w']{{0,30}}[ -]){{0,4}}[A-Za-z][\w']{{0,30}}) "
    rf"\((?P<short>[A-Z]{_SHORT}{{0,{LONGEST - 1}}})\)"
)
_INSIDE = re.compile(r"\(([^()]*)\)")
_LISTED = re.compile(rf"\s*({_SHORT}{{1,3}}) ([a-z][a-z -]{{2,30}})")
_STOP = re.compile(r"[.;](?:\s|$)|\s\|")
_LETTER = re.compile(r"[A-Za-z]")


def explained(text: str) -> Iterator[tuple[str, str]]:
    """Yield (abbreviation, what it stands for), both as they are written, in the text's order.

    With a "=" anything short is explained; in bold before a colon and in brackets only what is made
    of the meaning's letters, or every "**Range:** 60 feet" would be an abbreviation.
    """
    signs = list(_SIGN.finditer(text))
    for match, after in zip_longest(signs, signs[1:]):
        rest = text[match.end() : after.start() if after else len(text)].split("\n")[0]
        if meaning := _meaning(rest):
            yield match["short"], meaning
            yield from _inside(rest)
    for match in _BOLD_TERM.finditer(text):
        meaning = _meaning(match["rest"])
        if meaning and is_made_of(match["short"], meaning.split()):
            yield match["short"], meaning
    for match in _BEHIND.finditer(text):
        words = match["words"].split()
        for count in (len(match["short"]), 1):
            if len(words) >= count and is_made_of(match["short"], words[-count:]):
                yield match["short"], " ".join(words[-count:])
                break


def is_made_of(short: str, words: Sequence[str]) -> bool:
    """Tell whether `short` is the first letters of `words`, or letters of the first in order."""
    low, said = short.lower(), [word.lower() for word in words]
    if not low.isalpha() or not said or (len(low) > 1 and said[0].startswith(low)):
        return False  # "Light, Lightning": a word and a longer one
    if low == "".join(word[0] for word in said[: len(low)]):
        return True
    letters = iter(said[0])
    return said[0][0] == low[0] and all(letter in letters for letter in low)


def _inside(rest: str) -> Iterator[tuple[str, str]]:
    """What is explained within an explanation: "temper (c calm, l lively, h hot)"."""
    for inner in _INSIDE.findall(rest):
        parts = [_LISTED.fullmatch(part) for part in inner.split(",")]
        if len(parts) > 1 and all(parts):
            yield from ((part[1], part[2]) for part in parts if part)


def _meaning(rest: str) -> str:
    """The words that an abbreviation stands for at the beginning of a text, or ""."""
    text = _STOP.split(rest, 1)[0]
    text = _INSIDE.sub("", text).strip(" ,;.*_|()")
    if len(text) > _LONGEST_MEANING:
        text = text.split(",", 1)[0].strip()
    usable = len(text) <= _LONGEST_MEANING and _LETTER.match(text)
    return " ".join(text.split()) if usable else ""
