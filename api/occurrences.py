"""Where the numbers of a passage's line stand, and the words that each is read with."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from api import numbers_in_words, units
from api.facts import Fact, facts
from api.passage_lines import Line
from api.words import stem, stems

Weights = Mapping[str, float]  # how near each stem stands, 0 to 1
_SEPARATOR = re.compile(r"[,;:.]\s|\s-\s|\s(?:and|but|while|whereas|or|versus|than)\s")
_NUMERAL = re.compile(r"(\d+)(?:st|nd|rd|th)?$")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_KEY_RANGE = re.compile(r"(?:[A-Za-z]+\s)?(\d{1,4})\s?-\s?(\d{1,4})\b")
_REFERS = re.compile(
    r"\W*(?:it|its|they|their|this|these|that|those|he|she|his|her|such|both|each)\b", re.IGNORECASE
)
_LONGEST_KEY = 100  # numbers of a row's range that are words of the row
_NEAR, _ABOVE, _PLACE, _ROW = 0.5, 0.8, 0.5, 0.3  # lead-in, last heading, other headings, cells
_BEFORE, _REFERRED = 0.2, 0.5  # sentences before, and where the line begins with "it"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A fact of a passage's line with the words that it is read with."""

    fact: Fact
    line: Line
    around: Weights
    column: tuple[str, ...]  # stems of its column's name
    column_base: str  # the general unit that the column's name holds, or ""


def occurrences(line: Line) -> Iterator[Occurrence]:
    """Yield every fact of a line, in order, with the words around it."""
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


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """Return the stems of `text` with numbers in digits: "fourth" and "4th" are "4"."""
    words = [_numeral(word) for word in stems(_THOUSANDS.sub("", text))]
    return (*words, *_labelled(words))


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


def weighted(parts: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the stems of several texts, each with the largest weight that it stands under."""
    weights: dict[str, float] = {}
    for text, weight in parts:
        for word in content(text):
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights


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


def _labelled(words: Sequence[str]) -> Iterator[str]:
    """A number with the word beside it as one word: "level 4" and "4th level" are level#4."""
    for one, other in pairwise(words):
        if one.isdigit() != other.isdigit():
            yield f"{other}#{one}" if one.isdigit() else f"{one}#{other}"


def _inside(text: str, at: int) -> bool:
    """Whether a place is between brackets: "bowl (water, 200 coins)" is one part."""
    opened = text.rfind("(", 0, at)
    return opened >= 0 and text.find(")", opened, at) < 0 <= text.find(")", at)


def _numeral(word: str) -> str:
    if found := _NUMERAL.match(word):
        return found[1]
    ordinal = numbers_in_words.ORDINALS.get(word)
    return str(ordinal) if ordinal else _SPELLED.get(word, word)


_SPELLED = {stem(word): str(number) for word, number in numbers_in_words.SMALL.items()}
