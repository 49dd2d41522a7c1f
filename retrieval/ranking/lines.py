"""How an entry meets the words of a question: the order of a passage's rows, items and sentences.

"Hit dice of a troll" names a thing and one of its fields. Both are learnt from the vault: things
are called as files, headings, rows and bold beginnings are, fields as columns and keys.
"""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from math import fsum

from retrieval.models import Entry, Evidence, Hit, Name, Terms
from retrieval.ranking import ranges
from retrieval.text.quantities import Value
from retrieval.text.question_phrases import codes_in, values_in
from retrieval.text.units import AMOUNT
from retrieval.vocabulary.calendar import DAYS, SHORT_DAY
from retrieval.vocabulary.terms import (
    asked_fields,
    fields_of,
    is_field,
    key,
    lists_in,
    names_of,
    stems_of,
    title,
)

# Measured on the calibration split and on nine vaults of training texts (docs/experiments.md, E54).
_WORDS = 0.2  # what all of the question's words in an entry add to its nearness
_NUMBER = 0.1  # what a row for the number that was asked for adds
_FIELD = 0.1  # what an entry adds that has a field which was asked for in other words
_NAMED = 0.25  # what a field adds whose name the question holds whole
_DAYS = frozenset(stems_of(" ".join(DAYS.values())))
# "Never flee" is called so by nobody who asks how to flee.
_NEGATED = re.compile(r"\b(?:never|not|no|none|cannot|without)\b", re.IGNORECASE)
_AND = re.compile(r" (?:and|or|&) ", re.IGNORECASE)
_JOINED = re.compile(r",? (?:and|or|&) |, ", re.IGNORECASE)
WHOLE = 0.95  # of a question: nothing is asked but a thing of the vault, or a field of it
_MOSTLY = 0.5  # of it, that the name of a list says
_FIELD_ASKED = 0.2  # of the question: what a field counts that is asked for in other words
_KIND = 0.4  # what a thing counts that is called with its kind: "sleep spell" in a folder of spells


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """A question with what is compared with each entry."""

    question: str
    terms: Terms
    words: frozenset[str]  # its stems, abbreviations in full
    said: frozenset[str]  # its stems as they stand
    total: float  # their weights together, over 0 where there is one
    values: tuple[Value, ...]  # its numbers
    fields: frozenset[str]  # stems of fields that it asks for in other words
    codes: tuple[tuple[str, str], ...]  # "type G": the stem of what it is a kind of, and the sign
    amounts: frozenset[str]  # those of `words` that say how much: "60 feet"

    @classmethod
    def of(cls, question: str, terms: Terms) -> "QuestionWords":
        """Return what is compared of a question."""
        said = frozenset(stems_of(question)) - terms.stop
        words, asked = terms.in_full(said), asked_fields(question)
        return cls(
            question,
            terms,
            words,
            said,
            fsum(terms.weight(word) for word in words),
            values_in(question, lambda word: key(word) in terms.fields),
            asked | terms.in_full(asked),
            tuple((kind, sign) for word, sign in codes_in(question) for kind in stems_of(word)),
            words & terms.in_full(stems_of(" ".join(AMOUNT.findall(question)))),
        )

    def stems(self, text: str) -> frozenset[str]:
        """Return the stems of `text`, abbreviations in full, as the question's own are.

        So are days ("Tue") where the question names one.
        """
        if not _DAYS.isdisjoint(self.words):
            text = SHORT_DAY.sub(lambda short: DAYS[short[0][:3]], text)
        return self.terms.in_full(stems_of(text))

    def share(self, words: AbstractSet[str]) -> float:
        """Return the share of the question's words, weighted, that are among `words`: 0 to 1."""
        if not self.total:
            return 0.0
        return fsum(self.terms.weight(word) for word in self.words & words) / self.total

    def named(self, words: AbstractSet[str]) -> float:
        """Return the share that `words` have of what is no amount: in "60 foot fall" of "fall"."""
        amount = fsum(self.terms.weight(word) for word in self.amounts - words)
        rest = self.total - amount
        return fsum(self.terms.weight(word) for word in self.words & words) / rest if rest else 0.0

    def names_file(self, path: str) -> bool:
        """Tell whether it holds the whole name of a file, and something besides."""
        name = frozenset(key(title(path)))
        return bool(name) and (name < self.said or self.terms.in_full(name) < self.words)

    def asks_for(self, path: str, entry: Entry) -> bool:
        """Tell whether it holds the whole name of a field of an entry, or asks for it otherwise."""
        fields = self.terms.in_full(field_words(path, entry))
        return bool(fields) and (fields <= self.words or not fields.isdisjoint(self.fields))

    def asks_for_list(self, entry: Entry) -> bool:
        """Tell whether an entry lists in a sentence what is mostly asked for, by its name."""
        names = map(self.stems, lists_in(entry))
        return any(name <= self.words and self.share(name) > _MOSTLY for name in names)

    def labels_of(self, path: str, row: Entry) -> frozenset[float | str]:
        """Return those of the question's numbers and codes that a row is for.

        It is called so ("type G"), or by a range. Of another entry than a row none.
        """
        found = ranges.called(path, row, self.codes) if self.codes else frozenset()
        if not self.values:
            return found
        return found | ranges.named(row, self.values, self.words, self.terms.in_full)

    def lacks_column(self, row: Entry) -> bool:
        """Tell whether a row's table has columns for numbers like one of the question's, not it."""
        return bool(self.values) and ranges.lacks_column(row, self.values)

    def in_range(self, row: Entry) -> bool:
        """Tell whether a row's range or limit holds a number of the question, by their units."""
        if not self.values:
            return False
        return ranges.in_range(row, self.values, self.words, self.terms.in_full)


