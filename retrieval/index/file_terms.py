"""The words of each file of a generation, and their sums, which an edit changes by its files alone.

A file that was read before is known by the row of its first chunk: an ingest writes new ones.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from retrieval.index import text_search
from retrieval.index.abbreviations import stored_aliases
from retrieval.index.file_words import FileWords, by_file
from retrieval.index.terms import key, stemmed, stems_of
from retrieval.models import Aliases, Entry, Name, Scope, Terms
from retrieval.text.spellings import Spellings
from retrieval.text.words import WORD, alias_key

if TYPE_CHECKING:  # what only cuts and reads Markdown needs no database
    from retrieval.index.store import Connection

_COMMON = 300  # words, enough to tell a language by
_FILES_AT_ONCE = 500  # that are read of the database
_FILES = """
    SELECT path, min(id) FROM chunk WHERE generation_id = %(generation)s
        AND (%(part)s::bigint[] IS NULL OR id = ANY(%(part)s::bigint[])) GROUP BY path
"""
_CALLED = """
    SELECT f.path, to_jsonb(f) -> 'metadata' -> 'aliases' FROM file AS f
    WHERE generation_id = %(generation)s AND to_jsonb(f) -> 'metadata' ? 'aliases'
"""
_ENTRIES = """
    SELECT c.path, e.kind, e.heading, e.quote, e.lead, e.words
    FROM entry AS e JOIN chunk AS c ON c.id = e.chunk_id
    WHERE c.generation_id = %(generation)s AND c.path = ANY(%(paths)s) AND e.kind <> 'whole'
    ORDER BY c.path, e.first_line, c.piece, e.ordinal
"""


@dataclass(frozen=True, slots=True)
class _Sums:
    """What all files say together; never changed, since searches that run may read it."""

    rows: Mapping[str, int] = field(default_factory=dict)  # of each file's first chunk
    files: Mapping[str, bytes] = field(default_factory=dict)  # a `FileWords` each
    entries: int = 0
    frequency: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    names: Mapping[Name, frozenset[str]] = field(default_factory=dict)
    fields: Counter[Name] = field(default_factory=Counter)  # in how many files each is
    titles: Mapping[str, str] = field(default_factory=dict)
    abbreviations: Mapping[str, Mapping[str, Name]] = field(default_factory=dict)  # by path
    called: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # aliases, by path


@dataclass(slots=True)
class TermsCache:
    """The terms of the generation that was asked last."""

    _known: tuple[str, Terms] | None = field(default=None)
    _sums: _Sums = field(default_factory=_Sums)

    def of(
        self, conn: "Connection", generation_id: int, name: str, part: Scope | None = None
    ) -> Terms:
        """Return the terms of a generation, or of a `part`, which a cache always is asked for.

        A part has the aliases whose meanings stand in it. `name` changes with every change; only
        the files that changed are read.
        """
        known = self._known
        if known is None or known[0] != name:
            sums = _read(conn, generation_id, part, self._sums)
            self._sums = sums  # also where the time is over now, and this search fails
            aliases = stored_aliases(conn, generation_id)
            if part is not None:
                aliases = _said_in(sums.frequency, aliases)
            terms = _terms(sums, aliases)
            stop = text_search.stop_words(conn, generation_id, terms.words)
            known = (name, replace(terms, stop=frozenset(map(stemmed, stop))))
            self._known = known
        return known[1]


def of_entries(
    found: Iterable[tuple[str, Entry]], aliases: Aliases = MappingProxyType({})
) -> Terms:
    """Return the terms of entries with the paths of their files, and of the vault's aliases."""
    return _terms(_edited(_Sums(), {}, found), aliases)


def _read(conn: "Connection", generation_id: int, part: Scope | None, before: _Sums) -> _Sums:
    values: dict[str, Any] = {"generation": generation_id, "part": part.chunks if part else None}
    rows = dict(conn.execute(_FILES, values).fetchall())
    changed = [path for path, row in rows.items() if before.rows.get(path) != row]
    if 2 * len(changed) > len(rows):  # another generation, or the first
        before, changed = _Sums(), list(rows)
    found = _entries_of(conn, values, changed)
    sums = _edited(before, rows, found)
    called = conn.execute(_CALLED, values).fetchall()
    return replace(sums, called={p: _texts(said) for p, said in called if p in sums.titles})


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


def _edited(before: _Sums, rows: Mapping[str, int], found: Iterable[tuple[str, Entry]]) -> _Sums:
    """Return the sums without the files that `rows` does not have so, and with those `found`."""
    frequency, words = Counter(before.frequency), Counter(before.words)
    fields, names, files = Counter(before.fields), dict(before.names), dict(before.files)
    titles, abbreviations = dict(before.titles), dict(before.abbreviations)
    entries = before.entries
    for path in [path for path in files if rows.get(path) != before.rows.get(path)]:
        old = FileWords.unpacked(files.pop(path))
        entries -= old.entries
        for sums, counts in ((frequency, old.frequency), (words, old.words)):
            _subtract(sums, counts)
        _subtract(fields, dict.fromkeys(old.fields, 1))
        for name in old.names:
            names[name] -= {path}
            if not names[name]:
                del names[name]
        del titles[path]
        abbreviations.pop(path, None)
    called: defaultdict[Name, set[str]] = defaultdict(set)
    for path, file in by_file(found):
        files[path], titles[path] = file.packed(), file.title
        entries += file.entries
        frequency.update(file.frequency)
        words.update(file.words)
        fields.update(file.fields)
        for name in file.names:
            called[name].add(path)
        if file.abbreviations:
            abbreviations[path] = file.abbreviations
    names |= {name: names.get(name, frozenset()) | paths for name, paths in called.items()}
    return _Sums(
        rows, files, entries, frequency, words, names, fields, dict(sorted(titles.items())),
        dict(sorted(abbreviations.items())),
    )  # fmt: skip


def _subtract(sums: Counter[Any], counts: Mapping[Any, int]) -> None:
    sums.subtract(counts)
    for word in counts:
        if not sums[word]:
            del sums[word]


def _terms(sums: _Sums, aliases: Aliases) -> Terms:
    explained_by_files: dict[str, Name] = {}
    for said in sums.abbreviations.values():  # of two that say it, the last file's holds
        explained_by_files |= said
    names, of_files = _with_aliases(sums)
    named_from: defaultdict[str, list[Name]] = defaultdict(list)
    for name in sums.names:
        named_from[name[0]].append(name)
    commonest = nsmallest(_COMMON, sums.words.items(), key=lambda item: (-item[1], item[0]))
    return Terms(
        entries=sums.entries,
        frequency=sums.frequency,
        names=names,
        fields=frozenset(sums.fields),
        words=sums.words,
        titles=sums.titles,
        spellings=Spellings(sums.words),
        abbreviations={**explained_by_files, **_of_one_word(aliases)},
        aliases={**of_files, **aliases},
        named_words=frozenset(word for name in names for word in name),
        commonest=" ".join(word for word, _ in commonest),
        named_from={stem: tuple(those) for stem, those in named_from.items()},
    )


def _with_aliases(sums: _Sums) -> tuple[Mapping[Name, frozenset[str]], Aliases]:
    """The names of all entries and files, and what files are called that nothing else is.

    Such an alias stands for the file's title, "nosferatu" for "Vampire", and where the vault has
    one of its words for itself, too: "Giant Bat (Bat)".
    """
    names, meanings = dict(sums.names), dict[str, tuple[str, ...]]()
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
