"""Where an answer's number stands in the passages, and which number its words would rather have."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from api.checks.guard.facts import Fact
from api.checks.guard.occurrences import Occurrence, content, occurrences
from api.checks.passage_lines import PassageLine, Source, lines
from retrieval.text.units import STEMS, UNITS, WORDS
from retrieval.text.words import abbreviates, stem

Agreement = Literal["same", "unit", "none"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All passages, taken apart once for an answer."""

    lines: tuple[PassageLine, ...]
    occurrences: tuple[Occurrence, ...]
    words: tuple[frozenset[str], ...]  # of each passage, with heading, context and path
    counted: frozenset[str]  # stems that stand as a unit behind some number
    said: Mapping[int, frozenset[str]]  # by a line's id(): its words with its heading and key
    # What `holders` found, by the fact wherever it stands: an answer says a number many times.
    _holders: dict[Fact, frozenset[int]] = field(default_factory=dict, compare=False)

    def holders(self, fact: Fact) -> frozenset[int]:
        """Return the id() of every line that holds the fact."""
        anywhere = replace(fact, start=0, end=0)
        if anywhere not in self._holders:
            self._holders[anywhere] = frozenset(
                id(item.line) for item in self.occurrences
                if agreement(fact, item, self.counted) == "same"
            )  # fmt: skip
        return self._holders[anywhere]


_DICE = re.compile(r"(\d{1,4})d(\d{1,4})([+-]\d{1,4})?")
_ABBREVIATION = 3  # letters of a word that is a unit wherever it follows a number
_FILLERS_WORDS = "full whol mor additional extra further consecutiv entir complet"
_VERBS_WORDS = (
    "makes gives means takes lasts costs gets needs has runs comes goes"  # "plus 4 makes 6"
)
VERBS = frozenset(stem(word) for word in _VERBS_WORDS.split())
_WORKING = frozenset((stem("working"), stem("business")))
_BASES = {stem(word): UNITS[word].base for word in WORDS}
_FILLERS = frozenset(_FILLERS_WORDS.split())


def evidence(sources: Sequence[Source]) -> Evidence:
    """Return the passages' lines and facts; passages are numbered from 1."""
    return _evidence(tuple(sources))


@lru_cache(maxsize=64)
def _evidence(sources: tuple[Source, ...]) -> Evidence:
    """All that a reply is compared with; kept, as each of its checks asks for it."""
    passages = [_passage(source, at) for at, source in enumerate(sources, start=1)]
    found = [line for those, _, _ in passages for line in those]
    taken = tuple(item for _, items, _ in passages for item in items)
    words = tuple(said for _, _, said in passages)
    counted = {item.fact.counted for item in taken} | STEMS
    counted |= {item.fact.nouns[0] for item in taken if _counts_one(item.fact)}
    units = [name.partition("(")[2] for line in found for name in line.columns]  # "Cost (gp)"
    counted = counted.union(*map(content, units))
    said = {
        id(line): frozenset(content(f"{line.heading} {line.key} {line.text}")) for line in found
    }
    return Evidence(tuple(found), taken, words, frozenset(counted - {""}), said)


@lru_cache(maxsize=512)
def _passage(
    source: Source, number: int
) -> tuple[tuple[PassageLine, ...], tuple[Occurrence, ...], frozenset[str]]:
    """Lines, numbers and words of a passage; kept, as a retry and the next answer cite it again."""
    found = lines(source, number)
    numbers = tuple(item for line in found for item in occurrences(line))
    return found, numbers, frozenset(content(source.whole))


def agreement(fact: Fact, found: Occurrence, counted: frozenset[str]) -> Agreement:
    """Tell whether a passage's fact is the answer's: "unit" where only what is counted differs.

    An end of a passage's range is a number that the passage gives; signs may not be opposite.
    """
    own = found.fact
    if ":" in fact.die + own.die:  # a time of day, 9:00, which may be the bare hour in one of them
        same = fact.low in (own.low, own.high) or own.low in (fact.low, fact.high)
        return "same" if same and not fact.base + own.base else "none"
    if fact.die or own.die:
        return _counted_alike(fact, found, counted) if fact.die == own.die else "none"
    if {fact.sign, own.sign} == {"+", "-"}:
        return "none"
    if "odds" in (fact.kind, own.kind):
        chance = _chance(fact)
        return "same" if chance is not None and chance == _chance(own) else "none"
    if fact.base == own.base and _equal(fact, own, Fraction(1), Fraction(1)):
        return _counted_alike(fact, found, counted)
    if _share(fact, own):
        return "same"
    if _equal(fact, own, fact.factor, own.factor):
        if own.weak and own.base != fact.base:
            return "none"
        return "unit" if fact.base and own.base else _counted_alike(fact, found, counted)
    return "none"


