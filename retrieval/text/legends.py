"""The abbreviations that a text explains: "Hl = hull points", "**PD:** per diem", "overtime (OT)".

What is beside a table heads its columns and fills its cells, so whoever reads a row needs it. What
a vault calls its things by ("Hit Dice (HD)") counts in every file and in questions: there only
letters that begin with a capital are read.
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
_NAME = re.compile(r"[A-Z][A-Za-z]{1,4}")
_BEFORE = re.compile(
    rf"\W{{0,4}}({_NAME.pattern})[*_]{{0,3}}\s?[:|,–-]{{1,3}}[*_ |]{{0,4}}"
    r"([A-Za-z][A-Za-z' -]{2,40})"
)
_WORD = re.compile(r"[A-Za-z][\w']*")
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


def abbreviated(line: str) -> Iterator[tuple[str, str]]:
    """Yield (abbreviation, name) of a line, both in lower case: "Hit Dice (HD)", "| ML | Morale |".

    An abbreviation is the first letters of neighbouring words, or letters of one word in their
    order, its first letter among them.
    """
    for match in _BEHIND.finditer(line):
        if _NAME.fullmatch(match["short"]):
            yield from _fitting(match["short"], _WORD.findall(match["words"]), at_end=True)
    if before := _BEFORE.match(line):
        yield from _fitting(before[1], _WORD.findall(before[2]), at_end=False)


def is_made_of(short: str, words: Sequence[str]) -> bool:
    """Tell whether `short` is the first letters of `words`, or letters of the first in order."""
    low, said = short.lower(), [word.lower() for word in words]
    if not low.isalpha() or not said or (len(low) > 1 and said[0].startswith(low)):
        return False  # "Light, Lightning": a word and a longer one
    return _spells(low, said[: len(low)]) or _spells(low, said[:1])


def _fitting(short: str, words: list[str], *, at_end: bool) -> Iterator[tuple[str, str]]:
    low, said = short.lower(), [word.lower() for word in words]
    for count in (len(low), 1):
        run = said[-count:] if at_end else said[:count]
        if not short.isupper() and run and run[0].startswith(low):
            return
        whole = count > 1 or len("".join(run)) > len(low) + 1  # one word, hardly longer: no short
        if len(run) == count and whole and _spells(low, run):
            yield low, " ".join(run)
            return


def _spells(low: str, words: Sequence[str]) -> bool:
    """Whether letters are the first ones of words, or of a single one some in their order."""
    if len(words) > 1:
        return low == "".join(word[0] for word in words)
    letters = iter(words[0])
    return words[0][0] == low[0] and all(letter in letters for letter in low)


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
