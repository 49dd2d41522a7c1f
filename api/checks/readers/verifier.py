"""One interface of readers, and how their verdicts are joined with the rules'.

A claim goes where the rules or any reader deny it. So a reader that agrees with everything changes
nothing, and what no reader could read is not shown: that costs a reader the model's sentence, and
the rule's line stands in its place. One that denies nearly all is named in the log.
"""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from api.checks import citations
from api.checks.claims import Claim
from api.checks.guard.occurrences import content
from api.checks.guard.statements import Finding
from api.checks.passage_lines import Source
from api.checks.review import Reading
from api.schema.guard import ReaderName, ReaderOutcome
from api.schema.usage import Usage

if TYPE_CHECKING:
    from api.http.client_disconnect import ClientDisconnect

log = logging.getLogger("api")
_LAST, _FEWEST, _MOST_DENIED = 40, 20, 0.9  # claims that are watched, and the share of denied ones
_SHORT = 1  # words of a sentence without a marker that says nothing by itself: "Yes."


@dataclass(frozen=True, slots=True)
class Asked:
    """Claims to read, with the passages that they were written from, numbered from 1."""

    claims: Sequence[Claim]
    sources: Sequence[Source]
    question: str
    answer: str
    seconds: float  # that are left
    disconnect: "ClientDisconnect | None" = None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a reader says: why each claim that it denies is not shown, by the claim's number."""

    reader: ReaderName
    outcome: ReaderOutcome
    claims: int
    denied: Mapping[int, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


class Verifier(Protocol):
    """Anything that reads claims. It never raises but where the client has left."""

    name: ReaderName

    def verdicts(self, asked: Asked) -> Verdicts:
        """Return what it says of every claim; of all that it could not read that it denies it."""


class Watch:
    """The last claims that a reader was asked about: whether it denies nearly all of them."""

    def __init__(self) -> None:
        self._last: deque[bool] = deque(maxlen=_LAST)
        self._warned = False
        self._lock = Lock()

    def saw(self, verdicts: Verdicts) -> str:
        """Keep what a reader said; return the warning where it is due, else ""."""
        with self._lock:
            denied = len(verdicts.denied)
            self._last.extend([True] * denied + [False] * (verdicts.claims - denied))
            counts = sum(self._last), len(self._last)
            due = denies_all(*counts)
            told, self._warned = due and not self._warned, due
            return warning(verdicts.reader, *counts) if told else ""


def denies_all(denied: int, claims: int) -> bool:
    """Tell whether a reader denies so many of at least 20 claims that it is of no use."""
    return claims >= _FEWEST and denied >= _MOST_DENIED * claims


def warning(reader: ReaderName, denied: int, claims: int) -> str:
    """Return what is said of a reader that denies nearly everything."""
    setting = {"llm": "GUARD_LLM=off", "model": "GUARD_MODEL=off"}[reader]
    return (
        f"the reader {reader!r} denied {denied} of the last {claims} claims that the rules of the "
        f"guard let pass, so hardly a word of the model is shown; set {setting} or another model"
    )


class Readers:
    """The readers of a process, in the order in which they are asked: the cheaper one first."""

    def __init__(self, readers: Sequence[Verifier] = ()) -> None:
        self._readers = {reader: Watch() for reader in readers}

    def read(
        self, reading: Reading, seconds: float, disconnect: "ClientDisconnect | None" = None
    ) -> list[Verdicts]:
        """Return the verdicts of each reader on the claims that passed, and warn of useless ones.

        What one denies the next is not asked of, and `seconds` are for all of them together. Raises
        LlmAbandonedError.
        """
        end = monotonic() + seconds
        sources = [citations.source(hit) for hit in reading.hits]
        left = [claim for claim in reading.passed if _says(claim)]
        found: list[Verdicts] = []
        for reader, watch in self._readers.items():
            if not left:
                break
            rest = max(0.0, end - monotonic())
            asked = Asked(left, sources, reading.question, reading.cited.text, rest, disconnect)
            found.append(reader.verdicts(asked))
            if told := watch.saw(found[-1]):
                log.warning(told)
            left = [claim for claim in left if claim.number not in found[-1].denied]
        return found


def findings(reading: Reading, verdicts: Sequence[Verdicts]) -> dict[int, Finding]:
    """Return the findings of all readers by the number of their claim."""
    texts = {claim.number: claim.text for claim in reading.claims}
    return {
        number: Finding("unsupported", texts[number], why, f"reader: {one.reader}")
        for one in verdicts for number, why in one.denied.items()
    }  # fmt: skip


def _says(claim: Claim) -> bool:
    return claim.marked or len(set(content(claim.text))) > _SHORT
