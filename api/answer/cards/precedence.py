"""Which of several quoted sources stands above the others, and what tells them apart.

Pure: what the files' front matter says comes in as SourceNotes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from retrieval.index.terms import cells, stems_of
from retrieval.models import BY_CHOICE, Entry, Hit, SearchResult, SourceNote
from retrieval.ranking.lines import QuestionWords, ranked
from retrieval.text.normalize import unnumbered

_HOUSE = {"house rule", "house rules", "local"}  # these hold here, whatever was printed elsewhere
_ERRATA = {"errata", "erratum", "correction", "amendment"}
_BADGES = {"house-rule": _HOUSE, "errata": _ERRATA, "optional": BY_CHOICE}


@dataclass(frozen=True, slots=True)
class Statement:
    """A quote as conflicts are found in it, in stems."""

    note: SourceNote
    subject: frozenset[str]  # what it is about: a row's first cell, else its last heading
    words: frozenset[str]  # all that it says, headings included
    is_row: bool = False  # of a table


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements, by their places in a list from 0, that rule the same thing."""

    upper: int
    lower: int
    binding: bool  # False: the upper one is optional, so it does not go first


def statement(entry: Entry, note: SourceNote) -> Statement:
    """Return an entry as conflicts are found in it."""
    is_row = entry.kind == "row"
    subject = next((cell for cell in cells(entry.quote) if cell), "") if is_row else ""
    words = frozenset(stems_of(f"{entry.heading} {entry.words}"))
    about = subject or entry.heading.rsplit(" > ", 1)[-1]
    return Statement(note, frozenset(stems_of(about)), words, is_row=is_row)


def with_overriding(found: SearchResult, asked: QuestionWords) -> SearchResult:
    """Return the search with those of its overriding passages that bind what was asked as hits.

    They come last, so that the others keep their places.
    """
    if not found.overriding:
        return found
    # Not the nearest line alone: a table's lead-in may be nearer than the row that is overridden.
    known = [
        statement(line.entry, _note(found, hit))
        for hit in found.hits
        for line in ranked(hit, asked)
    ]
    there = {hit.chunk.id for hit in found.hits}
    further = [hit for hit in found.overriding if hit.chunk.id not in there]
    above = tuple(hit for hit in further if _binds(hit, _note(found, hit), known, asked))
    return replace(found, hits=(*found.hits, *above), overriding=())


def _binds(hit: Hit, note: SourceNote, known: Sequence[Statement], asked: QuestionWords) -> bool:
    for line in ranked(hit, asked):
        found = conflicts([statement(line.entry, note), *known], asked.words)
        if any(one.upper == 0 and one.binding for one in found):
            return True
    return False


def _note(found: SearchResult, hit: Hit) -> SourceNote:
    return found.notes.get(hit.chunk.path, SourceNote(hit.chunk.path))


def badges(note: SourceNote) -> tuple[str, ...]:
    """Return what marks a card of this source: of `errata`, `house-rule`, `optional`, `superseded`.

    Any other status, and an edition, stand as they are written.
    """
    if not note.standing:
        return ()
    status = note.status.casefold()
    named = next((badge for badge, of in _BADGES.items() if status in of), note.status)
    gone = ("superseded",) if note.is_gone else ()
    edition = (f"edition {note.edition}",) if note.edition else ()
    return tuple(dict.fromkeys((*gone, *([named] if named and not gone else []), *edition)))


def label(note: SourceNote) -> str:
    """Return what a reader should know of a source: "errata, edition 2nd"; "" for a plain rule."""
    return ", ".join(note.standing)


def overrides(upper: SourceNote, lower: SourceNote) -> bool:
    """Tell whether `upper` says that it supersedes the file of `lower`.

    A file is named by its path, or by its path without the suffix. Where both supersede a common
    file, a house rule overrides an erratum.
    """
    if upper.path == lower.path:
        return False
    if upper.overrides(lower.path):
        return True
    shared = set(upper.supersedes) & set(lower.supersedes)
    return bool(shared) and _is(upper, _HOUSE) and _is(lower, _ERRATA)


def conflicts(statements: Sequence[Statement], asked: frozenset[str]) -> list[Conflict]:
    """Return the conflicts among statements, by the places of their parts.

    Two are in conflict where the file of one overrides the other's and it speaks of the other's
    subject by a word of the question: an erratum of crossbows is none to a question on lances,
    though both stand in files of which one supersedes the other. Prose under a heading that says
    nothing ("Hazards") is its own subject where it says most of what was asked and the other one
    says all that it does.
    """
    return [
        Conflict(upper, lower, binding=not (first.note.is_optional or first.note.is_gone))
        for upper, first in enumerate(statements)
        for lower, second in enumerate(statements)
        if overrides(first.note, second.note) and _meet(first, second, asked)
    ]


def _meet(upper: Statement, lower: Statement, asked: frozenset[str]) -> bool:
    if upper.words & lower.subject & asked:
        return True
    shared = lower.words & asked
    meets = shared <= upper.words and len(shared) > max(1, len(asked) / 2)
    return meets and not lower.is_row


def arranged(count: int, found: Sequence[Conflict], gone: Sequence[bool] = ()) -> list[int]:
    """Return the places 0 to `count` - 1 so that a binding statement is directly before what it
    overrides.

    Else their order stays, but for those marked in `gone` (superseded, says their file), which
    follow. Files that supersede each other stay as they were.
    """
    order: list[int] = []
    for place in sorted(range(count), key=lambda place: bool(gone and gone[place])):
        _place(place, found, order, ())
    return order


def _place(place: int, found: Sequence[Conflict], order: list[int], below: tuple[int, ...]) -> None:
    """Append a statement behind those that override it; `below` are the ones that led here."""
    if place in order:
        return
    both = {(one.lower, one.upper) for one in found if one.binding}
    over = [one for one in found if one.binding and (one.upper, one.lower) not in both]
    for above in (one.upper for one in over if one.lower == place):
        if above not in (*below, place):
            _place(above, found, order, (*below, place))
    order.append(place)


def variants(paths: Sequence[str]) -> list[str]:
    """Return for each path what tells it from its namesakes among `paths`; "" where it has none.

    "Magic/Cleric Spells/Light.md" and "Magic/Magic-User Spells/Light.md" are "Cleric Spells" and
    "Magic-User Spells"; numbers before a folder's name are left out.
    """
    return [_variant(path, paths) for path in paths]


def _variant(path: str, paths: Sequence[str]) -> str:
    *folders, name = path.split("/")
    others = [other.split("/")[:-1] for other in paths if other != path and _name(other) == name]
    if not others:
        return ""
    start = min(_common(folders, other) for other in others)
    end = min(_common(folders[::-1], other[::-1]) for other in others)
    differing = folders[start : max(len(folders) - end, start)] or folders[-1:]
    return " > ".join(unnumbered(folder) for folder in differing)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _is(note: SourceNote, statuses: set[str]) -> bool:
    return note.status.casefold() in statuses
