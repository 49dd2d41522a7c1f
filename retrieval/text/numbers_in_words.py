"""Numbers that are written as English words: "twenty-five", "two hundred", "half a"."""

import re
from collections.abc import Iterable
from fractions import Fraction

SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_LARGE = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_FACTORS = {"hundred": 100, "dozen": 12}
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "twice": Fraction(2)}
TIMES: dict[str, int | Fraction] = {
    "double": 2,
    "doubled": 2,
    "doubles": 2,
    "triple": 3,
    "tripled": 3,
    "halved": Fraction(1, 2),
    "halve": Fraction(1, 2),
    "halves": Fraction(1, 2),
}
_THIRDS = {"one-third": Fraction(1, 3), "two-thirds": Fraction(2, 3), "one-half": Fraction(1, 2)}
_THREE_QUARTERS = {"three-quarters": Fraction(3, 4), "one-quarter": Fraction(1, 4)}
_FRACTIONS: dict[str, Fraction] = {
    **_THIRDS, **_THREE_QUARTERS, **_PARTS,
    **{word: Fraction(number) for word, number in TIMES.items()},
}  # fmt: skip
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18,
    "nineteenth": 19, "twentieth": 20, "hundredth": 100,
}  # fmt: skip


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_SHARES = _any(_FRACTIONS).replace("-", "[- ]")
_ONES = _any(word for word, number in SMALL.items() if 0 < number < 10)
_BELOW = rf"(?:(?:{_any(TENS)})(?:[- ](?:{_ONES})\b)?|{_any(SMALL)})"
_HUNDREDS = rf"(?:(?:{_BELOW}[- ])?(?:hundred(?:(?: and |[- ]){_BELOW})?|dozen)|{_BELOW})"
_THOUSANDS = rf"(?:{_HUNDREDS}[- ])?(?:{_any(_LARGE)})(?:(?: and |[- ]){_HUNDREDS}\b)?"
# Atomic, so that "twenty-four" is never read as a range, nor "four and sixteen" as a sum.
_TH = _any(list(ORDINALS)[2:])  # of "a tenth"
_AFTER_PART = r" (?:of|more|less|off|as|if|when|elsewhere|anywhere)\b|\s*$|[,.;)]"
_PART = rf"(?:one (?:{_TH})(?!-?\w| \w+s?\b(?<!of))|an? (?:{_TH})(?={_AFTER_PART}))"
PATTERN = rf"(?>{_PART}|(?:{_SHARES})(?!-\w)|(?:{_THOUSANDS}|{_HUNDREDS}))"


def value(words: str) -> Fraction:
    """Return what a match of PATTERN stands for: "two hundred and five" is 205, "half" 1/2.

    Raises KeyError for other words.
    """
    plain = re.sub(r"\s+", " ", words.lower())
    if (share := _FRACTIONS.get(plain.replace(" ", "-"))) is not None:
        return share
    if plain.startswith(("a ", "an ")) or plain.partition(" ")[2] in ORDINALS:
        return Fraction(1, ORDINALS[plain.partition(" ")[2]])
    total = group = 0
    for word in re.split(r"[- ]", plain):
        if word == "and":
            continue
        if word in _FACTORS:
            group = max(group, 1) * _FACTORS[word]
        elif word in _LARGE:
            total, group = total + max(group, 1) * _LARGE[word], 0
        else:
            group += SMALL[word] if word in SMALL else TENS[word]
    return Fraction(total + group)
