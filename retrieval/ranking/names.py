"""How much of a question the names and fields of an entry cover.

"Hit dice of a troll" names a thing and one of its fields. Both are learnt from the vault: things
are called as files, headings, rows and bold beginnings are, fields as columns and keys.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum

from retrieval.index.terms import fields_of, key, names_of, stems_of, title
from retrieval.models import Entry, Name, Terms

# What people ask instead of a field's name; the words on the right are tried as names of fields.
_ASKED = {
    "how long": "duration time period term life",
    "how far": "range distance reach",
    "how much": "cost price fee charge amount",
    "how heavy": "weight",
    "how fast": "speed movement rate",
    "how big": "size area radius",
    "how large": "size area radius",
    "how often": "frequency interval",
    "what does it cost": "cost price fee",
    "expensive": "cost price fee",
    "cheap": "cost price fee",
    "cost": "cost price fee",
    "price": "cost price fee",
    "pay": "wage pay price",
    "wage": "wage pay",
    "weigh": "weight",
    "lasts": "duration",
}
_ASKED_WORDS = re.compile(rf"\b(?:{'|'.join(_ASKED)})\b", re.IGNORECASE)
_FIELD_ASKED = 0.2  # of the question: what a field counts that is asked for in other words


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question as names and fields are compared with it."""

    terms: Terms
    weights: Mapping[str, float]  # of its stems
    total: float
    said: frozenset[str]  # its stems as they stand, abbreviations not in full
    fields: frozenset[str]  # stems of fields that it asks for in other words

    @classmethod
    def of(cls, terms: Terms, question: str) -> "Wanted":
        """Return what is compared of a question."""
        said = frozenset(stems_of(question))
        weights = {word: terms.weight(word) for word in terms.in_full(said)}
        return cls(terms, weights, fsum(weights.values()), said, asked_fields(question))


def coverage(wanted: Wanted, path: str, entries: Iterable[Entry]) -> float:
    """Return how much of a question the names and fields of the best entry cover, 0 to 1.2.

    Of the question's stems, weighted by how telling they are, those in names of the entry that
    the question holds whole, and in the names of its fields; 0 where no name is held whole.
    A field asked for in other words ("how long" for a duration) adds 0.2.
    """
    if not wanted.total:
        return 0.0
    return max((_covered(wanted, path, entry) for entry in entries), default=0.0)


def longer_names(terms: Terms, question: str, paths: Iterable[str]) -> frozenset[str]:
    """Return those of `paths` whose file is called longer than another one that is asked for.

    "How long does Light last?" is not about Continual Light where there is a file Light.
    """
    asked = terms.in_full(stems_of(question))
    names = {path: frozenset(key(title(path))) for path in set(paths)}
    exact = {name for name in names.values() if name and name <= asked}
    return frozenset(
        path
        for path, name in names.items()
        if any(one < name and not (name - one) & asked for one in exact)
    )


def asked_fields(question: str) -> frozenset[str]:
    """Return the stems of fields that a question asks for in other words."""
    found = {match.lower() for match in _ASKED_WORDS.findall(question)}
    return frozenset(word for asked in found for word in stems_of(_ASKED[asked]))


def field_words(path: str, entry: Entry) -> frozenset[str]:
    """Return the stems of the names of an entry's fields."""
    return _known(path, entry)[1]


def _covered(wanted: Wanted, path: str, entry: Entry) -> float:
    names, short = _known(path, entry)
    asked = wanted.weights.keys()
    held: set[str] = set()
    for name in names:
        full = wanted.terms.in_full(name)
        if asked >= full or wanted.said >= set(name):
            held |= full & asked
    if not held:
        return 0.0
    fields = wanted.terms.in_full(short)
    # Words of a set come in another order in every process: only fsum does not depend on it.
    found = fsum(wanted.weights[word] for word in held | (fields & asked)) / wanted.total
    return found + (_FIELD_ASKED if wanted.fields & fields else 0.0)


@lru_cache(maxsize=65_536)
def _known(path: str, entry: Entry) -> tuple[Sequence[Name], frozenset[str]]:
    names = [found for name in names_of(path, entry) if (found := key(name))]
    fields = frozenset(word for name in fields_of(entry) for word in key(name))
    return tuple(names), fields
