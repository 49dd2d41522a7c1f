"""What is written in signs beside a number or a verb: comparators, conditions, must and may."""

import re
from collections.abc import Iterator, Sequence

from api.checks.guard.clauses import about, clauses, stems
from api.checks.guard.facts import Fact, facts
from api.checks.guard.occurrences import Occurrence, content, segment
from api.checks.guard.statements import Finding, GuardCase, Statement, otherwise
from api.checks.passage_lines import PassageLine
from retrieval.text import denials

# A limit right before a number, or up to three words behind it. A number that is itself allowed
# (at least, or more) is not the opposite of one that is not (under, less than): "more than 400
# coins" is the rest of "up to 400 coins".
_THING = r"(?:\s(?:an?|the|its) \w+(?: of)?)?\s[*_]*$"  # "up to a fare of 900"
_NO = "(?:no|not|never|cannot)(?: be)?"
_SMALLER = "(?:less|fewer|lower|shorter|smaller|sooner|earlier|younger) than"
_GREATER = "(?:more|greater|higher|longer|larger|bigger|later|older|faster) than"
_IS = r"\b[^,.;:]{0,30} (?:is|are)"  # "the shortest time is 10 days"
_BEFORE = {
    2: re.compile(
        rf"\b(?:at least|minimum(?: of)?|{_NO} (?:{_SMALLER}|under|below)|"
        rf"(?:shortest|(?<!at )least|lowest|smallest|minimum){_IS}){_THING}",
        re.IGNORECASE,
    ),
    1: re.compile(rf"\b(?:{_GREATER}|over|above|exceed\w*|beyond){_THING}", re.IGNORECASE),
    -1: re.compile(rf"\b(?:{_SMALLER}|under|below){_THING}", re.IGNORECASE),
    -2: re.compile(
        rf"\b(?:at most|up to|within|maximum(?: of)?|{_NO} (?:{_GREATER}|over|above|exceed\w*)|"
        rf"(?:longest|greatest|highest|largest|maximum){_IS}){_THING}",
        re.IGNORECASE,
    ),
}
_LIMITS = re.compile(
    rf"\b{_NO} (?:{_SMALLER}|{_GREATER}|exceed\w*|over|above|under|below)", re.IGNORECASE
)
_OPPOSITE = {2: {-1}, 1: {-2}, -1: {2}, -2: {1}}  # "over 3" for "up to 3" in the same words
_COPIED = 0.7  # of a clause's words must stand in the line for these
_WORDS = r"[*_]{0,3}(?:\s[\w']{1,25}){0,4}?"
_SMALL = "one|two|three|four|five|six|seven|eight|nine|ten|twelve"
_OWN = rf"\b(?! (?:than|to|the|{_SMALL})\b| [*_$€£]*\d)"  # no limit of the next number
_BEHIND = {
    2: re.compile(
        rf"{_WORDS} (?:(?:or|and) (?:more|higher|above|over|greater|up|older|longer|later)"
        rf"|at least|upwards){_OWN}",
        re.IGNORECASE,
    ),
    -2: re.compile(
        rf"{_WORDS} (?:(?:or|and) (?:less|fewer|lower|below|under|shorter|younger|smaller)|"
        rf"at (?:the )?most){_OWN}|{_WORDS}, (?:and |but )?(?:no|not) more{_OWN}",
        re.IGNORECASE,
    ),
}
_MOST = re.compile(r"\b(?:max\w*|most|highest|up to|limit)\b", re.IGNORECASE)  # of a column
_LEAST = re.compile(r"\b(?:min\w*|least|lowest)\b", re.IGNORECASE)
_DENIES = re.compile(rf"\b(?:{denials.SAID}|immune|only|unless|except)\b|n't\b", re.IGNORECASE)
_CUT = re.compile(r"[,;:]\s|\s(?:but|unless|except)\s", re.IGNORECASE)
_CONDITIONS = re.compile(
    r"\b(?:unless|except(?: for| when| if| in)?|provided(?: that)?|"
    r"only (?:if|when|while|where)|on condition that|but not (?:if|when))\s+([^,.;:()]+)",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    rf"\b(?:{denials.ASKED}|if|when|unless|except\w*|only|provided|as long as|until|while|but|"
    r"however|other|apart|must|requir\w+|needs?|after|before|during|where|who|whoever|than|save|"
    r"nor|neither|just|exempt\w*|lost|once|against)\b|n't\b",
    re.IGNORECASE,
)
_NOT_EVEN = re.compile(r"\b(?:not )?even (?:if|when|for)\b", re.IGNORECASE)
_MUST = re.compile(
    r"\b(?:must|ha(?:s|ve) to|needs?(?! not)(?: to)?|(?:is|are) (?:required|obliged) to)"
    r"\s(?!not\b)(?:be )?(\w+)",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b(?:may|can|might|(?:is|are) (?:free|allowed) to)\s(?!not\b)(?:be )?(\w+)", re.IGNORECASE
)
_MAY_NOT = re.compile(
    r"\b(?:(?:may|must|can) not|cannot|can't|(?:is|are) not allowed to)\s(?:be )?(\w+)",
    re.IGNORECASE,
)
_NEED_NOT = re.compile(
    r"\b(?:need not|needn't|(?:do|does|did)(?:n't| not) (?:need|have) to|"
    r"(?:is|are)(?:n't| not) (?:required|obliged) to)\s(?:be )?(\w+)",
    re.IGNORECASE,
)
_AGAINST = {
    _MUST: (_MAY, _MAY_NOT, _NEED_NOT), _MAY: (_MUST,), _MAY_NOT: (_MAY, _MUST),
    _NEED_NOT: (_MUST,),
}  # fmt: skip
_IF = re.compile(r"\b(?:if|when|whenever|unless|while)\s([^,.;:()]+)", re.IGNORECASE)
_LONGEST = 40  # characters, more than the longest limit before a number
_FEWEST = 2  # words of a clause whose verb is compared
_ALIKE = 0.6  # of a statement's words must stand in a line that its verb is compared with


