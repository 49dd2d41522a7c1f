"""The guard: what an answer states must stand in the passages that it cites.

Deterministic and without a model: words and numbers are compared, meanings are not. What it
measures, and what it lets through, is in docs/experiments.md.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from api.alignment import Evidence, Occurrence, agreement, content, evidence, span
from api.arithmetic import Sum, sums
from api.facts import Fact, facts
from api.names import names, parts
from api.passage_lines import Source as Source  # part of this module's interface
from api.polarity import contradiction
from api.statements import Statement, statements
from api.welded import other_section, rival
from api.words import stem
from retrieval.fold import fold

FindingKind = Literal[
    "number", "unit", "name", "welded", "uncited", "negation", "arithmetic", "case"
]
# What an answer counts on its own account: "there are two ways".
_OWN_COUNTS_WORDS = (
    "way case option kind type thing rule value version source answer part condition exception "
    "step passage reason possibility example"
)
_ROLLED = re.compile(r"\b(?:on|of|in|with|by|rolls?|rolling)\s(?:an?\s)?$", re.IGNORECASE)
_OWN_COUNTS = frozenset(stem(word) for word in _OWN_COUNTS_WORDS.split())


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of an answer: `text` is the answer's words, `message` says what is wrong."""

    kind: FindingKind
    text: str
    message: str


@dataclass(frozen=True, slots=True)
class _Case:
    """What one statement is checked against."""

    question: str
    asked: tuple[Fact, ...]
    known: Evidence
    cited: tuple[int, ...]
    told: tuple[Fact, ...]  # what the answer has stated before, and was checked there
    place: tuple[Fact, ...]  # of the paths and headings of the cited passages


def check(answer: str, passages: Sequence[Source], question: str) -> tuple[Finding, ...]:
    """Return what is wrong with `answer`, in its order; nothing where it passes.

    Passages are numbered from 1 as the answer's `[n]` markers are; markers of no passage are
    ignored. What only repeats the question is no fault and proves nothing.
    """
    known = evidence(passages)
    asked = fold(question)
    found: list[Finding] = []
    told: list[Fact] = []
    for statement in statements(answer):
        cited = tuple(number for number in statement.cited if 1 <= number <= len(passages))
        titles = " | ".join(f"{passages[n - 1].path} {passages[n - 1].heading}" for n in cited)
        case = _Case(asked, facts(asked), known, cited, tuple(told), facts(fold(titles)))
        found.extend(_statement(statement, case))
        told.extend(facts(statement.text))
    return tuple(dict.fromkeys(found))


def _statement(statement: Statement, case: _Case) -> Iterator[Finding]:
    shown = sums(statement.text)
    results = {total.result.start for total in shown}
    stated = [fact for fact in facts(statement.text) if not fact.weak or _one(fact, case.known)]
    new = [fact for fact in stated if fact.start not in results and not _echo(fact, case)]
    if not case.cited:
        if new or names(statement.text):
            yield Finding("uncited", statement.text, "states a fact and cites no passage")
        return
    yield from _arithmetic(shown, case)
    for fact in new:
        yield from _number(fact, stated, statement, case)
    yield from _names(statement, case)
    yield from _negation(statement, case)


def _one(fact: Fact, known: Evidence) -> bool:
    """Whether a "one" counts something: "one hour", not "one of them"."""
    named = bool(fact.base or (fact.nouns and fact.nouns[0] in known.counted))
    return named and fact.text.lower().startswith("one")


def _number(fact: Fact, stated: list[Fact], statement: Statement, case: _Case) -> Iterator[Finding]:
    cited = [item for item in case.known.occurrences if item.line.passage in case.cited]
    agreed = [(agreement(fact, item, case.known.counted), item) for item in cited]
    supports = [item for verdict, item in agreed if verdict == "same"]
    numbers = ", ".join(str(number) for number in case.cited)
    if supports:
        better = rival(fact, stated, statement, case.question, supports, case.known)
        if better:
            taken, fits = better.taken, better.fits
            yield Finding(
                "welded", fact.text,
                f'"{fact.text}" stands in "{taken.line.quote}" (passage {taken.line.passage}), '
                f'but the statement is rather about "{fits.line.quote}" (passage '
                f"{fits.line.passage}), which says {fits.fact.text}",
            )  # fmt: skip
        elif named := other_section(statement, case.question, supports, case.known):
            here, there = named.taken.line, named.fits.line
            yield Finding(
                "case", fact.text,
                f'"{fact.text}" stands in "{here.heading}" (passage {here.passage}), but the '
                f'statement names "{there.heading}" (passage {there.passage})',
            )  # fmt: skip
        return
    bare = not (fact.die or fact.base or fact.counted) and fact.kind != "odds"
    if bare and any(fact.low == other.low for other in case.place):
        return
    if (
        _ratio(fact, stated, case)
        or _of_odds(fact, stated, statement.text, cited)
        or _ends(fact, cited, case.known)
        or _within(fact, stated, cited, case)
    ):
        return
    other = next((item for verdict, item in agreed if verdict == "unit"), None)
    if other:
        message = f'passage {other.line.passage} has it otherwise: "{other.line.quote}"'
        yield Finding("unit", f"{fact.text} {' '.join(fact.nouns)}".strip(), message)
    elif not (fact.nouns and fact.nouns[0] in _OWN_COUNTS and not fact.text[0].isdigit()):
        yield Finding("number", fact.text, f"does not stand in passage {numbers}")


