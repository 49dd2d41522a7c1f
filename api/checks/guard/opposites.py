"""Words that have an opposite, in the place of which the likest cited line has that opposite.

"After it starts" for "before it starts", "optional" for "compulsory".
"""

import re
from collections.abc import Iterator, Sequence

from api.checks.guard.aligned import nearest
from api.checks.guard.occurrences import content
from api.checks.guard.statements import Finding, GuardCase, Statement, otherwise
from retrieval.text import denials
from retrieval.text.words import STOP

# Of general English; each word of one side is an opposite of each of the other.
_PAIRS = (
    "before|after, above over|below under beneath, earlier sooner|later, first|last, "
    "minimum least lowest smallest shortest|maximum most highest largest longest, "
    "always|never sometimes, optional voluntary|compulsory mandatory required obligatory, "
    "with|without, included including includes|excluded excluding excludes, "
    "allowed permitted|forbidden prohibited banned, keeps keep retains|loses lose forfeits, "
    "inside indoors|outside outdoors, more|less fewer, faster|slower, longer|shorter, "
    "higher|lower, larger bigger|smaller, better|worse, possible|impossible, "
    "raised raises increases increased|lowered lowers decreases reduced, gains|loses"
)
_SIDES = [pair.strip().partition("|")[::2] for pair in _PAIRS.split(",")]
_OPPOSITES: dict[str, frozenset[str]] = {}
for left, right in [*_SIDES, *((other, one) for one, other in _SIDES)]:
    for word in left.split():
        _OPPOSITES[word] = _OPPOSITES.get(word, frozenset()) | frozenset(right.split())
_DENIES = frozenset(("unless", *denials.SAID.split("|")))
_TOKEN = re.compile(r"[A-Za-z][\w'-]*|\d[\d,.]*")
_COVERED = 0.5  # of a statement's words must stand in the line
_NEAR = 3  # words that say something on each side
_DENIED = 5  # words on each side in which a "not" turns the opposite round
_MOST = 40  # words with an opposite; no honest sentence has more


def opposite_word(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the words of a statement whose opposite stands between the same words of its line."""
    said = _tokens(statement.text)
    places = [at for at, word in enumerate(said) if word in _OPPOSITES][:_MOST]
    if "than" in said:  # "slower than small ships" is "faster than large ships" turned round
        return
    for line in nearest(statement.text, case, _COVERED) if places else ():
        there = _tokens(line.text)
        for at in places:
            if not _has(said[at], said, at, there) and any(
                _turned(said, at, there, other) for other in range(len(there))
            ):
                message = otherwise(line, "the other way")
                yield Finding("negation", said[at], message, "opposite")


def _has(word: str, said: Sequence[str], at: int, there: Sequence[str]) -> bool:
    """Whether the line says the word of the same thing, too."""
    behind = _beside(said, at, 1)[:1]
    return any(one == word and _beside(there, n, 1)[:1] == behind for n, one in enumerate(there))


def _turned(said: Sequence[str], at: int, there: Sequence[str], other: int) -> bool:
    """Whether two words are opposites between the same words, both denied or neither."""
    if there[other] not in _OPPOSITES[said[at]] or _has(there[other], there, other, said):
        return False
    if _both(said[at], said) and _both(there[other], there):
        return False  # both sides are told, in whatever order
    if said[at + 1 : at + 2] == ["which"] or there[other + 1 : other + 2] == ["which"]:
        return False
    if _denied(said, at) != _denied(there, other):
        return False
    before, behind = _beside(said, at, -1), _beside(said, at, 1)
    own_before, own_behind = _beside(there, other, -1), _beside(there, other, 1)
    left = bool(before and own_before) and before[0] == own_before[0]
    right = bool(behind and own_behind) and behind[0] == own_behind[0]
    return (right and (not set(before).isdisjoint(own_before) or not (before or own_before))) or (
        left and (not set(behind).isdisjoint(own_behind) or not (behind or own_behind))
    )


def _both(word: str, words: Sequence[str]) -> bool:
    """Whether an opposite of a word stands beside it."""
    return not _OPPOSITES[word].isdisjoint(words)


def _tokens(text: str) -> list[str]:
    return [match[0].lower() for match in _TOKEN.finditer(text)]


def _beside(words: Sequence[str], at: int, step: int) -> list[str]:
    """The stems of the next words that say something, the nearest first."""
    side = words[at + 1 :] if step > 0 else words[:at][::-1]
    plain = (word for word in side if word not in STOP and word not in _OPPOSITES)
    return [stem for word in list(plain)[:_NEAR] for stem in content(word)[:1]]


def _denied(words: Sequence[str], at: int) -> bool:
    near = [*words[max(0, at - _DENIED) : at], *words[at + 1 : at + _DENIED]]
    return any(word in _DENIES or word.endswith("n't") for word in near)
