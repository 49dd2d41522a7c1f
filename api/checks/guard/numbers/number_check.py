"""Whether the passages hold a number of a statement, in its unit, and where the statement says."""

import re
from collections.abc import Iterator, Sequence

from api.checks.guard.alignment import agreement
from api.checks.guard.attribution import other_section, rival
from api.checks.guard.cells import other_row
from api.checks.guard.facts import Fact, facts
from api.checks.guard.numbers.arithmetic import sums
from api.checks.guard.numbers.derived import ends, notation, stepped, worded
from api.checks.guard.occurrences import Occurrence, content
from api.checks.guard.signs import behind_limit
from api.checks.guard.statements import Finding, GuardCase, Statement, other_unit
from retrieval.text.units import UNITS
from retrieval.text.words import stem

# What an answer counts on its own account: "there are two ways".
_OWN_COUNTS_WORDS = (
    "way case option kind type thing rule value version source answer part condition exception "
    "step passage reason possibility example"
)
_OWN_COUNTS = frozenset(stem(word) for word in _OWN_COUNTS_WORDS.split())
_CALENDAR = {"year": "12, 52, 365", "week": "7", "day": "24", "hour": "60", "minute": "60"}
_MANY = 40  # numbers of a statement that is a list and shows no step
_WORD = re.compile(r"[A-Za-z]{3,}")
_TIMES = frozenset(("duration", "distance"))
_ORDINARY = frozenset(map(stem, ("second", "day", "foot", "feet")))  # they mean other things, too


def misplaced(
    fact: Fact, stated: Sequence[Fact], statement: Statement, case: GuardCase
) -> Iterator[Finding]:
    """Yield what is wrong with a number of a statement whose numbers are `stated`."""
    cited = case.occurrences
    agreed = [(agreement(fact, item, case.known.counted), item) for item in cited]
    supports = [item for verdict, item in agreed if verdict == "same"]
    if bare := _used(fact, stated, supports):
        supports = [item for item in supports if item not in bare]
    others = [item for verdict, item in agreed if verdict == "unit"]
    if supports:
        yield from _placed(fact, stated, statement, supports, case)
    elif not _explained(fact, statement, cited, case):
        yield from _missing(fact, statement, others, case)


def _used(fact: Fact, stated: Sequence[Fact], supports: Sequence[Occurrence]) -> list[Occurrence]:
    """The bare numbers that another fact of the statement is: "12 days for children under 12"."""
    written = fact.written
    bare = any(one is not fact and one.low == written and _bare(one) for one in stated)
    return [
        item for item in supports
        if bare and fact.base and _bare(item.fact) and not item.column
    ]  # fmt: skip


def _missing(
    fact: Fact, statement: Statement, others: Sequence[Occurrence], case: GuardCase
) -> Iterator[Finding]:
    if others:
        yield other_unit(fact, others[0].line)
    elif not _own_count(fact, statement.text) and not _in_words(fact):
        message = (
            f"does not stand in passage {case.passages}; if it is calculated, write the sum out"
        )
        yield Finding("number", fact.text, message, "in no passage")


def _placed(
    fact: Fact, stated: Sequence[Fact], statement: Statement,
    supports: Sequence[Occurrence], case: GuardCase,
) -> Iterator[Finding]:  # fmt: skip
    """Whether a number that the passages hold comes from where the statement says."""
    if better := rival(fact, stated, statement, supports, case):
        taken, fits = better
        yield Finding(
            "welded", fact.text,
            f'"{fact.text}" stands in "{taken.line.quote}" (passage {taken.line.passage}), '
            f'but the statement is rather about "{fits.line.quote}" (passage '
            f"{fits.line.passage}), which says {fits.fact.text}",
            "another subject",
        )  # fmt: skip
    elif wrong := other_row(fact, stated, statement, supports, case):
        if not _explained(fact, statement, supports, case):
            yield wrong
    elif named := other_section(statement, supports, case):
        here, there = (one.line for one in named)
        yield Finding(
            "case", fact.text,
            f'"{fact.text}" stands in "{here.heading}" (passage {here.passage}), but the '
            f'statement names "{there.heading}" (passage {there.passage})',
            "another section",
        )  # fmt: skip


