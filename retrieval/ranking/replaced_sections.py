"""Which section of another file a correction says that it replaces, in its own words.

"Replaces the section *Late fees* in [fees](fees.md)": the two need no word in common.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from urllib.parse import unquote

from retrieval.models import Entry, SourceNote
from retrieval.ranking import clauses
from retrieval.text.line_marks import HEADING
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import cells, stems_of, title

# What is quoted or emphasized, and the heading that a link names.
_NAMED = re.compile(
    r'"([^"\n]{2,80})"|“([^”\n]{2,80})”|`([^`\n]{2,80})`|'
    r"(?<![*\w])\*{1,3}(?=[^\s*])([^*\n]{2,80})(?<=\S)\*{1,3}(?!\w)|"
    r"(?<![_\w])_{1,3}(?=[^\s_])([^_\n]{2,80})(?<=\S)_{1,3}(?!\w)|"
    r"\[\[[^\[\]#|\n]{0,200}#([^\[\]|\n]{2,200})|\]\([^()#\s]{0,200}#([^()\s]{2,200})\)"
)
# "Replaces the section *Late fees*", not "replaces the number of days in *Late fees*".
_REPLACES = re.compile(
    r"\b(?:replac(?:es?|ing)|supersed(?:es?|ing)|in place of|takes the place of)(?: all of)?"
    r"(?: the)?(?: whole| entire)?(?: (?:section|chapter|part|row|table|paragraph)s?)? ?(?=\W)",
    re.IGNORECASE,
)
# "Replaces the section of that name in [fees](fees.md)": called as the correction's own heading.
_OF_SAME_NAME = re.compile(
    r"(?P<whole>\b(?:replac|supersed)\w{1,4} (?:all of )?(?:the )?(?:whole |entire )?)?"
    r"\b(?:sections?|chapter|part|paragraph|table|row|entry|page)s? (?:of|with|under|by) "
    r"(?:that|this|the same) (?:name|title|heading)\b",
    re.IGNORECASE,
)
_EMPHASIZED = re.compile(r"\s*(?P<mark>\*{1,3}|_{1,3})(?P<text>[^\s*_][^*_]{0,600})(?P=mark)\s*")
_OF_SECTION = re.compile(
    r"\b(?:replac|supersed)\w{1,4}\b.{0,80}\b(?:section|chapter|paragraph|sentence|line|table|row)s?\b",
    re.IGNORECASE,
)
_IS_REPLACED = re.compile(r"\b(?:is|are) (?:replaced|superseded)\b", re.IGNORECASE)
_JOINED = re.compile(r"\W{0,3}(?:and|or|,|&)?\W{0,3}", re.IGNORECASE)
_TARGET = re.compile(r"\]\(<?([^()<>#\n]{1,200})|\[\[([^\[\]#|\n]{1,200})|`([^`\s]{1,200}\.md)`")
_NUMBERING = re.compile(r"\d{1,3}(?:[.)]\d{0,3}){0,4}[.):\s-]{1,3}(?=[^\W\d])")

# A file that changes others, though its front matter does not name each: "Changes 2025.md", not
# "Shift changes.md".
OF_CHANGES = re.compile(
    r"(?:^|/)[\W\d_]{0,9}(?:corrections?|errata|amendments?|changes|updates)(?![a-z])[^/]{0,99}$",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:replac|supersed|chang|correct|amend)\w{0,5}\b|\bis now\b|\bare now\b|\bno longer\b|"
    r"\binstead\b|\bsaid\b",
    re.IGNORECASE,
)
_SEE = re.compile(r"\b(?:see\b|said\b|explain|announce|describe|detail|accord)", re.IGNORECASE)
Names = frozenset[frozenset[str]]  # the stems of each


def section_of(entry: Entry, beside: Iterable[Entry]) -> list[Entry]:
    """Return what an entry's section begins with, and the entries of its own lines, in order.

    `beside` are those around it. Other paragraphs may be about other files.
    """
    section = [one for one in beside if one.heading == entry.heading and one.kind != "whole"]
    first = min((one.first_line for one in section), default=0)
    told = [one for one in section if one.first_line in {first, entry.first_line}]
    return sorted(told or [entry], key=lambda one: (one.first_line, one.last_line))


def said_in(section: Sequence[Entry], lines: Mapping[int, str]) -> list[str]:
    """Return what a section says, each once: lead-ins and quotes, one without the emphasis of all.

    "*Replaces the first sentence of "Bows" in [weapons](weapons.md).*" emphasizes no name. What
    stands above its first table is no entry; it is one of the file's `lines`.
    """
    above = takewhile(
        lambda line: not HEADING.match(line),
        (lines[n] for n in range(section[0].first_line - 1, 0, -1) if n in lines),
    )
    opening = [text for line in above for text in _paragraphs(line)][::-1]
    texts = dict.fromkeys(
        [*opening, *(text for one in section for text in (*_paragraphs(one.lead), one.quote))]
    )
    bare = ((text, _EMPHASIZED.fullmatch(text)) for text in texts)
    return [match["text"] if match else text for text, match in bare]


def _paragraphs(lead: str) -> list[str]:
    """What a lead-in says; the header of a table is none."""
    return [line for line in map(str.strip, lead.split("\n")) if line and line[0] != "|"]


def linked(text: str, note: SourceNote) -> frozenset[str]:
    """Return the files that a text of `note`'s file links to, of those that it supersedes.

    Of a file of changes, or one that supersedes others, any that is linked to where the text says
    that something changes: front matter often names the first alone. Not one that is only referred
    to: "is now 5 euros, see [payments](payments.md)".
    """
    targets = (link[1] or link[2] or link[3] for link in _TARGET.finditer(text))
    paths = frozenset(path for target in targets for path in _paths(unquote(target), note.path))
    is_meant = note.supersedes and not _SEE.search(text) and paths.isdisjoint(note.supersedes)
    if (is_meant or OF_CHANGES.search(note.path)) and _CHANGES.search(text):
        return paths
    return paths.intersection(note.supersedes)


def only(entry: Entry, note: SourceNote, section: Iterable[str]) -> frozenset[str]:
    """Return the superseded files that an entry is about, or what else its section says.

    It links to them or says what they are called, a row in its first cell. "*Standard
    (Ammunition):* each arrow is counted" rules nothing in *Potions*. A row or an item that links to
    a file is about that one.
    """
    own = linked(entry.quote, note)
    if own and entry.kind in {"row", "item"}:
        return own
    first, *others = section
    said = next(iter(cells(entry.quote)), "") if entry.kind == "row" else first
    further = (linked(text, note) for text in others if _CHANGES.search(text))
    return own.union(linked(first, note), files_in(said, note), *further)


def changes(sentence: str, note: SourceNote, *, is_linked: bool) -> bool:
    """Tell whether a sentence says what is changed of which file.

    `is_linked`: the section names its file; else a section that a sentence names may be of any.
    """
    is_of_rule = bool(_OF_SECTION.search(sentence) or clauses.changed_in(sentence))
    return bool(files_in(sentence, note)) or (not is_linked and is_of_rule)


def files_in(text: str, note: SourceNote) -> frozenset[str]:
    """Return the superseded files that a text links to, or that it says the names of."""
    words = f" {' '.join(WORD.findall(text.casefold()))} "
    called = {path: " ".join(WORD.findall(file_title(path).casefold())) for path in note.supersedes}
    by_name = {path for path, name in called.items() if name and f" {name} " in words}
    return linked(text, note) | by_name


def named(sentences: Iterable[str], heading: str) -> Names:
    """Return the names in sentences that are quoted, emphasized or linked to.

    A figure is none: "**5%** from level 12" names no row. "The section of that name" is called as
    the last `heading` that they stand below.
    """
    found: list[frozenset[str]] = []
    for one in sentences:
        found += map(_name, _NAMED.finditer(one))
        if _OF_SAME_NAME.search(one):
            found.append(_stems(heading.rsplit(" > ", 1)[-1]))
    return frozenset(filter(None, found))


def named_whole(sentences: Iterable[str], heading: str) -> Names:
    """Return, of the names in sentences, those of what is replaced as a whole."""
    found: list[frozenset[str]] = []
    for sentence in sentences:
        if (same := _OF_SAME_NAME.search(sentence)) and same["whole"]:
            found.append(_stems(heading.rsplit(" > ", 1)[-1]))
        names = list(_NAMED.finditer(sentence))
        if _IS_REPLACED.search(sentence):
            found += map(_name, names)
        for verb in _REPLACES.finditer(sentence):
            end = verb.end()
            for match in names:
                if match.start() >= end and _JOINED.fullmatch(sentence, end, match.start()):
                    found.append(_name(match))
                    end = match.end()
    return frozenset(filter(None, found))


def file_title(path: str) -> str:
    """Return what a file is called that front matter names, with its suffix or without it."""
    return title(path if path.endswith(".md") else f"{path}.md")


def headings(place: str) -> Names:
    """Return each heading of an entry's `heading`, its file's title left out."""
    own = place.split(" > ")
    return frozenset(stems for name in own[1:] or own if (stems := _stems(name)))


def _name(match: re.Match[str]) -> frozenset[str]:
    text = next(filter(None, match.groups())).rsplit("#", 1)[-1]
    return _stems(unquote(text)) if any(map(str.isalpha, text)) else frozenset()


def _stems(name: str) -> frozenset[str]:
    return frozenset(stems_of(_NUMBERING.sub("", name, count=1)))


def _paths(target: str, path: str) -> Iterator[str]:
    """The paths that a link may mean: from the file's own folder, then from the vault's root."""
    file = target if target.endswith(".md") else f"{target}.md"
    yield posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    yield posixpath.normpath(file.removeprefix("/"))
