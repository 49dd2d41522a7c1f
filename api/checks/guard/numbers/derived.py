"""Numbers that no passage has, but that follow from others: sums, shares, steps told in words."""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from math import ceil

from api.checks.guard.alignment import span
from api.checks.guard.facts import Fact
from api.checks.guard.numbers.arithmetic import dice
from api.checks.guard.occurrences import Occurrence

# Words by which a sentence says that its number follows from others.
_CONCLUDES = (
    r"=|\b(?:so|thus|therefore|hence|total\w*|altogether|together|sums?|in (?:all|short)|i\.e|"
    r"that is|that's|namely|which (?:is|gives|makes|means|comes)|giv(?:es|ing)|means|meaning|"
    r"ma(?:kes?|king)|com(?:es?|ing) to|amounts?|adds? up|bring\w*|equals?|leaves?|"
    r"would|becomes?)\b"
)
_MORE = (
    r"\b(?:plus|more|extra|further|additional\w*|another|on top|add\w*|increas\w+|rais\w+|longer|"
    r"later|higher|extend\w*|up|split\w*|divid\w+|of which|remain\w*)\b"
)
_LESS = (
    r"\b(?:minus|less|fewer|left|remain\w*|reduc\w+|lower\w*|subtract\w*|off|shorter|cheaper|"
    r"drop\w*|earlier|down|deduct\w*|only)\b"
)
_TIMES = (
    r"\b(?:each|per|every|times|half|halv\w+|doubl\w+|twice|tripl\w+|treble\w*|thirds?|quarters?|"
    r"apiece|a piece|the same)\b|%"
)
_SCALED = re.compile(rf"{_CONCLUDES}|{_TIMES}", re.IGNORECASE)
_CUES = {
    "+": re.compile(rf"{_CONCLUDES}|{_MORE}", re.IGNORECASE),
    "-": re.compile(rf"{_CONCLUDES}|{_LESS}", re.IGNORECASE),
    "x": _SCALED,
    "/": _SCALED,
}
_ADDS_UP = re.compile(
    r"\b(?:i\.e|that is|that's|which (?:is|gives|makes|means|would be)|"
    r"add(?:s|ed|ing)? up|total\w*|altogether|sum|in all|together|com(?:es?|ing) to|"
    r"differen\w+|apart)\b",
    re.IGNORECASE,
)
_MOST_OWN = 12  # numbers of the statement that are tried with one another, the nearest
_MOST = 8  # numbers told before that are tried with those of the statement
_FEWEST = 3  # terms of a sum of more than two numbers
_PERCENT = "%"


def worded(fact: Fact, text: str, found: Sequence[Fact], told: Sequence[Fact]) -> bool:
    """Tell whether a number is the right result of a step that its statement shows in words.

    `found` are the numbers of the statement's `text`, `told` those of the question and of the
    answer before. The sentence names the kind of step ("in total", "half of that", "each"), and one
    of the step's numbers stands in it.
    """
    usable = [one for one in found if one is not fact and _plain(one) and one.amount != fact.amount]
    nearest = sorted(usable, key=lambda one: abs(one.start - fact.start))[:_MOST_OWN]
    own = sorted(nearest, key=lambda one: one.start)
    before = [one for one in told[-_MOST:] if _plain(one)]
    shown = _ADDS_UP.search(text) is not None  # what was said before is put together here
    for (first, one), (second, other) in permutations(enumerate([*own, *before]), 2):
        if not shown and min(first, second) >= len(own):
            continue
        if _step(fact, one, other) and _CUES[_sign(fact, one, other)].search(text):
            return True
    return _CUES["+"].search(text) is not None and _total(fact, own)


def stepped(fact: Fact, said: Sequence[Fact], cited: Sequence[Occurrence]) -> bool:
    """Tell whether a line has the step to a number: "double", "half".

    It is taken from another number that is `said`, or stands in the line.
    """
    if fact.die or fact.low != fact.high or fact.kind == "odds":
        return False
    steps = [(item.line, item.fact) for item in cited if item.fact.multiplies]
    return any(
        _from(fact, one, step) for line, step in steps
        for one in [*said, *(item.fact for item in cited if item.line is line)]
        if _plain(one) and not one.die and one.low != fact.low
    )  # fmt: skip


def _from(fact: Fact, one: Fact, step: Fact) -> bool:
    counted = fact.base or fact.counted
    alike = not counted or counted in {one.base, one.counted, *one.nouns[:1]}
    return alike and fact.written == one.written * step.low


def _total(fact: Fact, own: Sequence[Fact]) -> bool:
    """Whether it is the sum of three or more neighbours: 16, 26 and 48 are 90."""
    terms = [one for one in own if one.base in {fact.base, ""} and not one.die]
    ends = range(len(terms) + 1)
    spans = (terms[at:end] for at in ends for end in ends[at + _FEWEST :])
    return not fact.die and any(sum(one.low for one in span) == fact.low for span in spans)


def notation(fact: Fact, found: Sequence[Fact]) -> bool:
    """Tell whether it is another notation of what is found, and no step of a calculation.

    1.4 for 40% more, 4 to 16 for 4d4.
    """
    others = [one for one in found if _plain(one) and one.start != fact.start]
    if fact.low < fact.high:
        dice_told = [ends for one in found if (ends := span(one.die))]
        times = [Fraction(1), *(one.written for one in others if not one.die)]
        return any((fact.low, fact.high) == (low * by, high * by)
                   for low, high in dice_told for by in times)  # fmt: skip
    shares = {one.low / 100 for one in others if one.base == _PERCENT}
    return not fact.base and fact.low in {end for share in shares for end in (1 + share, 1 - share)}


def ends(fact: Fact, cited: Sequence[Occurrence]) -> bool:
    """Tell whether both ends of a stated range stand in one line."""
    if fact.low == fact.high or fact.die or fact.kind == "odds":
        return False
    low, high = fact.written_ends
    lows = {id(item.line) for item in cited if item.fact.written == low}
    return any(item.fact.written_ends[1] == high and id(item.line) in lows for item in cited)


def _sign(fact: Fact, one: Fact, other: Fact) -> str:
    """The operator that gives the fact; of dice and shares, which are multiplied, "x"."""
    factor = fact.factor if one.base == other.base == fact.base else Fraction(1)
    a, b = one.low / factor, other.low / factor
    if factor == 1:
        a, b = one.written, other.written
    written = fact.written
    values = {"+": a + b, "-": a - b, "/": a / b if b else None}
    return next((sign for sign, value in values.items() if value == written), "x")


def _step(fact: Fact, one: Fact, other: Fact) -> bool:
    """Whether a number is one step from two others, in this order."""
    if one.die:
        return _of_dice(fact, one, other)
    return fact.low == fact.high and _of_numbers(fact, one, other)


def _plain(fact: Fact) -> bool:
    """Whether it is a number to calculate with: no range, no odds, no "an"."""
    named = not fact.weak or bool(fact.base)  # "an hour"
    return fact.low == fact.high and fact.kind != "odds" and named


def _of_numbers(fact: Fact, one: Fact, other: Fact) -> bool:
    if fact.die or other.die or fact.kind == "odds" or not one.low or not other.low:
        return False
    a, b = one.written, other.written
    written = fact.written
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
    above = "level" in (other.label, *other.nouns)  # for each level above the first
    return (bare or beside) and (written in (a * b, a / b) or (above and written == a * (b - 1)))


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
