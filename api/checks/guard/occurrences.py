"""The numbers of a passage's line with the words that each is read with; texts as stems."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from api.checks.guard.facts import Fact, facts
from api.checks.guard.numbers.amounts import of_column
from api.checks.passage_lines import PassageLine
from retrieval.text import numbers_in_words
from retrieval.text.units import Unit
from retrieval.text.words import stem, stems

_SEPARATOR = re.compile(r"[,;:.]\s|\s-\s|\s(?:and|but|while|whereas|or|versus|than)\s")
_NUMERAL = re.compile(r"(\d+)(?:st|nd|rd|th)?$")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_KEY_RANGE = re.compile(r"(?:[A-Za-z]+\s)?(\d{1,4})\s?-\s?(\d{1,4})\b")
_RATE = re.compile(r"\b(?:per|an?|each|every) ([a-z]{3,})\b", re.IGNORECASE)
_RATE_AFTER = re.compile(
    r"(?: (?!(?:per|an?|each|every|and|or|for|in|on)\b)[a-z]+){0,2} (?:per|an?|each|every) "
    r"([a-z]{3,})",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\b\w{4,}ly\b")
_TOGETHER = re.compile(r"^[^.;:]{0,60}?(?:,|\(|\band\b|\bor\b)(?: ?\w+){0,3} $")
_ROLLED = re.compile(r"\W{0,9}1?d(\d{1,4})\W{0,9}", re.IGNORECASE)  # the name of a column
# Irregular forms, so that "shot" and "shoot" are one word to compare.
_FORMS = (
    "bear bore borne, become became, begin began begun, bind bound, bite bit bitten, "
    "break broke broken, bring brought, build built, burn burnt, buy bought, catch caught, "
    "choose chose chosen, come came, deal dealt, draw drew drawn, drink drank drunk, "
    "drive drove driven, eat ate eaten, fall fell fallen, feed fed, fight fought, find found, "
    "fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze froze frozen, "
    "get got gotten, give gave given, go went gone, grow grew grown, hide hid hidden, hold held, "
    "keep kept, know knew known, lay laid, lead led, leave left, lend lent, lose lost, "
    "make made, mean meant, meet met, pay paid, ride rode ridden, rise rose risen, run ran, "
    "see saw seen, sell sold, send sent, shoot shot, sink sank sunk, slay slew slain, "
    "sleep slept, speak spoke spoken, spend spent, steal stole stolen, stick stuck, "
    "strike struck stricken, swim swam swum, take took taken, teach taught, tell told, "
    "think thought, throw threw thrown, wake woke woken, wear wore worn, win won, "
    "write wrote written, "
    # nouns of verbs and adjectives
    "choose choice, die death dead, fly flight, grow growth, live life, lose loss, ride rider, "
    "see sight, sell sale, speak speech, weigh weight, "
    "deep depth, high height, long length, strong strength, wide width, "
    "life lives, werewolf werewolves"
)
_BASES = {
    stem(form): stem(verb.split()[0])
    for verb in _FORMS.split(", ") for form in verb.split()[1:]
}  # fmt: skip
_LONGEST_KEY = 100  # numbers of a row's range that are words of the row


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A fact of a passage's line with the words that it is read with.

    A number without a unit has that of its column, or of the number before: 10 minutes by day and
    15 by night.
    """

    fact: Fact
    line: PassageLine
    cell: int  # of the line, from 0
    column: tuple[str, ...]  # stems of its column's name
    counts: tuple[str, ...]  # of these what it may count: no "monthly", no "Tier 2"
    rate: str  # stem of what it is counted for: day in "2 gp a day"; "" for none
    clause: frozenset[str]  # stems beside it: its clause and what its line is about
    context: frozenset[str]  # these and the stems of the rest of its line and of what is above it

    @property
    def text(self) -> str:
        """The cell that it stands in."""
        return self.line.cells[self.cell].text


def occurrences(line: PassageLine) -> Iterator[Occurrence]:
    """Yield every fact of a line, in order, with the words around it."""
    key = frozenset(named(line))
    rest = f"{line.text} {line.near} {line.heading}"
    context = key | _plain(rest)
    for at, cell in enumerate(line.cells):
        found = facts(cell.text)
        column = content(cell.column)
        unit = of_column(cell.column)
        before: Fact | None = None
        for fact in found:
            clause = key | _plain(segment(cell.text, found, fact)) | set(column)
            above = (
                before if before and _TOGETHER.search(cell.text[before.end : fact.start]) else None
            )
            own = _measured(fact, unit or _unit(above))
            noun = (above.counted,) if above and not (column or own.base or own.nouns) else ()
            rate = rate_after(fact, cell.text) or _of(_RATE.search(cell.column))
            counts = noun or _countable(cell.column)
            yield Occurrence(
                own, line, at, column or noun, counts, rate, clause, context | set(column)
            )
            before = before if fact.weak else fact
        if not at and (sides := _ROLLED.fullmatch(cell.column)) and len(found) == 1:
            rolled = _rolled(found[0], int(sides[1]))
            yield Occurrence(rolled, line, at, column, (), "", key | set(column), context)


