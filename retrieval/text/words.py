"""Words of a text as they are compared: their stems, without those that every sentence has."""

import re
from collections.abc import Callable

from retrieval.text import numbers_in_words
from retrieval.text.normalize import fold

WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_STOP_WORDS = (
    "a an the and or of to in on at by for from with as is are was were be been being it its this "
    "that these those there here they them their he she his her him you your we our i my which who "
    "whom whose what when where why how if then than so such do does did done has have had can "
    "could may might must shall should will would not no nor never none neither cannot without "
    "into onto upon out off up down over under about per each every any all some both either "
    "also only just very too more most much many few other another same own again still yet "
    "but however while although though because since until unless except after before during "
    "between against through among within toward towards yes one's i.e e.g etc according"
)
STOP = frozenset(_STOP_WORDS.split())
_EVERYDAY = STOP | {"am", "me", "us"}  # an alias that is one of these is told by its capitals
# Whoever or whatever something is done to: "how do I choke someone" asks about choking.
INDEFINITE = frozenset({
    "someone", "somebody", "something", "anyone", "anybody", "anything", "everyone", "everybody",
    "everything",
})  # fmt: skip
_ORDINAL = re.compile(
    rf"\b(?:({'|'.join(numbers_in_words.TENS)})[- ])?({'|'.join(numbers_in_words.ORDINALS)})"
    r"(?=[- ](\w+))",
    re.IGNORECASE,
)
_IRREGULAR = {
    "calves": "calf", "children": "child", "dwarves": "dwarf", "elves": "elf", "feet": "foot",
    "geese": "goose", "halves": "half", "hooves": "hoof", "knives": "knife", "loaves": "loaf",
    "men": "man", "mice": "mouse", "oxen": "ox", "scarves": "scarf", "shelves": "shelf",
    "staves": "staff", "teeth": "tooth", "thieves": "thief", "wives": "wife", "wolves": "wolf",
    "women": "woman",
}  # fmt: skip
_ABBREVIATED = re.compile(r"[a-z]{2,4}")


def ordinals_in_digits(text: str, is_counted: Callable[[str], bool]) -> str:
    """Return `text` with "second level" as "2 level", where `is_counted` tells so of the word."""

    def in_digits(match: re.Match[str]) -> str:
        tens, ordinal, counted = match.groups()
        if not is_counted(counted):
            return match[0]  # "who goes first"
        number = numbers_in_words.ORDINALS[ordinal.lower()]
        return str(number + (int(numbers_in_words.value(tens)) if tens else 0))

    return _ORDINAL.sub(in_digits, text)


def stem(word: str) -> str:
    """Return a rough stem: "burns", "burned" and "burning" are "burn".

    Both sides of a comparison go through it, so it need not be a word.
    """
    word = word.lower()
    word = word.removesuffix("'s").replace("'", "")
    word = _IRREGULAR.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ie") and len(word) > 4:
        word = word[:-2] + "y"  # as its plural: pixie, pixies
    elif word.endswith(("sses", "shes", "ches", "xes", "ss", "us", "is")):
        word = word[:-2] if word.endswith("es") else word
    elif word.endswith("s") and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ied", "ed", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending == "ied" else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def stems(text: str) -> list[str]:
    """Return the stems of the words of `text` that say something, in order; numbers as they are."""
    return [stem(word) for word in WORD.findall(text.lower()) if word not in STOP]


def abbreviates(short: str, words: list[str] | tuple[str, ...]) -> bool:
    """Tell whether `short` is made of the first letters of neighbours in `words`: gp, gold pieces.

    An x stands for a word that begins with "ex", as in XL and XP.
    """
    if not _ABBREVIATED.fullmatch(short):
        return False
    size = len(short)
    return any(
        all(
            _begins(word, letter) for word, letter in zip(words[at : at + size], short, strict=True)
        )
        for at in range(len(words) - size + 1)
    )


def _begins(word: str, letter: str) -> bool:
    return word.startswith(letter) or (letter == "x" and word.startswith("ex"))


def alias_key(alias: str) -> str:
    """Return what an alias is looked up by: its words in lower case, unless that is everyday."""
    words = " ".join(WORD.findall(fold(alias)))
    return words if words.lower() in _EVERYDAY else words.lower()
