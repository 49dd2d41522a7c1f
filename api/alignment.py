"""Where an answer's number stands in the passages, and which number its words would rather have."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from api import numbers_in_words, units
from api.facts import Fact, facts
from api.passage_lines import Line, Source, lines
from api.words import abbreviates, stem, stems

Agreement = Literal["same", "unit", "none"]
Weights = Mapping[str, float]  # how near each stem stands, 0 to 1


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A fact of a passage's line with the words that it is read with."""

    fact: Fact
    line: Line
    around: Weights
    column: tuple[str, ...]  # stems of its column's name
    column_base: str  # the general unit that the column's name holds, or ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All passages, taken apart once for an answer."""

    lines: tuple[Line, ...]
    occurrences: tuple[Occurrence, ...]
    words: tuple[frozenset[str], ...]  # of each passage, with heading, context and path
    rarity: Mapping[str, float]  # of a stem: 1 in one line, near 0 in all of them
    counted: frozenset[str]  # stems that stand as a unit behind some number


_SEPARATOR = re.compile(r"[,;:.]\s|\s-\s|\s(?:and|but|while|whereas|or|versus|than)\s")
_NUMERAL = re.compile(r"(\d+)(?:st|nd|rd|th)?$")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_KEY_RANGE = re.compile(r"(?:[A-Za-z]+\s)?(\d{1,4})\s?-\s?(\d{1,4})\b")
_REFERS = re.compile(
    r"\W*(?:it|its|they|their|this|these|that|those|he|she|his|her|such|both|each)\b", re.IGNORECASE
)
_DICE = re.compile(r"(\d{1,4})d(\d{1,4})([+-]\d{1,4})?")
ARTICLES = frozenset(("a", "an", "per", "each", "every", "once"))
_ABBREVIATION = 3  # letters of a word that is a unit wherever it follows a number
_FILLERS_WORDS = "full whol mor additional extra further consecutiv entir complet"
_DAY = 24 * 3600  # seconds
_WORKING = frozenset((stem("working"), stem("business")))
_FILLERS = frozenset(_FILLERS_WORDS.split())
_LONGEST_KEY = 100  # numbers of a row's range that are words of the row
_NEAR, _ABOVE, _PLACE, _ROW = 0.5, 0.8, 0.5, 0.3  # lead-in, last heading, other headings, cells
_BEFORE, _REFERRED = 0.2, 0.5  # sentences before, and where the line begins with "it"
_COMMON = 0.5  # the least rarity: a word of a whole passage still tells it from the others
_FEWEST_LINES = 8  # in fewer lines a word that stands in two of them is still rare


def evidence(sources: Sequence[Source]) -> Evidence:
    """Return the passages' lines and facts; passages are numbered from 1."""
    found = [line for at, source in enumerate(sources, start=1) for line in lines(source, at)]
    occurrences = tuple(item for line in found for item in _occurrences(line))
    words = tuple(
        frozenset(content(f"{source.path} {source.heading} {source.context} {source.text}"))
        for source in sources
    )
    spread = Counter(word for line in found for word in set(_all_words(line)))
    size = max(len(found), _FEWEST_LINES)
    rarity = {word: max(_COMMON, 1 - (count - 1) / size) for word, count in spread.items()}
    counted = {item.fact.counted for item in occurrences} | {stem(word) for word in units.WORDS}
    counted |= {item.fact.nouns[0] for item in occurrences if _counts_one(item.fact)}
    counted |= {word for line in found for cell in line.cells for word in _in_brackets(cell.column)}
    return Evidence(tuple(found), occurrences, words, rarity, frozenset(counted - {""}))


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """Return the stems of `text` with numbers in digits: "fourth" and "4th" are "4"."""
    words = [_numeral(word) for word in stems(_THOUSANDS.sub("", text))]
    return (*words, *_labelled(words))


def _labelled(words: Sequence[str]) -> Iterator[str]:
    """A number with the word beside it as one word: "level 4" and "4th level" are level#4."""
    for one, other in pairwise(words):
        if one.isdigit() != other.isdigit():
            yield f"{other}#{one}" if one.isdigit() else f"{one}#{other}"