def _ratio(fact: Fact, stated: Sequence[Fact], case: _Case) -> bool:
    """Whether it says how one stated amount compares with another: 5, for 50' by 10'; half."""
    if fact.base or fact.die or fact.kind == "odds":
        return False
    amounts = [other for other in (*case.asked, *case.told, *stated) if other.low > 0]
    times = not fact.text[0].isdigit() and not fact.counted and fact.label not in {"level", "tier"}
    return any(
        fact is not one is not other is not fact
        and (
            (one.base == other.base != "" and one.low == fact.low * other.low != other.low)
            or (times and one.low / one.factor == fact.low * other.low / other.factor != fact.low)
        )
        for one in amounts for other in amounts
    )  # fmt: skip


def _of_odds(fact: Fact, stated: Sequence[Fact], text: str, cited: Sequence[Occurrence]) -> bool:
    """Whether it belongs to odds that are written as a roll: 1-2 and d6, for 2-in-6."""
    odds = {(item.fact.low, item.fact.high) for item in cited if item.fact.kind == "odds"}
    if fact.die:
        ends = span(fact.die)
        rolled = ends is not None and ends[0] == 1 and _ROLLED.search(text[: fact.start])
        return bool(rolled) and any(ends[1] == high for _, high in odds if ends)
    return fact.low == 1 and any(
        other.kind == "odds" and other.start == fact.start and (other.low, other.high) in odds
        for other in facts(text)
    )


def _ends(fact: Fact, cited: Sequence[Occurrence], known: Evidence) -> bool:
    """Whether both ends of a stated range stand in one line."""
    if fact.low == fact.high or fact.die or fact.kind == "odds":
        return False
    lows = {id(item.line) for item in cited if item.fact.low == fact.low}
    return any(item.fact.high == fact.high and id(item.line) in lows for item in cited)


def _within(fact: Fact, stated: Sequence[Fact], cited: Sequence[Occurrence], case: _Case) -> bool:
    """Whether it lies in a range whose row or sentence also holds another fact of the statement."""
    if fact.die or fact.kind == "odds":
        return False
    around = [
        item for item in cited if item.fact.low <= fact.low <= fact.high <= item.fact.high
        and item.fact.low < item.fact.high and item.fact.base == fact.base
    ]  # fmt: skip
    return any(
        near.line is found.line and near.fact is not found.fact
        and agreement(other, near, case.known.counted) == "same"
        for found in around for near in cited for other in stated if other is not fact
    )  # fmt: skip


def _echo(fact: Fact, case: _Case) -> bool:
    """Whether the question or the answer said it before."""
    return any(
        (fact.die, fact.base, fact.low, fact.high) == (asked.die, asked.base, asked.low, asked.high)
        and (not fact.counted or not asked.counted or fact.counted == asked.counted)
        for asked in (*case.asked, *case.told)
    )


def _arithmetic(shown: Sequence[Sum], case: _Case) -> Iterator[Finding]:
    """Inputs are checked as facts of their own; here the results."""
    for total in shown:
        if not total.right:
            yield Finding("arithmetic", total.text, "the result is wrong")


def _names(statement: Statement, case: _Case) -> Iterator[Finding]:
    asked = set(content(case.question))
    for name in names(statement.text):
        needed = [word for part in parts(name) for word in content(part)]
        missing = [word for word in needed if word not in asked]
        if not any(_holds(case.known, number, missing, name) for number in case.cited):
            numbers = ", ".join(str(number) for number in case.cited)
            yield Finding("name", " ".join(name), f"does not stand in passage {numbers}")


def _holds(known: Evidence, number: int, missing: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a passage has all words of a name, or an abbreviation of it: HD, CON."""
    words = known.words[number - 1]
    if set(missing) <= words or "".join(word[0] for word in parts(tuple(name))) in words:
        return True
    return all(word in words or (len(word) > 3 and word[:3] in words) for word in missing)


def _negation(statement: Statement, case: _Case) -> Iterator[Finding]:
    cited = [line for line in case.known.lines if line.passage in case.cited]
    if found := contradiction(statement.text, cited):
        message, line = found
        yield Finding(
            "negation", statement.text, f'{message}: "{line.quote}" (passage {line.passage})'
        )
