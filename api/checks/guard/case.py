"""A fault of an answer, and what one statement of it is checked against."""

from dataclasses import dataclass
from typing import Literal

from api.checks.guard.alignment import Evidence
from api.checks.guard.text.facts import Fact

FindingKind = Literal[
    "number", "unit", "name", "welded", "uncited", "negation", "arithmetic", "case"
]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of an answer: `text` is the answer's words, `message` says what is wrong."""

    kind: FindingKind
    text: str
    message: str


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
