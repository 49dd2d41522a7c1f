"""What the files of a generation say together, and how an edit of some files changes it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import NamedTuple, TypeVar

from retrieval.models import Entry, Name
from retrieval.vocabulary.file_words import FileWords, by_file
from retrieval.vocabulary.layered import changed

_Key = TypeVar("_Key", str, Name)
_COMMON = 300  # words, enough to tell a language by


class Row(NamedTuple):
    """What tells one state of an indexed file from another."""

    first: int  # row id of its first chunk: an ingest writes new ones
    last: int
    chunks: int
    words: int  # the sum of their lengths


@dataclass(frozen=True, slots=True)
class Sums:
    """What all files say together; never changed, since searches that run may read it."""

    generation_id: int = 0  # 0: not all of its files are counted yet
    revision: int = 0
    rows: Mapping[str, Row] = field(default_factory=dict)
    last: int = 0  # the highest id of a row
    size: tuple[int, int] = (0, 0)  # chunks, and words as `Row` counts them
    files: Mapping[str, bytes] = field(default_factory=dict)  # a `FileWords` each
    entries: int = 0
    frequency: Mapping[str, int] = field(default_factory=dict)
    words: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[Name, frozenset[str]] = field(default_factory=dict)
    fields: Mapping[Name, int] = field(default_factory=dict)  # in how many files each is
    titles: Mapping[str, str] = field(default_factory=dict)
    abbreviations: Mapping[str, Mapping[str, Name]] = field(default_factory=dict)  # by path
    called: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # aliases, by path
    named: "Named | None" = None  # of `names`; None: not made yet
    commonest: tuple[tuple[int, str], ...] = ()  # as `_commonest` has them; (): the same

    def whole(self) -> "Sums":
        """Return them with what is made of all of them."""
        return replace(
            self,
            named=self.named or Named.of(self.names),
            commonest=self.commonest or _commonest(self.words),
        )


@dataclass(frozen=True, slots=True)
class Named:
    """Names by their words."""

    words: Mapping[str, int]  # in how many names each is
    by_first: Mapping[str, tuple[Name, ...]]  # sorted

    @staticmethod
    def of(names: Iterable[Name]) -> "Named":
        """Return the words of names, and the names by their first word."""
        return Named({}, {}).edited(dict.fromkeys(names, 1))

    def edited(self, names: Mapping[Name, int]) -> "Named":
        """Return it with those of these names that count 1, and without those that count -1."""
        words: dict[str, int] = {}
        firsts: defaultdict[str, list[Name]] = defaultdict(list)
        for name, sign in names.items():
            _add(words, dict.fromkeys(name, 1), sign)
            firsts[name[0]].append(name)
        by_first: dict[str, tuple[Name, ...] | None] = {}
        for first, those in firsts.items():
            kept = {*self.by_first.get(first, ()), *those} - {n for n in those if names[n] < 0}
            by_first[first] = tuple(sorted(kept)) or None
        return Named(_summed(self.words, words), changed(self.by_first, by_first))


def resized(before: Sums, rows: Mapping[str, Row | None]) -> tuple[int, int]:
    """Return the size with these files as their rows are; without those that have none."""
    chunks, words = before.size
    for path, row in rows.items():
        for one, sign in ((before.rows.get(path), -1), (row, 1)):
            if one is not None:
                chunks, words = chunks + sign * one.chunks, words + sign * one.words
    return chunks, words


def edited(
    before: Sums, rows: Mapping[str, Row | None], found: Iterable[tuple[str, Entry]]
) -> Sums:
    """Return the sums with these files as they are `found`; without those that have no row."""
    titles, abbreviations = dict(before.titles), dict(before.abbreviations)
    files: dict[str, bytes | None] = {}
    frequency, words = dict[str, int](), dict[str, int]()
    fields, names = dict[Name, int](), dict[Name, set[str]]()
    entries = before.entries
    for path in [path for path in rows if path in before.files]:
        old, files[path] = FileWords.unpacked(before.files[path]), None
        entries -= old.entries
        _add(frequency, old.frequency, -1)
        _add(words, old.words, -1)
        _add(fields, dict.fromkeys(old.fields, 1), -1)
        for name in old.names:
            _paths(names, before, name).discard(path)
        abbreviations.pop(path, None)
    for path, file in by_file(found):
        files[path], titles[path] = file.packed(), file.title
        entries += file.entries
        _add(frequency, file.frequency)
        _add(words, file.words)
        _add(fields, dict.fromkeys(file.fields, 1))
        for name in file.names:
            _paths(names, before, name).add(path)
        if file.abbreviations:
            abbreviations[path] = file.abbreviations
    for path, packed in files.items():
        if packed is None:
            del titles[path]
    if titles.keys() != before.titles.keys():
        titles = dict(sorted(titles.items()))
    now = _summed(before.words, words)
    come_or_gone = {
        name: 1 if paths else -1
        for name, paths in names.items()
        if (name in before.names) != bool(paths)
    }
    return Sums(
        0, 0, changed(before.rows, rows),
        max([before.last, *(row.last for row in rows.values() if row)]),
        resized(before, rows), changed(before.files, files), entries,
        _summed(before.frequency, frequency), now,
        changed(before.names, {name: frozenset(paths) or None for name, paths in names.items()}),
        _summed(before.fields, fields), titles, dict(sorted(abbreviations.items())),
        named=before.named and before.named.edited(come_or_gone),
        commonest=before.commonest and _still_commonest(before.commonest, words, now),
    )  # fmt: skip


def _paths(names: dict[Name, set[str]], before: Sums, name: Name) -> set[str]:
    """The paths of a name, to be changed."""
    paths = names.get(name)
    if paths is None:
        paths = names[name] = set(before.names.get(name, ()))
    return paths


def _add(sums: dict[_Key, int], counts: Mapping[_Key, int], sign: int = 1) -> None:
    for one, count in counts.items():
        sums[one] = sums.get(one, 0) + sign * count


def _summed(before: Mapping[_Key, int], more: Mapping[_Key, int]) -> Mapping[_Key, int]:
    """The sums of both; what is counted no longer is left out."""
    return changed(before, {one: before.get(one, 0) + n or None for one, n in more.items() if n})


def _commonest(words: Mapping[str, int]) -> tuple[tuple[int, str], ...]:
    """The words that stand most often, with how often below 0: so equal ones are in their order."""
    least = nlargest(_COMMON, words.values())[-1:] or [0]
    return tuple(sorted((-n, word) for word, n in words.items() if n >= least[0])[:_COMMON])


def _still_commonest(
    before: tuple[tuple[int, str], ...], edited: Iterable[str], words: Mapping[str, int]
) -> tuple[tuple[int, str], ...]:
    """The same after an edit of some words; () where a word that none was may be one now."""
    rivals = {*edited, *(word for _, word in before)}
    found = sorted((-words[word], word) for word in rivals if word in words)[:_COMMON]
    is_sure = len(found) == _COMMON == len(before) and found[-1] <= before[-1]
    return tuple(found) if is_sure else ()
