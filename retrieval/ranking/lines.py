"""The order of a passage's own entries: which of its rows, items and sentences answers best."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum

from retrieval.index.terms import cells, is_field, key, stems_of
from retrieval.models import Entry, Evidence, Hit, Terms
from retrieval.ranking import names
from retrieval.text import numbers_in_words
from retrieval.text.normalize import searchable

# Measured on the calibration split and on nine vaults of training texts (docs/experiments.md, E54).
_WORDS = 0.2  # what all of the question's words in an entry add to its nearness
_NUMBER = 0.1  # what a row for the number that was asked for adds
_FIELD = 0.1  # what an entry adds that has a field which was asked for in other words
_NAMED = 0.25  # what a field adds whose name the question holds whole
_DIGITS = re.compile(r"\d+")
_ORDINAL = re.compile(rf"\b(?:(\w+ty)[- ])?({'|'.join(numbers_in_words.ORDINALS)})[- ](\w+)")
_LONGEST_NUMBER = 6  # digits
_RANGE = re.compile(r"\D*?(\d+)(?:\s*(?:-|to)\s*(\d+))?\D*")
_WIDEST = 1_000  # from the first number of a range to its last


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """A question with what is compared with each entry."""

    question: str
    terms: Terms
    words: frozenset[str]  # its stems
    total: float  # their weights together, over 0 where there is one
    numbers: frozenset[int]
    fields: frozenset[str]  # stems of fields that it asks for in other words

    @classmethod
    def of(cls, question: str, terms: Terms) -> "QuestionWords":
        """Return what is compared of a question."""
        words = terms.in_full(stems_of(question))
        return cls(
            question,
            terms,
            words,
            fsum(terms.weight(word) for word in words),
            _numbers_in(question, terms),
            names.asked_fields(question),
        )

    def share(self, words: frozenset[str]) -> float:
        """Return the share of the question's words, weighted, that are among `words`: 0 to 1."""
        if not self.total:
            return 0.0
        return fsum(self.terms.weight(word) for word in self.words & words) / self.total


def _numbers_in(question: str, terms: Terms) -> frozenset[int]:
    """The numbers of a question, "first level" among them where level is a field of the vault."""
    digits = _DIGITS.findall(searchable(question))
    found = {int(one) for one in digits if len(one) <= _LONGEST_NUMBER}
    for tens, ordinal, counted in _ORDINAL.findall(question.lower()):
        if key(counted) in terms.fields:  # and not "who goes first"
            above = int(numbers_in_words.value(tens)) if tens else 0
            found = (found - {above}) | {above + numbers_in_words.ORDINALS[ordinal]}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class RankedLine:
    """An entry of a passage with how near it is to the question, higher is nearer."""

    entry: Entry
    nearness: float


def ranked(hit: Hit, asked: QuestionWords) -> list[RankedLine]:
    """Return a passage's entries, the one that answers best first; the whole only if alone."""
    parts = [found for found in hit.evidence if found.entry.kind != "whole"] or hit.evidence
    lines = [
        RankedLine(one.entry, _near(one) + _added(hit.chunk.path, one.entry, asked))
        for one in parts
    ]
    return sorted(lines, key=lambda line: -line.nearness)  # of equals the one with the near vector


def _near(found: Evidence) -> float:
    """Late interaction tells entries of one passage apart; their vectors share its subject."""
    return found.score if found.late_score is None else found.late_score


def _added(path: str, entry: Entry, asked: QuestionWords) -> float:
    fields = asked.terms.in_full(names.field_words(path, entry))
    added = _WORDS * asked.share(asked.terms.in_full(words_of(entry)))
    if fields & asked.fields:
        added += _FIELD
    if (entry.kind != "row" or is_field(entry)) and fields and fields <= asked.words:
        added += _NAMED
    if entry.kind == "row" and asked.numbers.intersection(numbers_of(entry, asked.words)):
        added += _NUMBER
    return added


@lru_cache(maxsize=65_536)
def words_of(entry: Entry) -> frozenset[str]:
    """Return the stems of what an entry says, the header of its table included."""
    return frozenset(stems_of(f"{entry.words} {entry.lead if entry.kind == 'row' else ''}"))


def numbers_of(entry: Entry, asked: frozenset[str] = frozenset()) -> Sequence[int]:
    """Return the numbers that a row is for: of "4-6" 4, 5 and 6; none where it names none.

    They stand in its first cell. In a table by name and number ("Dwarf", "4-6") they stand in the
    second one, where the question, whose stems are `asked`, holds that column's name.
    """
    labels = [searchable(cell) for cell in cells(entry.quote)[:2]]
    names = cells(entry.lead.split("\n")[0])[1:2]
    if len(labels) > 1 and names and not _DIGITS.search(labels[0]):
        column = frozenset(stems_of(names[0]))
        labels = labels[1:] if column and column <= asked else []
    found = _RANGE.fullmatch(labels[0]) if labels else None
    if not found:
        return ()
    first = int(found[1][:_LONGEST_NUMBER])
    last = int(found[2][:_LONGEST_NUMBER]) if found[2] else first
    return range(first, last + 1) if first <= last < first + _WIDEST else (first,)
