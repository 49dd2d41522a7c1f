"""A quote as conflicts are found in it: what it is about, what it says, what it says of others."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from retrieval.models import Entry, IndexedFile, SourceNote
from retrieval.ranking import clauses, replaced_sections
from retrieval.ranking.replaced_sections import OF_CHANGES, Names
from retrieval.text.normalize import searchable
from retrieval.text.quantities import intervals
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
    r"it (?:is|was)))\b|\b(?:is|are) not (?:touched|changed|affected|altered)"
    r"(?: by (?:this|it|that))?[.;!?]?$|"
    r"\bkeeps (?:its|their) \S+[.;!?]?$|\b(?:(?:stay|remain)s?|unaffected)[.;!?]?$|"
    r"^\D{3,200}\bstands?[.;!?]?$",  # no "6 euros, not 5, at the repair stand"
    re.IGNORECASE,
)
# No dice and no dates; of "2 × 25 minutes" the 25.
_REPLACED = re.compile(
    r"(?:\b(?:formerly|previously|instead of|rather than|in place of|no longer|was|were|not)"
    r"\W{1,3}|\bbefore: )(?:\d{1,2} ?[x×*] ?)?(\d{1,6}(?:[.,]\d\d)?)(?![\d.,:-]{0,9}\d|d\d)|"
    r"\b(?:down|up|rises?|raised|falls?|goes|changed|lowered|increased|reduced) from [£$€]?"
    r"(\d{1,6}(?:[.,]\d\d)?)\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"\bnow\b|\bno longer\b|\binstead of\b|\bfrom \S{1,9} to\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,6}(?:[.,]\d\d(?!\d))?")
_LABEL = re.compile(r"^\W{0,8}(\w[^:|.!?;\n]{1,40}):(?=\W)")  # "- **Parking:** free for"
_MOST_OF_LABEL = 5  # words
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
    own: frozenset[str] = frozenset()  # what it says itself
    amounts: frozenset[str] = frozenset()  # units of its amounts
    numbers: frozenset[str] = frozenset()
    is_new: bool = False  # it says what is so now
    sections: Names = frozenset()  # that it names, of the files in `only`, or rows of tables
    replaced_whole: Names = frozenset()  # of them those of which it changes no detail alone
    replaced_clauses: frozenset[str] = frozenset()  # by number: "replaces paragraph 3.2"
    parted_clauses: frozenset[str] = frozenset()  # of them those of which words change
    clauses: frozenset[str] = frozenset()  # its own number, and that of its last heading


def statement(entry: Entry, note: SourceNote, file: IndexedFile | None = None) -> Statement:
    """Return an entry as conflicts are found in it, with what its section in `file` says it is."""
    if not (note.supersedes or OF_CHANGES.search(note.path)):
        return _plain(entry, note)
    section = replaced_sections.section_of(entry, file.entries if file else ())
    said = replaced_sections.said_in(section, file.lines if file else {})
    return _of_changes(entry, note, tuple(said))


@lru_cache(maxsize=16_384)
def _plain(entry: Entry, note: SourceNote) -> Statement:
    quote = searchable(entry.quote)
    return Statement(
        note, *_said(entry), label=_label(entry), heading=heading(entry),
        place=entry.heading, own=frozenset(stems_of(entry.words)),
        amounts=frozenset().union(*(one.units for one in intervals(quote))),
        numbers=numbers_in(quote),
        clauses=clauses.own(entry),
    )  # fmt: skip


@lru_cache(maxsize=4096)  # of the files of corrections, which each question is compared with
def _of_changes(entry: Entry, note: SourceNote, said: tuple[str, ...]) -> Statement:
    only = replaced_sections.only(entry, note, said)
    about = [
        sentence for text in said for sentence in _STATEMENT_END.split(text)
        if replaced_sections.changes(sentence, note, is_linked=bool(only))
        and not _KEPT.search(sentence)
    ]  # fmt: skip
    return replace(
        _plain(entry, note),
        only=only,
        replaced=frozenset(_replaced(entry.quote)),
        is_new=bool(_NOW.search(entry.quote)),
        replaced_clauses=frozenset().union(*map(clauses.changed_in, about)),
        parted_clauses=frozenset().union(
            *map(clauses.changed_in, filter(clauses.is_in_part, about))
        ),
        sections=replaced_sections.named(about, entry.heading),
        replaced_whole=replaced_sections.named_whole(about, entry.heading),
    )


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text."""
    return _STATEMENT_END.split(text)


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers of a text as they are compared: 9 of "9.00"."""
    return frozenset(map(_plain_number, _NUMBER.findall(searchable(text))))


def _replaced(quote: str) -> list[str]:
    return [_plain_number(one[1] or one[2]) for one in _REPLACED.finditer(searchable(quote))]


def _plain_number(number: str) -> str:
    return number.replace(",", ".").removesuffix(".00")


def _label(entry: Entry) -> frozenset[str]:
    label = _LABEL.match(entry.quote) if entry.kind != "row" else None
    if label is None or len(WORD.findall(label[1])) > _MOST_OF_LABEL:
        return frozenset()
    return frozenset(stems_of(label[1]))


def heading(entry: Entry) -> frozenset[str]:
    """Return the stems of the last heading that an entry stands below."""
    return frozenset(stems_of(entry.heading.rsplit(" > ", 1)[-1]))


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
