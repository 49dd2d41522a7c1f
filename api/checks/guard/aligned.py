"""A statement beside the cited line that has most of its words: what stands there in its place.

The other checks ask whether a number stands in any line cited. Here it must stand in this one.
"""

import re
from collections.abc import Iterator, Set

from api.checks.guard.alignment import VERBS, agreement, counted_alike
from api.checks.guard.facts import Fact, facts
from api.checks.guard.occurrences import Occurrence, content, named, rate_after, segment
from api.checks.guard.statements import Finding, GuardCase, Statement, other_unit, otherwise
from api.checks.passage_lines import PassageLine
from retrieval.text.units import STEMS

_COVERED = 0.6  # of a statement's words must stand in the line
_FEWEST = 3  # words of a statement that is compared
_DURATION = re.compile(r"\b(?:for|within|after|every|lasts?|takes?)\s$", re.IGNORECASE)
_NEAR = 2  # words on each side of a number by which its place is known


def nearest(text: str, case: GuardCase, least: float = _COVERED) -> list[PassageLine]:
    """Return the lines cited that have most of the words of a text, and `least` of these or more.

    Rare words count more. There are several where they have the same words.
    """
    words = telling(text)
    if len(words) < _FEWEST:
        return []
    lines = case.lines
    said = [words & case.known.said[id(line)] for line in lines]
    weight = {word: 1 / max(1, sum(word in there for there in said)) for word in words}
    shares = [sum(weight[word] for word in there) for there in said]
    best = max(shares, default=0)
    return [
        line for line, share, there in zip(lines, shares, said, strict=True)
        if share == best and len(there) >= least * len(words)
    ]  # fmt: skip


def telling(text: str) -> set[str]:
    """Return the stems of a text without numbers and plain verbs."""
    return {word for word in content(text) if word.isalpha() and word not in VERBS}


def exchanged_number(fact: Fact, statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the line that has another number in the place of this one, which it does not have.

    It has exactly one number of the kind, between the same words, that the statement does not say.
    """
    stated = facts(statement.text)
    held = _holding(fact, case)
    if any(_named(item.line, statement, case) for item in held):
        return
    parts = dict.fromkeys((statement.text, segment(statement.text, stated, fact)))
    for part in parts:
        best = nearest(part, case)
        lines = {id(line) for line in best if line.kind != "row"}
        words = telling(part).difference(*(case.known.said[at] for at in lines))
        if any(words & case.known.said[id(item.line)] for item in held if item.line.kind != "row"):
            continue  # "dwarf" stands in the line that has the number
        there = [item for item in case.known.occurrences if id(item.line) in lines]
        if any(agreement(fact, item, case.known.counted) != "none" for item in there):
            continue
        instead = [
            item for item in there
            if _alike(fact, item.fact) and _between(fact, statement.text, item)
            and all(agreement(one, item, case.known.counted) == "none" for one in stated)
        ]  # fmt: skip
        if len(instead) == 1:
            yield Finding("welded", fact.text, otherwise(instead[0].line), "another number")
            return


def counts_another(fact: Fact, statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the line in which a number counts something else, or by something else.

    "1 round" for "1 turn", "30' per turn" for "30' per round": of all the lines that have the
    number the one with most words of the statement.
    """
    if not (fact.text[0].isdigit() or fact.die):
        return
    supports = _holding(fact, case)
    bare = supports and not any(_explicit(fact, item) for item in supports)
    others = [item for item in case.occurrences
              if bare and agreement(fact, item, case.known.counted) == "unit"]  # fmt: skip
    supports = [*supports, *others]
    words = telling(statement.text)
    shared = [
        len(words & case.known.said[id(item.line)])
        + _NEAR * bool(set(fact.nouns[:1]) & set(item.fact.nouns))
        for item in supports
    ]  # fmt: skip
    best = [one for one, number in zip(supports, shared, strict=True) if number == max(shared)]
    rate = rate_after(fact, statement.text)
    said = set(content(statement.text))
    if best and all(
        item in others or _otherwise_counted(fact, rate, item, said, statement, case)
        for item in best
    ):
        yield other_unit(fact, best[0].line)


def _explicit(fact: Fact, found: Occurrence) -> bool:
    """Whether a line gives the number in the statement's unit, in its own words."""
    own = found.fact
    return bool(
        (own.base and own.base == fact.base) or set(own.nouns) & set(fact.nouns) or found.column
    )


def _holding(fact: Fact, case: GuardCase) -> list[Occurrence]:
    return [item for item in case.holding(fact) if not item.fact.weak]


def _named(line: PassageLine, statement: Statement, case: GuardCase) -> bool:
    """Whether it is a table's row that the statement, or the question, names."""
    said = set(content(f"{statement.text} {statement.lead} {case.question}"))
    return line.kind == "row" and not said.isdisjoint(named(line))


def _otherwise_counted(
    fact: Fact, rate: str, item: Occurrence, said: Set[str], statement: Statement, case: GuardCase
) -> bool:
    line, units = item.line, case.known.counted | STEMS
    here = set(content(f"{line.key} {line.told}"))
    noun, other = (fact.nouns or ("",))[0], (item.fact.nouns or ("",))[0]
    plain = not fact.base and not counted_alike(fact.nouns, item.fact.nouns)
    known = (
        other in units
        and not VERBS & {noun, other}
        and (noun in units or _DURATION.search(statement.text[: fact.start]))
    )
    if plain and known and noun not in here and other not in said:
        return True
    things = telling(f"{rate} {item.rate}")  # no number: "every two turns"
    return {rate, item.rate} <= things and rate not in here


def _alike(fact: Fact, own: Fact) -> bool:
    """Whether both are numbers of one kind, which a 12 of "12 days" and a 5% are not."""
    same = (fact.kind, fact.base, fact.sign) == (own.kind, own.base, own.sign)
    return same and not own.weak


def _between(fact: Fact, text: str, item: Occurrence) -> bool:
    """Whether the words beside two numbers are the same: on both sides, or two on one side."""
    before, after = _beside(fact, text)
    own_before, own_after = _beside(item.fact, item.text)
    left, right = before & own_before, after & own_after
    ends = not (after or own_after), not (before or own_before)
    return bool(
        (left and (right or ends[0])) or (right and ends[1]) or max(len(left), len(right)) > 1
    )


def _beside(fact: Fact, text: str) -> tuple[set[str], set[str]]:
    before = [word for word in content(text[: fact.start]) if word.isalpha()]
    after = [word for word in content(text[fact.end :]) if word.isalpha()]
    return set(before[-_NEAR:]), set(after[:_NEAR])
