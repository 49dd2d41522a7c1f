"""Which clause a line is, and which one a text names: "4.2.1", "§ 7", "Annex B, line 3".

Bylaws and contracts number their rules, and change and quote them by these numbers alone.
"""

import re
from collections.abc import Iterator

from retrieval.models import Entry
from retrieval.vocabulary.terms import cells

_DIGITS = r"\d{1,3}(?:\.\d{1,3}){0,3}"
_NUMBERED = re.compile(
    r"(?:§ ?|\b(?:paragraph|section|rule|point|article|clause|item|number|no\.) )"
    rf"(?P<number>{_DIGITS})(?![\d.]{{0,3}}\d)",
    re.IGNORECASE,
)
_OWN_NUMBER = re.compile(rf"[*_>\s-]{{0,6}}({_DIGITS})[.)]?[*_]{{0,3}}\s")
_ANNEX = r"(?:annex|appendix|schedule|exhibit|table) (?:[A-Z]|\d{1,2}|[IVX]{1,4})\b"
_LINES = re.compile(
    rf"\b(?P<annex>{_ANNEX}),? (?:line|row|item|number|no\.|entry)s? "
    r"(?P<line>\d{1,3}[a-z]?)(?:(?:,| and|, and) (?P<other>\d{1,3}[a-z]?)\b)?",
    re.IGNORECASE,
)
_IS_ANNEX = re.compile(rf"\W{{0,4}}({_ANNEX})", re.IGNORECASE)
# "Is replaced", "takes the place of", "is deleted".
_CHANGED = re.compile(
    r"\b(?:replac|supersed|delet|repeal|amend)\w{1,4}\b|\b(?:in|takes the) place of\b|"
    r"\bstruck out\b",
    re.IGNORECASE,
)
# "In clause 3.1.3, the words": what stands there holds but for these.
_IN_PART = re.compile(rf"\bin (?:the )?(?:{_ANNEX}|§|paragraph|section|rule|article|clause)", re.I)
_UNIQUE = 2  # dots of a number that no other rule of a vault has: "4.2.1", not "2"


def changed_in(sentence: str) -> frozenset[str]:
    """Return the clauses and lines of annexes that a sentence says are replaced or deleted."""
    if not _CHANGED.search(sentence):
        return frozenset()
    return frozenset([*numbers_in(sentence), *lines_in(sentence)])


def is_in_part(sentence: str) -> bool:
    """Tell whether a sentence changes words within a clause, and not the clause."""
    return _IN_PART.search(sentence) is not None


def numbers_in(text: str) -> list[str]:
    """Return the numbers of the clauses that a text names, in order: of "§ 3" it is "3"."""
    return [match["number"] for match in _NUMBERED.finditer(text)]


def lines_in(text: str) -> list[str]:
    """Return the lines of annexes that a text names, in order, as `own` has them."""
    return [
        f"{match['annex']}, {line}".lower()
        for match in _LINES.finditer(text)
        for line in (match["line"], match["other"])
        if line
    ]


def without_lines(text: str) -> str:
    """Return a text without the lines of annexes that it names, and without its own number."""
    return _LINES.sub(" ", _OWN_NUMBER.sub("", text, count=1))


def own(entry: Entry) -> frozenset[str]:
    """Return the number that an entry begins with, and its heading's.

    "3.2 The quorum is four" is "3.2"; the row that begins with 3 in an Annex B is "annex b, 3".
    """
    above = entry.heading.split(" > ")
    found = {match[1] for one in (entry.quote, above[-1]) if (match := _OWN_NUMBER.match(one))}
    return frozenset(found.union(_own_lines(entry, above)))


def _own_lines(entry: Entry, above: list[str]) -> Iterator[str]:
    label = next(iter(cells(entry.quote)), "") if entry.kind == "row" else ""
    for heading in above:
        if label and (match := _IS_ANNEX.match(heading)):
            yield f"{match[1]}, {label}".lower()


def is_unique(number: str) -> bool:
    """Tell whether a number names one rule of a vault by itself: "4.2.1", "annex b, 3"."""
    return number.count(".") >= _UNIQUE or "," in number
