"""Names that capitals do not show: a noun in the place of another one, and addresses."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from api.checks.guard.text.units import find
from retrieval.text.words import STOP, stem

_TOKEN = re.compile(r"[A-Za-z][\w']*|[^\w\s*_\[\]]|\d+|\n")
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
_ARTICLES = frozenset(("a", "an", "the"))
_FEWEST = 2  # words between two nouns that make them one phrase: "touch of a ghoul"


def exchanged(text: str, passages: Sequence[str], question: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a statement that none of its passages has, and what stands there instead.

    All are folded. A noun is compared behind the same words: "the touch of a ghast" where the
    passage has "the touch of a ghoul". An address must stand as it is.
    """
    given = "\n".join((*passages, question))
    for address in _ADDRESS.findall(text):
        if address not in given:
            yield address, next(iter(_ADDRESS.findall(given)), "nothing")
    known, said = _stems(given), _stems(text)
    for before, noun in _slots(text):
        if stem(noun) in known:
            continue
        found = (word for passage in passages for words, word in _slots(passage) if words == before)
        other = next((word for word in found if stem(word) not in said), "")
        if other:
            yield noun, other


@lru_cache(maxsize=512)
def _slots(text: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The nouns behind an article, each with the words from the last one that says something."""
    slots: list[tuple[tuple[str, ...], str]] = []
    before: list[str] = []
    for match in _TOKEN.finditer(text.lower()):
        token = match[0]
        if token in STOP:
            before.append(token)
            continue
        phrase = len(before) > _FEWEST and before[-1] in _ARTICLES and before[0].isalpha()
        if phrase and token.isalpha() and not find(before[0]):
            slots.append(((stem(before[0]), *before[1:]), token))
        before = [token]
    return tuple(slots)


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(token) for token in _TOKEN.findall(text.lower()))
