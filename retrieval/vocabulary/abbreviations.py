"""The abbreviations that a vault explains, "Hit Dice (HD)", "| ML | Morale |", and its aliases."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from retrieval.index.text_search import CONFIGURATION
from retrieval.models import Aliases, Scope
from retrieval.text.words import alias_key

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

SELDOM = 2  # times: a word that the rules explain, and not what they call the thing
_MOST_LOOKED_AT = 500  # chunks; words of which the rarest is in more are not counted
_OF_PART = "AND p.chunk_id + 0 = ANY(%(part)s::bigint[])"
_CHUNKS_WITH = f"""
    WITH counted AS (
        SELECT said.lexeme, (
            SELECT count(*) FROM (
                SELECT FROM posting AS p WHERE p.generation_id = %(generation)s
                    AND p.lexeme = said.lexeme {{of_part}} LIMIT %(most)s + 1
            ) AS found
        ) AS chunks FROM unnest(to_tsvector({CONFIGURATION}, %(words)s)) AS said
    ), rarest AS (SELECT * FROM counted ORDER BY chunks, lexeme LIMIT 1)
    SELECT (
        SELECT count(*) FROM posting AS p JOIN chunk AS c ON c.id = p.chunk_id
        WHERE p.generation_id = %(generation)s AND p.lexeme = rarest.lexeme
            AND c.text ~* %(pattern)s {{of_part}}
    ) FROM rarest WHERE chunks <= %(most)s
"""  # noqa: S608  # constants of our modules, no values


def stored_aliases(conn: "psycopg.Connection[Any]", generation_id: int) -> Aliases:
    """Return the aliases of a generation, as its vault's aliases.yaml had them."""
    row = conn.execute(_ALIASES, [generation_id]).fetchone()
    return {name: tuple(meanings) for name, meanings in (row[0] if row else {}).items()}


def written_for(
    conn: "psycopg.Connection[Any]", generation_id: int, aliases: Aliases,
    words: Mapping[str, int], part: Scope | None = None,
) -> tuple[Aliases, frozenset[str]]:  # fmt: skip
    """Return, of the aliases that the rules write, those that stand for their meaning, and others.

    The first are by a meaning that is in at most SELDOM chunks; the others are those whose meaning
    is in more chunks than they. `words` are those of the generation, or of the `part` that exists
    for who asks, and how often each is written. What has no word in at most _MOST_LOOKED_AT
    chunks is not counted, and is in neither.
    """
    stand_for: dict[str, tuple[str, ...]] = {}
    rarer = set()
    for alias in sorted(aliases, key=lambda name: (words.get(name, 0), name)):
        if words.get(alias, 0) <= SELDOM:
            continue
        meaning = alias_key(aliases[alias][0])
        written = _chunks_with(conn, generation_id, meaning, part)
        if written is None:
            continue
        if written <= SELDOM:
            stand_for[meaning] = (alias,)  # of two that mean the same, the one written more often
        elif written > (_chunks_with(conn, generation_id, alias, part) or written):
            rarer.add(alias)
    return stand_for, frozenset(rarer)


def _chunks_with(
    conn: "psycopg.Connection[Any]", generation_id: int, words: str, part: Scope | None
) -> int | None:
    """In how many chunks words stand beside each other; None where they are not counted."""
    values: dict[str, Any] = {
        "generation": generation_id, "words": words, "most": _MOST_LOOKED_AT,
        "pattern": _pattern(words), "part": part.chunks if part else None,
    }  # fmt: skip
    query = _CHUNKS_WITH.format(of_part=_OF_PART if part else "")
    row = conn.execute(query, values, prepare=False).fetchone()
    return row[0] if row else None


def _pattern(words: str) -> str:
    """PostgreSQL's expression for words beside each other, however joined; the last may go on."""
    return r"\m" + r"\W+".join(re.findall(r"\w+", words)).removesuffix("s") + r"s?\M"


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
