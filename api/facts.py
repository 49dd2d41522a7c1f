"""The facts of a text that code can compare: numbers with their units, dice, ranges and names.

Everything is read from folded text (`retrieval.fold.fold`), so typography makes no difference.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from api import numbers_in_words, units
from api.words import STOP, stem

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


_DIGITS = r"(?:\d{1,3}(?:(?:,\d{3})+|(?: \d{3})+)(?!\d)|\d+)(?:\.\d+)?"
_AMOUNT = (
    rf"(?:\d+ \+? ?\d+/[1-9]\d*|\d+/[1-9]\d*|{_DIGITS}(?:k(?!\w)| (?:thousand|million|billion)\b)?"
    rf"|\b{numbers_in_words.PATTERN}\b)(?: and a (?:half|quarter|third)\b(?! of\b| share))?"
)
_SIGN = r"(?:(?:(?<![\w)\"'%])|(?<=ac))[+-]|(?:minus|plus) )?"
_MARK = r"(?:['\"%](?!\w)| ?(?:ft|feet|foot|gp|sp|cp|percent)\b)?"
_FACT = re.compile(
    "|".join(
        (
            r"(?P<exact>\d{4}-\d\d-\d\d)",
            r"(?<![\w.:])(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?![\d:])(?: ?(?P<half>[ap])\.?m\b)?"
            r"| ?(?P<half_day>[ap])\.?m\b(?!\.?\w))",
            rf"(?<![\w.])(?P<die>(?:\d+d|(?:{numbers_in_words.PATTERN} )?(?-i:d))"
            r"(?:\d+|%)(?:(?!\w)|(?=x\d))"
            r"(?: ?[+-] ?\d+(?![\w'%]|-in|/))?)",
            rf"(?P<worded>{_AMOUNT}) (?P<sides>\w+)[- ]sided (?:die|dice)",
            rf"(?P<of_sign>{_SIGN})(?P<of>{_AMOUNT})"
            rf"(?:-in-| in | out of | chances? in )(?P<among>{_AMOUNT})(?!\w)",
            rf"(?P<between>\bbetween )?(?P<sign>{_SIGN})(?<![\w.])(?P<low>[$€£]?{_AMOUNT}){_MARK}"
            rf"(?:-| - | (?:to|through) |(?(between) and |(?!)))(?P<high>[$€£]?[+-]?{_AMOUNT})",
            r"(?<![\w.])(?P<ordinal>\d+)(?:st|nd|rd|th)\b",
            rf"\b(?P<ordinal_word>{'|'.join(numbers_in_words.ORDINALS)})\b",
            r"(?P<code>\b(?!x\d)[a-z]+-?)(?P<code_number>\d+)\b",
            rf"(?P<number_sign>{_SIGN})(?:(?<![\w.])|(?<=\bx)|(?<=\dx)|(?<=\'x))(?P<number>[$€£]?{_AMOUNT})",
            r"\b(?P<article>an?|per|each|every|once)\b",
        )
    ),
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"(?P<mark>['\"°](?!\w)|'(?=x ?\d)| ?%(?!\w))|[\s-]?\s?(?P<word>per cent|[a-z]+)", re.IGNORECASE
)
_BEFORE = re.compile(r"(?<![\w'])[\d_']*([A-Za-z][\w']*)[ \n*_-]*$")
_PART_OF = re.compile(r" (?:of )?(?:an?|the) ([a-z]{3,})", re.IGNORECASE)  # half an hour
_AND_HALF = re.compile(r" and a half\b(?! of\b)", re.IGNORECASE)
_SECOND = re.compile(r"\s([A-Za-z]+)")
_NEXT = re.compile(r"[ \n*_-]*([A-Za-z][\w']*)")
_SPACED = re.compile(r"(?<=\d) (?=\d{3}(?!\d|/))")
_LONGEST = 300  # characters of a number that count; Python refuses to read 4,301 digits
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3)}
_COUNTED_FROM = 2  # "one" is a pronoun more often than a number


@lru_cache(maxsize=2048)
def facts(text: str) -> tuple[Fact, ...]:
    """Return the facts of folded `text` in order; names are read by `names.names`."""
    found: list[Fact] = []
    end = 0
    for match in _FACT.finditer(text):
        if match.start() >= end:  # not the "a half" of "an hour and a half"
            found.extend(_read(match, text))
            end = found[-1].end
    return tuple(found)


def _read(match: re.Match[str], text: str) -> Iterator[Fact]:
    found = match.groupdict()
    if found["die"] or found["worded"]:
        yield _fact(match, text, kind="die", die=_die(found))
    elif found["exact"]:
        yield _fact(match, text, kind="number", die=found["exact"])
    elif found["hour"]:
        yield _clock(match, text)
    elif found["among"]:
        pair = _value(found["of"]), _value(found["among"])
        yield _fact(match, text, pair, kind="odds", sign=_sign(found["of_sign"]))
    elif found["high"]:
        yield from _range(match, text)
    elif found["code_number"]:
        number = _value(found["code_number"])
        yield _fact(match, text, (number, number), kind="number", weak=True)
    elif found["article"]:
        yield _fact(match, text, (Fraction(1), Fraction(1)), weak=True)
    elif found["ordinal_word"]:
        number = Fraction(numbers_in_words.ORDINALS[match[0].lower()])
        yield _fact(match, text, (number, number), kind="number", weak=number < 3)
    else:
        written = found["ordinal"] or found["number"]
        number = _value(written)
        small = not written[-1].isdigit() and number < _COUNTED_FROM and number.denominator == 1
        yield _fact(match, text, (number, number), weak=small, sign=_sign(found["number_sign"]))


def _clock(match: re.Match[str], text: str) -> Fact:
    """A time of day: 3 pm and 15:00 are the die "15:00" and the number 15."""
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half = (match["half"] or match["half_day"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    at = hour + Fraction(minute, 60)
    return _fact(match, text, (at, at), kind="number", die=f"{hour}:{minute:02}")


def _range(match: re.Match[str], text: str) -> Iterator[Fact]:
    """A range, and the odds that "1-2 on 1d6" says as well."""
    ends = _value(match["low"]), _value(match["high"].lstrip("+-"))
    if ends[0] > ends[1]:  # "slowed from 120' to 60'"
        yield from (_fact(match, text, (end, end)) for end in ends)
        return
    yield _fact(match, text, ends, kind="range", sign=_sign(match["sign"]))
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
    unit, end, qualifier = _unit(match, text)
    if unit and not die and kind != "odds":
        ends = ends[0] * unit.factor, ends[1] * unit.factor
    if unit and ends[0] == ends[1] and (more := _AND_HALF.match(text, end)):
        ends = (ends[0] + unit.factor / 2,) * 2
        end, weak = more.end(), False
    named = kind or (unit.dimension if unit else "number")
    base = unit.base if unit and not die else ""
    nouns = _nouns(text, end)
    factor = unit.factor if base and unit else Fraction(1)
    before = _BEFORE.search(text, 0, match.start())
    label = stem(before[1]) if before and before[1].lower() not in STOP else ""
    return Fact(named, text[match.start() : end].strip(), *ends, die, sign, base, nouns,
                _counted(text, end), match.start(), end, label, qualifier, factor,
                weak)  # fmt: skip


def _unit(match: re.Match[str], text: str) -> tuple[units.Unit | None, int, str]:
    """The general unit that stands at the number, where it ends, and what qualifies it."""
    for name in ("number", "low"):
        if match[name] and (unit := units.find(match[name][0])):
            return unit, match.end(), ""
    if match["number"] and (part := _PART_OF.match(text, match.end())):
        word = part[1].lower()
        if _value(match["number"]).denominator > 1 and (unit := units.find(word)):
            return unit, part.end(), ""
    after = _UNIT.match(text, match.end())
    if not after:
        return None, match.end(), ""
    word = (after["mark"] or after["word"]).lower().replace(" ", "")
    if len(word) == 1 and word.isalpha() and text[match.end()] in "- ":
        return None, match.end(), ""  # "30m" is a length, the m of "5 m" could be anything
    if unit := units.find(word):
        return unit, after.end(), ""
    second = _SECOND.match(text, after.end())
    if second and word.isalpha() and word not in STOP and word != "x":
        unit = units.find(second[1].lower()) if len(second[1]) > 2 else None
    return (unit, second.end(), stem(word)) if unit and second else (None, match.end(), "")


def _nouns(text: str, start: int) -> tuple[str, ...]:
    nouns: list[str] = []
    while len(nouns) < 3 and (found := _NEXT.match(text, start)) and found[1].lower() not in STOP:
        nouns.append(stem(found[1]))
        start = found.end()
    return tuple(nouns)


def _counted(text: str, start: int) -> str:
    found = _NEXT.match(text, start)
    if not found or found[1].lower() in STOP or found[1] == "x":
        return ""
    word = found[1]
    plural = word.endswith("s") and not word.endswith("ss") and len(word) > 3
    return stem(word) if plural or len(word) <= 3 else ""


def _die(found: dict[str, str | None]) -> str:
    if found["worded"]:
        sides = _value(found["sides"] or "")
        return f"{_value(found['worded'])}d{sides}"
    before, _, after = (found["die"] or "").lower().rpartition("d")
    count, rest = before.strip(), re.sub(r"\s", "", after)
    number = count if count.isdigit() or not count else str(numbers_in_words.value(count))
    return f"{number or 1}d{rest.replace('%', '100')}"


def _sign(written: str | None) -> str:
    plain = (written or "").strip().lower()
    return {"minus": "-", "plus": "+"}.get(plain, plain)


def _value(written: str) -> Fraction:
    plain = written.strip("$€£").replace(",", "").lower()[:_LONGEST]
    whole, more, part = plain.partition(" and a ")
    if more:
        return _value(whole) + _PARTS[part]
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
