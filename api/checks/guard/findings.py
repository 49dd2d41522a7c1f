"""The guard: what an answer states must stand in the passages that it cites.

Deterministic and without a model: words and numbers are compared, meanings are not. What it
measures, and what it lets through, is in docs/experiments.md.
"""

import re
from collections.abc import Iterator, Sequence

from api.checks.guard.aligned import counts_another, exchanged_number
from api.checks.guard.alignment import Evidence, evidence
from api.checks.guard.facts import Fact, facts
from api.checks.guard.names import names, unfounded_names
from api.checks.guard.numbers.arithmetic import sums
from api.checks.guard.numbers.number_check import derived_in_words, foreign_unit, misplaced
from api.checks.guard.occurrences import content
from api.checks.guard.opposites import opposite_word
from api.checks.guard.polarity import contradiction
from api.checks.guard.signs import added_condition, turned_limit, turned_modal
from api.checks.guard.statements import Finding, GuardCase, Statement, statements
from api.checks.markers import known_markers
from api.checks.passage_lines import Source
from retrieval.text.normalize import fold
from retrieval.text.words import stem

_MOST_FOREIGN = 0.5  # of a sentence's words
_OPENING = {True: 3, False: 1}  # foreign words of what leads in a list ("In order of preference:"),
# and of any other sentence ("Usually not.")
# Words that carry no rule: how an answer speaks of itself.
_LEADING = frozenset(
    content(
        "accord answer apply both case condition depend exception follow following hence include "
        "note number option otherwise part passage possible question rule same section short "
        "source state therefore thing type value version way yes"
    )
)
# Letters and digits mixed beyond what rules write (2d6, 10th, 30ft): a key, a hash, an encoding.
_CODE = re.compile(r"(?<![\w+/=])(?=[\w+/=]*\d)(?=[\w+/=]*[^\W\d_])[\w+/=]{8,}")
UNMARKED = "no marker of its own"  # the check's name
_MOST_LIMITS = 40  # numbers of one sentence; no honest one has more
_FEWEST = 2  # words of a sentence that says more than "In two days"
_OF_ITSELF = frozenset(
    stem(word) for word in ["passage", "passages", "answer", "question", "source"]
)


def check(answer: str, passages: Sequence[Source], question: str) -> tuple[Finding, ...]:
    """Return what is wrong with `answer`, in its order; nothing where it passes.

    Passages are numbered from 1 as the answer's `[n]` markers are; markers of no passage are
    ignored. What only repeats the question is no fault and proves nothing.
    """
    text, _ = known_markers(answer, len(passages))
    found = (finding for _, some in judged(text, passages, question) for finding in some)
    return tuple(dict.fromkeys(found))


def judged(
    text: str, passages: Sequence[Source], question: str
) -> Iterator[tuple[Statement, tuple[Finding, ...]]]:
    """Yield the statements of an answer with known markers alone, each with what is wrong with it.

    Findings say which fact, unit, name, … it is, `text` of them which words.
    """
    known = evidence(passages)
    asked = fold(question)
    texts = tuple(
        fold(f"{one.path} | {one.heading}\n{one.context}\n{one.text}") for one in passages
    )
    told: list[Fact] = []
    for statement in statements(text):
        cited = tuple(number for number in statement.cited if 1 <= number <= len(passages))
        titles = " | ".join(f"{passages[n - 1].path} {passages[n - 1].heading}" for n in cited)
        case = GuardCase(asked, facts(asked), known, cited, texts, tuple(told), facts(fold(titles)))
        yield statement, tuple(dict.fromkeys(_statement(statement, case)))
        told.extend(facts(statement.text))


def unfounded(
    answer: str, sources: Sequence[Source], question: str
) -> Iterator[tuple[Statement, Finding]]:
    """Yield what `answer` says without a marker of its own in words that nobody gave it.

    Such a sentence states no number and no name, or the guard would have found it; it can still be
    what a poisoned passage ordered, or what the model knows from elsewhere. Codes are findings
    with a marker, too. Markers count `sources` from 1.
    """
    passages = evidence(sources)
    known = _LEADING.union(content(fold(question)), *passages.words)
    given = fold(" ".join([question, *(source.whole for source in sources)]))
    for statement in statements(answer):
        words = set(content(statement.text))
        foreign = {word for word in words - known if word.isalpha()}  # numbers are judged elsewhere
        if any(match[0] not in given for match in _CODE.finditer(statement.text)):
            message = "holds a code that stands in no passage"
            yield statement, Finding("name", statement.text, message, "code")
            continue
        most = max(_OPENING[statement.text.endswith(":")], _MOST_FOREIGN * len(words))
        if not statement.own and len(foreign) > most:
            message = "says what no passage says, and cites none"
            yield statement, Finding("uncited", statement.text, message, "foreign words")


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
            yield Finding(
                "uncited", statement.text, "states a fact and cites no passage", "no citation"
            )
        return
    if not statement.own and _states(statement, bool(new), case):
        message = "states a fact and has no marker of its own"
        yield Finding("uncited", statement.text, message, UNMARKED)
        return
    for total in shown:  # inputs are checked as facts of their own
        if not total.right:
            yield Finding("arithmetic", total.text, "the result is wrong", "sum")
    summed = {one.start for total in shown for one in (*total.inputs, total.result)}
    for fact in dict.fromkeys((*new, *stated[:_MOST_LIMITS])):
        if found := list(misplaced(fact, stated, statement, case)) if fact in new else []:
            yield from found
            continue
        if fact.start not in summed and not _given(fact, statement, case):
            yield from exchanged_number(fact, statement, case)
        yield from counts_another(fact, statement, case)
    every = facts(statement.text)
    for fact in [one for one in every if one in stated or one.text[-1].isdigit()][:_MOST_LIMITS]:
        yield from turned_limit(fact, every, statement, case)
    yield from foreign_unit(statement, stated, case)
    yield from added_condition(statement, case)
    yield from turned_modal(statement, case)
    yield from opposite_word(statement, case)
    yield from unfounded_names(statement, case)
    yield from _negation(statement, case)


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
    if not (fact.base or fact.counted) and fact.kind == "number":
        ages = [one for one in (*case.asked, *case.told) if one.base and "year" in one.text]
        if any(fact.low == one.written for one in ages):
            return True  # "at nineteen" of a nineteen-year-old
    return any(
        (*fact.amount, fact.sign, False) == (*asked.amount, asked.sign, asked.weak)
        and (fact.counted == asked.counted or not fact.counted or not asked.counted)
        and not (
            asked.label
            and not asked.counted
            and not fact.base
            and fact.counted in case.known.counted
        )
        for asked in (*case.asked, *case.told)
    )


def _given(fact: Fact, statement: Statement, case: GuardCase) -> bool:
    """Whether the question or the answer said the number before of the same, or it is derived."""
    own = {fact.label, fact.counted, *fact.nouns[:1]} - {""}
    for one in (*case.asked, *case.told):
        if one.amount == fact.amount:
            theirs = {one.label, one.counted, *one.nouns[:1]} - {""}
            if not own or not theirs or own & theirs:
                return True
    return derived_in_words(fact, statement, case)


def _negation(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    if found := contradiction(statement.text, case.question, case.lines):
        message, line = found
        check = "no left out" if message.startswith("the statement leaves") else "no added"
        yield Finding("negation", statement.text,
                      f'{message}: "{line.quote}" (passage {line.passage})', check)  # fmt: skip
