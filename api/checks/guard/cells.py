"""The row of a table that a statement names, and whether its number stands there.

Level 5 names the row "4-6", and 10 hours the row "Over 9".
"""

import re
from collections.abc import Sequence
from fractions import Fraction

from api.checks.guard.alignment import agreement
from api.checks.guard.facts import Fact, facts
from api.checks.guard.occurrences import Occurrence, content, segment
from api.checks.guard.places import roots, same_table
from api.checks.guard.statements import Finding, GuardCase, Statement
from api.checks.passage_lines import PassageLine

_UP_TO = re.compile(r"\b(?:up to|under|below|less than|at most|or less|or fewer)\b", re.IGNORECASE)
_FROM = re.compile(r"\+\W*$|\b(?:from|or more|and more|on|at least)\b", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|above|more than)\b", re.IGNORECASE)
_REACHES = frozenset(content("less least fewer below"))
_LONGEST_KEY = 30  # characters before the colon of an item
_ENDLESS = Fraction(10**12)
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[a-z]{3}")


def other_row(
    fact: Fact, stated: Sequence[Fact], statement: Statement,
    supports: Sequence[Occurrence], case: GuardCase,
) -> Finding | None:  # fmt: skip
    """Return what is wrong where a statement names one row and its number is in another one.

    Only where all `supports` of the number are cells of one table, and one row is named, by the
    nearest words that name any, but at most one column, in which that row has something.
    """
    first = supports[0]
    alike = all(same_table(first, one) for one in supports)
    if not first.cell or first.line.is_header or not alike:
        return None
    part = segment(statement.text, stated, fact)
    texts = [part, statement.text, statement.lead, case.question]
    rows = [
        line for line in dict.fromkeys(one.line for one in case.known.occurrences)
        if line.passage == first.line.passage and line.columns == first.line.columns
    ]  # fmt: skip
    named = next((there for text in texts if (there := _named_rows(text, rows, fact))), [])
    columns = next((at for text in (*texts[:2], texts[3])
                    if (at := _named_columns(text, first.line))), [])  # fmt: skip
    if len(named) != 1 or len(columns) > 1 or any(one.line is named[0] for one in supports):
        return None
    if any(  # its own number is told, too
        agreement(one, item, case.known.counted) == "same"
        for one in stated if one is not fact
        for item in case.known.occurrences if item.cell and item.line is named[0]
    ):  # fmt: skip
        return None
    own = {word for one in supports for word in content(one.line.key)}
    empty = columns and not named[0].cells[columns[0]].text.strip(" -")
    if empty or own & set(content(" ".join(texts))):
        return None
    message = (
        f'"{fact.text}" stands in "{first.line.quote}" (passage {first.line.passage}), '
        f'but the statement names the row "{named[0].quote}"'
    )
    return Finding("welded", fact.text, message, "another row")


def _named_rows(text: str, rows: Sequence[PassageLine], fact: Fact) -> list[PassageLine]:
    said = _phrase(text)
    rest = [one for one in facts(text) if (one.low, one.die) != (fact.low, fact.die)]
    return [
        row for row in rows
        if (_LETTERS.search(key := _phrase(row.key)) and key in said)
        or any(_keys(one, row) for one in rest)
    ]  # fmt: skip


def _named_columns(text: str, line: PassageLine) -> list[int]:
    """The columns of which a text has a word that no other column has, without that of the key."""
    words = roots(content(text))
    names = [roots(content(column)) for column in line.columns]
    return [
        at for at, own in enumerate(names)
        if at and words & own - {word for n, name in enumerate(names) if n != at for word in name}
    ]  # fmt: skip


def _phrase(text: str) -> str:
    """The words of a text between single spaces."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def names_row(fact: Fact, taken: Occurrence, other: Occurrence, found: Sequence[Fact]) -> bool:
    """Tell whether `found` has a number in the key of another row, and not in that of its own.

    It must be a number of what the keys are: behind the name of their column ("Level 7"), in their
    unit ("10 hours"), or their range as it stands ("5-12").
    """
    here, there = taken.line, other.line
    if here is there or here.passage != there.passage or here.kind != there.kind:
        return False
    if here.kind == "row" and (not taken.column or other.column != taken.column or not taken.cell):
        return False
    if _range(_key(here), here.cells[0].column) is None:
        return False
    rest = [own for own in found if own is not fact and own.start != fact.start]
    return any(_keys(own, other.line) for own in rest) and not any(
        _keys(own, taken.line) for own in rest
    )


def _keys(fact: Fact, line: PassageLine) -> bool:
    """Whether a number is in the range that a row's key is, and of its kind."""
    text, name = _key(line), line.cells[0].column
    covers = _range(text, name)
    if covers is None or fact.die:
        return False
    key, low, high = covers
    if fact.low < fact.high:
        return (fact.low, fact.high, fact.base) == (low, high, key.base)
    label = content(f"{name} {text}")
    beside = (fact.label, *fact.nouns[:1])
    alike = any(
        one.startswith(word)
        for word in label for one in beside if word.isalpha() and len(word) > 2
    )  # fmt: skip
    counted = fact.nouns[:1] == key.nouns[:1] != ()
    named = fact.base == key.base != "" or (not fact.base and (alike or counted))
    inside = low <= fact.low <= high or fact.low == key.low  # "over 9" names the row "Over 9"
    return named and inside


def _key(line: PassageLine) -> str:
    """A row's key, or what stands before the colon of an item: "4 to 7 HD: every 10 days"."""
    if line.kind == "row":
        return line.key
    before, colon, _ = line.cells[0].text.partition(":")
    return before if colon and len(before) <= _LONGEST_KEY else ""


def _range(text: str, name: str) -> tuple[Fact, Fraction, Fraction] | None:
    """The number that a row's key is, and from where to where it reaches; None for other keys."""
    keys = [fact for fact in facts(text) if not fact.weak]
    if len(keys) != 1:
        return None
    (key,) = keys
    words = set(content(text)) - set(content(f"{name} {key.label} {key.text}")) - {*key.nouns[:1]}
    if any(word.isalpha() for word in words - _REACHES):
        return None
    over = _OVER.search(text)
    if _UP_TO.search(text):
        return key, Fraction(0), key.high
    if over or _FROM.search(text):
        return key, key.low + (key.factor / 1000 if over else 0), _ENDLESS
    return key, key.low, key.high
