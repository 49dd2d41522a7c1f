"""What a question takes for granted, and the line of the best passage that says otherwise.

Judged are numbers alone. Of permissions and negations half of the questions that meet one in their
passage are answered by it (docs/experiments.md).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from retrieval.models import Entry, Evidence, Hit, Terms
from retrieval.text import numbers_in_words
from retrieval.text.line_marks import ITEM
from retrieval.text.normalize import fold, searchable
from retrieval.text.quantities import Interval, Value, intervals
from retrieval.text.words import stem, stems
from retrieval.vocabulary.terms import column_names, raw_cells, stems_of, title

_HELD = r"(?:its|his|her|their|the|all|[a-z]+'s)"
_NUMBER = (
    rf"(?:\d+(?:st|nd|rd|th)?|{'|'.join(numbers_in_words.ORDINALS)}|{numbers_in_words.PATTERN})"
)
_PRESUPPOSED = re.compile(rf"\b{_HELD} (?P<number>{_NUMBER}) (?P<noun>[a-z]{{3,}})", re.IGNORECASE)
_COUNTED = re.compile(
    rf"(?<![\w.])(?P<number>\d+|{numbers_in_words.PATTERN}) (?P<noun>[a-z]{{3,}})", re.IGNORECASE
)
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)?")

_ASKS = (
    r"(?:how|what|which|who|whom|whose|when|where|why|do|does|did|is|are|was|were|can|could|may|"
    r"might|must|will|would|should|shall|has|have|had|am|if|suppose|say|until|whether|in|at|on|"
    r"for|to)\b"
)
_CLAUSE_END = re.compile(
    rf"(?<=[.?!;:]) |, (?:so |and |but |then )?(?={_ASKS})| (?:and|so|but) (?={_ASKS})|"
    r",? right\b\??",
    re.IGNORECASE,
)
# Behind these a clause is taken for granted, though it asks: "why does it last 20 minutes".
_SINCE = re.compile(
    r"\W*(?:so |but |and )?(?:since|because|as|given that|now that|how come|"
    r"why(?: do| does| is| are)?)\b\W*",
    re.IGNORECASE,
)
_OPENS_QUESTION = re.compile(rf"\W*{_ASKS}", re.IGNORECASE)
# What happens to somebody is no rule: "I paid 40 days ago", "booked seven days", "has 12 hp left".
# Nor is a limit of what is asked for: "hirelings for less than 10 marks".
_OF_A_CASE = re.compile(
    r"\b(?:i|we|my|our|me|us|he|she|his|her|you|your|ago|left|already|now|today|yesterday|someone|"
    r"somebody|was|were|had|been|wants?|from|off|than|under|over|below|above|least|most|within)\b|"
    r"^\W*[a-z]+ed\b",
    re.IGNORECASE,
)
_NAMED_AMOUNT = re.compile(
    r"\b(?:the|its|their) (?P<amount>(?:\d[\d.,]{0,8}|[a-z]{2,12})[ -][a-z]{3,20}) of "
    r"(?:an? |the )?(?P<thing>[a-z][a-z' -]{1,40}?)"
    r"(?= (?:is|are|has|have|ends?|runs?|pass(?:es)?)\b|[,.;?]|$)",
    re.IGNORECASE,
)
_STATED_AMOUNT = re.compile(
    r"(?<!\bof )(?<!\bwith )(?<!\bone in )(?<!\b1 in )"
    r"(?<!level )(?<!tier )(?<!grade )(?<!class )(?<!type )(?<![\w.,])(?:"
    rf"(?:\d[\d.,]{{0,8}}|{numbers_in_words.PATTERN})(?: |-)?(?:[a-z]{{2,20}}|['\"%€$£])|"
    r"[£$€] ?\d[\d.,]{0,8})",
    re.IGNORECASE,
)
_TIMES = frozenset(stems_of("second minute hour day week month year round turn"))
_NO_AMOUNT = frozenset(stems_of("level hd age old people person times ways"))
_MOSTLY = 0.4  # of what a clause says: the line that contradicts it says that, too
_NEAREST = 2.0  # nearer than any entry is
_MOST_AMOUNTS = 3  # of the same unit in a line: of more one cannot tell which is meant


def contradicted(question: str, hits: Sequence[Hit], terms: Terms) -> Evidence | None:
    """Return the entry that contradicts what the question takes for granted, or None.

    Judged are two forms, by the best passage alone. The question gives a thing a number of parts
    ("its 4th head", "the five arms of"), and the passage, whose heading or file name shares a
    content word with the question, counts fewer wherever it counts them. Or it states an amount
    ("backups are kept for 90 days, …", "why does a turn last 20 minutes"), and the line that says
    most of the statement has another amount of that unit, and the passage nowhere the stated one,
    nor another one of the clause that is a time as well.
    """
    if not hits:
        return None
    return _fewer_parts(question, hits[0]) or _another_amount(question, hits[0], terms)


def led_by(evidence: Evidence, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits with one entry of the first the nearest of its entries."""
    first, *others = hits
    nearest = Evidence(evidence.entry, _NEAREST, None if evidence.late_score is None else _NEAREST)
    own = tuple(nearest if one == evidence else one for one in first.evidence)
    return (replace(first, evidence=own), *others)


