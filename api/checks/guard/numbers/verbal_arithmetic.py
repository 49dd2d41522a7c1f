"""Steps of a calculation that an answer shows in words: "16, 26 and 48, which adds up to 90"."""

import re
from collections.abc import Sequence
from itertools import permutations

from api.checks.guard.numbers import derived
from api.checks.guard.text.facts import Fact

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


def worded(fact: Fact, text: str, found: Sequence[Fact], told: Sequence[Fact]) -> bool:
    """Tell whether a number is the right result of a step that its statement shows in words.

    `found` are the numbers of the statement's `text`, `told` those of the question and of the
    answer before. The sentence names the kind of step ("in total", "half of that", "each"), and one
    of the step's numbers stands in it.
    """
    if not found:
        return False
    value = (fact.low, fact.high, fact.base, fact.die)
    usable = [
        one for one in found
        if one is not fact and derived.plain(one)
        and (one.low, one.high, one.base, one.die) != value
    ]  # fmt: skip
    nearest = sorted(usable, key=lambda one: abs(one.start - fact.start))[:_MOST_OWN]
    own = sorted(nearest, key=lambda one: one.start)
    before = [one for one in told[-_MOST:] if derived.plain(one)]
    shown = _ADDS_UP.search(text) is not None  # what was said before is put together here
    for (first, one), (second, other) in permutations(enumerate([*own, *before]), 2):
        if not shown and min(first, second) >= len(own):
            continue
        if _of_another_kind(fact, one, other) or not derived.step(fact, one, other):
            continue
        if _CUES[derived.sign(fact, one, other)].search(text):
            return True
    return _CUES["+"].search(text) is not None and _total(fact, own)


def _of_another_kind(fact: Fact, one: Fact, other: Fact) -> bool:
    """Whether two lengths would make a number of turns."""
    return bool(one.base and one.base == other.base and fact.counted and not fact.base)


def _total(fact: Fact, own: Sequence[Fact]) -> bool:
    """Whether it is the sum of three or more neighbours: 16, 26 and 48 are 90."""
    terms = [one for one in own if one.base in {fact.base, ""} and not one.die]
    ends = range(len(terms) + 1)
    spans = (terms[at:end] for at in ends for end in ends[at + _FEWEST :])
    return not fact.die and any(sum(one.low for one in span) == fact.low for span in spans)