def rate_after(fact: Fact, text: str) -> str:
    """Return the stem of what a fact of `text` is counted for: "day" in 2 gp a day; else ""."""
    return _of(_RATE_AFTER.match(text, fact.end))


def _rolled(fact: Fact, sides: int) -> Fact:
    """The odds of a row of a table that is rolled on: 2 in 6 for the 5-6 of "1d6"."""
    size = fact.high - fact.low + 1
    return replace(fact, kind="odds", low=size, high=Fraction(sides), weak=True)


def _countable(column: str) -> tuple[str, ...]:
    rate = _RATE.search(column)  # no month of "Price per month"
    words = content(_ADVERB.sub("", column))
    return () if any("#" in w for w in words) else tuple(w for w in words if w != _of(rate))


def _of(rate: re.Match[str] | None) -> str:
    return stem(rate[1]) if rate else ""


def _measured(fact: Fact, unit: Unit | None) -> Fact:
    if not unit or fact.base or fact.die or fact.kind == "odds" or fact.nouns:
        return fact
    low, high = fact.low * unit.factor, fact.high * unit.factor
    return replace(fact, low=low, high=high, base=unit.base, factor=unit.factor)


def _unit(fact: Fact | None) -> Unit | None:
    return Unit("measure", fact.base, fact.factor) if fact and fact.base else None


def named(line: PassageLine) -> Iterator[str]:
    """Yield the stems that a line is named by: its key, and level#4 for the key 3-5 of "Level"."""
    yield from content(line.key)
    label = (line.cells[0].column if line.kind == "row" else "") or line.key.split(" ")[0]
    yield from content(" ".join(f"{label} {word}" for word in _key(line.key).split()))


def base(word: str) -> str:
    """Return the stem of the verb that a stem is a form of, "shoot" for "shot"; else the stem."""
    return _BASES.get(word, word)


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """Return the stems of `text` with numbers in digits: "fourth" and "4th" are "4"."""
    written = [base(word) for word in stems(_THOUSANDS.sub("", text))]
    words = [_numeral(word) for word in written]
    return (*words, *_labelled(words, written))


def segment(text: str, found: Sequence[Fact], chosen: Fact) -> str:
    """Return the part of `text` that `chosen` stands in: cut at commas and conjunctions.

    A part without a fact goes with the next one, the last with the one before.
    """
    cuts = [match.end() for match in _SEPARATOR.finditer(text)]
    starts, start = [0], 0
    for cut in cuts:
        holds = any(start <= fact.start < cut and (fact.base or not fact.weak) for fact in found)
        rest = any(fact.start >= cut and (fact.base or not fact.weak) for fact in found)
        if holds and (rest or text[cut - 2] == ";"):
            starts.append(cut)
            start = cut
    first = max(at for at in starts if at <= chosen.start)
    return text[first : min([at for at in starts if at > first], default=len(text))]


def _plain(text: str) -> frozenset[str]:
    return frozenset(word for word in content(text) if not word.isdigit())


def _key(key: str) -> str:
    """Every number of a key that is a range, so that 14 names the row 13-15; else the key."""
    ends = _KEY_RANGE.match(key)
    if not ends or not 0 < int(ends[2]) - int(ends[1]) <= _LONGEST_KEY:
        return key
    return " ".join(str(number) for number in range(int(ends[1]), int(ends[2]) + 1))


def _labelled(words: Sequence[str], written: Sequence[str]) -> Iterator[str]:
    """A number with the word beside it as one word: "level 4" and "4th level" are level#4.

    "The 3rd-level one" is of no level 1.
    """
    for (one, other), (_, behind) in zip(pairwise(words), pairwise(written), strict=True):
        if one.isdigit() != other.isdigit() and behind != _ONE:
            yield f"{other}#{one}" if one.isdigit() else f"{one}#{other}"


def _numeral(word: str) -> str:
    if found := _NUMERAL.match(word):
        return found[1]
    ordinal = numbers_in_words.ORDINALS.get(word)
    return str(ordinal) if ordinal else _SPELLED.get(word, word)


_ONE = stem("one")
_SPELLED = {stem(word): str(number) for word, number in numbers_in_words.SMALL.items()}
