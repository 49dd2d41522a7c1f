"""The files of a status that is asked for: "which rules are optional", "superseded policies"."""

import os.path
import re
from collections.abc import Mapping, Sequence

from api.answer.cards.folders.folders import MOST, Folder, ListedFile
from api.answer.question.modality import modality
from retrieval.models import Name, SourceNote, Terms
from retrieval.text.question_phrases import without_command
from retrieval.text.reading_order import reading_order
from retrieval.vocabulary.terms import key, stems_of

# What is asked for, where it is files: one that says none of these asks for no status.
FILES = re.compile(
    r"\b(?:rules|policies|pages|files|documents|articles|guides|chapters|procedures)\b",
    re.IGNORECASE,
)
_FILE_WORDS = frozenset(
    stems_of("rule policy page file document article guide chapter procedure have exist old")
)
_OURS = frozenset({"our", "my", "your"})
_GONE = re.compile(
    r"(?:\bno longer|\bnot|n['’]?t) (?:any ?more )?"
    r"(?:in force|valid|current|in use|used|hold|apply)\b(?: any ?more\b)?|"
    r"\b(?:outdated|out of date|obsolete|superseded|replaced|withdrawn|archived|deprecated)\b",
    re.IGNORECASE,
)


def of_status(question: str, notes: Mapping[str, SourceNote], terms: Terms) -> tuple[Folder, ...]:
    """Return the files whose status is all that a question asks for, as one list; else none.

    None where a file is called so: it is the better answer. `notes` are those of the vault's files.
    """
    gone = _GONE.search(question)
    if not FILES.search(question) or (modality(question) == "must not" and not gone):
        return ()
    asked = without_command(_GONE.sub(" ", question))
    name = [stem for stem in stems_of(asked) if stem not in _OURS]
    words = frozenset(name) - _FILE_WORDS
    if words and any(_holds(key(title), name) for title in terms.titles.values()):
        return ()
    if gone:
        found = [path for path, note in notes.items() if note.is_gone and not words]
    else:
        found = [path for path, note in notes.items() if _is_of(note, words)]
    if not found:
        return ()
    order = sorted(found, key=reading_order)
    files = tuple(ListedFile(path, terms.titles[path]) for path in order[:MOST])
    common = os.path.commonpath([os.path.dirname(path) for path in order])
    return (Folder(common, files, len(order), ("status", notes[order[0]].status)),)


def _holds(title: Name, name: Sequence[str]) -> bool:
    """Whether a title holds the words of a name beside each other: "House Rules of the Table"."""
    places = range(len(title) - len(name) + 1)
    return bool(name) and any(list(title[at : at + len(name)]) == list(name) for at in places)


def _is_of(note: SourceNote, words: frozenset[str]) -> bool:
    """Whether words say a file's status and nothing else."""
    status = frozenset(stems_of(note.status))
    return bool(words) and status - _FILE_WORDS == words
