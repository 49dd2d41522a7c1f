"""The last word on the order of passages and cards: twins together, superseded files behind."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retrieval.models import BY_CHOICE, EVERY_FILE, Chunk, SourceNote
from retrieval.ranking.conflicts import Conflict
from retrieval.ranking.fusion import Fused
from retrieval.ranking.replaced_sections import OF_CHANGES
from retrieval.text.numbers_in_words import ORDINALS
from retrieval.vocabulary.terms import stems_of

_MOST_ABOVE = 2  # passages of superseding files beside those that are returned
_PUT_BACK = 0.08  # of the score: a rule that not everybody plays by (docs/experiments.md, E59)
_OPTIONAL = BY_CHOICE | {"option", "options", "variants", "drafts", "proposal", "proposals"}
# A chunk that says what words mean, and a question that wants to know it.
_GLOSSARY = re.compile(
    r"\b(?:glossary|definitions?|vocabulary|jargon|terminology|abbreviations|words we use)\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r".{0,30}\b(?:what(?: is|['’]?s| are| was| were| does| do you call| counts)|define|explain)\b|"
    r"\W*who (?:is|are)\b|.{0,30}\bwhat (?:\w+ ){1,3}(?:is|are)\W*$|"
    r"\W*\w+(?: \w+){0,2}\W*$",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(
    r"\b(?:means?|meaning|definitions?|stands? for|difference|includes?|counts? as)\b", re.I
)
_NEAR = 10  # how many places behind a passage its twin may stand
_WORD = re.compile(r"\w+")
_IN_BRACKETS = re.compile(r" \([^()]{1,40}\)")
# What asks for a file that holds no longer: "the old rules".
_PAST = re.compile(
    r"\b(?:old|older|previous|former|earlier) (?:\w{3,30} )?"
    r"(?:rules?|polic(?:y|ies)|versions?|editions?|limits?)\b",
    re.IGNORECASE,
)
_EDITION = {"edition", "editions", "ed"}
_IN_DIGITS = {
    word: f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"
    for word, number in ORDINALS.items()
}


class Ranked(NamedTuple):
    """A candidate with the score that orders it and, where one read it, the reranker's own."""

    item: Fused
    score: float
    reranked: float | None

    @property
    def path(self) -> str:
        """Of its file."""
        return self.item.scored.chunk.path


def with_twins(ranked: Sequence[Ranked], question: str) -> list[Ranked]:
    """Put a passage's twin, where it is near, directly behind the passage, with its score.

    A twin is the same section of a file of the same name in another folder: the spell Light of
    two classes, the leave of two companies. A question that names neither folder asks for both;
    one that names the twin's alone ("hold person for a magic-user") has the twin first.
    """
    asked = frozenset(stems_of(question))
    rest, ordered = [(given, *_named(given.item.scored.chunk)) for given in ranked], []
    while rest:
        first, path, name = rest.pop(0)
        ordered.append(first)
        for place, (near, other, same) in enumerate(rest[:_NEAR]):
            if same == name and other != path:
                del rest[place]
                both = [first, near._replace(score=first.score)]
                ordered[-1:] = both[::-1] if _is_meant(other, path, asked) else both
                break
    return ordered


def _is_meant(path: str, other: str, asked: frozenset[str]) -> bool:
    """Whether a question says all that tells a path's folders from another's, and not the rest."""
    one, two = (frozenset(stems_of(given.rpartition("/")[0])) for given in (path, other))
    own = {word for word in one - two if not word.isdigit()}
    return bool(own) and own <= asked and asked.isdisjoint(two - one)


def current_first(
    ranked: Sequence[Ranked], notes: Mapping[str, SourceNote], question: str, threshold: float
) -> list[Ranked]:
    """Put the passages of superseded files behind all others that are over the threshold.

    Those of optional files give way to others that are nearly as near. Superseded ones keep a score
    that is over the threshold, but none better than the others have. A file stays where it is when
    the question asks for it by its year or edition: "in 2024".
    """

    def is_behind(given: Ranked) -> bool:
        note = notes.get(given.path)
        return note is not None and is_superseded(note, question)

    over = [given for given in ranked if given.score >= threshold]
    current = [given for given in over if not is_behind(given)]
    front = _less_binding(current, notes, question, threshold)
    last = min((given.score for given in front), default=float("inf"))
    behind = [given._replace(score=min(given.score, last)) for given in over if is_behind(given)]
    return front + behind + [given for given in ranked if given.score < threshold]


