"""The welded-facts check: a subject and its number must come from one line.

A number that stands in a cited passage is compared with the others that could stand in its place.
Where the statement names the row, the column or the clause of one of these, and nothing of the
place that its own number comes from, it joins the subject of one line to the number of another.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from api.checks.guard.alignment import Evidence, agreement
from api.checks.guard.cells import names_row
from api.checks.guard.facts import Fact
from api.checks.guard.numbers.arithmetic import sums
from api.checks.guard.occurrences import Occurrence, content, segment
from api.checks.guard.places import (
    Names,
    clause_names,
    column_names,
    comparable,
    roots,
    row_names,
    same_table,
)
from api.checks.guard.statements import GuardCase, Statement
from retrieval.text.units import STEMS

_FIRST = re.compile(r"\W*(?:(?:and|but|or)\s)?([\w'-]+)")
_OPENERS_WORDS = (
    "a an the each every for in at on with from to by while whereas only against than under over "
    "above below after before until between during per plus not if when where within without"
)
_OPENERS = frozenset(_OPENERS_WORDS.split())
_Words = Set[str]
Rival = tuple[Occurrence, Occurrence]  # the number of a statement, and one that fits it better


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement's words around one of its numbers, the nearest first."""

    fact: Fact
    naming: Sequence[Fact]  # the numbers of the statement, without those of shown sums
    beside: Sequence[Fact]  # those of the same part
    part: _Words
    subject: _Words  # of the sentence, where the part has none of its own
    above: _Words  # the question and what leads in, where it is the only number
    whole: _Words  # the statement
    asked: _Words  # the question


def rival(
    fact: Fact, found: Sequence[Fact], statement: Statement,
    supports: Sequence[Occurrence], case: GuardCase,
) -> Rival | None:  # fmt: skip
    """Return the number that the statement's words rather belong to, or None.

    `found` are the statement's facts, `fact` one of them, `supports` where the cited passages
    hold it (at least one): each of these must have such a rival. A cell of which the statement, or
    one before it, gives another number is no rival's.
    """
    known, said = case.known, _said(fact, found, statement, case.question)
    cited = {one.line.passage for one in supports} | set(statement.cited)
    stated = [one for one in found if one is not fact]
    cells = {  # where the first number of a cell is told, the others are its notation
        (id(one.line), one.cell): one.fact.start
        for one in reversed(known.occurrences)
        if one.line.kind == "row" and _told(stated, one, known)
    }
    rivals = [
        (other, told) for other in known.occurrences
        if other.line.passage in cited and not _notation(fact, other, cells)
        if not (told := _told([*found, *case.told], other, known))
        or not (_told(said.beside, other, known) or any(other.line is t.line for t in supports))
    ]  # fmt: skip
    best: Rival | None = None
    for taken in supports:
        fits = (other for other, told in rivals if _fits(said, taken, other, told=told))
        if (fit := next(fits, None)) is None:
            return None
        best = (taken, fit)
    return best


def _notation(fact: Fact, other: Occurrence, cells: Mapping[tuple[int, int], int]) -> bool:
    """Whether a cell whose number is told has this one beside it: the 18 of AC "1 [18]"."""
    at = cells.get((id(other.line), other.cell))
    return at is not None and (at < other.fact.start or other.fact.kind != fact.kind)


def _told(found: Sequence[Fact], other: Occurrence, known: Evidence) -> bool:
    return any(agreement(one, other, known.counted) == "same" for one in found)


def _fits(said: _Said, taken: Occurrence, other: Occurrence, *, told: bool) -> bool:
    """Whether the statement names the place of `other` and not that of `taken`.

    A number that the statement gives elsewhere (`told`) must be named right beside this one.
    """
    if not comparable(said.fact, taken, other):
        return False
    if not told and names_row(said.fact, taken, other, said.naming):
        return True
    near = [said.part] if told else [said.part, said.subject, said.above]
    if not same_table(taken, other) or not other.cell or not taken.cell:
        return _alone(clause_names(taken, other), near, said)
    row, column = row_names(taken, other), column_names(taken, other)
    if row is None and column is None:
        return False
    far = [*near, said.whole] if row and row.ours and not told else near
    return (row is None or _alone(row, far, said)) and (
        column is None or _alone(column, near, said)
    )


