"""The aliases of a vault, and which of them its rules write instead of their meaning."""

import re
from collections.abc import Mapping
from typing import Any

from psycopg import Connection

from retrieval.index.text_search import CONFIGURATION
from retrieval.models import Aliases, Scope
from retrieval.text.words import alias_key
from retrieval.vocabulary.terms import SELDOM

# A reader may meet a database whose table lacks the column: it was not ingested into since.
_ALIASES = "SELECT coalesce(to_jsonb(generation) -> 'aliases', '{}') FROM generation WHERE id = %s"

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


def stored_aliases(conn: Connection[Any], generation_id: int) -> Aliases:
    """Return the aliases of a generation, as its vault's aliases.yaml had them."""
    row = conn.execute(_ALIASES, [generation_id]).fetchone()
    return {name: tuple(meanings) for name, meanings in (row[0] if row else {}).items()}


def written_for(
    conn: Connection[Any], generation_id: int, aliases: Aliases,
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
    conn: Connection[Any], generation_id: int, words: str, part: Scope | None
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
