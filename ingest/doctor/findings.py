"""What a check found: in words, with the command that mends it."""

from dataclasses import dataclass
from typing import Literal

from retrieval.index.integrity import Odd

INGEST = "python -m ingest"
REBUILD = "python -m ingest --rebuild"
REINDEX = "python -m ingest --reindex"  # of the vector index

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be. An error makes answers wrong or missing."""

    level: Level
    what: str  # with the value and the name of the file or chunk
    mend: str  # a command, or what to do


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, and what was found there."""

    name: str
    about: str  # in one line, with numbers
    findings: tuple[Finding, ...] = ()

    @property
    def status(self) -> Literal["OK", "WARN", "ERROR"]:
        """The worst of its findings."""
        if not self.findings:
            return "OK"
        return "ERROR" if any(f.level == "error" for f in self.findings) else "WARN"


def error(what: str, mend: str) -> Finding:
    """Return a finding that makes answers wrong or missing."""
    return Finding("error", what, mend)


def warning(what: str, mend: str) -> Finding:
    """Return a finding that answers can be lived with."""
    return Finding("warning", what, mend)


def of_rows(what: str, odd: Odd, mend: str) -> tuple[Finding, ...]:
    """Return an error that names the first odd rows; none where there is no odd row."""
    if not odd.count:
        return ()
    return (error(f"{odd.count} {what}: {listed(odd.first, odd.count)}", mend),)


def listed(names: tuple[str, ...], count: int | None = None) -> str:
    """Return the first three names, and how many of `count` are left out."""
    shown = names[:3]
    more = (len(names) if count is None else count) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