def agreement(fact: Fact, found: Occurrence, counted: frozenset[str]) -> Agreement:
    """Tell whether a passage's fact is the answer's: "unit" where only what is counted differs.

    An end of a passage's range is a number that the passage gives; signs may not be opposite.
    """
    own = found.fact
    if ":" in fact.die + own.die:
        return "same" if _same_time(fact, own) else "none"
    if own.die and not fact.die and fact.low < fact.high and (fact.low, fact.high) == span(own.die):
        return _counts(fact, found, counted)
    if fact.die or own.die:
        return _counts(fact, found, counted) if fact.die == own.die else "none"
    if {fact.sign, own.sign} == {"+", "-"}:
        return "none"
    if "odds" in (fact.kind, own.kind):
        same = fact.kind == own.kind and (fact.low, fact.high) == (own.low, own.high)
        return "same" if same else "none"
    if fact.base == own.base and _equal(fact, own, Fraction(1), Fraction(1)):
        return _counts(fact, found, counted)
    if _share(fact, own) or _months(fact, own):
        return "same"
    if _equal(fact, own, fact.factor, own.factor):
        return "unit" if fact.base and own.base else _counts(fact, found, counted)
    return "none"


def segment(text: str, found: Sequence[Fact], chosen: Fact) -> str:
    """Return the part of `text` that `chosen` stands in: cut at commas and conjunctions.

    A part without a fact goes with the next one, the last with the one before.
    """
    cuts = [match.end() for match in _SEPARATOR.finditer(text) if not _inside(text, match.start())]
    starts, start = [0], 0
    for cut in cuts:
        holds = any(start <= fact.start < cut and (fact.base or not fact.weak) for fact in found)
        rest = any(fact.start >= cut and (fact.base or not fact.weak) for fact in found)
        if holds and (rest or text[cut - 2] == ";"):
            starts.append(cut)
            start = cut
    first = max(at for at in starts if at <= chosen.start)
    return text[first : min([at for at in starts if at > first], default=len(text))]


def _inside(text: str, at: int) -> bool:
    """Whether a place is between brackets: "bowl (water, 200 coins)" is one part."""
    opened = text.rfind("(", 0, at)
    return opened >= 0 and text.find(")", opened, at) < 0 <= text.find(")", at)


def score(said: Weights, found: Occurrence, rarity: Mapping[str, float]) -> float:
    """Return how well the words of a statement fit those around a fact: 0 for none in common."""
    return sum(
        weight * found.around[word] * rarity.get(word, 1.0)
        for word, weight in said.items()
        if word in found.around
    )


