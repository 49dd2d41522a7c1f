"""Which section of another file a correction says that it replaces, in its own words.

"Replaces the section *Late fees* in [fees](fees.md)": the two need no word in common.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator

from retrieval.models import Entry, SourceNote
from retrieval.vocabulary.terms import stems_of

# What is quoted or emphasized, and the heading that a link names.
_NAMED = re.compile(
    r'"([^"\n]{2,80})"|“([^”\n]{2,80})”|`([^`\n]{2,80})`|\*{1,3}([^*\n]{2,80})\*{1,3}|'
    r"\[\[[^\[\]#|\n]{0,200}#([^\[\]|\n]{2,80})|\]\([^()#\s]{0,200}#([^()\s]{2,80})\)"
)
# "Replaces the section *Late fees*", not "replaces the number of days in *Late fees*".
_WHOLE = re.compile(
    r"\b(?:replac(?:es?|ed|ing)|supersed(?:es?|ed|ing)|instead of|in place of|takes the place of)"
    r"(?: the)?(?: whole| entire)?(?: section| chapter| part| row| table| paragraph)? ?[\"“`*\[]",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\]\(([^()#\s]{1,200})|\[\[([^\[\]#|\n]{1,200})")


def first_of(entry: Entry, beside: Iterable[Entry]) -> Entry:
    """Return the entry that the section of `entry` begins with; `beside` are those of its file."""
    section = [one for one in beside if one.heading == entry.heading and one.kind != "whole"]
    return min(section, key=lambda one: one.first_line, default=entry)


def linked(text: str, note: SourceNote) -> frozenset[str]:
    """Return the files that a text of `note`'s file links to, of those that it supersedes."""
    targets = (link[1] or link[2] for link in _TARGET.finditer(text))
    paths = {path for target in targets for path in _paths(target, note.path)}
    return frozenset(paths.intersection(note.supersedes))


def named(text: str) -> frozenset[frozenset[str]]:
    """Return the stems of each name in a text that is quoted, emphasized or linked to.

    A figure is none: "**5%** from level 12" names no row.
    """
    names = (next(filter(None, match.groups())) for match in _NAMED.finditer(text))
    lettered = (name for name in names if any(map(str.isalpha, name)))
    return frozenset(stems for name in lettered if (stems := _stems(name)))


def replaces_whole(text: str) -> bool:
    """Tell whether a text replaces what it names, not a detail of it."""
    return _WHOLE.search(text) is not None


def headings(place: str) -> frozenset[frozenset[str]]:
    """Return the stems of each heading of an entry's `heading`, its file's title left out."""
    own = place.split(" > ")
    return frozenset(stems for name in own[1:] or own if (stems := _stems(name)))


def _stems(name: str) -> frozenset[str]:
    return frozenset(stems_of(name.replace("-", " ")))


def _paths(target: str, path: str) -> Iterator[str]:
    """The paths that a link may mean: from the file's own folder, then from the vault's root."""
    file = target if target.endswith(".md") else f"{target}.md"
    yield posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    yield posixpath.normpath(file.removeprefix("/"))