def turned_limit(
    fact: Fact, stated: Sequence[Fact], statement: Statement, case: GuardCase
) -> Iterator[Finding]:
    """Yield the line that limits a number the other way: "3 HD or more" for "3 HD or fewer"."""
    said = _limit(statement.text, fact.start, fact.end)
    if not said:
        return
    supports = case.holding(fact)
    part = segment(statement.text, stated, fact)
    words = set(content(part))
    most = max((len(words & item.context) for item in supports), default=0)
    supports = [item for item in supports if len(words & item.context) == most]
    copied = most >= _COPIED * len(words)
    opposite = {-said, *(() if not copied else _OPPOSITE[said])}
    limits = {_limit_of(item) for item in supports}
    also = {_limit(statement.text, one.start, one.end) for one in stated if one.low == fact.low}
    denies = _denies(statement.text, fact)
    alike = [_denies(item.text, item.fact) == denies for item in supports]
    if supports and limits <= opposite and not limits & also and all(alike):
        yield Finding(
            "negation", fact.text, otherwise(supports[0].line, "the other way"), "comparator"
        )


def behind_limit(fact: Fact, text: str, case: GuardCase) -> bool:
    """Tell whether a number is the whole number behind a limit: "the third" for "more than two"."""
    if fact.die or fact.base or fact.low != fact.high:
        return False
    written, said = fact.written, _limit(text, fact.start, fact.end)
    return any(
        own.base == fact.base and not own.die and written - own.written == side != said
        for item in case.occurrences
        for own, side in [(item.fact, _limit_of(item))] if side in (1, -1)
    )  # fmt: skip


