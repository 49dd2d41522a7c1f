"""What a superlative asks for: "the cheapest armour", "which plan has the most storage"."""

import re
from typing import NamedTuple

from retrieval.vocabulary.terms import stems_of

_PRICE, _WEIGHT = "cost price fee charge amount wage pay", "weight"
_LENGTH, _REACH = "length duration time term range reach distance", "range reach distance"
_SPEED = "speed movement rate"
# What a word of its own compares, and whether the highest is meant.
_COMPARED: dict[str, tuple[str, bool]] = {
    "cheapest": (_PRICE, False), "least expensive": (_PRICE, False),
    "dearest": (_PRICE, True), "priciest": (_PRICE, True), "costliest": (_PRICE, True),
    "most expensive": (_PRICE, True), "heaviest": (_WEIGHT, True), "lightest": (_WEIGHT, False),
    "longest": (_LENGTH, True), "shortest": (_LENGTH, False), "farthest": (_REACH, True),
    "furthest": (_REACH, True), "fastest": (_SPEED, True), "quickest": (_SPEED, True),
    "slowest": (_SPEED, False),
}  # fmt: skip
# What is compared is said behind these, by the name of its column.
_HIGHEST = ("most", "highest", "largest", "biggest", "greatest")
_LOWEST = ("least", "lowest", "smallest", "fewest")
_OWN = re.compile(rf"\b(?:{'|'.join(_COMPARED)})\b", re.IGNORECASE)
_OF = re.compile(
    rf"(?<!at )\b(?P<degree>{'|'.join((*_HIGHEST, *_LOWEST))}) (?P<column>\w{{2,}}(?: \w{{2,}})?)",
    re.IGNORECASE,
)


class Superlative(NamedTuple):
    """Of which of its fields a thing has the most or the least, and how a question says it."""

    fields: frozenset[str]  # stems of the names that the field may have
    highest: bool
    said: str


def superlative(question: str) -> Superlative | None:
    """Return the superlative of a question; None without one, and of "best" and "worst".

    These say no field, and of some fields the lowest is the best.
    """
    if own := _OWN.search(question):
        names, highest = _COMPARED[own[0].lower()]
        return Superlative(frozenset(stems_of(names)), highest, own[0])
    if of := _OF.search(question):
        column = frozenset(stems_of(of["column"]))
        return Superlative(column, of["degree"].lower() in _HIGHEST, of["degree"])
    return None
