"""What tells the place of one number from that of another: rows, columns, clauses, headings."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from api.checks.guard.alignment import VERBS
from api.checks.guard.facts import Fact
from api.checks.guard.occurrences import Occurrence, base, content, named
from api.checks.passage_lines import PassageLine
from retrieval.text.units import STEMS

_ROOT = 6  # letters by which forms of one word are taken for one: reminds, reminder
_FEWEST = 2  # words of a clause that name it, where none of them is its subject


@dataclass(frozen=True, slots=True)
class Names:
    """The words that only one of two places has; `fewest` of `theirs` name the other place."""

    theirs: Set[str]
    ours: Set[str]
    fewest: int
    subject: Set[str] = frozenset()  # of theirs; one of these is enough
    alike: Set[str] = frozenset()  # what both have; where one of these is said, one is enough


def row_names(taken: Occurrence, other: Occurrence) -> Names | None:
    """Return what tells the rows of two cells of a table apart; None for cells of one row."""
    here, there = taken.line, other.line
    if here is there:
        return None
    theirs = roots(named(there)) - roots(_row(here))
    ours = roots(named(here)) - roots(_row(there))
    return Names(theirs, ours, 1 if ours else len(theirs))


def column_names(taken: Occurrence, other: Occurrence) -> Names | None:
    """Return what tells the columns of two cells apart; None for columns of one name."""
    if taken.cell == other.cell or taken.column == other.column != ():
        return None
    theirs = roots(other.column) - roots(taken.column) - roots(named(taken.line))
    return Names(theirs, roots(taken.clause) - roots(other.clause), len(theirs))


def clause_names(taken: Occurrence, other: Occurrence) -> Names:
    """Return what tells the clauses of two numbers apart, and what their lines are about."""
    here, there = taken.line, other.line
    if here is there:
        ours = _of_clause(taken.clause - other.clause)
        return Names(_of_clause(other.clause - taken.clause) if ours else set(), ours, 1)
    heads = roots(content(there.heading)) if _parallel(taken, other) else set()
    key = (roots(named(there)) | heads) - roots(taken.context)
    theirs = _of_clause(other.clause) - roots(taken.context)
    ours = roots(taken.context) - roots(other.context)
    alike = _of_clause(other.clause & taken.clause)
    return Names(key | theirs, ours, _FEWEST, key, alike)


def comparable(fact: Fact, taken: Occurrence, other: Occurrence) -> bool:
    """Tell whether `other`, of another value, could have stood in the place of `fact`."""
    own = other.fact
    if own.weak and not (own.base and own.text.lower().startswith("one")):
        return False
    table = same_table(taken, other)
    if fact.multiplies or (
        bool(fact.die) != bool(own.die) and not (table and taken.cell == other.cell)
    ):
        return False
    if table:
        alike = own.base == fact.base or not own.base or not (fact.base or fact.counted)
        rows = taken.line is not other.line
        return alike and (rows if taken.cell == other.cell else other.cell != 0 != taken.cell)
    kind = _kind(fact, taken)
    return kind == _kind(own, other) and (any(kind) or _one_line(taken, other))


def same_table(one: Occurrence, other: Occurrence) -> bool:
    """Tell whether both are cells of one table with column names."""
    rows = one.line.kind == other.line.kind == "row" and one.line.passage == other.line.passage
    names = one.line.columns
    return rows and names == other.line.columns and any(names)


def roots(words: Iterable[str]) -> set[str]:
    """Return stems cut to what forms of one word share, without numbers, units and plain verbs."""
    return {
        word if "#" in word else base(word)[:_ROOT]
        for word in words
        if not word.isdigit() and word not in STEMS and word not in VERBS
    }


def _one_line(taken: Occurrence, other: Occurrence) -> bool:
    """Whether two numbers that count nothing stand in one line, or in lines with a key."""
    return taken.line is other.line or bool(taken.line.key and other.line.key)


def _of_clause(words: Set[str]) -> set[str]:
    return {word for word in roots(words) if "#" not in word}


def _parallel(taken: Occurrence, other: Occurrence) -> bool:
    """Whether two passages have a line of one key."""
    if taken.line.passage == other.line.passage:
        return False
    return taken.line.key == other.line.key != ""


def _row(line: PassageLine) -> Iterator[str]:
    yield from named(line)
    for cell in line.cells:
        yield from content(cell.text)


def _kind(fact: Fact, place: Occurrence) -> tuple[str, str, str]:
    """What a number is a number of: its unit or noun, a label, a sign."""
    base = fact.base or ("" if fact.counted else place.fact.base)
    noun = (fact.nouns or place.fact.nouns or ("",))[0] if not base else ""
    label = "" if base or noun or place.column else fact.label
    return base, noun or label, fact.sign
