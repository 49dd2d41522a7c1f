"""The words of each file of a generation, and their sums, which an edit changes by its files alone.

A file that was read before is known by its rows. Those of an edit are the newest of the table, and
whether files are gone tells the size of the whole, so that an edit is read without a look at all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from retrieval.index import text_search
from retrieval.models import Aliases, Entry, Name, Scope, Terms
from retrieval.text.spellings import Spellings
from retrieval.text.words import WORD, alias_key
from retrieval.vocabulary.abbreviations import stored_aliases, written_for
from retrieval.vocabulary.layered import changed
from retrieval.vocabulary.term_sums import Row, Sums, edited, resized
from retrieval.vocabulary.terms import key, stemmed, stems_of

if TYPE_CHECKING:  # what only cuts and reads Markdown needs no database
    from retrieval.index.store import Connection

_FILES_AT_ONCE = 500  # whose entries are read of the database by one statement
_PORTION = 4_000  # files that are read before what is known is kept: 10 s of them, at most
_FILES = """
    SELECT path, min(id), max(id), count(*), sum(length)::bigint FROM chunk
    WHERE generation_id = %(generation)s AND id > %(after)s
        AND (%(part)s::bigint[] IS NULL OR id = ANY(%(part)s::bigint[])) GROUP BY path
"""
# A reader may meet a database that no ingest of this version has changed yet.
_IS_COUNTED = "SELECT to_regclass('corpus') IS NOT NULL"
_SIZE = "SELECT chunks, words FROM corpus WHERE generation_id = %(generation)s"
_CALLED = """
    SELECT f.path, to_jsonb(f) -> 'metadata' -> 'aliases' FROM file AS f
    WHERE generation_id = %(generation)s AND to_jsonb(f) -> 'metadata' ? 'aliases'
        AND (%(of)s::text[] IS NULL OR f.path = ANY(%(of)s::text[]))
"""
_ENTRIES = """
    SELECT c.path, e.kind, e.heading, e.quote, e.lead, e.words
    FROM entry AS e JOIN chunk AS c ON c.id = e.chunk_id
    WHERE c.generation_id = %(generation)s AND c.path = ANY(%(paths)s) AND e.kind <> 'whole'
    ORDER BY c.path, e.first_line, c.piece, e.ordinal
"""


@dataclass(slots=True)
class TermsCache:
    """The terms of the generation that was asked last."""

    _known: tuple[str, Terms, Mapping[str, Row]] | None = field(default=None)
    _sums: Sums = field(default_factory=Sums)

    def of(
        self, conn: "Connection", generation_id: int, name: str, part: Scope | None = None
    ) -> Terms:
        """Return the terms of a generation, or of a `part`, which a cache always is asked for.

        A part has the aliases whose meanings stand in it. `name` changes with every change; only
        the files that changed are read.
        """
        return self.with_rows(conn, generation_id, name, part)[0]

    def with_rows(
        self, conn: "Connection", generation_id: int, name: str, part: Scope | None = None
    ) -> tuple[Terms, Mapping[str, Row]]:
        """Return the same, and what tells one state of each of its files from another, by path."""
        known = self._known
        if known is None or known[0] != name:
            revision = int(name.rpartition(".")[2])
            for sums in _read(conn, generation_id, revision, part, self._sums):
                self._sums = sums  # where the time is over now, the next search goes on from here
            aliases = stored_aliases(conn, generation_id)
            if part is not None:
                aliases = _said_in(sums.frequency, aliases)
            terms = _terms(sums, aliases)
            stop = text_search.stop_words(conn, generation_id, terms.words)
            written, rarer = written_for(conn, generation_id, aliases, terms.words, part)
            terms = replace(terms, stop=frozenset(map(stemmed, stop)), written=written, rarer=rarer)
            known = self._known = (name, terms, sums.rows)
        return known[1:]


def of_entries(
    found: Iterable[tuple[str, Entry]], aliases: Aliases = MappingProxyType({})
) -> Terms:
    """Return the terms of entries with the paths of their files, and of the vault's aliases."""
    return _terms(edited(Sums(), {}, found).whole(), aliases)


