"""Which row of a table a statement's number belongs to: level 5 to "4-6", 10 hours to "Over 9"."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from api.checks.guard.alignment import Occurrence, content
from api.checks.guard.attribution.places import same_table
from api.checks.guard.text.facts import Fact, facts
from api.checks.guard.text.names import names
from api.checks.passage_lines import PassageLine

_UP_TO = re.compile(r"\b(?:up to|under|below|less than|at most|or less|or fewer)\b", re.IGNORECASE)
_FROM = re.compile(r"\+\W*$|\b(?:from|or more|and more|on|at least)\b", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|above|more than)\b", re.IGNORECASE)
_REACHES = frozenset(content("less least fewer below"))
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[a-z]{3}")
_LONGEST_KEY = 30  # characters before the colon of an item
_ENDLESS = Fraction(10**12)


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
    if (
        here.kind != "row"
        and min(taken.fact.start - len(_key(here)), other.fact.start - len(_key(there))) < 0
    ):
        return False
    if _range(_key(here), here.cells[0].column) is None:
        return False
    rest = [own for own in found if own is not fact and own.start != fact.start]
    return any(_keys(own, other.line) for own in rest) and not any(
        _keys(own, taken.line) for own in rest
    )


def names_key(text: str, taken: Occurrence, other: Occurrence) -> bool:
    """Tell whether folded `text` has the key of another row as it stands, and not that of its own.

    "the other parent" for the row "Other parent", whose words the row "Parent" may have as well.
    """
    here, there = taken.line, other.line
    if here is there or not same_table(taken, other) or taken.cell != other.cell:
        return False
    own, rival = phrase(here.key), phrase(there.key)
    named = own != rival and bool(_LETTERS.search(rival)) and rival in phrase(text)
    return named and not (set(content(own)) - set(content(rival))) & set(content(text))


def exchanged_cells(text: str, lines: Sequence[PassageLine]) -> Iterator[tuple[str, PassageLine]]:
    """Yield the names of folded `text` that a table gives to another row, and the row meant.

    "Marshal" for level 6, where the row of 6 has "Captain": one row is named, and has no such name.
    """
    said = phrase(text)
    stated = [fact for fact in facts(text) if not fact.weak]
    rows = [line for line in lines if line.kind == "row" and any(c.column for c in line.cells)]
    meant = [line for line in rows if _named(said, stated, line)]
    for name in names(text) if len(meant) == 1 else ():
        word = phrase(" ".join(name))
        cells = (cell for row in rows if _alike(row, meant[0]) for cell in row.cells[1:])
        own = phrase(" ".join(cell.text for cell in meant[0].cells))
        if word not in own and any(phrase(cell.text) == word for cell in cells):
            yield " ".join(name), meant[0]


def phrase(text: str) -> str:
    """Return the words of a text between single spaces."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def worded_key(line: PassageLine) -> bool:
    """Tell whether a row's key is a name and no number."""
    return bool(_LETTERS.search(phrase(line.key)))


def _named(said: str, stated: Sequence[Fact], line: PassageLine) -> bool:
    """Whether a statement names the row of a line by its key or by a number in its range."""
    key = phrase(line.key)
    return bool(_LETTERS.search(key) and key in said) or any(_keys(fact, line) for fact in stated)


def _alike(one: PassageLine, other: PassageLine) -> bool:
    columns = [[cell.column for cell in line.cells] for line in (one, other)]
    return one.passage == other.passage and columns[0] == columns[1]


def names_column(taken: Occurrence, other: Occurrence, found: Sequence[Fact]) -> bool:
    """Tell whether `found` has a number in the range of another column: 500 coins in "401-800".

    In one row, and by a number that is in the range of no other column.
    """
    if taken.line is not other.line or taken.cell == other.cell:
        return False
    columns = [cell.column for cell in taken.line.cells]
    if _range(columns[other.cell], "") is None:
        return False
    named = [[_within(own, column, "") for column in columns] for own in found]
    return any(within[other.cell] and sum(within) == 1 for within in named)


def _keys(fact: Fact, line: PassageLine) -> bool:
    return _within(fact, _key(line), line.cells[0].column)


def _within(fact: Fact, text: str, name: str) -> bool:
    """Whether a number is in the range that a key or a column's name is, and of its kind."""
    covers = _range(text, name)
    if covers is None or fact.die or fact.kind == "odds":
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
    if not 1 <= len(keys) <= 2 or any(key.die or key.kind == "odds" for key in keys):
        return None
    first, last = keys[0], keys[-1]
    words = set(content(text)) - set(content(f"{name} {first.label}"))
    words -= {word for key in keys for word in (*content(key.text), *key.nouns[:1])}
    if any(word.isalpha() for word in words - _REACHES):
        return None
    if first is not last:
        return first, first.low, last.high
    over = _OVER.search(text)
    if _UP_TO.search(text):
        return first, Fraction(0), first.high
    if over or _FROM.search(text):
        return first, first.low + (first.factor / 1000 if over else 0), _ENDLESS
    return first, first.low, first.high
