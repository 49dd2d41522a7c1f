"""Whether a statement names the column or the row of another cell than its number's."""

from collections.abc import Sequence

from api.alignment import Evidence, Occurrence, agreement, content
from api.facts import Fact, facts


def names_column(
    part: str, taken: Occurrence, other: Occurrence, found: Sequence[Fact], known: Evidence
) -> bool:
    """Tell whether `part` names the column of another number of the row, and not its own's."""
    if taken.line is not other.line or other.line.kind != "row" or not taken.column:
        return False
    if other.column == content(other.line.cells[0].column):
        return False  # the column of the keys
    words = set(content(part))
    ours, theirs = set(taken.column) - set(other.column), set(other.column) - set(taken.column)
    plain = {word for word in theirs if "#" not in word}
    if not plain or (len(plain) == 1 and any(word.isdigit() or len(word) < 3 for word in plain)):
        return False
    told = any(agreement(own, other, known.counted) == "same" for own in found)
    return not told and plain <= words and not ours & words


def names_row(fact: Fact, taken: Occurrence, other: Occurrence, found: Sequence[Fact]) -> bool:
    """Tell whether `found` has the key of another row of the column, and not that of its own.

    A key is a range ("5-12") or a number behind the name of its column ("Level 7").
    """
    if not taken.column or other.column != taken.column or taken.line is other.line:
        return False
    if taken.column == content(taken.line.cells[0].column):
        return False  # a key itself
    if taken.line.passage != other.line.passage or not other.line.key:
        return False
    rest = [own for own in found if own is not fact and own.start != fact.start]
    return any(_keys(own, other) for own in rest) and not any(_keys(own, taken) for own in rest)


def _keys(fact: Fact, found: Occurrence) -> bool:
    if found.line.kind != "row" or fact.die or fact.base or fact.kind == "odds":
        return False
    named = fact.label and fact.label in content(found.line.cells[0].column)
    ends = {(key.low, key.high) for key in facts(found.line.key)}
    return (fact.low < fact.high or bool(named)) and (fact.low, fact.high) in ends
