"""The abbreviations that a vault explains, "Hit Dice (HD)", "| ML | Morale |", and its aliases."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from retrieval.models import Aliases

if TYPE_CHECKING:  # what only cuts and reads Markdown needs no database
    import psycopg

_BEHIND = re.compile(
    r"((?:[A-Za-z][\w']{0,30}[ -]){0,4}[A-Za-z][\w']{0,30}) \(([A-Z][A-Za-z]{1,4})\)"
)
_BEFORE = re.compile(
    r"\W{0,4}([A-Z][A-Za-z]{1,4})[*_]{0,3}\s?[:|,–-]{1,3}[*_ |]{0,4}([A-Za-z][A-Za-z' -]{2,40})"
)
_WORD = re.compile(r"[A-Za-z][\w']*")
# A reader may meet a database whose table lacks the column: it was not ingested into since.
_ALIASES = "SELECT coalesce(to_jsonb(generation) -> 'aliases', '{}') FROM generation WHERE id = %s"


def stored_aliases(conn: "psycopg.Connection[Any]", generation_id: int) -> Aliases:
    """Return the aliases of a generation, as its vault's aliases.yaml had them."""
    row = conn.execute(_ALIASES, [generation_id]).fetchone()
    return {name: tuple(meanings) for name, meanings in (row[0] if row else {}).items()}


def explained(line: str) -> Iterator[tuple[str, str]]:
    """Yield (abbreviation, what it stands for) of a line, both in lower case.

    An abbreviation is the first letters of neighbouring words, or letters of one word in their
    order, its first letter among them.
    """
    for match in _BEHIND.finditer(line):
        yield from _fitting(match[2], _WORD.findall(match[1]), at_end=True)
    if before := _BEFORE.match(line):
        yield from _fitting(before[1], _WORD.findall(before[2]), at_end=False)


def _fitting(short: str, words: list[str], *, at_end: bool) -> Iterator[tuple[str, str]]:
    for count in (len(short), 1):
        run = words[-count:] if at_end else words[:count]
        if not short.isupper() and run and run[0].lower().startswith(short.lower()):
            return  # "Light, Lightning": a word and a longer one
        if len(run) == count and _abbreviates(short.lower(), [word.lower() for word in run]):
            yield short.lower(), " ".join(run).lower()
            return


def _abbreviates(short: str, words: list[str]) -> bool:
    if len(words) > 1:
        return all(word[0] == letter for word, letter in zip(words, short, strict=True))
    word = words[0]
    letters = iter(word)
    if len(word) <= len(short) + 1:
        return False
    return word[0] == short[0] and all(c in letters for c in short)
