"""The facts of a text that code can compare: numbers with their units, dice, ranges and names.

Everything is read from folded text (`retrieval.text.normalize.fold`), so typography makes no
difference.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from api.checks.guard.numbers.amounts import dice_of, sign_of, value
from retrieval.text import numbers_in_words
from retrieval.text.units import UNITS, Unit
from retrieval.text.words import STOP, stem

Kind = Literal[
    "number", "die", "odds", "range", "percentage", "distance", "duration", "price", "measure"
]


@dataclass(frozen=True, slots=True)
class Fact:
    """A number with what it counts. `low` is `high` but for a range; odds are low in high.

    `die` is "3d6+1" with low and high 0. Values with a general unit are in its base: 10 yards are
    30 with the base "foot". A `weak` fact ("an hour", "once") can support and needs no support.
    """

    kind: Kind
    text: str  # as it stands, folded
    low: Fraction
    high: Fraction
    die: str
    sign: str  # "+", "-" or ""
    base: str  # of a general unit; "" for none
    nouns: tuple[str, ...]  # stems of up to three words that follow: what is counted
    counted: str  # the first of them, where its form says that it is counted: a plural, "gp"
    start: int
    end: int
    label: str = ""  # stem of the word right before it: level 4, tier 2
    qualifier: str = ""  # stem of a word between it and its general unit: 10 working days
    factor: Fraction = Fraction(1)  # of its general unit: low / factor is the written number
    weak: bool = False

    @property
    def written(self) -> Fraction:
        """Its number as it is written, whatever its unit."""
        return self.low / self.factor

    @property
    def written_ends(self) -> tuple[Fraction, Fraction]:
        """The same of a range, from and to."""
        return self.low / self.factor, self.high / self.factor

    @property
    def amount(self) -> tuple[Fraction, Fraction, str, str]:
        """From what to what it reaches, in which unit, or its dice."""
        return self.low, self.high, self.base, self.die

    @property
    def multiplies(self) -> bool:
        """Whether it is "half" or "double" of something else."""
        return self.text.lower() in {"half", "quarter", "twice", *numbers_in_words.TIMES}


_DIGITS = r"(?:\d{1,3}(?:(?:,\d{3})+|(?: \d{3})+)(?!\d)|\d+)(?:\.\d+)?"
_AMOUNT = (
    rf"(?:\d+ \+? ?\d+/[1-9]\d*|\d+/[1-9]\d*|{_DIGITS}(?:k(?!\w)| (?:thousand|million|billion)\b)?"
    rf"|\b{numbers_in_words.PATTERN}\b)(?: and a (?:half|quarter|third)\b(?! of\b| share))?"
)
_SIGN = r"(?:(?:(?<![\w)\"'%])|(?<=ac))[+-]|(?:minus|plus) )?"
_MARK = r"(?:['\"%](?!\w)| ?(?:ft|feet|foot|gp|sp|cp|percent)\b)?"
# Before a time of day; each look back needs a width of its own.
_AT = r"(?<=\bat )|(?<=\bby )|(?<=\bfrom )|(?<=\btill )|(?<=\buntil )|(?<=\bafter )|(?<=\bbefore )"
_KINDS = (
    r"(?P<exact>\d{4}-\d\d-\d\d)",
    r"(?<![\w.:])(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?![\d:])(?: ?(?P<half>[ap])\.?m\b)?"
    r"| ?(?P<half_day>[ap])\.?m\b(?!\.?\w))",
    # "2 in the morning and 1 in the evening" are tablets.
    rf"(?:{_AT})(?P<hour_of>[1-9]|1[0-2]) in the (?P<part>morning|afternoon|evening)\b",
    rf"(?<![\w.])(?P<die>(?:\d+d|(?:{numbers_in_words.PATTERN} )?(?-i:d))"
    r"(?:\d+|%)(?:(?!\w)|(?=x\d))"
    r"(?: ?[+-] ?\d+(?![\w'%]|-in|/))?)",
    rf"(?P<worded>{_AMOUNT}) (?P<sides>{_AMOUNT})[- ]sided (?:die|dice)",
    rf"(?P<of_sign>{_SIGN})(?P<of>{_AMOUNT})"
    rf"(?:-in-| in |(?: times)? out of | chances? in )(?P<among>{_AMOUNT})(?!\w)",
    rf"(?P<between>\bbetween )?(?P<sign>{_SIGN})(?<![\w.])(?P<low>[$€£]?{_AMOUNT}){_MARK}"
    rf"(?:-| - | (?:to|through) |(?(between) and |(?!)))(?P<high>[$€£]?[+-]?{_AMOUNT})",
    r"(?<![\w.])(?P<ordinal>\d+)(?:st|nd|rd|th)\b",
    rf"\b(?P<ordinal_word>{'|'.join(numbers_in_words.ORDINALS)})\b",
    r"(?P<code>\b(?!x\d)[a-z]+-?)(?P<code_number>\d+)\b",
    rf"(?P<number_sign>{_SIGN})(?:(?<![\w.])|(?<=\bx)|(?<=\dx)|(?<=\'x))(?P<number>[$€£]?{_AMOUNT})(?!\d*d\d)",
    r"\b(?P<article>an?|per|each|every|once)\b",
)
_NO_RANGE = r"(?!)(?P<between>)(?P<sign>)(?P<low>)(?P<high>)"
_FACT = re.compile("|".join(_KINDS), re.IGNORECASE)
_FACT_ALONE = re.compile(
    "|".join(_NO_RANGE if "?P<high>" in kind else kind for kind in _KINDS), re.IGNORECASE
)
_UNIT = re.compile(
    r"(?P<mark>['\"°](?!\w)|'(?=x ?\d)| ?%(?!\w))|[\s-]?\s?(?P<word>per cent|[a-z]+)", re.IGNORECASE
)
_BEFORE = re.compile(r"(?<![\w'])[\d_']*([A-Za-z][\w']*)[ \n*_-]*$")
_PART_OF = re.compile(r" (?:of )?(?:an?|the) ([a-z]{3,})", re.IGNORECASE)  # half an hour
_AND_HALF = re.compile(r" and a half\b(?! of\b)", re.IGNORECASE)
_HALVES = {"": "", "morning": "a", "afternoon": "p", "evening": "p"}
_SECOND = re.compile(r"\s([A-Za-z]+)")
_NEXT = re.compile(r"[ \n*_-]*([A-Za-z][\w']*)")
_NO_NOUN = STOP | {"plus", "minus", "times", "x", *numbers_in_words.SMALL}  # "first six hours"
_COUNTED_FROM = 2  # "one" is a pronoun more often than a number


@lru_cache(maxsize=2048)
def facts(text: str) -> tuple[Fact, ...]:
    """Return the facts of folded `text` in order; names are read by `names.names`."""
    found: list[Fact] = []
    end = 0
    while match := _FACT.search(text, end):
        if match["high"] and _falls(match):  # "slowed from 120' to 60'", 100 - 80
            match = _FACT_ALONE.search(text, match.start()) or match
        found.extend(_read(match, text))
        end = found[-1].end
    return tuple(found)


def _read(match: re.Match[str], text: str) -> Iterator[Fact]:
    found = match.groupdict()
    if found["die"] or found["worded"]:
        yield _fact(match, text, kind="die", die=dice_of(found))
    elif found["exact"]:
        yield _fact(match, text, kind="number", die=found["exact"])
    elif found["hour"] or found["hour_of"]:
        yield _clock(match, text)
    elif found["among"]:
        pair = value(found["of"]), value(found["among"])
        yield _fact(match, text, pair, kind="odds", sign=sign_of(found["of_sign"]))
    elif found["high"]:
        yield from _range(match, text)
    elif found["code_number"]:
        number = value(found["code_number"])
        yield _fact(match, text, (number, number), kind="number", weak=True)
    elif found["article"]:
        yield _fact(match, text, (Fraction(1), Fraction(1)), weak=True)
    elif found["ordinal_word"]:
        number = Fraction(numbers_in_words.ORDINALS[match[0].lower()])
        yield _fact(match, text, (number, number), kind="number", weak=number < 3)
    else:
        written = found["ordinal"] or found["number"]
        number = value(written)
        small = not written[-1].isdigit() and number < _COUNTED_FROM and number.denominator == 1
        yield _fact(match, text, (number, number), weak=small, sign=sign_of(found["number_sign"]))


def _clock(match: re.Match[str], text: str) -> Fact:
    """A time of day: 3 pm and 15:00 are the die "15:00" and the number 15."""
    hour, minute = int(match["hour"] or match["hour_of"]), int(match["minute"] or 0)
    half = (match["half"] or match["half_day"] or _HALVES[(match["part"] or "").lower()]).lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    at = hour + Fraction(minute, 60)
    return _fact(match, text, (at, at), kind="number", die=f"{hour}:{minute:02}")


def _falls(match: re.Match[str]) -> bool:
    """Whether what looks like a range is none: its second number is less, or it doubles to it."""
    falls = value(match["low"]) > value(match["high"].lstrip("+-"))
    return falls or match["low"].lower() in numbers_in_words.TIMES


def _range(match: re.Match[str], text: str) -> Iterator[Fact]:
    """A range, and the odds that "1-2 on 1d6" says as well."""
    ends = value(match["low"]), value(match["high"].lstrip("+-"))
    yield _fact(match, text, ends, kind="range", sign=sign_of(match["sign"]))
    die = re.match(r"\s(?:on|in|of)\s(?:an?\s)?(?:1?d)(\d+)\b", text[match.end() :], re.IGNORECASE)
    if ends[0] == 1 and die:
        yield _fact(match, text, (ends[1], Fraction(die[1])), kind="odds", weak=True)


def _fact(
    match: re.Match[str],
    text: str,
    ends: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0)),
    *,
    kind: Kind | None = None,
    die: str = "",
    sign: str = "",
    weak: bool = False,
) -> Fact:
    unit, end, qualifier = (None, match.end(), "") if die else _unit(match, text)
    if unit and kind != "odds":
        ends = ends[0] * unit.factor, ends[1] * unit.factor
    if unit and ends[0] == ends[1] and (more := _AND_HALF.match(text, end)):
        ends = (ends[0] + unit.factor / 2,) * 2
        end, weak = more.end(), False
    named = kind or (unit.dimension if unit else "number")
    base = unit.base if unit else ""
    behind = _words(text, end)
    factor = unit.factor if base and unit else Fraction(1)
    before = _BEFORE.search(text, 0, match.start())
    label = stem(before[1]) if before and before[1].lower() not in STOP else ""
    nouns = tuple(map(stem, behind))
    return Fact(named, text[match.start() : end].strip(), *ends, die, sign, base, nouns,
                _counted(*behind[:1]), match.start(), end, label, qualifier, factor,
                weak)  # fmt: skip


def _unit(match: re.Match[str], text: str) -> tuple[Unit | None, int, str]:
    """The general unit that stands at the number, where it ends, and what qualifies it."""
    for name in ("number", "low"):
        if match[name] and (unit := UNITS.get(match[name][0])):
            return unit, match.end(), ""
    if match["number"] and (part := _PART_OF.match(text, match.end())):
        word = part[1].lower()
        if value(match["number"]).denominator > 1 and (unit := UNITS.get(word)):
            return unit, part.end(), ""
    after = _UNIT.match(text, match.end())
    if not after:
        return None, match.end(), ""
    word = (after["mark"] or after["word"]).lower().replace(" ", "")
    if len(word) == 1 and word.isalpha() and text[match.end()] in "- ":
        return None, match.end(), ""  # "30m" is a length, the m of "5 m" could be anything
    if unit := UNITS.get(word):
        return unit, after.end(), ""
    second = _SECOND.match(text, after.end())
    if second and word.isalpha() and (word not in _NO_NOUN or word == "more"):
        unit = UNITS.get(second[1].lower()) if len(second[1]) > 2 else None
    return (unit, second.end(), stem(word)) if unit and second else (None, match.end(), "")


def _words(text: str, start: int) -> list[str]:
    """Up to three words that follow, all of which may be what is counted."""
    words: list[str] = []
    while len(words) < 3 and (found := _NEXT.match(text, start)):
        if found[1].lower().partition("'")[0] in _NO_NOUN:  # "at 19 he's"
            break
        words.append(found[1])
        start = found.end()
    return words


def _counted(word: str = "") -> str:
    plural = word.endswith("s") and not word.endswith("ss") and len(word) > 3
    return stem(word) if plural or len(word) <= 3 else ""
