"""What the entries of one file say: its words, names, fields and abbreviations."""

import marshal
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from retrieval.models import Entry, Name
from retrieval.text.legends import abbreviated
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.terms import fields_of, heading_words, key, names_of, stemmed, title


@dataclass(frozen=True, slots=True)
class FileWords:
    """What the entries of one file say."""

    entries: int = 0
    title: str = ""
    frequency: Mapping[str, int] = field(default_factory=dict)  # in how many entries a stem stands
    words: Mapping[str, int] = field(default_factory=dict)
    names: tuple[Name, ...] = ()
    fields: tuple[Name, ...] = ()
    abbreviations: Mapping[str, Name] = field(default_factory=dict)

    def packed(self) -> bytes:
        """Return the same as bytes: as objects, those of a large vault take gigabytes."""
        said = (self.entries, self.title, dict(self.frequency), dict(self.words), self.names,
                self.fields, dict(self.abbreviations))  # fmt: skip
        return zlib.compress(marshal.dumps(said), 1)

    @staticmethod
    def unpacked(data: bytes) -> "FileWords":
        """Return what `packed` made."""
        return FileWords(*marshal.loads(zlib.decompress(data)))  # noqa: S302  # of our own memory


def by_file(found: Iterable[tuple[str, Entry]]) -> Iterator[tuple[str, FileWords]]:
    """Yield what each file says; the entries of a file are to stand together."""
    for path, those in groupby(found, key=itemgetter(0)):
        yield path, _of_file(path, [entry for _, entry in those])


def _of_file(path: str, entries: Sequence[Entry]) -> FileWords:
    frequency: Counter[str] = Counter()
    words: Counter[str] = Counter()
    names: set[Name] = set()
    fields: set[Name] = set()
    abbreviations: dict[str, Name] = {}
    for entry in entries:
        said = [*heading_words(entry.heading), *WORD.findall(entry.words.lower())]  # folded already
        words.update(said)
        frequency.update({stemmed(word) for word in said if word not in STOP})
        names.update(filter(None, map(key, names_of(path, entry))))
        for short, full in abbreviated(entry.quote):
            if stands_for := key(full):
                abbreviations[stemmed(short)] = stands_for
        fields.update(filter(None, map(key, fields_of(entry))))
    first = entries[0].heading.split(" > ")[0] or title(path)
    return FileWords(
        len(entries), first, frequency, words, tuple(names), tuple(fields), abbreviations
    )
