"""Whether the passages hold a number of a statement, and where the statement says."""

import re
from collections.abc import Iterator, Sequence

from api.checks.guard.alignment import Occurrence, agreement, content
from api.checks.guard.attribution.other_row import foreign_row
from api.checks.guard.attribution.other_section import other_section
from api.checks.guard.attribution.subject_and_number import rival
from api.checks.guard.case import Finding, GuardCase
from api.checks.guard.numbers.arithmetic import sums
from api.checks.guard.numbers.derived import (
    beyond,
    compares,
    ends,
    notation,
    of_odds,
    unshown,
    within,
)
from api.checks.guard.numbers.unit_check import weighed
from api.checks.guard.numbers.verbal_arithmetic import worded
from api.checks.guard.statements import Statement
from api.checks.guard.text.clauses import uncontracted
from api.checks.guard.text.facts import Fact, facts
from retrieval.text.words import stem

# What an answer counts on its own account: "there are two ways".
_OWN_COUNTS_WORDS = (
    "way case option kind type thing rule value version source answer part condition exception "
    "step passage reason possibility example"
)
_CALENDAR = {"year": "12, 52, 365", "week": "7", "day": "24", "hour": "60", "minute": "60"}
_LIST = re.compile(r"(?: [\w'-]+){0,3}(?::| -|,) ([^:;.]+)[.;]?")
_ITEMS = re.compile(r",\s+(?:and|or)\s|,\s+|\s(?:and|or)\s")
_OF_THESE = re.compile(
    r"\b(?:the|these|those|all|other|last|first|next|former|latter)\s$", re.IGNORECASE
)  # "for the last two"
_CORRECTED = re.compile(
    r"(?:,|\band|\bbut) not (?:(?:on|at|by|from|in|with|the) )*(?!than)(?:[a-z]+ )?(?<!than )$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:instead of|rather than|not) (?:\w+ ){0,2}$", re.IGNORECASE)
_SPOKEN_OF = 0.6  # of a line's words are in the statement or the question
_MANY = 40  # numbers of a statement that is a list and shows no step
_FEW = 6  # numbers of a line; more of them make any number by chance
_OWN_COUNTS = frozenset(stem(word) for word in _OWN_COUNTS_WORDS.split())


def misplaced(
    fact: Fact, stated: Sequence[Fact], statement: Statement, case: GuardCase
) -> Iterator[Finding]:
    """Yield what is wrong with a number of a statement whose numbers are `stated`."""
    cited = [item for item in case.known.occurrences if item.line.passage in case.cited]
    agreed = [(agreement(fact, item, case.known.counted), item) for item in cited]
    supports = [item for verdict, item in agreed if verdict == "same"]
    if bare := _used(fact, stated, supports):
        supports = [item for item in supports if item not in bare]
    others = [item for verdict, item in agreed if verdict == "unit"]
    if told := weighed(fact, stated, statement, others, supports):
        yield _otherwise(fact, told)
    elif supports:
        yield from _placed(fact, stated, statement, supports, case)
    elif not _explained(fact, stated, statement, cited, case):
        yield from _missing(fact, statement, others, case)


def _used(fact: Fact, stated: Sequence[Fact], supports: Sequence[Occurrence]) -> list[Occurrence]:
    """The bare numbers that another fact of the statement is: "12 days for children under 12"."""
    written = fact.low / fact.factor
    bare = any(one is not fact and one.low == written and _bare(one) for one in stated)
    return [
        item for item in supports
        if bare and fact.base and _bare(item.fact) and not item.column
    ]  # fmt: skip


def _missing(
    fact: Fact, statement: Statement, others: Sequence[Occurrence], case: GuardCase
) -> Iterator[Finding]:
    told = [*case.told, *_calendar(statement)]
    many = len(facts(statement.text)) > _MANY
    step = "" if many else unshown(fact, statement.text, told, case.asked)
    if not step and others:
        yield _otherwise(fact, others[0])
    elif step := step or ("" if many else _step_of_a_line(fact, statement.text, case)):
        message = f"stands in no passage; if it is calculated, write the sum out: {step}"
        yield Finding("arithmetic", fact.text, message)
    elif not _own_count(fact, statement.text):
        numbers = ", ".join(str(number) for number in case.cited)
        yield Finding("number", fact.text, f"does not stand in passage {numbers}")


