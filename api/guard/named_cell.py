"""Which row of a table a statement's number belongs to: level 5 to "4-6", 10 hours to "Over 9"."""

import re
from collections.abc import Sequence
from fractions import Fraction

from api.guard.alignment import Occurrence, content
from api.guard.facts import Fact, facts
from api.passage_lines import Line

_UP_TO = re.compile(r"\b(?:up to|under|below|less than|at most|or less|or fewer)\b", re.IGNORECASE)
_FROM = re.compile(r"\+\W*$|\b(?:from|or more|and more|on|at least)\b", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|above|more than)\b", re.IGNORECASE)
_REACHES = frozenset(content("less least fewer below"))
_ENDLESS = Fraction(10**12)


def names_row(fact: Fact, taken: Occurrence, other: Occurrence, found: Sequence[Fact]) -> bool:
    """Tell whether `found` has a number in the key of another row, and not in that of its own.

    It must be a number of what the keys are: behind the name of their column ("Level 7"), in their
    unit ("10 hours"), or their range as it stands ("5-12").
    """
    if not taken.column or other.column != taken.column or taken.line is other.line:
        return False
    if taken.cell == 0 or taken.line.passage != other.line.passage or not other.line.key:
        return False
    if _range(taken.line) is None:
        return False
    rest = [own for own in found if own is not fact and own.start != fact.start]
    return any(_keys(own, other.line) for own in rest) and not any(
        _keys(own, taken.line) for own in rest
    )


def _keys(fact: Fact, line: Line) -> bool:
    covers = _range(line)
    if covers is None or fact.die or fact.kind == "odds":
        return False
    key, low, high = covers
    if fact.low < fact.high:
        return (fact.low, fact.high, fact.base) == (low, high, key.base)
    label = content(f"{line.cells[0].column} {line.key}")
    named = fact.base == key.base != "" or (not fact.base and fact.label and fact.label in label)
    return bool(named) and low <= fact.low <= high


def _range(line: Line) -> tuple[Fact, Fraction, Fraction] | None:
    """The number that a row's key is, and from where to where it reaches; None for other keys."""
    keys = [fact for fact in facts(line.key) if not fact.weak] if line.kind == "row" else []
    if not 1 <= len(keys) <= 2 or any(key.die or key.kind == "odds" for key in keys):
        return None
    first, last = keys[0], keys[-1]
    words = set(content(line.key)) - set(content(f"{line.cells[0].column} {first.label}"))
    words -= {word for key in keys for word in (*content(key.text), *key.nouns[:1])}
    if any(word.isalpha() for word in words - _REACHES):
        return None
    if first is not last:
        return first, first.low, last.high
    over = _OVER.search(line.key)
    if _UP_TO.search(line.key):
        return first, Fraction(0), first.high
    if over or _FROM.search(line.key):
        return first, first.low + (first.factor / 1000 if over else 0), _ENDLESS
    return first, first.low, first.high
