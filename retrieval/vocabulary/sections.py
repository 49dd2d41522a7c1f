"""The sections of one generation by the words of their headings, kept in memory to be looked up."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, takewhile
from operator import itemgetter
from typing import TypeVar

from retrieval.index.store import Connection
from retrieval.models import EntryKind, Scope
from retrieval.text.normalize import searchable, unnumbered
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.layered import changed
from retrieval.vocabulary.terms import cells, plain, stemmed

_T = TypeVar("_T", str, int)
_Pair = TypeVar("_Pair", tuple[str, str], tuple[str, int])
_Word = tuple[str, str]  # as it is written, and its stem
_LONGEST = 240  # characters of a snippet
_FIRST_ENTRIES = """
    SELECT DISTINCT ON (c.path, e.heading) c.path, e.heading, e.first_line, e.kind, e.quote
    FROM entry AS e JOIN chunk AS c ON c.id = e.chunk_id
    WHERE c.generation_id = %(generation)s AND e.kind <> 'whole'
        AND (%(part)s::bigint[] IS NULL OR e.chunk_id = ANY(%(part)s::bigint[]))
        AND (%(paths)s::text[] IS NULL OR c.path = ANY(%(paths)s::text[]))
    ORDER BY c.path, e.heading, (e.kind <> 'sentences' OR starts_with(e.quote, '**')), e.first_line
"""  # a sentence tells more than the first row of a stat block, or than the key to a table
_MARKS = re.compile(
    r"^(?:\s*(?:>|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s|\[!\w+\][-+]?))+|\[\^[^\]]*\]|\\(?=\W)"
)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the first line that stands under it."""

    path: str
    heading: str  # the trail, joined with " > "; a file's title where no heading stands above
    first_line: int
    snippet: str  # that line without marks; "" where other headings follow at once
    own: tuple[str, ...]  # the stems of its own heading, without words that say nothing
    joined: str  # the words of its own heading in one: "backstab" finds "Back-stab"
    stems: frozenset[str]  # of all headings above it too
    place: frozenset[str]  # the stems of its folders and its file


@dataclass(frozen=True, slots=True)
class Sections:
    """All sections by their numbers, and where to find them by their words."""

    all: Mapping[int, Section] = field(default_factory=dict)
    of_files: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    by_stem: Mapping[str, frozenset[int]] = field(default_factory=dict)
    counts: Mapping[_Word, int] = field(default_factory=dict)  # of sections, by the words they say
    words: Sequence[_Word] = ()  # the same, sorted
    joined: Sequence[tuple[str, int]] = ()  # sorted
    made: int = 0  # numbers that were given so far

    def stems_of(self, word: str) -> frozenset[str]:
        """Return the stems that a typed word may stand for: its own, and of what it begins."""
        begun = _begin(self.words, word)
        return frozenset({stemmed(word), *(stem for _, stem in begun)})

    def called(self, joined: str) -> list[int]:
        """Return the sections whose own heading begins with these words."""
        return [at for _, at in _begin(self.joined, joined)]

    def edited(self, files: Mapping[str, Sequence[Section]]) -> "Sections":
        """Return them with these files as they are now; a file without sections is left out."""
        sections: dict[int, Section | None] = {}
        stems: defaultdict[str, set[int]] = defaultdict(set)
        said: Counter[_Word] = Counter()
        gone = [at for path in files for at in self.of_files.get(path, ())]
        for at in gone:
            sections[at] = None
            said.subtract(_words(self.all[at]))
            for stem in self.all[at].stems | self.all[at].place:
                stems[stem].add(at)
        of_files: dict[str, tuple[int, ...] | None] = {}
        made = self.made
        for path, those in files.items():
            numbers = range(made, made + len(those))
            of_files[path], made = tuple(numbers) or None, numbers.stop
            for at, section in zip(numbers, those, strict=True):
                sections[at] = section
                said.update(_words(section))
                for stem in section.stems | section.place:
                    stems[stem].add(at)
        drop = frozenset(gone)
        by_stem = {stem: (self.by_stem.get(stem, frozenset()) | ats) - drop or None
                   for stem, ats in stems.items()}  # fmt: skip
        counts = {one: self.counts.get(one, 0) + count or None for one, count in said.items()}
        come = [(one.joined, at) for at, one in sections.items() if one and one.joined]
        left = [(self.all[at].joined, at) for at in gone if self.all[at].joined]
        return Sections(
            changed(self.all, sections), changed(self.of_files, of_files),
            changed(self.by_stem, by_stem), changed(self.counts, counts),
            _sorted(
                self.words,
                [one for one, count in counts.items() if count and one not in self.counts],
                [one for one, count in counts.items() if not count and one in self.counts],
            ),
            _sorted(self.joined, come, left), made,
        )  # fmt: skip


