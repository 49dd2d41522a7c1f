"""The language of a generation: PostgreSQL's configuration of text search, and its stop words."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from retrieval.errors import ConfigurationError

if TYPE_CHECKING:  # what only cuts and reads Markdown needs no database
    import psycopg

# A generation that does not say was made before there was a choice.
CONFIGURATION = (
    "(SELECT coalesce(fingerprint ->> 'language', 'english')::regconfig FROM generation "
    "WHERE id = %(generation)s)"
)
_KNOWN = "SELECT cfgname FROM pg_ts_config WHERE pg_ts_config_is_visible(oid) ORDER BY cfgname"
_IS_ENGLISH = f"SELECT {CONFIGURATION} = 'english'::regconfig"  # a constant
_STOP_WORDS = f"""
    SELECT word FROM unnest(%(words)s::text[]) AS word
    WHERE word ~ '[[:alpha:]]' AND to_tsvector({CONFIGURATION}, word) = ''
"""  # noqa: S608  # constants of this module, no values


def check(conn: "psycopg.Connection[Any]", language: str) -> None:
    """Raise ConfigurationError, naming those there are, where the database has no such language."""
    known = [name for (name,) in conn.execute(_KNOWN)]
    if language not in known:
        near = get_close_matches(language, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ConfigurationError(
            f"LANGUAGE: the database has no text search for {language!r}; {meant}It has "
            f"{', '.join(known)}"
        )


def stop_words(
    conn: "psycopg.Connection[Any]", generation_id: int, words: Collection[str]
) -> list[str]:
    """Return those of `words` that say nothing in the generation's language.

    None in English, whose own list is `retrieval.text.words.STOP`.
    """
    values: dict[str, object] = {"generation": generation_id}
    if conn.execute(_IS_ENGLISH, values).fetchone() == (True,):
        return []
    values["words"] = list(words)
    return [word for (word,) in conn.execute(_STOP_WORDS, values)]
