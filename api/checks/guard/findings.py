"""The guard: what an answer states must stand in the passages that it cites.

Deterministic and without a model: words and numbers are compared, meanings are not. What it
measures, and what it lets through, is in docs/experiments.md.
"""

from collections.abc import Iterator, Sequence

from api.checks.guard.alignment import Evidence, content, evidence
from api.checks.guard.case import Finding as Finding  # part of this module's interface
from api.checks.guard.case import FindingKind as FindingKind
from api.checks.guard.case import GuardCase
from api.checks.guard.numbers.arithmetic import Sum, sums
from api.checks.guard.numbers.number import misplaced
from api.checks.guard.statements import Statement, statements
from api.checks.guard.text.facts import Fact, facts
from api.checks.guard.text.names import names
from api.checks.guard.words.named import unfounded_names
from api.checks.guard.words.polarity import contradiction
from api.checks.markers import known_markers
from api.checks.passage_lines import Source as Source  # part of this module's interface
from retrieval.text.normalize import fold
from retrieval.text.words import stem

_FEWEST = 2  # words of a sentence that says more than "In two days"
_OF_ITSELF = frozenset(
    stem(word) for word in ["passage", "passages", "answer", "question", "source"]
)


def check(answer: str, passages: Sequence[Source], question: str) -> tuple[Finding, ...]:
    """Return what is wrong with `answer`, in its order; nothing where it passes.

    Passages are numbered from 1 as the answer's `[n]` markers are; markers of no passage are
    ignored. What only repeats the question is no fault and proves nothing.
    """
    known = evidence(passages)
    asked = fold(question)
    text, _ = known_markers(answer, {str(at) for at in range(1, len(passages) + 1)})
    found: list[Finding] = []
    texts = tuple(
        fold(f"{one.path} | {one.heading}\n{one.context}\n{one.text}") for one in passages
    )
    told: list[Fact] = []
    for statement in statements(text):
        cited = tuple(number for number in statement.cited if 1 <= number <= len(passages))
        titles = " | ".join(f"{passages[n - 1].path} {passages[n - 1].heading}" for n in cited)
        case = GuardCase(asked, facts(asked), known, cited, texts, tuple(told), facts(fold(titles)))
        found.extend(_statement(statement, case))
        told.extend(facts(statement.text))
    return tuple(dict.fromkeys(found))


def _statement(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    shown = sums(statement.text)
    stated = [fact for fact in facts(statement.text) if not fact.weak or _one(fact, case.known)]
    results = {(total.result.low, total.result.base, total.result.die) for total in shown}
    new = [
        fact for fact in stated
        if (fact.low, fact.base, fact.die) not in results and not _echo(fact, case)
    ]  # fmt: skip
    if not case.cited:
        if new or names(statement.text):
            yield Finding("uncited", statement.text, "states a fact and cites no passage")
        return
    if statement.marked == "neighbour" and _states(statement, bool(new), case):
        yield Finding("uncited", statement.text, "states a fact and has no marker of its own")
        return
    for total in shown:  # inputs are checked as facts of their own
        if not total.right:
            yield Finding("arithmetic", total.text, "the result is wrong")
    for fact in new:
        if not _said_outside(fact, stated, shown):
            yield from misplaced(fact, stated, statement, case)
    yield from unfounded_names(statement, case)
    yield from _negation(statement, case)


def _said_outside(fact: Fact, stated: Sequence[Fact], shown: Sequence[Sum]) -> bool:
    """Whether an input of a sum is judged where the statement says it outside of the sum."""
    inputs = {one.start for total in shown for one in total.inputs}
    return fact.start in inputs and any(
        (one.low, one.die) == (fact.low, fact.die) for one in stated if one.start not in inputs
    )


def _states(statement: Statement, numbers: bool, case: GuardCase) -> bool:
    """Whether a sentence says something of the passages, and is no lead-in nor a short reply."""
    words = set(content(statement.text)) - set(content(case.question))
    for fact in facts(statement.text):
        words -= set(content(fact.text)) if fact.weak else {*content(fact.text), *fact.nouns}
    if statement.text.endswith(":") or words & _OF_ITSELF:
        return False
    if numbers and statement.lead:
        return True
    known = [word for word in words if any(word in there for there in case.known.words)]
    return len(words if numbers else known) >= _FEWEST


def _one(fact: Fact, known: Evidence) -> bool:
    """Whether a "one" counts something: "one hour", not "one of them"."""
    named = bool(fact.base or (fact.nouns and fact.nouns[0] in known.counted))
    return named and fact.text.lower().startswith("one")


def _echo(fact: Fact, case: GuardCase) -> bool:
    """Whether the question or the answer said it before."""
    return any(
        (fact.die, fact.base, fact.low, fact.high, fact.sign, False)
        == (asked.die, asked.base, asked.low, asked.high, asked.sign, asked.weak)
        and (fact.counted == asked.counted or not fact.counted or not asked.counted)
        and not (
            asked.label
            and not asked.counted
            and not fact.base
            and fact.counted in case.known.counted
        )
        for asked in (*case.asked, *case.told)
    )


def _negation(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    cited = [line for line in case.known.lines if line.passage in case.cited]
    if found := contradiction(statement.text, case.question, cited):
        message, line = found
        yield Finding(
            "negation", statement.text, f'{message}: "{line.quote}" (passage {line.passage})'
        )