def weighted(parts: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the stems of several texts, each with the largest weight that it stands under."""
    weights: dict[str, float] = {}
    for text, weight in parts:
        for word in content(text):
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights


def _counts(fact: Fact, found: Occurrence, counted: frozenset[str]) -> Agreement:
    """Whether what is counted may be the same; a difference needs two words that are units."""
    own = found.fact
    qualified = fact.qualifier and own.qualifier and fact.qualifier != own.qualifier
    if qualified and not {fact.qualifier, own.qualifier} & _FILLERS:
        return "unit"
    if fact.qualifier in _WORKING and own.base and not own.qualifier:
        return "unit"
    if fact.base and own.base:
        return "same" if fact.base == own.base else "unit"
    if fact.base and found.column_base:
        return "same" if fact.base == found.column_base else "unit"
    if own.weak and own.text.lower() in ARTICLES and fact.text[0].isdigit():
        return "same" if set(fact.nouns[:1]) & set(own.nouns) else "none"
    theirs = own.nouns or found.column
    ours = fact.nouns
    if set(ours) & set(theirs) or _abbreviated(ours, theirs) or _abbreviated(theirs, ours):
        return "same"
    if own.base and fact.counted and fact.counted not in content(found.line.quote):
        return "unit"
    short = len(fact.counted) <= _ABBREVIATION and not set(fact.counted) & set("aeiou")
    known = fact.counted in counted or short
    unit = fact.base or (fact.counted if known else "")
    other = own.base or next((word for word in (own.counted, *found.column) if word in counted), "")
    if not unit or not other:
        return "same"
    return "same" if unit == other else "unit"


def _counts_one(fact: Fact) -> bool:
    """Whether it is "one round" or "per round", which name a unit without its plural."""
    return bool(fact.nouns) and fact.text.lower().split(" ")[0] in {"one", "per"}


def _in_brackets(column: str) -> tuple[str, ...]:
    """The unit of a column: gp in "Cost (gp)"."""
    return content(column.partition("(")[2])


def _abbreviated(short: Sequence[str], words: Sequence[str]) -> bool:
    return bool(short) and abbreviates(short[0], tuple(words))


def span(die: str) -> tuple[Fraction, Fraction] | None:
    """Return the least and the most that dice give: 4 and 16 for "4d4"; None for other text."""
    found = _DICE.fullmatch(die)
    if not found:
        return None
    count, sides, more = (int(part or 0) for part in found.groups())
    return Fraction(count + more), Fraction(count * sides + more)


def _same_time(fact: Fact, own: Fact) -> bool:
    """Whether both are one time of day, where one of them may be the bare hour: 9 for 9:00."""
    if fact.die and own.die:
        return fact.die == own.die
    clock, bare = (fact, own) if fact.die else (own, fact)
    return not bare.base and not bare.counted and clock.low in {bare.low, bare.high}


def _share(fact: Fact, own: Fact) -> bool:
    """50% is a half, where the half is written as a fraction."""
    parts, percent = (own, fact) if fact.base == "%" else (fact, own)
    part = parts.low.denominator > 1 and not parts.base
    return part and percent.base == "%" and percent.low / 100 == parts.low


def _months(fact: Fact, own: Fact) -> bool:
    """A month is 30 days and a year 365 or 52 weeks, where one side has the other's measure."""
    if {fact.base, own.base} != {"month", "second"} or fact.low != fact.high:
        return False
    months, seconds = (fact, own) if fact.base == "month" else (own, fact)
    days = seconds.low / _DAY
    years = months.low / 12
    return days == 30 * months.low or (years == int(years) and days in {365 * years, 364 * years})


def _equal(fact: Fact, own: Fact, factor: Fraction, own_factor: Fraction) -> bool:
    if factor == own_factor:  # dividing is slow
        low, high, own_low, own_high = fact.low, fact.high, own.low, own.high
    else:
        low, high = fact.low / factor, fact.high / factor
        own_low, own_high = own.low / own_factor, own.high / own_factor
    return (low, high) == (own_low, own_high) or (low == high and low in {own_low, own_high})


def _occurrences(line: Line) -> Iterator[Occurrence]:
    place = _place(line)
    for at, cell in enumerate(line.cells):
        found = facts(cell.text)
        others = [(other.text, _ROW) for number, other in enumerate(line.cells) if number != at]
        for fact in found:
            near = [(segment(cell.text, found, fact), 1.0), (cell.text, 0.7), (cell.column, 1.0)]
            around = weighted([*others, *near])
            around = {word: weight for word, weight in around.items() if not word.isdigit()}
            for word, weight in weighted(place).items():
                around[word] = max(weight, around.get(word, 0.0))
            column = content(cell.column)
            base = next((unit.base for word in column if (unit := units.find(word))), "")
            yield Occurrence(fact, line, around, column, "%" if "%" in cell.column else base)


def _place(line: Line) -> list[tuple[str, float]]:
    above = [part for part in line.heading.split(" > ") if part.strip()]
    headings = [(part, _PLACE) for part in above[:-1]] + [(part, _ABOVE) for part in above[-1:]]
    refers = line.kind != "row" and _REFERS.match(line.cells[0].text)
    before = (line.before, _REFERRED if refers else _BEFORE)
    name = line.cells[0].column if line.kind == "row" else ""
    label = name or line.key.split(" ")[0]
    key = " ".join(f"{label} {word}" for word in _key(line.key).split())
    return [*headings, (line.near, _NEAR), before, (key, 1.0), (line.key, 1.0)]


def _key(key: str) -> str:
    """Every number of a key that is a range, so that 14 names the row 13-15; else the key."""
    ends = _KEY_RANGE.match(key)
    if not ends or not 0 < int(ends[2]) - int(ends[1]) <= _LONGEST_KEY:
        return key
    return " ".join(str(number) for number in range(int(ends[1]), int(ends[2]) + 1))


def _all_words(line: Line) -> Iterator[str]:
    for cell in line.cells:
        yield from content(cell.text)
    yield from content(f"{line.key} {line.heading.rpartition(' > ')[2]}")


def _numeral(word: str) -> str:
    if found := _NUMERAL.match(word):
        return found[1]
    ordinal = numbers_in_words.ORDINALS.get(word)
    return str(ordinal) if ordinal else _SPELLED.get(word, word)


_SPELLED = {stem(word): str(number) for word, number in numbers_in_words.SMALL.items()}
