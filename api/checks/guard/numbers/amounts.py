"""What numbers and dice are worth as they are written, and the unit that a column's name gives."""

import re
from fractions import Fraction

from retrieval.text import numbers_in_words
from retrieval.text.units import UNITS, Unit

_SPACED = re.compile(r"(?<=\d) (?=\d{3}(?!\d|/))")
_LONGEST = 300  # characters of a number that count; Python refuses to read 4,301 digits
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3)}


def of_column(name: str) -> Unit | None:
    """Return the unit that a column's name gives its numbers: "Cost (euros)"; None for none.

    What they are counted for is none ("Price per month"), nor what they are numbers of ("Day").
    """
    words = re.sub(r"\b(?:per|an?|each|every) \w+", "", name.lower())
    found = (
        UNITS.get(word)
        for word in re.findall(r"(?<=\()\w+(?=\))|\b[^\W\d_]++(?<=s)\b|feet|%", words)
    )
    return next((unit for unit in found if unit), None)


def value(written: str) -> Fraction:
    """Return what a number as `facts` finds it stands for: 1,200, 1 1/2, 1.2k, "two and a half".

    Raises KeyError for words that are no number.
    """
    plain = written.strip("$€£").replace(",", "").lower()[:_LONGEST]
    whole, more, part = plain.partition(" and a ")
    if more:
        return value(whole) + _PARTS[part]
    plain = _SPACED.sub("", plain)
    if plain[-1:] == "k" and plain[:-1].replace(".", "").isdigit():
        return Fraction(plain[:-1]) * 1000
    if not plain[:1].isdigit():
        return numbers_in_words.value(plain)
    first, *rest = plain.replace("+", " ").split()
    if not rest:
        return Fraction(first)
    if "/" in rest[0]:
        return Fraction(first) + Fraction(rest[0])
    return Fraction(first) * numbers_in_words.value(rest[0])


def dice_of(found: dict[str, str | None]) -> str:
    """Return the dice that `facts` finds: "3d6+1" of "3d6 + 1", "3d6" of three six-sided dice."""
    if found["worded"]:
        sides = value(found["sides"] or "")
        return f"{value(found['worded'])}d{sides}"
    before, _, after = (found["die"] or "").lower().rpartition("d")
    count, rest = before.strip(), re.sub(r"\s", "", after)
    number = count if count.isdigit() or not count else str(numbers_in_words.value(count))
    return f"{number or 1}d{rest.replace('%', '100')}"


def sign_of(written: str | None) -> str:
    """Return the sign of a number: "-" for "minus" too, "" for none."""
    plain = (written or "").strip().lower()
    return {"minus": "-", "plus": "+"}.get(plain, plain)
