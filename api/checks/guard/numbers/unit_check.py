"""Whether a number has its unit, and what it is counted for, from the line that it is read with."""

from collections.abc import Sequence

from api.checks.guard.alignment import Occurrence, content, segment
from api.checks.guard.statements import Statement
from api.checks.guard.text import rates
from api.checks.guard.text.facts import Fact
from api.checks.guard.text.units import WORDS
from retrieval.text.words import stem

_FEWEST = 2  # words by which a line is rather meant than the ones that hold the bare number
_UNITS = frozenset(stem(word) for word in WORDS)


def weighed(
    fact: Fact,
    found: Sequence[Fact],
    statement: Statement,
    others: Sequence[Occurrence],
    supports: Sequence[Occurrence],
) -> Occurrence | None:
    """Return the line that gives the number another unit or rate than the statement, or None.

    `others` have the number with another unit, `supports` with the same or with none: these count
    only where they name the unit or are read with more words of the statement.
    """
    if not supports:
        return None
    rate = rates.after(fact, statement.text)
    if rate and all(_rated_otherwise(item, rate) for item in supports):
        return supports[0]
    if not (fact.base or fact.nouns) or any(_explicit(fact, item) for item in supports):
        return None
    there = [item.line for item in others]
    bare = [item for item in supports if item.line not in there]  # not the same number said again
    said = set(content(segment(statement.text, found, fact))) - set(fact.nouns)
    said = {word for word in said if not word.rpartition("#")[2].isdigit()}
    most = max((len(said & item.context) for item in bare), default=0)
    fits = [item for item in others if len(said & item.clause) >= max(_FEWEST, most + 1)]
    return max(fits, key=lambda item: len(said & item.clause), default=None)


def _rated_otherwise(found: Occurrence, rate: str) -> bool:
    units = found.rate in _UNITS and rate in _UNITS
    return units and found.rate != rate and rate not in found.context


def _explicit(fact: Fact, found: Occurrence) -> bool:
    """Whether a line gives the number in the statement's unit, in its own words."""
    own = found.fact
    return bool(
        (own.base and own.base == fact.base) or set(own.nouns) & set(fact.nouns) or found.column
    )
