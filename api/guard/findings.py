"""The guard: what an answer states must stand in the passages that it cites.

Deterministic and without a model: words and numbers are compared, meanings are not. What it
measures, and what it lets through, is in docs/experiments.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from api.guard.alignment import Evidence, Occurrence, agreement, content, evidence
from api.guard.arithmetic import sums
from api.guard.derived import ends, follows, of_odds, within
from api.guard.exchanged import exchanged
from api.guard.facts import Fact, facts
from api.guard.measured import weighed
from api.guard.names import names, parts
from api.guard.polarity import contradiction
from api.guard.section import other_section
from api.guard.statements import Statement, statements
from api.guard.welded import rival
from api.markers import known_markers
from api.passage_lines import Line
from api.passage_lines import Source as Source  # part of this module's interface
from api.words import abbreviates, stem
from retrieval.fold import fold

FindingKind = Literal[
    "number", "unit", "name", "welded", "uncited", "negation", "arithmetic", "case"
]
# What an answer counts on its own account: "there are two ways".
_OWN_COUNTS_WORDS = (
    "way case option kind type thing rule value version source answer part condition exception "
    "step passage reason possibility example"
)
_FEWEST = 2  # words of a sentence that says more than "In two days"
_OF_ITSELF = frozenset(
    stem(word) for word in ["passage", "passages", "answer", "question", "source"]
)
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
    texts: tuple[str, ...]  # of the passages with what is above them, folded
    told: tuple[Fact, ...]  # what the answer has stated before, and was checked there
    place: tuple[Fact, ...]  # of the paths and headings of the cited passages


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
        case = _Case(asked, facts(asked), known, cited, texts, tuple(told), facts(fold(titles)))
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
    if statement.marked == "neighbour" and _states(statement, bool(new), case):
        yield Finding("uncited", statement.text, "states a fact and has no marker of its own")
        return
    for total in shown:  # inputs are checked as facts of their own
        if not total.right:
            yield Finding("arithmetic", total.text, "the result is wrong")
    for fact in new:
        yield from _number(fact, stated, statement, case)
    yield from _names(statement, case)
    yield from _negation(statement, case)


def _states(statement: Statement, numbers: bool, case: _Case) -> bool:
    """Whether a sentence says something of the passages, and is no lead-in nor a short reply."""
    words = set(content(statement.text)) - set(content(case.question))
    for fact in facts(statement.text):
        words -= {*content(fact.text), *fact.nouns}
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


def _number(fact: Fact, stated: list[Fact], statement: Statement, case: _Case) -> Iterator[Finding]:
    cited = [item for item in case.known.occurrences if item.line.passage in case.cited]
    agreed = [(agreement(fact, item, case.known.counted), item) for item in cited]
    supports = [item for verdict, item in agreed if verdict == "same"]
    others = [item for verdict, item in agreed if verdict == "unit"]
    if told := weighed(fact, stated, statement, others, supports):
        yield _otherwise(fact, told)
    elif supports:
        yield from _placed(fact, stated, statement, supports, case)
    elif not _explained(fact, stated, statement, cited, case):
        if others:
            yield _otherwise(fact, others[0])
        elif not _own_count(fact, statement.text):
            numbers = ", ".join(str(number) for number in case.cited)
            yield Finding("number", fact.text, f"does not stand in passage {numbers}")


def _otherwise(fact: Fact, found: Occurrence) -> Finding:
    message = f'passage {found.line.passage} has it otherwise: "{found.line.quote}"'
    return Finding("unit", f"{fact.text} {' '.join(fact.nouns)}".strip(), message)


def _placed(
    fact: Fact, stated: list[Fact], statement: Statement,
    supports: Sequence[Occurrence], case: _Case,
) -> Iterator[Finding]:  # fmt: skip
    """Whether a number that the passages hold comes from where the statement says."""
    if better := rival(fact, stated, statement, case.question, supports, case.known):
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


def _explained(
    fact: Fact, stated: list[Fact], statement: Statement,
    cited: Sequence[Occurrence], case: _Case,
) -> bool:  # fmt: skip
    """Whether a number that no cited passage holds follows from what they hold."""
    bare = not (fact.die or fact.base or fact.counted) and fact.kind != "odds"
    return (
        (bare and any(fact.low == other.low for other in case.place))
        or follows(fact, statement.text, [*case.told, *_calendar(statement)], case.asked)
        or of_odds(fact, statement.text, cited)
        or ends(fact, cited)
        or within(fact, stated, cited, case.known.counted)
    )


def _calendar(statement: Statement) -> tuple[Fact, ...]:
    """The months of a year, by which a price a month is a price a year."""
    return facts("12") if "year" in statement.text else ()


def _own_count(fact: Fact, text: str) -> bool:
    """Whether an answer counts on its own account: "two cases", "there are five:"."""
    leads = text.endswith(":") and not (fact.base or fact.die)
    counts = bool(fact.nouns) and fact.nouns[0] in _OWN_COUNTS
    return (leads or counts) and not fact.text[0].isdigit()


def _echo(fact: Fact, case: _Case) -> bool:
    """Whether the question or the answer said it before."""
    return any(
        (fact.die, fact.base, fact.low, fact.high, fact.sign, False)
        == (asked.die, asked.base, asked.low, asked.high, asked.sign, asked.weak)
        and (fact.counted == asked.counted or not fact.counted or not asked.counted)
        and not (asked.label and not fact.base and fact.counted in case.known.counted)
        for asked in (*case.asked, *case.told)
    )


def _names(statement: Statement, case: _Case) -> Iterator[Finding]:
    asked = set(content(case.question))
    for name in names(statement.text):
        needed = [word for part in parts(name) for word in content(part)]
        missing = [word for word in needed if word not in asked]
        if not any(_holds(case.known, number, missing, name) for number in case.cited):
            numbers = ", ".join(str(number) for number in case.cited)
            yield Finding("name", " ".join(name), f"does not stand in passage {numbers}")
    texts = [case.texts[number - 1] for number in case.cited]
    for word, theirs in exchanged(statement.text, texts, case.question):
        yield Finding("name", word, f'no passage cited has it; "{theirs}" stands in its place')


def _holds(known: Evidence, number: int, missing: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a passage has all words of a name, or an abbreviation of it: HD, CON."""
    words = known.words[number - 1]
    lines = (line for line in known.lines if line.passage == number)
    if len(name) == 1 and any(_spelled_out(name[0].lower(), line) for line in lines):
        return True
    if set(missing) <= words or "".join(word[0] for word in parts(tuple(name))) in words:
        return True
    return all(word in words or (len(word) > 3 and word[:3] in words) for word in missing)


def _spelled_out(short: str, line: Line) -> bool:
    return any(abbreviates(short, content(cell.text)) for cell in line.cells)


def _negation(statement: Statement, case: _Case) -> Iterator[Finding]:
    cited = [line for line in case.known.lines if line.passage in case.cited]
    if found := contradiction(statement.text, cited):
        message, line = found
        yield Finding(
            "negation", statement.text, f'{message}: "{line.quote}" (passage {line.passage})'
        )