def _explained(
    fact: Fact, statement: Statement, cited: Sequence[Occurrence], case: GuardCase
) -> bool:
    """Whether a number that no cited passage holds follows from what they hold."""
    return (
        (_bare(fact) and any(fact.low == other.low for other in case.place))
        or ends(fact, cited)
        or notation(fact, [*case.told, *facts(statement.text)])
        or _input(fact, statement, case)
        or stepped(fact, [*facts(statement.text), *case.told, *case.asked], cited)
        or derived_in_words(fact, statement, case)
    )


def derived_in_words(fact: Fact, statement: Statement, case: GuardCase) -> bool:
    """Tell whether a number is the right result of a step that its statement shows in words."""
    told = [*case.asked, *case.told]
    return worded(fact, statement.text, _outside(fact, statement), told) or behind_limit(
        fact, statement.text, case
    )


def _input(fact: Fact, statement: Statement, case: GuardCase) -> bool:
    """Whether it is a number of a shown sum that the question or the answer's words gave before."""
    shown = [one for total in sums(statement.text) for one in total.inputs]
    given = (*case.asked, *case.told, *_calendar(statement))
    written = fact.written
    return any(one.start == fact.start for one in shown) and any(
        one.written == written and not one.die for one in given
    )


def _bare(fact: Fact) -> bool:
    return not (fact.die or fact.base or fact.counted) and fact.kind != "odds"


def _outside(fact: Fact, statement: Statement) -> list[Fact]:
    """The numbers that it may follow from: no later sum, nor its own, which would prove itself."""
    if len(facts(statement.text)) > _MANY:
        return []
    shown = [[*total.inputs, total.result] for total in sums(statement.text)]
    later = {one.start for members in shown for one in members if members[-1].start >= fact.start}
    outside = [one for one in facts(statement.text) if one.start not in later]
    return [*outside, *(() if fact.start in later else _calendar(statement))]


def _calendar(statement: Statement) -> tuple[Fact, ...]:
    """What everybody knows of time: the 12 months of a year, the 7 days of a week."""
    words = set(content(statement.text))
    return tuple(fact for word, text in _CALENDAR.items() if word in words for fact in facts(text))


def _in_words(fact: Fact) -> bool:
    """Whether it is a word that counts nothing: twice, "one in twenty"."""
    return fact.text.isalpha() and not (fact.base or fact.nouns)


def _own_count(fact: Fact, text: str) -> bool:
    """Whether an answer counts on its own account: "two cases", "there are five:"."""
    leads = text.endswith(":") and not (fact.base or fact.die)
    counts = bool(fact.nouns) and fact.nouns[0] in _OWN_COUNTS
    return (leads or counts) and not fact.text[0].isdigit()


def foreign_unit(
    statement: Statement, stated: Sequence[Fact], case: GuardCase
) -> Iterator[Finding]:
    """Yield the units beside no number that nobody gave: "per year" where the rule says a month.

    A number with its unit is compared as a number; it may be converted.
    """
    given = set(content(case.question)).union(*(case.known.words[n - 1] for n in case.cited))
    given |= {word for fact in case.told for word in content(fact.text)}
    amounts = {(item.fact.base, item.fact.low) for item in case.known.occurrences}  # 12 months
    for match in _WORD.finditer(statement.text):
        unit = UNITS.get(match[0].lower())
        if unit is None or unit.dimension not in _TIMES or stem(match[0].lower()) in given:
            continue
        if stem(match[0].lower()) in _ORDINARY or (unit.base, unit.factor) in amounts:
            continue
        if not any(fact.start <= match.start() < fact.end and not fact.weak for fact in stated):
            message = f"is a unit that passage {case.passages} does not have"
            yield Finding("unit", match[0], message, "foreign unit")
