"""Which of two passages overrides the other in what was asked, and the order that follows."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from retrieval.models import ERRATA, EVERY_FILE, HOUSE_RULE, Entry, SourceNote
from retrieval.ranking import replaced_sections
from retrieval.ranking.replaced_sections import OF_CHANGES, Names, file_title
from retrieval.text.normalize import searchable
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import cells, stems_of

# A heading of what an erratum leaves as it is: "Reported, but no error", "Not changed".
_NO_CORRECTION = re.compile(
    r"\b(?:(?:no|not)(?: an?)? (?:errors?|erratum|errata|corrections?|changes?)"
    r"|(?:not |un)changed)\b",
    re.IGNORECASE,
)

# A sentence that says so itself: "The price of 150 gp is right as printed."
_KEPT = re.compile(
    r"\b(?:is|are|stays?|stands?|remains?) (?:right|correct|unchanged|as (?:printed|written|before|"
    r"it (?:is|was)))\b|\b(?:is|are) not (?:touched|changed|affected|altered)[.;!?]?$|"
    r"\bkeeps (?:its|their) \S+[.;!?]?$|\b(?:stay|remain)s?[.;!?]?$",
    re.IGNORECASE,
)
_REPLACED = re.compile(  # no dice, dates or decimals
    r"(?:\b(?:formerly|previously|instead of|no longer|was|were|not)\W{1,3}|\bbefore: )"
    r"(\d{1,6})(?![\d.,:-]{0,9}\d|d\d)",
    re.IGNORECASE,
)
_MORE = 2  # words of a question, of which one may be the column's name: "level"
_LABEL = re.compile(r"^\W{0,8}(\w[^:|.!?;\n]{1,40}):(?=\W)")  # "- **Parking:** free for"
_MOST_OF_LABEL = 5  # words
_IN_BRACKETS = re.compile(r"\([^()]{0,40}\)")
_STATEMENT_END = re.compile(r"(?<=[.;!?]) ")


@dataclass(frozen=True, slots=True)
class Statement:
    """A quote as conflicts are found in it, in stems."""

    note: SourceNote
    subject: frozenset[str]  # what it is about: a row's first cell, else its last heading
    words: frozenset[str]  # all that it says, headings included
    is_row: bool = False  # of a table
    corrects: bool = True  # False: it or its heading says that it corrects nothing
    # Of the files that its own supersedes those that it says it is about; none where it says none.
    only: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()  # numbers that held before, as it says itself
    label: frozenset[str] = frozenset()  # of "Parking: free for 2 hours"; of a row none
    heading: frozenset[str] = frozenset()  # the last one
    place: str = ""  # all headings that it stands below, as an entry has them
    sections: Names = frozenset()  # that it names, of the files in `only`, or rows of tables
    replaced_whole: Names = frozenset()  # of them those of which it changes no detail alone


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements, by their places in a list from 0, that rule the same thing."""

    upper: int
    lower: int
    binding: bool  # False: the upper one is optional, so it does not go first


def statement(entry: Entry, note: SourceNote, beside: Iterable[Entry] = ()) -> Statement:
    """Return an entry as conflicts are found in it; `beside` are the entries of its section."""
    own = Statement(
        note, *_said(entry), label=_label(entry), heading=heading(entry),
        place=entry.heading,
    )  # fmt: skip
    if not (note.supersedes or OF_CHANGES.search(note.path)):
        return own
    first = replaced_sections.first_of(entry, beside)
    about = [
        sentence
        for quote in dict.fromkeys((first.quote, entry.quote))
        for sentence in _STATEMENT_END.split(quote)
        if replaced_sections.files_in(sentence, note) and not _KEPT.search(sentence)
    ]
    return replace(
        own,
        only=replaced_sections.only(entry, note, first),
        replaced=frozenset(_REPLACED.findall(searchable(entry.quote))),
        sections=replaced_sections.named(about),
        replaced_whole=replaced_sections.named_whole(about),
    )


def _label(entry: Entry) -> frozenset[str]:
    label = _LABEL.match(entry.quote) if entry.kind != "row" else None
    if label is None or len(WORD.findall(label[1])) > _MOST_OF_LABEL:
        return frozenset()
    return frozenset(stems_of(label[1]))


def heading(entry: Entry) -> frozenset[str]:
    """Return the stems of the last heading that an entry stands below."""
    return frozenset(stems_of(entry.heading.rsplit(" > ", 1)[-1]))


@lru_cache(maxsize=65_536)
def _said(entry: Entry) -> tuple[frozenset[str], frozenset[str], bool, bool]:
    """What a statement holds of its entry, in its order."""
    is_row = entry.kind == "row"
    subject = next((cell for cell in cells(entry.quote) if cell), "") if is_row else ""
    section = entry.heading.rsplit(" > ", 1)[-1]
    sentences = [entry.words] if is_row else _STATEMENT_END.split(entry.words)
    if subject.endswith(".md"):  # a row is about what it says of a file, not about its name
        sentences = [" ".join(cells(entry.quote)[1:])]
    said = " ".join(one for one in sentences if not _KEPT.search(one))
    words = frozenset(stems_of(f"{entry.heading} {said}"))
    about = frozenset(stems_of(subject or section))
    corrects = bool(stems_of(said)) and not _NO_CORRECTION.search(section)
    return about, words, is_row, corrects


