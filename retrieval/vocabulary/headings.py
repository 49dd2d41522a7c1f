"""Search as you type over the headings and the words of the index: no model, one statement."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from psycopg.rows import class_row

from retrieval.index.store import Connection
from retrieval.index.text_search import CONFIGURATION
from retrieval.models import EntryKind, Scope, SourceNote
from retrieval.text.words import WORD
from retrieval.vocabulary.sections import Section, Sections, line_of, words_of
from retrieval.vocabulary.terms import stemmed

_MOST = 12  # sections
_MOST_WORDS = 8
LONGEST = 200  # characters of what was typed
_LONGEST_NAME = 60  # characters of what a row or an item is called
_MOST_CHUNKS = 60  # whose entries are ranked; one letter is in nearly all of them

# A word is found where one of a chunk's words begins with it (a range, which the index of postings
# can look up) or has its stem. Chunks with the most of the words are kept, half of them at least.
_TYPED = """
    WITH typed AS (
        SELECT * FROM unnest(%(words)s::text[]) WITH ORDINALITY AS typed(word, ordinal)
    ), found AS (
        SELECT ordinal, p.chunk_id, p.count FROM typed JOIN posting AS p
            ON p.generation_id = %(generation)s
            AND p.lexeme >= word COLLATE "C" AND p.lexeme < word || chr(1114111) COLLATE "C"
        UNION ALL
        SELECT ordinal, p.chunk_id, p.count
        FROM typed, unnest(tsvector_to_array(to_tsvector({configuration}, word))) AS stem
            JOIN posting AS p ON p.generation_id = %(generation)s AND p.lexeme = stem
    ), matched AS (
        SELECT chunk_id, count(DISTINCT ordinal) AS words, sum(count) AS times
        FROM found {which} GROUP BY chunk_id
        HAVING 2 * count(DISTINCT ordinal) >= cardinality(%(words)s::text[])
    ), best AS (
        SELECT chunk_id FROM matched WHERE words = (SELECT max(words) FROM matched)
        ORDER BY times DESC, chunk_id LIMIT %(chunks)s
    )
    SELECT c.path, e.heading, e.first_line, e.kind, e.quote, e.words, f.status
    FROM best JOIN entry AS e USING (chunk_id) JOIN chunk AS c ON c.id = e.chunk_id
        JOIN file AS f ON f.generation_id = c.generation_id AND f.path = c.path
    WHERE e.kind <> 'whole' ORDER BY c.path, e.first_line, e.ordinal
