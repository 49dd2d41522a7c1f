"""What is written in signs beside a number or a verb: comparators, conditions, must and may."""

import re
from collections.abc import Iterator, Sequence

from api.checks.guard.alignment import agreement
from api.checks.guard.clauses import stems
from api.checks.guard.facts import Fact
from api.checks.guard.numbers.units import find
from api.checks.guard.occurrences import Occurrence, content, segment
from api.checks.guard.statements import Finding, GuardCase, Statement
from api.checks.passage_lines import PassageLine
from retrieval.text.words import stem

# A limit right before a number, or up to three words behind it. A number that is itself allowed
# (at least, or more) is not the opposite of one that is not (under, less than): "more than 400
# coins" is the rest of "up to 400 coins".
_THING = r"(?:\s(?:an?|the|its) \w+(?: of)?)?\s$"  # "up to a fare of 900"
_AT_LEAST = "at least|minimum(?: of)?|(?:no|not|never) (?:less|fewer|lower|shorter) than"
_MORE = "(?:more|greater|higher|longer|older) than|over|above"
_LESS = "(?:less|fewer|lower|shorter) than|under|below"
_AT_MOST = "at most|up to|maximum(?: of)?|(?:no|not|never) (?:more|greater|higher|longer) than"
_BEFORE = {
    2: re.compile(rf"\b(?:{_AT_LEAST}){_THING}", re.IGNORECASE),
    1: re.compile(rf"\b(?:{_MORE}){_THING}", re.IGNORECASE),
    -1: re.compile(rf"\b(?:{_LESS}){_THING}", re.IGNORECASE),
    -2: re.compile(rf"\b(?:{_AT_MOST}){_THING}", re.IGNORECASE),
}
_BEHIND = {
    2: re.compile(
        r"(?:\s[\w']+){0,3}? (?:(?:or|and) (?:more|higher|above|over|greater|up|older|longer|later)"
        r"|at least)\b",
        re.IGNORECASE,
    ),
    -2: re.compile(
        r"(?:\s[\w']+){0,3}? (?:(?:or|and) (?:less|fewer|lower|below|under|shorter|earlier|younger|"
        r"smaller)|at (?:the )?most)\b|(?:\s[\w']+){0,4}?, (?:and |but )?(?:no|not) more\b",
        re.IGNORECASE,
    ),
}
_MOST = re.compile(r"\b(?:max\w*|most|highest|up to|limit)\b", re.IGNORECASE)  # of a column
_LEAST = re.compile(r"\b(?:min\w*|least|lowest)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:not|no|never|cannot|none|nobody|nothing|without|neither|nor|immune|only|unless|except)\b"
    r"|n't\b",
    re.IGNORECASE,
)
_CONDITIONS = re.compile(
    r"\b(?:unless|except(?: for| when| if| in)?|provided(?: that)?|"
    r"only (?:if|when|while|where)|on condition that|but not (?:if|when))\s+([^,.;:()]+)",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|when|unless|except\w*|only|provided|as long as|until|while|but|however|without|not|"
    r"no|never|cannot|other|apart|must|requir\w+|needs?|after|before|during|where|who|whoever|"
    r"than|save|nor|neither|just|exempt\w*|lost|once)\b|n't\b",
    re.IGNORECASE,
)
_NOT_EVEN = re.compile(r"\b(?:not )?even (?:if|when|for)\b", re.IGNORECASE)
_MUST = re.compile(
    r"\b(?:must|ha(?:s|ve) to|needs? to|(?:is|are) (?:required|obliged) to)\s(?!not\b)(?:be )?"
    r"(\w+)",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b(?:may|can|might|(?:is|are) (?:free|allowed) to)\s(?!not\b)(?:be )?(\w+)", re.IGNORECASE
)
_MAY_NOT = re.compile(
    r"\b(?:(?:may|must|can) not|cannot|can't|(?:is|are) not allowed to)\s(?:be )?(\w+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]{3,}")
_TIMES = frozenset(("duration", "distance"))
_ORDINARY = frozenset(map(stem, ("second", "day", "foot", "feet")))  # they mean other things, too
_LONGEST = 40  # characters, more than the longest limit before a number
_ALIKE = 0.6  # of a statement's words must stand in a line that its verb is compared with