@dataclass(slots=True)
class SectionsCache:
    """The sections of the generation that was searched last."""

    _known: tuple[str, Mapping[str, object], Sections] | None = field(default=None)

    def of(
        self,
        conn: Connection,
        generation_id: int,
        name: str,
        rows: Mapping[str, object],
        part: Scope | None = None,
    ) -> Sections:
        """Return the sections of a generation, or of a `part`, which a cache always is asked for.

        `name` changes with every change of the generation, and `rows` has all its files with what
        changes with every change of theirs: only those that changed are read.
        """
        known = self._known
        if known is None or known[0] != name:
            _, before, sections = known or ("", {}, Sections())
            paths = [path for path, row in rows.items() if before.get(path) != row]
            gone = before.keys() - rows.keys()
            if 2 * (len(paths) + len(gone)) > len(before):
                sections, of = Sections(), None
            else:
                of = paths
            values = {"generation": generation_id, "part": part.chunks if part else None}
            found = of_entries(conn.execute(_FIRST_ENTRIES, {**values, "paths": of}))
            empty: dict[str, Sequence[Section]] = dict.fromkeys([*paths, *gone], ())
            known = self._known = (name, rows, sections.edited(empty | found))
        return known[2]


def of_entries(rows: Iterable[tuple[str, str, int, EntryKind, str]]) -> dict[str, list[Section]]:
    """Return the sections of (path, heading, line, kind, quote), those above them among them.

    They are in the order of their files, and by these.
    """
    found: dict[tuple[str, str], Section] = {}
    above: dict[tuple[str, str], int] = {}
    for path, heading, first_line, kind, quote in rows:
        text = line_of(kind, quote, ())
        found[path, heading] = _section(path, heading, first_line, text)
        trail = heading.split(" > ")
        for depth in range(1, len(trail)):
            key = (path, " > ".join(trail[:depth]))
            above[key] = min(above.get(key, first_line), first_line)
    for (path, heading), first_line in above.items():
        found.setdefault((path, heading), _section(path, heading, first_line, ""))
    files: dict[str, list[Section]] = {}
    for section in sorted(found.values(), key=lambda one: (one.path, one.first_line)):
        files.setdefault(section.path, []).append(section)
    return files


def line_of(kind: EntryKind, quote: str, stems: Sequence[str]) -> str:
    """Return the line of an entry that has most of these stems, without marks; a row by its cells.

    It is cut at a word where it is very long.
    """
    lines = [line for line in quote.split("\n") if line.strip()]
    best = max(lines, key=lambda line: len({*words_of(line, stems=True)} & {*stems}), default="")
    text = " · ".join(filter(None, cells(best))) if kind == "row" else plain(best)
    text = " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"


def words_of(text: str, *, stems: bool = False) -> list[str]:
    """Return the words of a text that say something, or their stems; all where none does."""
    every = WORD.findall(searchable(text).lower())
    telling = [word for word in every if word not in STOP] or every
    return [stemmed(word) for word in telling] if stems else telling


def _section(path: str, heading: str, first_line: int, snippet: str) -> Section:
    own = heading.rpartition(" > ")[2]
    place = " ".join(unnumbered(part) for part in path.removesuffix(".md").split("/"))
    return Section(
        path=path,
        heading=heading,
        first_line=first_line,
        snippet=snippet,
        own=tuple(words_of(own, stems=True)),
        joined="".join(words_of(own)),
        stems=frozenset(words_of(heading, stems=True)),
        place=frozenset(words_of(place, stems=True)),
    )


def _words(section: Section) -> set[_Word]:
    words = words_of(f"{section.heading} {section.path}")
    return {(word, stemmed(word)) for word in words}


def _sorted(
    before: Sequence[_Pair], come: Sequence[_Pair], left: Sequence[_Pair]
) -> Sequence[_Pair]:
    """The same list with some more, and without others."""
    if not (come or left):
        return before
    gone: set[_Pair] = set(left)
    kept: list[_Pair] = [one for one in chain(before, come) if one not in gone]
    kept.sort()
    return kept


def _begin(known: Sequence[tuple[str, _T]], beginning: str) -> Iterable[tuple[str, _T]]:
    """Those of the sorted that begin so."""
    first = bisect_left(known, beginning, key=itemgetter(0))
    following = (known[at] for at in range(first, len(known)))
    return takewhile(lambda one: one[0].startswith(beginning), following)