def overrides(upper: SourceNote, lower: SourceNote) -> bool:
    """Tell whether `upper` says that it supersedes the file of `lower`.

    Where both supersede a common file, a house rule overrides an erratum.
    """
    if not upper.supersedes or upper.path == lower.path:
        return False
    if EVERY_FILE in upper.supersedes and lower.is_one_of(ERRATA | HOUSE_RULE):
        return False
    if upper.overrides(lower.path):
        return True
    shared = not {EVERY_FILE, *upper.supersedes}.isdisjoint(lower.supersedes)
    return shared and upper.is_one_of(HOUSE_RULE) and lower.is_one_of(ERRATA)


def conflicts(statements: Sequence[Statement], asked: frozenset[str]) -> list[Conflict]:
    """Return the conflicts among statements, by the places of their parts.

    Those of one file stand together, of its rows first: they say what holds instead.
    Two are in conflict where the file of one overrides the other's and it speaks of the other's
    subject by a word of the question: an erratum of crossbows is none to a question on lances,
    though both stand in files of which one supersedes the other. Prose under a heading that says
    nothing ("Hazards") is its own subject where it says most of what was asked and the other one
    says all that it does.
    """
    paths = [one.note.path for one in statements]
    rows_first = sorted(
        enumerate(statements), key=lambda one: (paths.index(one[1].note.path), not one[1].is_row)
    )
    return [
        Conflict(upper, lower, binding=not (first.note.is_optional or first.note.is_gone))
        for upper, first in rows_first
        for lower, second in enumerate(statements)
        if corrects(first, second, asked)
    ]


def standard_first(
    met: Sequence[Conflict], statements: Sequence[Statement], asked: frozenset[str]
) -> list[Conflict]:
    """Return what puts the rule that holds above an optional one that would replace it.

    Unless the optional one says more of what is asked, or is asked for by its name.
    """
    return [
        Conflict(one.lower, one.upper, binding=True)
        for one in met
        if statements[one.upper].note.is_optional
        and not statements[one.lower].note.is_gone
        and statements[one.upper].words & asked <= statements[one.lower].words
        and not _is_named(statements[one.upper].note.path, asked)
    ]


def _is_named(path: str, asked: frozenset[str]) -> bool:
    """Whether what is asked has the words of a file's name, "(Variant)" left out; not one alone."""
    name = frozenset(stems_of(_IN_BRACKETS.sub(" ", file_title(path))))
    return len(name) > 1 and name <= asked


def corrects(upper: Statement, lower: Statement, asked: frozenset[str]) -> bool:
    """Tell whether the file of one overrides the other's, and it rules what is asked of that."""
    path = lower.note.path
    if upper.only and path not in upper.only and upper.note.overrides(path):
        return False
    if not upper.corrects:
        return False
    is_named = path in upper.only and path != upper.note.path
    if is_named and not lower.note.supersedes and replaces_section(upper, lower):
        return True
    return overrides(upper.note, lower.note) and _meet(upper, lower, asked)


def replaces_section(upper: Statement, lower: Statement) -> bool:
    """Tell whether a correction names the section, or the row, that the lower statement is of.

    A detail that is changed is none of a row that the correction does not speak of.
    """
    if lower.note.path not in upper.only:
        return False
    if lower.is_row and lower.subject in upper.sections:
        return True
    own = replaced_sections.headings(lower.place)
    if is_whole(upper, lower):
        return True
    subject = lower.subject.difference(*own) or lower.subject
    is_other = lower.is_row and subject.isdisjoint(upper.words)
    return not is_other and not upper.sections.isdisjoint(own)


def is_whole(upper: Statement, lower: Statement) -> bool:
    """Tell whether a correction replaces as a whole the section that the lower statement is of."""
    own = replaced_sections.headings(lower.place)
    return lower.note.path in upper.only and not upper.replaced_whole.isdisjoint(own)


def _meet(upper: Statement, lower: Statement, asked: frozenset[str]) -> bool:
    """Whether both rule what is asked. A number alone does not say so.

    "10 % at levels 10-11, 5 % from 12" corrects no row of level 5, unless it says more of what is
    asked than the file's name.
    """
    is_said = lower.label & asked and lower.label <= upper.words
    if is_said and upper.heading & lower.heading:
        return True  # "Parking: free for 2 hours", "parking rises to €2" of the small charges
    own = lower.label - lower.heading
    if own and own.isdisjoint(upper.words):
        return False  # a new price of a bath is none of an extra walk, though both are extras
    both = upper.words & lower.subject & asked
    if both and (not all(map(str.isdigit, both)) or _says_more(upper, lower, asked)):
        return True
    if lower.is_row:
        return False
    shared = lower.words & asked
    if shared <= upper.words and len(shared) > max(1, len(asked) / 2):
        return True
    # "Within three weeks (before: five)": it says the number that it takes the place of.
    return not upper.replaced.isdisjoint(lower.words) and len(shared & upper.words) >= _MORE


def _says_more(upper: Statement, lower: Statement, asked: frozenset[str]) -> bool:
    own = frozenset(stems_of(file_title(lower.note.path)))
    return sum(not word.isdigit() for word in upper.words & asked - own) >= _MORE
