"""Numbers that no passage has, but that follow from others: sums, shares, parts of a range."""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from math import ceil

from api.checks.guard.alignment import Occurrence, agreement, span
from api.checks.guard.numbers.arithmetic import dice
from api.checks.guard.text.facts import Fact, facts
from retrieval.text.numbers_in_words import ORDINALS, SMALL

_ROLLED = re.compile(r"\b(?:on|of|in|with|by|rolls?|rolling)\s(?:an?\s)?$", re.IGNORECASE)
_CUE = re.compile(
    r"=|\b(?:so|thus|therefore|hence|ma(?:ke|king)\w*|total|altogether|together|sum|i\.e|that is|"
    r"means?|which is|comes? to|plus|minus|more|less|fewer|half|twice|doubl\w+|halv\w+|tripl\w+|"
    r"times|each|per|every|"
    r"leaves?|left|rais\w+|increas\w+|reduc\w+|add(?:s|ed)?|remain\w*|would|only)\b",
    re.IGNORECASE,
)
_LEAST = re.compile(r"\b(?:at least|from|minimum of|as of)\s(?:the\s)?$", re.IGNORECASE)
_OR_MORE = re.compile(r"\+|\s(?:\w+\s)?(?:or (?:more|higher|above|better|over)|and (?:up|above))\b")
_MORE_THAN = re.compile(r"\b(?:more than|over|above|exceed\w*)\s$", re.IGNORECASE)
_LESS_THAN = re.compile(r"\b(?:less than|fewer than|under|below)\s[*_]*$", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?:than|over|above|under|below)\s$", re.IGNORECASE)
_AMONG = re.compile(r"\w\s(?:in|out of)\s$")
_MOST = 12  # numbers of a text that are tried with one another
_PERCENT = "%"


def unshown(fact: Fact, text: str, told: Sequence[Fact], asked: Sequence[Fact]) -> str:
    """Return the sum by which a number of `text` follows from two others, as to be written out.

    "" where there is none: "42 days + 60 days = 102 days" is one step.

    They are told in the text or before; one of them is in the question, or the text has a word by
    which it draws a conclusion ("so", "in total", "each").

    A step is a sum, a difference, a product, a quotient (rounded up, too) or a percentage; dice
    are added to and multiplied. The unit of the result must be that of one of the two; where both
    have none, it may have any.
    """
    near = (*told[-_MOST:], *facts(text)[:_MOST], *asked[:_MOST])
    value = (fact.low, fact.high, fact.base, fact.die)
    others = {(one.low, one.high, one.base, one.die): one for one in near if plain(one)}
    others.pop(value, None)
    cue = _CUE.search(text) is not None
    steps = (
        pair for pair in permutations(others.values(), 2)
        if (cue or pair[0] in asked or pair[1] in asked) and step(fact, *pair)
    )  # fmt: skip
    pair = next(steps, None)
    return f"{pair[0].text} {sign(fact, *pair)} {pair[1].text} = {fact.text}" if pair else ""


def sign(fact: Fact, one: Fact, other: Fact) -> str:
    """Return the operator that gives the fact; of dice and shares, which are multiplied, "x"."""
    factor = fact.factor if one.base == other.base == fact.base else Fraction(1)
    a, b = one.low / factor, other.low / factor
    if factor == 1:
        a, b = one.low / one.factor, other.low / other.factor
    written = fact.low / fact.factor
    values = {"+": a + b, "-": a - b, "/": a / b if b else None}
    return next((sign for sign, value in values.items() if value == written), "x")


def notation(fact: Fact, found: Sequence[Fact]) -> bool:
    """Tell whether it is another notation of what is found, and no step of a calculation.

    Twice and half of two numbers that are there, 1.4 for 40% more, 1d3 + 3 as it stands, 4 to 6 for
    it.
    """
    others = [one for one in found if plain(one) and one.start != fact.start]
    if fact.die:
        pairs = permutations(others, 2)
        return any(a.die and dice([fact], []) == dice([a, b], ["+"]) for a, b in pairs)
    if fact.low < fact.high:
        dice_told = [ends for one in found if (ends := span(one.die))]
        times = [Fraction(1), *(one.low / one.factor for one in others if not one.die)]
        return any((fact.low, fact.high) == (low * by, high * by)
                   for low, high in dice_told for by in times)  # fmt: skip
    shares = {one.low / 100 for one in others if one.base == _PERCENT}
    if not fact.base and fact.low in {end for share in shares for end in (1 + share, 1 - share)}:
        return True
    values = [one.low / one.factor for one in others if one.low]
    return _multiple(fact) and any(a / b == fact.low for a, b in permutations(values, 2))


def compares(fact: Fact, stated: Sequence[Fact], cited: Sequence[Occurrence]) -> bool:
    """Tell whether it compares a number stated with one cited: 20% is twice the risk of 10%."""
    if not _multiple(fact):
        return False
    return any(
        one.low == fact.low * item.fact.low and one.base == item.fact.base
        for one in stated if one is not fact and plain(one) and one.low
        for item in cited if plain(item.fact)
    )  # fmt: skip


def _multiple(fact: Fact) -> bool:
    return fact.text.isalpha() and fact.text.lower() not in SMALL