def _fewer_parts(question: str, passage: Hit) -> Evidence | None:
    about = set(stems(f"{passage.chunk.heading} {passage.chunk.path.rsplit('/', 1)[-1]}"))
    if not about & set(stems(question)):
        return None
    for match in _PRESUPPOSED.finditer(fold(question)):
        noun, number = stem(match["noun"]), _value(match["number"])
        counts = {value for value, name in _counts(passage.chunk.text) if name == noun}
        if counts and number > max(counts):
            return _counting(passage, noun)
    return None


def _counts(text: str) -> list[tuple[Fraction, str]]:
    return [(_value(m["number"]), stem(m["noun"])) for m in _COUNTED.finditer(fold(text))]


def _counting(hit: Hit, noun: str) -> Evidence | None:
    """The nearest entry that counts these, so that the reader sees how many there are."""
    for evidence in hit.evidence:
        if any(name == noun for _, name in _counts(evidence.entry.quote)):
            return evidence
    return None


def _value(number: str) -> Fraction:
    if plain := _ORDINAL.fullmatch(number):
        return Fraction(plain[1])
    if (place := numbers_in_words.ORDINALS.get(number.lower())) is not None:
        return Fraction(place)
    return numbers_in_words.value(number)


def _another_amount(question: str, hit: Hit, terms: Terms) -> Evidence | None:
    for clause, amounts in _stated(question):
        said = [*intervals(f"{hit.chunk.text} {hit.chunk.context}")]
        alike = [(value, *value.in_other_units()) for value in amounts]
        units = [frozenset[str]().union(*(one.units for one in same)) for same in alike]
        for one in hit.evidence:
            said += _of_units(one.entry, frozenset().union(*units))
        held = [own for own, same in zip(units, alike, strict=True) if _is_held(said, same)]
        for own in units:
            # "3 weeks are announced 60 days ahead": where one is right, the other is of a case.
            if own in held or (own & _TIMES and any(one & _TIMES for one in held)):
                continue
            words = {one for one in stems_of(clause) if not one.isdigit()} - own
            total = sum(map(terms.weight, words))
            found = [
                (sum(map(terms.weight, words & _said(hit.chunk.path, one.entry))), one)
                for one in hit.evidence  # of equal ones the nearest
                if 0 < len(_of_units(one.entry, own)) <= _MOST_AMOUNTS
            ]
            share, best = max(found, key=lambda one: one[0], default=(0.0, None))
            if total and share >= _MOSTLY * total:
                return best
    return None


def _is_held(said: Sequence[Interval], values: Sequence[Value]) -> bool:
    return any(_holds(one, values) for one in said)


def _stated(question: str) -> Iterator[tuple[str, list[Value]]]:
    """The amounts that a question states, with the clause that says of what."""
    text = searchable(question)
    for clause in _CLAUSE_END.split(text):
        since = _SINCE.match(clause)
        said = clause[since.end() :] if since else clause
        if _OF_A_CASE.search(said) or (not since and _OPENS_QUESTION.match(said)):
            continue
        yield said, list(_amounts(said))
    for named in _NAMED_AMOUNT.finditer(text):
        yield named["thing"], list(_amounts(named["amount"]))


def _amounts(text: str) -> Iterator[Value]:
    """The numbers of a text with a unit behind them; none of "level 3", "tier 2", "one turn"."""
    for found in _STATED_AMOUNT.finditer(text):
        for one in intervals(found[0]):
            if one.units and one.units.isdisjoint(_NO_AMOUNT) and one.low > 1:
                yield Value(one.low, one.units)


def _holds(one: Interval, values: Sequence[Value]) -> bool:
    return any(one.low <= v.number <= one.high and one.units & v.units for v in values)


def _of_units(entry: Entry, units: frozenset[str]) -> list[Interval]:
    """The amounts of an entry in these units; of a row each cell with the name of its column."""
    if entry.kind == "whole":
        return []
    text = ITEM.sub("", entry.quote)  # "1. hardware key" counts nothing
    if entry.kind == "row":
        own = raw_cells(entry.quote)
        names = column_names(entry.lead, len(own))
        text = "; ".join(f"{cell} {name}" for cell, name in zip(own, names, strict=True))
    return [one for one in intervals(text) if one.units & units]


def _said(path: str, entry: Entry) -> frozenset[str]:
    return frozenset(stems_of(f"{title(path)} {entry.heading} {entry.lead} {entry.quote}"))