def _step_of_a_line(fact: Fact, text: str, case: GuardCase) -> str:
    """The sum by which a conclusion follows from numbers of one line cited; "" for none."""
    lines: dict[int, list[Fact]] = {}
    for item in case.known.occurrences:
        if item.line.passage in case.cited and not item.fact.weak:
            lines.setdefault(id(item.line), []).append(item.fact)
    near = (one for one in lines.values() if 1 < len(one) <= _FEW)
    steps = (unshown(fact, text, one, ()) for one in near)
    return next((step for step in steps if step), "")


def _otherwise(fact: Fact, found: Occurrence) -> Finding:
    message = f'passage {found.line.passage} has it otherwise: "{found.line.quote}"'
    return Finding("unit", f"{fact.text} {' '.join(fact.nouns)}".strip(), message)


def _placed(
    fact: Fact, stated: Sequence[Fact], statement: Statement,
    supports: Sequence[Occurrence], case: GuardCase,
) -> Iterator[Finding]:  # fmt: skip
    """Whether a number that the passages hold comes from where the statement says."""
    if said := _denied_there(fact, statement, supports, case):
        yield Finding(
            "case", fact.text, f'"{said.line.quote}" (passage {said.line.passage}) says no to it'
        )
    elif better := rival(fact, stated, statement, case.question, supports, case.known, case.told):
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
    else:
        yield from _of_row(fact, stated, statement, supports, case)


def _denied_there(
    fact: Fact, statement: Statement, supports: Sequence[Occurrence], case: GuardCase
) -> Occurrence | None:
    """The line that says no to the number for what is spoken of: "on day 45 and not on day 21"."""
    if _INSTEAD.search(uncontracted(statement.text[: fact.start])):
        return None
    said = set(content(f"{statement.text} {case.question}"))
    for item in supports:
        line = item.line.cells[item.cell].text
        words = {word for word in content(line) if word.isalpha()}
        if _CORRECTED.search(line[: item.fact.start]) and len(words & said) >= _SPOKEN_OF * len(
            words
        ):
            return item
    return None


def _of_row(
    fact: Fact, stated: Sequence[Fact], statement: Statement,
    supports: Sequence[Occurrence], case: GuardCase,
) -> Iterator[Finding]:  # fmt: skip
    """Whether it stands in the row that is named, or follows from other numbers."""
    row = foreign_row(statement, case.question, supports, case.known)
    if row and not _explained(fact, stated, statement, supports, case):
        taken, named = row
        yield Finding(
            "welded", fact.text,
            f'"{fact.text}" stands in "{taken.line.quote}" (passage {taken.line.passage}), '
            f'but the statement names the row "{named.quote}"',
        )  # fmt: skip


def _explained(
    fact: Fact, stated: Sequence[Fact], statement: Statement,
    cited: Sequence[Occurrence], case: GuardCase,
) -> bool:  # fmt: skip
    """Whether a number that no cited passage holds follows from what they hold."""
    return (
        (_bare(fact) and any(fact.low == other.low for other in case.place))
        or of_odds(fact, statement.text, cited)
        or ends(fact, cited)
        or within(fact, stated, cited, case.known.counted)
        or notation(fact, [*case.told, *facts(statement.text)])
        or beyond(fact, statement.text, cited)
        or compares(fact, stated, cited)
        or _input(fact, statement, case)
        or worded(fact, statement.text, _outside(fact, statement), [*case.asked, *case.told])
    )


def _input(fact: Fact, statement: Statement, case: GuardCase) -> bool:
    """Whether it is a number of a shown sum that the question or the answer's words gave before."""
    shown = [one for total in sums(statement.text) for one in total.inputs]
    results = [total.result for total in sums(statement.text) if total.result.start < fact.start]
    given = (*case.asked, *case.told, *_calendar(statement), *results)
    written = fact.low / fact.factor
    return any(one.start == fact.start for one in shown) and any(
        one.low / one.factor == written and not one.die for one in given
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


def _listed(behind: str) -> int:
    """How many things a list behind a number names: 3 in " weapons: club, mace and sling."."""
    found = _LIST.match(behind)
    return len([part for part in _ITEMS.split(found[1]) if part.strip()]) if found else 0


def _own_count(fact: Fact, text: str) -> bool:
    """Whether an answer counts on its own account: "two cases", "there are five:"."""
    if fact.low > 1 and fact.low == _listed(text[fact.end :]):
        return True
    if _OF_THESE.search(text[: fact.start]) and not (fact.base or fact.nouns or fact.die):
        return not fact.text[0].isdigit()
    leads = text.endswith(":") and not (fact.base or fact.die)
    counts = bool(fact.nouns) and fact.nouns[0] in _OWN_COUNTS
    return (leads or counts) and not fact.text[0].isdigit()