def step(fact: Fact, one: Fact, other: Fact) -> bool:
    """Tell whether a number is one step from two others, in this order."""
    if one.die:
        return _of_dice(fact, one, other)
    return fact.low == fact.high and _of_numbers(fact, one, other)


def plain(fact: Fact) -> bool:
    """Tell whether it is a number to calculate with: no range, no odds, no "an hour"."""
    return fact.low == fact.high and fact.kind != "odds" and not fact.weak


def _of_numbers(fact: Fact, one: Fact, other: Fact) -> bool:
    if fact.die or other.die or fact.kind == "odds" or not one.low or not other.low:
        return False
    a, b = one.low / one.factor, other.low / other.factor
    written = fact.low / fact.factor
    if other.base == _PERCENT != one.base:
        shares = (a * b / 100, a + a * b / 100, a - a * b / 100)
        return written in shares and (not one.base or fact.base in {one.base, ""})
    bare = not one.base and not other.base
    alike = one.base == other.base and one.factor == other.factor
    if one.base == other.base and (alike or fact.base == one.base):
        scaled = fact.base == one.base != ""
        total, first, second = (fact.low, one.low, other.low) if scaled else (written, a, b)
        if total in (first + second, first - second):
            return True
    beside = not (one.base and other.base) and fact.base in {one.base, other.base, ""}
    if beside and written in (a + b, a - b):  # "90 and 45 minutes, 135 in all"
        return True
    if a == 1 or b == 1:
        return False  # changes nothing but the unit
    if one.base == other.base != "" and not fact.base:
        return fact.low in (one.low / other.low, ceil(one.low / other.low))
    mixed = fact.base in {one.base, other.base, ""} and not (one.base and other.base)
    above = "level" in (other.label, *other.nouns)  # for each level above the first
    return (bare or mixed) and (written in (a * b, a / b) or (above and written == a * (b - 1)))


def _of_dice(fact: Fact, one: Fact, other: Fact) -> bool:
    """Whether dice are `one` a number of times, or with a number added: 3 x 1d6 = 3d6."""
    if other.die or other.base:
        return False
    if not fact.die:  # 1d3 + 3 is 4 to 6
        ends = span(one.die)
        return ends is not None and (fact.low, fact.high) == (
            ends[0] + other.low,
            ends[1] + other.low,
        )
    return dice([fact], []) in (dice([one, other], ["x"]), dice([one, other], ["+"]))


def of_odds(fact: Fact, text: str, cited: Sequence[Occurrence]) -> bool:
    """Tell whether it belongs to odds that are written as a roll: 1-2 and d6, for 2-in-6."""
    odds = {(item.fact.low, item.fact.high) for item in cited if item.fact.kind == "odds"}
    if _AMONG.search(text[: fact.start]):  # "one bugbear in twenty"
        before = [one.low for one in facts(text[: fact.start])[-1:]]
        return any(high == fact.low and low in before for low, high in odds)
    if fact.die:
        ends = span(fact.die)
        rolled = ends is not None and ends[0] == 1 and _ROLLED.search(text[: fact.start])
        return bool(rolled) and any(ends[1] == high for _, high in odds if ends)
    return fact.low == 1 and any(
        other.kind == "odds" and other.start == fact.start and (other.low, other.high) in odds
        for other in facts(text)
    )


def ends(fact: Fact, cited: Sequence[Occurrence]) -> bool:
    """Tell whether both ends of a stated range stand in one line."""
    if fact.low == fact.high or fact.die or fact.kind == "odds":
        return False
    low, high = fact.low / fact.factor, fact.high / fact.factor
    lows = {id(item.line) for item in cited if item.fact.low / item.fact.factor == low}
    return any(
        item.fact.high / item.fact.factor == high and id(item.line) in lows for item in cited
    )


def within(
    fact: Fact, stated: Sequence[Fact], cited: Sequence[Occurrence], counted: frozenset[str]
) -> bool:
    """Tell whether it lies in a range whose row or sentence also holds another fact stated."""
    if fact.die or fact.kind == "odds":
        return False
    around = [
        item for item in cited if item.fact.low <= fact.low <= fact.high <= item.fact.high
        and item.fact.low < item.fact.high and item.fact.base == fact.base
    ]  # fmt: skip
    return any(
        near.line is found.line and near.fact is not found.fact
        and agreement(other, near, counted) == "same"
        for found in around for near in cited for other in stated if other is not fact
    )  # fmt: skip


def beyond(fact: Fact, text: str, cited: Sequence[Occurrence]) -> bool:
    """Tell whether it says the next number to a limit: "from the third on" for "more than two"."""
    if fact.low != fact.high or fact.low.denominator != 1 or fact.base or fact.die:
        return False
    before, behind = text[: fact.start], text[fact.end :]
    in_digits = fact.text[:1].isdigit() and fact.text[-1:].isalpha()
    ordinal = in_digits or fact.text.lower() in ORDINALS
    least = ordinal or _LEAST.search(before) or _OR_MORE.match(behind)
    compared = _COMPARED.search(before)
    for item in cited:
        line = item.line.cells[item.cell].text[: item.fact.start]
        if least and fact.low == item.fact.low + 1 and _MORE_THAN.search(line):
            return True
        if fact.low == item.fact.low - 1 and _LESS_THAN.search(line) and not compared:
            return True
    return False