@dataclass(frozen=True, slots=True)
class RankedLine:
    """An entry of a passage with how near it is to the question, higher is nearer."""

    entry: Entry
    nearness: float


def ranked(hit: Hit, question: QuestionWords) -> list[RankedLine]:
    """Return a passage's entries, the one that answers best first; the whole only if alone."""
    parts = [part for part in hit.evidence if part.entry.kind != "whole"] or hit.evidence
    lines = [
        RankedLine(part.entry, _near(part) + _added(hit.chunk.path, part.entry, question))
        for part in parts
    ]
    return sorted(lines, key=lambda line: -line.nearness)  # of equals the one with the near vector


def _near(evidence: Evidence) -> float:
    """Late interaction tells entries of one passage apart; their vectors share its subject."""
    return evidence.score if evidence.late_score is None else evidence.late_score


def _added(path: str, entry: Entry, question: QuestionWords) -> float:
    fields = question.terms.in_full(field_words(path, entry))
    added = _WORDS * question.share(question.terms.in_full(words_of(entry)))
    if fields & question.fields:
        added += _FIELD
    if (entry.kind != "row" or is_field(entry)) and fields and fields <= question.words:
        added += _NAMED
    if question.labels_of(path, entry):
        added += _NUMBER
    return added + (_FIELD if question.asks_for_list(entry) else 0.0)


@lru_cache(maxsize=65_536)
def words_of(entry: Entry) -> frozenset[str]:
    """Return the stems of what an entry says, the header of its table included."""
    return frozenset(stems_of(f"{entry.words} {entry.lead if entry.kind == 'row' else ''}"))


def coverage(question: QuestionWords, path: str, entries: Iterable[Entry]) -> float:
    """Return how much of a question the names and fields of the best entry cover, 0 to 1.6.

    Of the question's stems, weighted by how telling they are, those in names of the entry that
    the question holds whole, and in the names of its fields; 0 where no name is held whole. What
    says how much ("60 feet") is not counted where the entry does not name it.
    A field asked for in other words ("how long" for a duration) adds 0.2, a word of the file's
    folders beside its name ("sleep spell") 0.4.
    """
    if not question.total:
        return 0.0
    return max((_covered(question, path, entry) for entry in entries), default=0.0)


def longer_names(question: QuestionWords, paths: Iterable[str]) -> frozenset[str]:
    """Return those of `paths` whose file is called longer than another one that is asked for.

    "How long does Light last?" is not about Continual Light where there is a file Light.
    """
    names = {path: frozenset(key(title(path))) for path in set(paths)}
    exact = {name for name in names.values() if name and name <= question.words}
    return frozenset(
        path
        for path, name in names.items()
        if any(short < name and not (name - short) & question.words for short in exact)
    )


def field_words(path: str, entry: Entry) -> frozenset[str]:
    """Return the stems of the names of an entry's fields."""
    return _names_and_fields(path, entry)[1]


def _covered(question: QuestionWords, path: str, entry: Entry) -> float:
    names, short = _names_and_fields(path, entry)
    held: set[str] = set()
    for name in names:
        full = question.terms.in_full(name)
        if question.words >= full or question.said >= set(name):
            held |= full & question.words
    if not held:
        return 0.0
    fields = question.terms.in_full(short)
    kinds = _kind_named(path, question)
    added = _FIELD_ASKED * bool(question.fields & fields) + _KIND * bool(kinds - held)
    return question.named(held | fields | kinds) + added


def _kind_named(path: str, question: QuestionWords) -> frozenset[str]:
    """The word of a file's folders that stands beside its whole name in a question: "sleep spell".

    None where it stands elsewhere: "how long does support take on-call" names no kind of file.
    """
    name = key(title(path))
    if not name or not question.said.issuperset(name):
        return frozenset()
    said = stems_of(question.question)
    places = range(len(said) - len(name) + 1)
    at = next((n for n in places if tuple(said[n : n + len(name)]) == name), None)
    if at is None:
        return frozenset()
    beside = {*said[max(at - 1, 0) : at], *said[at + len(name) : at + len(name) + 1]}
    return _kinds(path) & beside


@lru_cache(maxsize=65_536)
def _kinds(path: str) -> frozenset[str]:
    """The stems of the file's folders: what its thing is one of."""
    return frozenset(stems_of(path.rpartition("/")[0].replace("/", " ")))


def _joined(name: str) -> list[str]:
    """The names that one joins: of "Swimming and Drowning" both, of "Giant, Fire" none."""
    return _JOINED.split(name) if _AND.search(name) else []


@lru_cache(maxsize=65_536)
def _names_and_fields(path: str, entry: Entry) -> tuple[Sequence[Name], frozenset[str]]:
    called = names_of(path, entry)
    others = {*entry.heading.split(" > "), title(path)}
    if entry.kind != "row" and called[0] not in others and _NEGATED.search(called[0]):
        called = called[1:]
    called += [one for name in (entry.heading.rsplit(" > ", 1)[-1], title(path))
               for one in _joined(name)]  # fmt: skip
    names = [stems for name in called if (stems := key(name))]
    fields = frozenset(word for name in fields_of(entry) for word in key(name))
    return tuple(names), fields
