"""Whether the passages hold a number of a statement, and where the statement says."""

from collections.abc import Iterator, Sequence

from api.guard.alignment import Occurrence, agreement
from api.guard.arithmetic import sums
from api.guard.case import Case, Finding
from api.guard.clauses import denied
from api.guard.derived import ends, notation, of_odds, unshown, within
from api.guard.facts import Fact, facts
from api.guard.measured import weighed
from api.guard.section import other_section
from api.guard.statements import Statement
from api.guard.told import negated
from api.guard.welded import rival
from api.words import stem

# What an answer counts on its own account: "there are two ways".
_OWN_COUNTS_WORDS = (
    "way case option kind type thing rule value version source answer part condition exception "
    "step passage reason possibility example"
)
_FEW = 6  # numbers of a line; more of them make any number by chance
_OWN_COUNTS = frozenset(stem(word) for word in _OWN_COUNTS_WORDS.split())


def misplaced(
    fact: Fact, stated: Sequence[Fact], statement: Statement, case: Case
) -> Iterator[Finding]:
    """Yield what is wrong with a number of a statement whose numbers are `stated`."""
    cited = [item for item in case.known.occurrences if item.line.passage in case.cited]
    agreed = [(agreement(fact, item, case.known.counted), item) for item in cited]
    supports = [item for verdict, item in agreed if verdict == "same"]
    others = [item for verdict, item in agreed if verdict == "unit"]
    if told := weighed(fact, stated, statement, others, supports):
        yield _otherwise(fact, told)
    elif supports:
        yield from _placed(fact, stated, statement, supports, case)
    elif not _explained(fact, stated, statement, cited, case):
        yield from _missing(fact, statement, others, case)


def _missing(
    fact: Fact, statement: Statement, others: Sequence[Occurrence], case: Case
) -> Iterator[Finding]:
    told = [*case.told, *_calendar(statement)]
    step = unshown(fact, statement.text, told, case.asked)
    if not step and others:
        yield _otherwise(fact, others[0])
    elif step := step or _step_of_a_line(fact, statement.text, case):
        message = f"stands in no passage; if it is calculated, write the sum out: {step}"
        yield Finding("arithmetic", fact.text, message)
    elif not _own_count(fact, statement.text):
        numbers = ", ".join(str(number) for number in case.cited)
        yield Finding("number", fact.text, f"does not stand in passage {numbers}")


def _step_of_a_line(fact: Fact, text: str, case: Case) -> str:
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
    supports: Sequence[Occurrence], case: Case,
) -> Iterator[Finding]:  # fmt: skip
    """Whether a number that the passages hold comes from where the statement says."""
    line = supports[0].line
    if denied(statement.text, fact.start) and not any(negated(item.line) for item in supports):
        said = f'the statement says no to "{line.quote}" (passage {line.passage})'
        yield Finding("negation", fact.text, said)
    elif better := rival(fact, stated, statement, case.question, supports, case.known):
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
    fact: Fact, stated: Sequence[Fact], statement: Statement,
    cited: Sequence[Occurrence], case: Case,
) -> bool:  # fmt: skip
    """Whether a number that no cited passage holds follows from what they hold."""
    bare = not (fact.die or fact.base or fact.counted) and fact.kind != "odds"
    return (
        (bare and any(fact.low == other.low for other in case.place))
        or of_odds(fact, statement.text, cited)
        or ends(fact, cited)
        or within(fact, stated, cited, case.known.counted)
        or notation(fact, [*case.told, *facts(statement.text)])
        or _input(fact, statement, case)
    )


def _input(fact: Fact, statement: Statement, case: Case) -> bool:
    """Whether it is a number of a shown sum that the question or the answer's words gave before."""
    shown = [one for total in sums(statement.text) for one in total.inputs]
    results = [total.result for total in sums(statement.text) if total.result.start < fact.start]
    given = (*case.asked, *case.told, *_calendar(statement), *results)
    written = fact.low / fact.factor
    return any(one.start == fact.start for one in shown) and any(
        one.low / one.factor == written and not one.die for one in given
    )


def _calendar(statement: Statement) -> tuple[Fact, ...]:
    """The months of a year, by which a price a month is a price a year."""
    return facts("12") if "year" in statement.text else ()


def _own_count(fact: Fact, text: str) -> bool:
    """Whether an answer counts on its own account: "two cases", "there are five:"."""
    leads = text.endswith(":") and not (fact.base or fact.die)
    counts = bool(fact.nouns) and fact.nouns[0] in _OWN_COUNTS
    return (leads or counts) and not fact.text[0].isdigit()
