"""What the files of a generation say together, and how an edit of some files changes it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from retrieval.models import Entry, Name
from retrieval.vocabulary.file_words import FileWords, by_file

_Key = TypeVar("_Key", str, Name)


@dataclass(frozen=True, slots=True)
class Sums:
    """What all files say together; never changed, since searches that run may read it."""

    rows: Mapping[str, int] = field(default_factory=dict)  # of each file's first chunk
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


@dataclass(frozen=True, slots=True)
class Named:
    """Names by their words."""

    words: frozenset[str]
    by_first: Mapping[str, tuple[Name, ...]]

    @staticmethod
    def of(names: Iterable[Name]) -> "Named":
        """Return the words of names, and the names by their first word."""
        by_first: defaultdict[str, list[Name]] = defaultdict(list)
        for name in names:
            by_first[name[0]].append(name)
        words = frozenset(word for name in names for word in name)
        return Named(words, {first: tuple(those) for first, those in by_first.items()})


def edited(before: Sums, rows: Mapping[str, int], found: Iterable[tuple[str, Entry]]) -> Sums:
    """Return the sums without the files that `rows` does not have so, and with those `found`."""
    frequency, words = dict(before.frequency), dict(before.words)
    fields, names, files = dict(before.fields), dict(before.names), dict(before.files)
    titles, abbreviations = dict(before.titles), dict(before.abbreviations)
    entries = before.entries
    for path in [path for path in files if rows.get(path) != before.rows.get(path)]:
        old = FileWords.unpacked(files.pop(path))
        entries -= old.entries
        _add(frequency, old.frequency, -1)
        _add(words, old.words, -1)
        _add(fields, dict.fromkeys(old.fields, 1), -1)
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
        _add(frequency, file.frequency)
        _add(words, file.words)
        _add(fields, dict.fromkeys(file.fields, 1))
        for name in file.names:
            called[name].add(path)
        if file.abbreviations:
            abbreviations[path] = file.abbreviations
    names |= {name: names.get(name, frozenset()) | paths for name, paths in called.items()}
    return Sums(
        rows, files, entries, frequency, words, names, fields, dict(sorted(titles.items())),
        dict(sorted(abbreviations.items())),
        named=before.named if names.keys() == before.names.keys() else None,
    )  # fmt: skip


def _add(sums: dict[_Key, int], counts: Mapping[_Key, int], sign: int = 1) -> None:
    """Add counts to sums, or take them away; what is counted no longer is left out."""
    for one, count in counts.items():
        left = sums.get(one, 0) + sign * count
        if left:
            sums[one] = left
        else:
            del sums[one]