def _counted_alike(fact: Fact, found: Occurrence, counted: frozenset[str]) -> Agreement:
    """Whether what two equal numbers count may be the same; only two known units tell them apart.

    `counted` are all words that the passages and the table of units count by.
    """
    own = found.fact
    if _qualified_otherwise(fact, own):
        return "unit"
    if fact.base and own.base:
        return "same" if fact.base == own.base else "unit"
    alike = counted_alike(fact.nouns, own.nouns or found.column)
    return "same" if alike or not _counts_another(fact, found, counted) else "unit"


def counted_alike(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Tell whether two numbers are followed by one word, or by one that is short for the other."""
    return bool({*ours} & {*theirs}) or any(
        one and abbreviates(one[0], tuple(other)) for one, other in ((ours, theirs), (theirs, ours))
    )


def _qualified_otherwise(fact: Fact, own: Fact) -> bool:
    """Whether the numbers are of two sorts: working days where the source has days."""
    qualifiers = {fact.qualifier, own.qualifier}
    if fact.qualifier in _WORKING and own.base and not own.qualifier:
        return True
    return "" not in qualifiers and len(qualifiers) == 2 and not qualifiers & _FILLERS


def _counts_another(fact: Fact, found: Occurrence, counted: frozenset[str]) -> bool:
    """Whether the answer names a unit that is not the one of its source."""
    own = found.fact
    noun = fact.counted and fact.counted not in VERBS
    if own.base and noun and fact.counted not in content(found.line.quote):
        return True
    if _foreign(fact, found, counted):
        return True
    short = len(fact.counted) <= _ABBREVIATION and not set(fact.counted) & set("aeiou")
    known = fact.counted in counted or short
    unit = fact.base or (fact.counted if known else _one(fact, counted))
    names = (own.counted or _one(own, counted), *found.counts)
    other = own.base or next((word for word in names if word in counted), "")
    if not unit or not other or _BASES.get(other) == fact.base != "":
        return False
    return unit != other


def _foreign(fact: Fact, found: Occurrence, counted: frozenset[str]) -> bool:
    """Whether it counts what its source's words do not have, where the source counts something."""
    own, noun = found.fact.counted or _single(found.fact), fact.counted or _single(fact)
    plural = len(noun) > _ABBREVIATION and noun not in VERBS
    return bool(plural and own in counted and len(own) > _ABBREVIATION) and not (
        noun in found.context or noun in counted
    )


def _counts_one(fact: Fact) -> bool:
    """Whether it is "one round" or "per round", which name a unit without its plural."""
    return bool(fact.nouns) and fact.text.lower().split(" ")[0] in {"one", "per", "1"}


def _single(fact: Fact) -> str:
    """The noun of "1 turn" and "one turn"."""
    return fact.nouns[0] if fact.nouns and fact.text.lower() in {"1", "one"} else ""


def _one(fact: Fact, counted: frozenset[str]) -> str:
    """What a 1 counts, which has no plural: "1 turn"."""
    return fact.nouns[0] if _counts_one(fact) and fact.nouns[0] in counted else ""


def span(die: str) -> tuple[Fraction, Fraction] | None:
    """Return the least and the most that dice give: 4 and 16 for "4d4"; None for other text."""
    found = _DICE.fullmatch(die)
    if not found:
        return None
    count, sides, more = (int(part or 0) for part in found.groups())
    return Fraction(count + more), Fraction(count * sides + more)


def _chance(fact: Fact) -> Fraction | None:
    """The chance of odds, of a percentage or of a bare fraction: 1 in 5, 20%, half the time."""
    if fact.kind == "odds":
        return fact.low / fact.high if fact.high else None
    if fact.low != fact.high or fact.die:
        return None
    if fact.base == "%":
        return fact.low / 100
    return fact.low if fact.low < 1 and not fact.base else None


def _share(fact: Fact, own: Fact) -> bool:
    """50% is a half, where the half is written as a fraction."""
    parts, percent = (own, fact) if fact.base == "%" else (fact, own)
    part = parts.low.denominator > 1 and not parts.base
    return part and percent.base == "%" and percent.low / 100 == parts.low


def _equal(fact: Fact, own: Fact, factor: Fraction, own_factor: Fraction) -> bool:
    if factor == own_factor:  # dividing is slow
        low, high, own_low, own_high = fact.low, fact.high, own.low, own.high
    else:
        low, high = fact.low / factor, fact.high / factor
        own_low, own_high = own.low / own_factor, own.high / own_factor
    if low == own_low:
        return low == high or high == own_high
    return low == own_high and low == high
