"""The clauses of a passage's line, each with what it is read with."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from api.checks.guard.text.clauses import Clause, clauses, stems, uncontracted
from api.checks.passage_lines import PassageLine

_CONDITION = re.compile(r"\s*(?:if|when|while)\s+([^,.;:|]+)", re.IGNORECASE)
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)
_LABEL = re.compile(r"[^:.,;]{1,40}:[*_]*\s")


@dataclass(frozen=True, slots=True)
class LineClause:
    """A clause of a line; `about` are the stems of the line, its key and what is above it."""

    clause: Clause
    line: PassageLine
    about: frozenset[str]
    key: frozenset[str]
    column: frozenset[str] = frozenset()  # of a row's cell, what only its column's name has
    columns: frozenset[str] = frozenset()  # and what the names of the other columns have

    @property
    def condition(self) -> frozenset[str]:
        """The stems of what stands behind "if" or "when" right behind the clause."""
        read = uncontracted(" | ".join(cell.text for cell in self.line.cells))
        _, _, behind = read.partition(self.clause.text)
        found = _CONDITION.match(behind)
        return frozenset(stems(found[1])) if found else frozenset()

    def named(self, words: Set[str]) -> bool:
        """Tell whether `words` name the line's key: most of a row's, a word of another's."""
        both = len(self.key & words)
        return not self.key or (2 * both > len(self.key) if self.line.kind == "row" else both > 0)


@lru_cache(maxsize=8192)
def told(line: PassageLine) -> tuple[LineClause, ...]:
    """Return the clauses of a line; none of a table's header, nor of a row's key."""
    read = " | ".join(cell.text for cell in line.cells)
    above = " ".join([read, line.key, line.near, line.before, line.heading])
    about, key = frozenset(stems(above)), frozenset(stems(line.key))
    if line.kind != "row":
        return tuple(LineClause(clause, line, about, key) for clause in _prose(line, read))
    if len(line.cells) > 2 and not any(cell.column for cell in line.cells):
        return ()
    return tuple(_row(line, about, key))


def negated(line: PassageLine) -> bool:
    """Tell whether a line, or what leads it in, says no to anything."""
    parts = (*(part.clause for part in told(line)), *clauses(line.near))
    return any(part.negated or part.limit for part in parts)


def _prose(line: PassageLine, read: str) -> Iterator[Clause]:
    """The clauses of an item or sentence; an item's lead-in, and a label, say no for it."""
    lead = line.near.rstrip("* ")
    if line.kind == "item" and not line.before and lead.endswith(":"):
        last = clauses(lead)[-1:]  # "never does both:" denies nothing of the items
        governed = any(part.negated and not part.bare for part in last)
        read = f"{lead[:-1]} {read}" if governed else read
    found = clauses(read)
    yield from found
    if len(found) > 1 and found[0].negated and _LABEL.match(read):
        label, after = found[:2]
        yield replace(label, text=f"{label.text}: {after.text}", words=label.words | after.words)


def _row(line: PassageLine, about: frozenset[str], key: frozenset[str]) -> Iterator[LineClause]:
    """The clauses of a row's cells; a cell that only says no denies its column of the key."""
    for at, cell in enumerate(line.cells):
        if not at and cell.column:
            continue
        own = frozenset(stems(cell.column))
        others = frozenset(stems(" ".join(c.column for c in line.cells[1:] if c is not cell)))
        with_column = about | own
        for clause in clauses(cell.text):
            plain = not clause.words or _YES.match(clause.text)
            if plain and cell.column and any(word.isalpha() for word in key):
                whole = f"{cell.column} {line.key} {clause.text}".replace(",", "")
                clause = clauses(f"not {whole}" if clause.negated else whole)[0]
            yield LineClause(clause, line, with_column, key, own - others, others - own)