def _read(
    conn: "Connection", generation_id: int, revision: int, part: Scope | None, before: Sums
) -> Iterator[Sums]:
    """Yield the sums after every portion of the files that changed, the whole ones last."""
    values: dict[str, Any] = {"generation": generation_id, "part": part.chunks if part else None}
    is_later = before.generation_id == generation_id and before.revision < revision
    rows = _since(conn, values, before) if is_later and part is None else None
    of: list[str] | None = None  # files of which the aliases are read; None: all
    if rows is not None:
        of = [*rows] or None
    else:
        now = _files(conn, values, after=0)
        gone = sum(now.get(path) != row for path, row in before.rows.items())
        if 2 * gone > len(before.rows):  # another generation
            before = Sums()
        rows = {path: row for path, row in now.items() if before.rows.get(path) != row}
        rows |= dict.fromkeys(before.rows.keys() - now.keys())
        before = replace(before, last=max((row.last for row in now.values() if row), default=0))
    paths, sums = sorted(rows), before
    for at in range(0, max(1, len(paths)), _PORTION):
        portion = {path: rows[path] for path in paths[at : at + _PORTION]}
        there = [path for path, row in portion.items() if row]
        sums = edited(sums, portion, _entries_of(conn, values, there))
        yield sums
    said = conn.execute(_CALLED, {**values, "of": of}).fetchall()
    called = {path: one for path, one in before.called.items() if of and path not in rows}
    called |= {path: _texts(one) for path, one in said if path in sums.titles}
    counted = replace(sums.whole(), generation_id=generation_id, revision=revision)
    yield replace(counted, called=called)


def _files(conn: "Connection", values: Mapping[str, Any], *, after: int) -> dict[str, Row | None]:
    """The files with chunks `after` a row, by these chunks."""
    rows = conn.execute(_FILES, {**values, "after": after})
    return {path: Row(*of_path) for path, *of_path in rows}


def _since(
    conn: "Connection", values: Mapping[str, Any], before: Sums
) -> dict[str, Row | None] | None:
    """The files that were written since an earlier revision; None where files were removed, too.

    The ids of rows only rise, and with the files that were written the size of all must come out.
    """
    if conn.execute(_IS_COUNTED).fetchone() != (True,):
        return None
    rows = _files(conn, values, after=before.last)
    return rows if conn.execute(_SIZE, values).fetchone() == resized(before, rows) else None


def _entries_of(
    conn: "Connection", values: Mapping[str, Any], paths: Sequence[str]
) -> Iterator[tuple[str, Entry]]:
    """The entries of these files, file by file; of a large vault never all at once."""
    for at in range(0, len(paths), _FILES_AT_ONCE):
        some = {**values, "paths": paths[at : at + _FILES_AT_ONCE]}
        for path, *columns in conn.execute(_ENTRIES, some).fetchall():
            yield path, Entry(*_padded(columns))


def _texts(said: object) -> tuple[str, ...]:
    """The texts of a field of front matter."""
    found = said if isinstance(said, list) else [said]
    return tuple(one for one in found if isinstance(one, str))


def _padded(columns: Sequence[str]) -> tuple[Any, ...]:
    kind, heading, quote, lead, words = columns
    return kind, heading, 0, 0, quote, lead, "", words


def _said_in(frequency: Mapping[str, int], aliases: Aliases) -> Aliases:
    meant = {name: stems_of(" ".join(meanings)) for name, meanings in aliases.items()}
    return {n: aliases[n] for n, stems in meant.items() if all(map(frequency.get, stems))}


def _terms(sums: Sums, aliases: Aliases) -> Terms:
    explained_by_files: dict[str, Name] = {}
    for said in sums.abbreviations.values():  # of two that say it, the last file's holds
        explained_by_files |= said
    names, of_files = _aliases_of_files(sums)
    named = sums.named
    assert named is not None  # they are whole
    also = {word: 1 for name in names for word in name}
    return Terms(
        entries=sums.entries,
        frequency=sums.frequency,
        names=changed(sums.names, names),
        fields=sums.fields.keys(),
        words=sums.words,
        titles=sums.titles,
        spellings=Spellings(sums.words),
        abbreviations={**explained_by_files, **_of_one_word(aliases)},
        aliases={**of_files, **aliases},
        named_words=changed(named.words, also).keys(),
        commonest=" ".join(word for _, word in sums.commonest),
        named_from=named.by_first,
    )


def _aliases_of_files(sums: Sums) -> tuple[Mapping[Name, frozenset[str]], Aliases]:
    """What files are called that nothing else is, with their paths, and what it means.

    Such an alias stands for the file's title, "nosferatu" for "Vampire", and where the vault has
    one of its words for itself, too: "Giant Bat (Bat)".
    """
    names, meanings = dict[Name, frozenset[str]](), dict[str, tuple[str, ...]]()
    for path, said in sorted(sums.called.items()):
        for alias in said:
            if not key(alias) or key(alias) in sums.names:
                continue
            is_said = any(map(sums.frequency.get, key(alias)))
            before = meanings.get(alias_key(alias), (alias,) if is_said else ())
            meanings[alias_key(alias)] = (*before, sums.titles[path])
            names[key(alias)] = names.get(key(alias), frozenset()) | {path}
    return names, meanings


def _of_one_word(aliases: Aliases) -> dict[str, Name]:
    found = {stemmed(name.lower()): key(meanings[0]) for name, meanings in aliases.items()}
    return {name: full for name, full in found.items() if full and WORD.fullmatch(name)}
