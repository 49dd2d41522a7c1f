"""The sections of one generation by the words of their headings, kept in memory to be looked up."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from operator import itemgetter
from typing import TypeVar

from retrieval.index.store import Connection
from retrieval.models import EntryKind, Scope
from retrieval.text.normalize import searchable, unnumbered
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.terms import cells, plain, stemmed

_T = TypeVar("_T", str, int)
_LONGEST = 240  # characters of a snippet
_FIRST_ENTRIES = """
    SELECT DISTINCT ON (c.path, e.heading) c.path, e.heading, e.first_line, e.kind, e.quote
    FROM entry AS e JOIN chunk AS c ON c.id = e.chunk_id
    WHERE e.generation_id = %(generation)s AND e.kind <> 'whole'
        AND (%(part)s::bigint[] IS NULL OR e.chunk_id = ANY(%(part)s::bigint[]))
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
    """All sections, in the order of the files, and where to find them by their words."""

    all: tuple[Section, ...]
    by_stem: dict[str, tuple[int, ...]]
    words: tuple[tuple[str, str], ...]  # each word as it is written, with its stem, sorted
    joined: tuple[tuple[str, int], ...]  # sorted

    def stems_of(self, word: str) -> frozenset[str]:
        """Return the stems that a typed word may stand for: its own, and of what it begins."""
        begun = _begin(self.words, word)
        return frozenset({stemmed(word), *(stem for _, stem in begun)})

    def called(self, joined: str) -> list[int]:
        """Return the sections whose own heading begins with these words."""
        return [at for _, at in _begin(self.joined, joined)]


@dataclass(slots=True)
class SectionsCache:
    """The sections of the generation that was searched last."""

    _known: tuple[str, Sections] | None = field(default=None)

    def of(
        self, conn: Connection, generation_id: int, name: str, part: Scope | None = None
    ) -> Sections:
        """Return the sections of a generation, or of a `part`, which a cache always is asked for.

        `name` changes with every change of the generation.
        """
        known = self._known
        if known is None or known[0] != name:
            values = {"generation": generation_id, "part": part.chunks if part else None}
            known = (name, of_entries(conn.execute(_FIRST_ENTRIES, values).fetchall()))
            self._known = known
        return known[1]


def of_entries(rows: Iterable[tuple[str, str, int, EntryKind, str]]) -> Sections:
    """Return the sections of (path, heading, line, kind, quote), those above them among them."""
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
    return _looked_up(sorted(found.values(), key=lambda one: (one.path, one.first_line)))


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


def _looked_up(sections: Sequence[Section]) -> Sections:
    by_stem: defaultdict[str, list[int]] = defaultdict(list)
    words: set[tuple[str, str]] = set()
    for at, section in enumerate(sections):
        for stem in section.stems | section.place:
            by_stem[stem].append(at)
        for word in words_of(f"{section.heading} {section.path}"):
            words.add((word, stemmed(word)))
    return Sections(
        all=tuple(sections),
        by_stem={stem: tuple(places) for stem, places in by_stem.items()},
        words=tuple(sorted(words)),
        joined=tuple(sorted((one.joined, at) for at, one in enumerate(sections) if one.joined)),
    )


def _begin(known: Sequence[tuple[str, _T]], beginning: str) -> Iterable[tuple[str, _T]]:
    """Those of the sorted that begin so."""
    first = bisect_left(known, beginning, key=itemgetter(0))
    following = (known[at] for at in range(first, len(known)))
    return takewhile(lambda one: one[0].startswith(beginning), following)
