"""An answer as statements, each with the passages that it cites; what one is checked against."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from api.checks.guard.alignment import Evidence, agreement
from api.checks.guard.facts import Fact, facts
from api.checks.guard.occurrences import Occurrence
from api.checks.markers import MARKER, RUN, plain
from api.checks.passage_lines import PassageLine, sentences
from retrieval.text.line_marks import ITEM
from retrieval.text.normalize import fold

_AFTER_STOP = re.compile(rf"([.!?])({RUN.pattern})", re.ASCII)
HEADING = re.compile(r"\s*#{1,6}\s|\s*\*\*[^*\n]+\*\*:?\s*$")  # models write them in bold
_TABLE_RULE = re.compile(r"(?=[\s:|-]*?--)[\s:|-]*$")

FindingKind = Literal[
    "number", "unit", "name", "welded", "uncited", "negation", "arithmetic", "case", "unsupported"
]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or item without its markers. `cited` is empty where its block cites nothing."""

    text: str  # folded
    lead: str  # folded: what its block said before it, its list's lead-in, a heading above
    cited: tuple[int, ...]  # from 1, in order, each once
    own: bool  # whether its markers stand in itself; what leads in a list cites what the list does
    start: int = 0  # of the sentence, item or table row that it is all or a part of, in the answer
    end: int = 0  # behind its last character; markers and the full stop are within

    @property
    def place(self) -> tuple[int, int]:
        """Where it begins and ends in the answer."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of an answer: `text` is the answer's words, `message` says what is wrong."""

    kind: FindingKind
    text: str
    message: str
    check: str  # the name of what found it, as `evals.guard_set` counts them


@dataclass(frozen=True, slots=True)
class GuardCase:
    """What one statement is checked against."""

    question: str
    asked: tuple[Fact, ...]
    known: Evidence
    cited: tuple[int, ...]
    texts: tuple[str, ...]  # of the passages with what is above them, folded
    told: tuple[Fact, ...]  # what the answer has stated before, and was checked there
    place: tuple[Fact, ...]  # of the paths and headings of the cited passages

    @property
    def lines(self) -> list[PassageLine]:
        """The lines of the passages that the statement cites."""
        return [line for line in self.known.lines if line.passage in self.cited]

    @property
    def occurrences(self) -> list[Occurrence]:
        """The numbers of these lines."""
        return [item for item in self.known.occurrences if item.line.passage in self.cited]

    @property
    def passages(self) -> str:
        """The passages as a message names them: "1, 3"."""
        return ", ".join(map(str, self.cited))

    def holding(self, fact: Fact) -> list[Occurrence]:
        """Return the numbers of the cited lines that hold the fact."""
        return [
            item for item in self.occurrences
            if agreement(fact, item, self.known.counted) == "same"
        ]  # fmt: skip


def otherwise(line: PassageLine, how: str = "otherwise") -> str:
    """Return the message that a line has something otherwise than the statement."""
    return f'passage {line.passage} has it {how}: "{line.quote}"'


def other_unit(fact: Fact, line: PassageLine) -> Finding:
    """Return the finding that a line has a number with another unit."""
    return Finding("unit", f"{fact.text} {' '.join(fact.nouns)}".strip(), otherwise(line), "unit")


def statements(answer: str) -> tuple[Statement, ...]:
    """Return the statements of `answer` in order; headings are none.

    A sentence without a marker is taken to cite what the next marker of its block cites, or the
    last one before it: models put one marker behind two sentences. A block without any, or the line
    that leads in a list, cites what all that follows does, else what stands last before it.
    """
    found: list[Statement] = []
    heading = lead = ""
    shared: tuple[int, ...] = ()
    for at, row in _blocks(answer):
        if HEADING.match(row) or _TABLE_RULE.match(row):
            heading, lead, shared = fold(MARKER.sub("", row)), "", _cited(row)
            continue
        item = ITEM.match(row)
        skipped = item.end() if item else 0
        block = list(_of_block(row[skipped:], at + skipped, f"{heading} {lead}", shared))
        if not block:  # the markers of all before stand in a line of their own
            alone = _cited(row)
            found = [one if one.cited else replace(one, cited=alone) for one in found]
        found.extend(block)
        if not item:
            closing = block[-1] if block else None
            leads = bool(closing and closing.text.rstrip().endswith(":"))
            lead = closing.text if closing and leads else ""
            shared = closing.cited if closing and leads else ()
    return tuple(_led(statement, found[:at], found[at:]) for at, statement in enumerate(found))


def _led(statement: Statement, before: list[Statement], later: list[Statement]) -> Statement:
    if statement.cited:
        return statement
    cited = tuple(dict.fromkeys(number for item in later for number in item.cited))
    nearest = next((item.cited for item in reversed(before) if item.cited), ())
    leads = statement.text.endswith(":")
    return replace(statement, cited=cited if leads else cited or nearest)


def _blocks(answer: str) -> Iterator[tuple[int, str]]:
    """Paragraphs with their lines joined; list items, table rows and headings each alone.

    Each with where it begins; it is as long as in the answer.
    """
    block: list[str] = []
    start = offset = 0
    for row in answer.split("\n"):
        alone = bool(ITEM.match(row) or HEADING.match(row)) or row.lstrip().startswith("|")
        if block and (alone or not row.strip() or block[0].lstrip().startswith(("|", "#"))):
            yield start, " ".join(block)
            block = []
        if row.strip():
            start = start if block else offset
            block.append(row)
        offset += len(row) + 1
    if block:
        yield start, " ".join(block)


def _of_block(text: str, start: int, lead: str, shared: tuple[int, ...]) -> Iterator[Statement]:
    moved = _AFTER_STOP.sub(r"\2\1", text)  # "One hour. [1]" as "One hour [1]."
    whole = [(0, len(text))] if text.lstrip().startswith("|") else []
    found = [
        (part, whole[0] if whole else (at, at + len(sentence)))
        for at, sentence in sentences(moved) for part in _claims(sentence)
        if RUN.sub("", part).strip(" .")
    ]  # fmt: skip
    parts = [part for part, _ in found]
    cites = [_cited(part) for part in parts]
    said = lead.strip()
    for at, (part, (begins, ends)) in enumerate(found):
        later = next((cited for cited in cites[at:] if cited), ())
        before = next((cited for cited in reversed(cites[:at]) if cited), ())
        told, own = plain(part), bool(cites[at])
        yield Statement(told, said, later or before or shared, own, start + begins, start + ends)
        said = f"{said} {told}".strip()


def _claims(sentence: str) -> Iterator[str]:
    """A sentence cut behind its markers, where both sides of one state a fact."""
    ends = [match.end() for match in RUN.finditer(sentence)]
    start = 0
    for end, following in pairwise([*ends, len(sentence)]):
        if _states(sentence[start:end]) and _states(sentence[end:following]):
            yield sentence[start:end]
            start = end
    yield sentence[start:]


def _states(text: str) -> bool:
    return any(not fact.weak for fact in facts(fold(MARKER.sub("", text))))


def _cited(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(match[1][:9]) for match in MARKER.finditer(text)))