"""
_SAID = _TYPED.format(configuration=CONFIGURATION, which="")
_SAID_OF_SCOPE = _TYPED.format(
    configuration=CONFIGURATION, which="WHERE chunk_id = ANY(%(scope)s::bigint[])"
)


@dataclass(frozen=True, slots=True)
class FoundHeading:
    """A section of a file, by the line that was found or where its text begins."""

    path: str
    heading: str  # the trail, joined with " > "; a file's title where no heading stands above
    first_line: int
    snippet: str  # that line without marks; "" where other headings follow at once


@dataclass(frozen=True, slots=True)
class _Said:
    """An entry of a chunk that has the words."""

    path: str
    heading: str
    first_line: int
    kind: EntryKind
    quote: str
    words: str
    status: str  # of its file


@dataclass(frozen=True, slots=True)
class _Typed:
    """What was typed: its words, and for each the stems that it may stand for."""

    words: tuple[str, ...]
    joined: str
    stems: tuple[frozenset[str], ...]

    def missing(self, stems: frozenset[str]) -> int:
        """Count the words that are not among these stems."""
        return sum(any_of.isdisjoint(stems) for any_of in self.stems)


def headings(
    conn: Connection,
    generation_id: int,
    sections: Sections,
    typed: str,
    scope: Scope | None = None,
) -> list[FoundHeading]:
    """Return the sections whose heading, path or text hold the words of `typed`, best first.

    Of files outside of `scope` there are none.

    A word may be the beginning of one. Sections that are called exactly so come first, then those
    whose heading begins so, has all the words, or stands under headings or in a file that have
    them, and then those whose text says them. Of equal ones the shorter and higher heading is
    first. None for nothing.
    """
    words = words_of(typed[:LONGEST])[:_MOST_WORDS]
    if not words:
        return []
    asked = _Typed(tuple(words), "".join(words), tuple(map(sections.stems_of, words)))
    found: dict[tuple[str, str], FoundHeading] = {}
    named = _named(sections, asked)
    if scope is not None:
        named = [one for one in named if one.path in scope.paths]
    for section in named[:_MOST]:
        found[section.path, section.heading] = FoundHeading(
            section.path, section.heading, section.first_line, section.snippet
        )
    if len(found) < _MOST:
        for entry in _saying(conn, generation_id, asked, scope):
            if len(found) < _MOST and (entry.path, entry.heading) not in found:
                found[entry.path, entry.heading] = _found(entry, asked)
    return list(found.values())


def _named(sections: Sections, asked: _Typed) -> list[Section]:
    """The sections whose headings or path have all words, best first."""
    places = set(sections.called(asked.joined))
    places |= _with_all(sections.by_stem, asked.stems)
    ranked = ((_rank(sections.all[at], asked), at) for at in places)

    def order(ranked: tuple[tuple[int, ...], int]) -> tuple[tuple[int, ...], str, int, int]:
        rank, at = ranked
        return rank, sections.all[at].path, sections.all[at].first_line, at

    return [sections.all[at] for _, at in sorted(ranked, key=order)]


def _with_all(by_stem: Mapping[str, Collection[int]], stems: Sequence[frozenset[str]]) -> set[int]:
    each = [{at for stem in any_of for at in by_stem.get(stem, ())} for any_of in stems]
    return set.intersection(*sorted(each, key=len))


def _rank(section: Section, asked: _Typed) -> tuple[int, ...]:
    own = frozenset(section.own)
    exact = tuple(map(stemmed, asked.words))
    if section.joined == asked.joined or section.own == exact:
        tier = 0
    elif section.joined.startswith(asked.joined) or section.own[: len(exact)] == exact:
        tier = 1
    elif not asked.missing(own):
        tier = 2
    else:
        tier = 3 if not asked.missing(section.stems) else 4
    depth = section.heading.count(" > ") + section.path.count("/")
    begun_only = len(set(exact) - section.stems - section.place)  # a whole word is nearer
    return tier, begun_only, asked.missing(own), len(section.own), depth


def _saying(
    conn: Connection, generation_id: int, asked: _Typed, scope: Scope | None
) -> list[_Said]:
    """The entries whose text has the words, best first."""
    with conn.cursor(row_factory=class_row(_Said)) as cur:
        values: dict[str, object] = {
            "words": list(asked.words), "generation": generation_id, "chunks": _MOST_CHUNKS,
        }  # fmt: skip
        if scope is None:
            entries = cur.execute(_SAID, values).fetchall()
        else:
            values["scope"] = scope.chunks
            entries = cur.execute(_SAID_OF_SCOPE, values, prepare=False).fetchall()
    ranked = sorted((_distance(entry, asked), at) for at, entry in enumerate(entries))
    # A chunk holds small sections too that have none of the words.
    near = [at for distance, at in ranked if 2 * distance[0] <= len(asked.words)]
    return [entries[at] for at in near or [at for _, at in ranked]]


def _found(entry: _Said, asked: _Typed) -> FoundHeading:
    stems = tuple(map(stemmed, asked.words))
    snippet = line_of(entry.kind, entry.quote, stems)
    return FoundHeading(entry.path, entry.heading, entry.first_line, snippet)


def _distance(entry: _Said, asked: _Typed) -> tuple[int, ...]:
    """How far an entry is from what was typed: a row that is called so is nearest."""
    said = WORD.findall(entry.words.lower())
    before, colon, _ = entry.words.partition(":")
    name = WORD.findall(before.lower()) if colon and len(before) <= _LONGEST_NAME else []
    own = [_nearness(word, said) for word in asked.words]
    whole = [max(one, _nearness(word, words_of(entry.heading)))
             for one, word in zip(own, asked.words, strict=True)]  # fmt: skip
    called = [_nearness(word, name) for word in asked.words]
    joined = "".join(said)
    return (
        whole.count(0),
        SourceNote(entry.path, entry.status).is_gone,
        "".join(name) != asked.joined,
        whole.count(1),
        not joined.startswith(asked.joined),
        asked.joined not in joined,
        not (name and _nearness(name[0], asked.words)),
        -sum(called),
        own.count(0),
        len(said),
        entry.first_line,
    )


def _nearness(word: str, among: Sequence[str]) -> int:
    """Return 2 where a word stands there in any form, 1 where it begins one, else 0."""
    stem = stemmed(word)
    if word in among or any(stemmed(one) == stem for one in among):
        return 2
    return int(any(one.startswith(word) for one in among))