def _less_binding(
    ranked: Sequence[Ranked], notes: Mapping[str, SourceNote], question: str, threshold: float
) -> list[Ranked]:
    """The passages with those of optional files put back, unless the question asks for them.

    So are those of a glossary where nothing is to be explained: "do I have to do a trial day".
    """
    words = _words(question)
    plain = _IN_BRACKETS.sub("", question)  # of a synonym
    explains = any(one.search(plain) for one in (_EXPLAINED, _GLOSSARY)) or _DEFINES.match(plain)

    def settled(given: Ranked) -> Ranked:
        note = notes.get(given.path)
        is_unasked = note and note.is_optional and not words & (_OPTIONAL | _marks(note))
        chunk = given.item.scored.chunk
        called = f"{chunk.heading} {chunk.path}".replace("_", " ")
        if is_unasked or (not explains and _GLOSSARY.search(called)):
            return given._replace(score=max(given.score - _PUT_BACK, threshold))
        return given

    return sorted(map(settled, ranked), key=lambda given: -given.score)


def is_superseded(note: SourceNote, question: str) -> bool:
    """Tell whether a file holds no longer, and is not asked for: as old, by year or edition."""
    is_wanted = _PAST.search(question) or _words(question) & _marks(note)
    return note.is_gone and not is_wanted


def overriding(
    ranked: Sequence[Ranked], returned: Sequence[str], notes: Mapping[str, SourceNote], top_k: int
) -> list[Ranked]:
    """Return the best two candidates below `top_k` whose files supersede a returned one's path.

    A base rule shown without its erratum is a wrong answer with a true citation. Whether they
    speak of what was asked is for `superseding.binding` to see.
    """
    below = [(given, notes.get(given.path, SourceNote(given.path))) for given in ranked[top_k:]]
    found = [
        (not any(note.overrides(path) for path in returned), EVERY_FILE in note.supersedes, place)
        for place, (given, note) in enumerate(below)
        if not note.is_gone
        and (any(note.overrides(path) for path in returned) or OF_CHANGES.search(given.path))
    ]  # those first that name a file, those last that are only called "Changes"
    return [below[place][0] for *_, place in sorted(found)[:_MOST_ABOVE]]


def arranged(
    count: int,
    conflicts: Sequence[Conflict],
    gone: Sequence[bool] = (),
    whole: Sequence[bool] = (),
) -> list[int]:
    """Return the places 0 to `count` - 1 so that a binding statement is directly before what it
    overrides, and behind it where that is marked in `whole`.

    Several stand in the order of `conflicts`. Else their order stays, but for those marked in
    `gone` (superseded, says their file), which follow. Files that supersede each other stay as they
    were.
    """
    order: list[int] = []
    for place in sorted(range(count), key=lambda place: bool(gone and gone[place])):
        _place(place, conflicts, order, (), whole)
    return order


def _place(
    place: int,
    conflicts: Sequence[Conflict],
    order: list[int],
    below: tuple[int, ...],
    whole: Sequence[bool],
) -> None:
    """Append a statement behind those that override it; `below` are the ones that led here."""
    if place in order:
        return
    binding = {(conflict.upper, conflict.lower) for conflict in conflicts if conflict.binding}
    over = [one.upper for one in conflicts if one.binding and one.lower == place]
    if is_first := bool(whole and whole[place]):
        order.append(place)
    for above in (upper for upper in over if (place, upper) not in binding):
        if above not in (*below, place):
            _place(above, conflicts, order, (*below, place), whole)
    if not is_first:
        order.append(place)


def _words(question: str) -> set[str]:
    """The words of a question; beside "edition", an ordinal in digits as well: "first", "1st"."""
    words = {word.casefold() for word in _WORD.findall(question)}
    if words.isdisjoint(_EDITION):
        return words
    return words | {_IN_DIGITS[word] for word in words & _IN_DIGITS.keys()}


def _marks(note: SourceNote) -> set[str]:
    """The words of a file's name and edition that hold a digit: "2024", "2nd"."""
    name = note.path.rsplit("/", 1)[-1]
    words = {word.casefold() for word in _WORD.findall(f"{name} {note.edition}")}
    return {word for word in words if any(letter.isdigit() for letter in word)}


def _named(chunk: Chunk) -> tuple[str, tuple[str, str]]:
    """The chunk's path, and what it has in common with its twin."""
    return chunk.path, (chunk.path.rsplit("/", 1)[-1], chunk.heading)