def _alone(names: Names, near: Sequence[_Words], said: _Said) -> bool:
    """Whether the nearest words that name either place name the other one, and it alone.

    The question speaks for the number's own place, unless this part is on the other one.
    """
    ours, theirs = names.ours & said.asked, names.theirs & said.asked
    other = theirs & near[0] and not names.ours & near[0]
    if ours and len(ours) >= len(theirs) and not other:
        return False
    for words in near:
        theirs, ours = names.theirs & words, names.ours & words
        if theirs or ours:
            alike = names.subject & theirs or (theirs and names.alike & words)
            return not ours and bool(len(theirs) >= names.fewest or alike)
    return False


def _said(fact: Fact, found: Sequence[Fact], statement: Statement, question: str) -> _Said:
    text = statement.text
    part = segment(text, found, fact)
    at = text.find(part)
    alone = sum(not one.weak for one in found) == 1
    values = {word for one in found for word in content(one.text)}
    values |= {one.counted for one in found if not one.label}  # no "opens" of "level 7 opens"
    values |= set(fact.nouns[:1])
    shown = {one.start for total in sums(text) for one in (*total.inputs, total.result)}
    carried = part == text or _carried(part)
    texts = (
        part,
        text[: max(found[0].start, at)] if carried else "",
        f"{statement.lead} {question}" if alone else "",
        text,
    )
    beside = [one for one in found if at <= one.start < at + len(part)]
    counts = [fact, *(one for one in found if one.start in shown)]
    near, subject, above, whole = (frozenset(_telling(one, counts, values)) for one in texts)
    asked = frozenset(roots(content(question)))
    naming = [one for one in found if one.start not in shown]
    return _Said(fact, naming, beside, near, subject, above, whole, asked)


def _telling(text: str, counts: Sequence[Fact], values: _Words) -> Iterator[str]:
    """The words of a text that are no values of the statement; no "level 3" by one of `counts`."""
    digits = {word for fact in counts for word in content(fact.text) if word.isdigit()}
    for word in roots(set(content(text)) - values):
        if word.rpartition("#")[2] not in digits:
            yield word


def _carried(part: str) -> bool:
    """Whether a part has the subject of the one before: "and weighs 500", not "a lantern 24"."""
    first = _FIRST.match(part)
    return first is not None and first[1].lower() not in _OPENERS


def other_section(
    statement: Statement, supports: Sequence[Occurrence], case: GuardCase
) -> Rival | None:
    """Return the section that a statement names while its number stands in another one, or None.

    Judged between sections with one title ("Hold Person" of two classes), by what is different
    above them, and between neighbours ("Speed" and "Invulnerability" of one file).
    """
    stated = set(content(statement.text))
    said = set(content(f"{statement.text} {statement.lead} {case.question}"))
    found: Rival | None = None
    for taken in supports:
        rivals = (
            (taken, other) for other in case.known.occurrences
            if other.line.heading != taken.line.heading and _heads(stated, said, taken, other)
        )  # fmt: skip
        found = next(rivals, None)
        if found is None:
            return None
    return found


def _heads(stated: Set[str], said: Set[str], taken: Occurrence, other: Occurrence) -> bool:
    """Whether the words name the section of `other`, and that of `taken` by none of its own."""
    here, there = taken.line.heading.split(" > "), other.line.heading.split(" > ")
    own, rival_words = _plain(taken.line.heading), _plain(other.line.heading)
    ours, theirs = own - rival_words, rival_words - own
    line = taken.line
    text = _plain(f"{line.told} {line.key} {line.near} {line.before}")
    if not ours or not theirs or ours & said or theirs & text:
        return False
    if here[-1] == there[-1] and here[-1].strip():
        return bool(theirs & said)
    title = (_plain(there[-1] or there[-2]) & theirs) - STEMS
    return bool(title) and title <= stated


def _plain(text: str) -> set[str]:
    return {word for word in content(text) if word.isalpha()}