def turned_limit(fact: Fact, statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the line that limits a number the other way: "3 HD or more" for "3 HD or fewer"."""
    said = _limit(statement.text, fact.start, fact.end)
    if not said:
        return
    supports = [
        item for item in case.known.occurrences if item.line.passage in case.cited
        and agreement(fact, item, case.known.counted) == "same"
    ]  # fmt: skip
    words = set(content(segment(statement.text, [fact], fact)))
    most = max((len(words & item.context) for item in supports), default=0)
    supports = [item for item in supports if len(words & item.context) == most]
    limits = [_limit_of(item) for item in supports]
    denies = bool(_DENIES.search(_plain(statement.text)))
    alike = [bool(_DENIES.search(_plain(_text(item)))) == denies for item in supports]
    if supports and all(limit == -said for limit in limits) and all(alike):
        yield Finding("negation", fact.text, _otherwise(supports[0].line), "comparator")


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
        unit = find(match[0].lower())
        if unit is None or unit.dimension not in _TIMES or stem(match[0].lower()) in given:
            continue
        if stem(match[0].lower()) in _ORDINARY or (unit.base, unit.factor) in amounts:
            continue
        if not any(fact.start <= match.start() < fact.end and not fact.weak for fact in stated):
            numbers = ", ".join(str(number) for number in case.cited)
            yield Finding("unit", match[0], f"is a unit that passage {numbers} does not have",
                          "foreign unit")  # fmt: skip


def added_condition(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the conditions of a statement that no line cited has: "unless the moon is full"."""
    matches = list(_CONDITIONS.finditer(statement.text))
    lines = [line for line in case.known.lines if line.passage in case.cited] if matches else []
    conditional = [
        _words(line) for line in lines if _CONDITIONAL.search(_NOT_EVEN.sub(" ", _read(line)))
    ]
    asked = set(stems(case.question))
    for match in matches:
        words = {word for word in stems(match[1]) if word.isalpha()}
        own = words - asked or words
        if own and not any(own & there for there in conditional):
            numbers = ", ".join(str(number) for number in case.cited)
            message = f"is a condition that passage {numbers} does not have"
            yield Finding("case", match[0], message, "condition")


def turned_modal(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the line that lets one do what a statement demands or forbids, or the other way.

    "must rest" for "may rest", "cannot be cast" for "can be cast".
    """
    said = {modal: set(_verbs(modal, statement.text)) for modal in (_MUST, _MAY, _MAY_NOT)}
    if not any(said.values()):
        return
    words = set(stems(statement.text))
    lines = [
        line for line in case.known.lines if line.passage in case.cited
        and len(words & _words(line)) >= _ALIKE * len(words)
    ]  # fmt: skip
    there = {modal: [set(_verbs(modal, _read(line))) for line in lines] for modal in said}
    for own, other in ((_MUST, _MAY), (_MAY, _MUST), (_MAY_NOT, _MAY)):
        for verb in sorted(said[own] - set().union(*there[own])):
            near = next((n for n, verbs in enumerate(there[other]) if verb in verbs), None)
            if near is not None and not (own is _MAY_NOT and _is_denied(verb, case)):
                yield Finding("negation", verb, _otherwise(lines[near]), "modal")


def _is_denied(verb: str, case: GuardCase) -> bool:
    """Whether a line cited says no, or only, of a verb: then it says so of something else, too."""
    lines = (line for line in case.known.lines if line.passage in case.cited)
    return any(verb in _words(line) and _DENIES.search(_read(line)) for line in lines)


def _limit(text: str, start: int, end: int) -> int:
    """2 where a number of a text is the least that counts, 1 where more does, -1 and -2 opposite.

    0 where it is no limit.
    """
    behind = next((side for side, words in _BEHIND.items() if words.match(text, end)), 0)
    sides = (-2, 2, -1, 1)  # "no more than" before "more than"
    before = text[max(0, start - _LONGEST) : start]  # all of it would be quadratic
    return behind or next((side for side in sides if _BEFORE[side].search(before)), 0)


def _limit_of(item: Occurrence) -> int:
    """The limit of a passage's number, else the one that its column is."""
    if own := _limit(_text(item), item.fact.start, item.fact.end):
        return own
    column = item.line.cells[item.cell].column
    return 2 if _LEAST.search(column) else -2 if _MOST.search(column) else 0


def _plain(text: str) -> str:
    """A text without the negations of its limits: "no more than" denies nothing."""
    return re.sub(r"\b(?:no|not|never) (?=(?:more|less|fewer|\w+er) than)", "", text)


def _verbs(modal: re.Pattern[str], text: str) -> list[str]:
    return [stem for match in modal.finditer(text) for stem in stems(match[1])]


def _text(item: Occurrence) -> str:
    return item.line.cells[item.cell].text


def _read(line: PassageLine) -> str:
    return " ".join([line.near, line.before, *(cell.text for cell in line.cells)])


def _words(line: PassageLine) -> set[str]:
    return set(stems(f"{line.heading} {line.key} {_read(line)}"))


def _otherwise(line: PassageLine) -> str:
    return f'passage {line.passage} has it the other way: "{line.quote}"'