def added_condition(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the conditions of a statement that no line cited has: "unless the moon is full"."""
    matches = list(_CONDITIONS.finditer(statement.text))
    lines = case.lines if matches else []
    conditional = [
        about(line) for line in lines if _CONDITIONAL.search(_NOT_EVEN.sub(" ", _read(line)))
    ]
    for match in matches:
        words = {word for word in stems(match[1]) if word.isalpha()}
        if words and not any(words & there for there in conditional):
            message = f"is a condition that passage {case.passages} does not have"
            yield Finding("case", match[0], message, "condition")


def turned_modal(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the line that lets one do what a statement demands or forbids, or the other way.

    "must rest" for "may rest", "cannot be cast" for "can be cast", "need not wait" for "has to".
    Clause by clause, each beside the lines that have most of its words.
    """
    for part in dict.fromkeys((statement.text, *(one.text for one in clauses(statement.text)))):
        yield from _turned_in(part, case)


def _turned_in(text: str, case: GuardCase) -> Iterator[Finding]:
    said = {modal: set(_verbs(modal, text)) for modal in (_MUST, _MAY, _MAY_NOT, _NEED_NOT)}
    words = set(stems(text))
    if len(words) < _FEWEST or not any(said.values()):
        return
    lines = [
        line for line in case.lines if len(words & about(line)) >= _ALIKE * len(words)
    ]  # fmt: skip
    there = {modal: [set(_verbs(modal, _read(line))) for line in lines] for modal in said}
    for own, others in _AGAINST.items():
        for verb in sorted(said[own] - set().union(*there[own])):
            near = [
                n for other in others for n, verbs in enumerate(there[other])
                if (verb in verbs or (verbs and own is _NEED_NOT))
                and (_NEED_NOT not in (own, other) or _scope(text) == _scope(_read(lines[n])))
            ]  # fmt: skip
            if near and not (own in (_MAY_NOT, _NEED_NOT) and _is_denied(verb, case)):
                yield Finding("negation", verb, otherwise(lines[near[0]], "the other way"), "modal")


def _scope(text: str) -> set[object]:
    """The limits and conditions of a text: what need not be below 200 gp must be above."""
    limits = {(one.low, _limit(text, one.start, one.end)) for one in facts(text)}
    conditions = {frozenset(stems(found[1])) for found in _IF.finditer(text)}
    return {limit for limit in limits if limit[1]} | conditions


def _is_denied(verb: str, case: GuardCase) -> bool:
    """Whether a line cited says no, or only, of a verb: then it says so of something else, too."""
    texts = (f"{line.near} {line.text}" for line in case.lines)
    return any(_DENIES.search(text) and verb in stems(text) for text in texts)


def _limit(text: str, start: int, end: int) -> int:
    """2 where a number is the least that counts, 1 where more does, -1 and -2 opposite.

    0 where it is no limit.
    """
    sides = (-2, 2, -1, 1)  # "no more than" before "more than"
    text_before = text[max(0, start - _LONGEST) : start]  # all of it would be quadratic
    before = next((side for side in sides if _BEFORE[side].search(text_before)), 0)
    return before or next((side for side, words in _BEHIND.items() if words.match(text, end)), 0)


def _limit_of(item: Occurrence) -> int:
    """The limit of a passage's number, else the one that its column is."""
    if own := _limit(item.text, item.fact.start, item.fact.end):
        return own
    column = item.line.cells[item.cell].column
    return 2 if _LEAST.search(column) else -2 if _MOST.search(column) else 0


def _denies(text: str, fact: Fact) -> bool:
    """Whether the clause of a number says no; the no of a limit ("no more than") is none."""
    ends = [0, *(cut.start() for cut in _CUT.finditer(text)), len(text)]
    first = max(end for end in ends if end <= fact.start)
    clause = text[first : min((end for end in ends if end > fact.start), default=len(text))]
    return bool(_DENIES.search(_LIMITS.sub("", clause)))


def _verbs(modal: re.Pattern[str], text: str) -> list[str]:
    return [stem for match in modal.finditer(text) for stem in stems(match[1])]


def _read(line: PassageLine) -> str:
    return f"{line.near} {line.before} {line.text}"
