"""An opposite in the place of a word: "more" for "less", beside the same words."""

import re

from retrieval.text.words import STOP, stem

_PAIRS = (
    ("always", "never"), ("more", "less"), ("more", "fewer"), ("above", "below"),
    ("before", "after"), ("increase", "decrease"), ("increases", "decreases"), ("gain", "lose"),
    ("gains", "loses"), ("bonus", "penalty"), ("minimum", "maximum"), ("least", "most"),
    ("double", "half"), ("doubled", "halved"), ("allowed", "forbidden"), ("higher", "lower"),
    ("inside", "outside"), ("increased", "decreased"), ("required", "optional"),
    ("possible", "impossible"), ("includes", "excludes"),
    ("longer", "shorter"), ("faster", "slower"), ("everybody", "nobody"),
("earlier", "later"),
)  # fmt: skip
_OPPOSITE = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_WORD = re.compile(r"[\w'-]+")
Sides = tuple[frozenset[str], frozenset[str]]


def opposite(clause: str, part: str) -> tuple[str, str] | None:
    """Return a word of `clause` and its opposite in `part`, beside the same word in both."""
    said, stands = _beside(clause), _beside(part)
    for word in sorted(said.keys() - stands.keys()):
        other = _OPPOSITE.get(word, "")
        if other in said or not said[word] & stands.get(other, set()):
            continue
        if not _turned(_sides(clause, word), _sides(part, other)):
            return word, other
    return None


def _turned(said: Sides, stands: Sides) -> bool:
    """Whether the sides were exchanged: "wax costs less than oil" is "oil costs more than wax"."""
    return bool(said[0] & stands[1]) and bool(said[1] & stands[0])


def _sides(text: str, middle: str) -> Sides:
    """The stems before the first `middle` of a text, and those after it."""
    words = [word.lower() for word in _WORD.findall(text)]
    at = words.index(middle)
    before, after = (
        frozenset(stem(word) for word in side if word not in STOP)
        for side in (words[:at], words[at + 1 :])
    )
    return before - after, after - before


def _beside(text: str) -> dict[str, set[tuple[str, str]]]:
    """Every word in small letters with the stems of the words right before and after it.

    Each with its side: "a day before the try" is "a try after a day".
    """
    words = [word.lower() for word in _WORD.findall(text)]
    says = [stem(word) if word not in STOP else "" for word in words]
    found: dict[str, set[tuple[str, str]]] = {}
    for at, word in enumerate(words):
        near = [("before", next((one for one in reversed(says[:at]) if one), "")),
                ("after", next((one for one in says[at + 1 :] if one), ""))]  # fmt: skip
        found.setdefault(word, set()).update(one for one in near if one[1])
    return found
