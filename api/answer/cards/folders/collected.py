"""Collect over the files of a folder what is asked of each: "which monsters drain levels".

Found by its words: a file is listed with the first of its entries that says all of them. Nobody
has checked that it says them of the thing, so the reply names the words.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from api.answer.cards.folders import (
    by_date,
    by_field,
    by_label,
    by_query,
    by_status,
    folders,
    named_folders,
    saying,
)
from api.answer.cards.folders.file_fields import (
    Read,
    as_typed,
    of_one_kind,
)
from api.answer.cards.folders.folders import Folder, ListedFile
from api.answer.question import conditions
from api.answer.question.intent import Reading
from api.answer.question.limits import amount
from retrieval.context import SearchContext
from retrieval.index import folder_entries, indexed_file
from retrieval.metadata.schema import Metadata
from retrieval.models import Entry, Terms
from retrieval.text.normalize import searchable
from retrieval.text.question_phrases import without_command
from retrieval.text.reading_order import reading_order
from retrieval.vocabulary.terms import stems_of

_LEAST = 2  # files of what is called a list
_FIGURES = re.compile(r"(?<![\w-])\d+(?:-(?:in-)?\d+)?(?![\w-])")
_OF_ANY = re.compile(
    r"s\b.{1,60}\b(?:at|of|on|in|from|with) (?:any|every)\b", re.IGNORECASE
)  # "classes that … any level"
_NAMED = 3  # words of a folder's name and above it that make it the one that is asked for
_MENTIONED = 20  # files; of more only those are listed whose entry is called what is asked


def listed(
    context: SearchContext, generation: str, question: str, reading: Reading, terms: Terms
) -> tuple[Folder, ...]:
    """Return the folders that a question asks for, as a whole or what its files say of something.

    None for a `reading` of another form than a list's, but those of a status that it names.
    `generation` is the index's name, "ID.REVISION".
    """
    number = int(generation.split(".")[0])
    question = conditions.plain(question)
    if named_folders.names_file(
        question, terms
    ):  # "the house rules of the table" are headings of a file
        return ()

    @cache
    def stated() -> Mapping[str, Metadata]:
        return context.read(lambda conn: indexed_file.stated(conn, number, terms.titles))

    if by_status.FILES.search(question):
        given = context.read(lambda conn: indexed_file.notes(conn, number, terms.titles))
        if files := by_status.of_status(question, given, terms):
            return files

    if files := by_date.chosen(question, terms, stated):
        return files

    def read(folder: str, beginnings: Collection[str]) -> list[tuple[str, Entry]]:
        entries = context.read(lambda conn: folder_entries.read(conn, number, folder, beginnings))
        return [one for one in entries if one[0] in terms.titles]

    if found := by_query.chosen(question, terms, read, stated):
        return found
    if reading.form not in {"list", "which"}:
        if not folders.opening_nouns(question, terms):
            return ()
        reading = Reading("which")
    found = folders.asked_for(question, reading, terms)
    if found:
        return tuple(of_one_kind(one, terms, read) for one in found)
    if by_label.THERE.match(question):
        found = by_label.labelled(question, terms, read, stated) or by_label.of_every_file(
            question, terms, read
        )
        if found:
            return found
    return by_field.chosen(question, terms, read) or asked_for(question, reading, terms, read)


def asked_for(question: str, reading: Reading, terms: Terms, read: Read) -> tuple[Folder, ...]:
    """Return of the folders that a question names the files that say what it asks besides.

    None where no folder is named, or nothing besides. Where no file says it, and the name is told
    by three words or more ("level 2 spells of a cleric"), all of its files. `read` gives the
    entries of a folder that may hold words with these beginnings.
    """
    if amount(question):  # a field says it, or nothing does
        return ()
    asked = folders.asked_words(question, reading, terms)
    chosen = named_folders.named(asked, question, terms)
    if not chosen:
        return ()
    said = folders.said_by(terms)
    words = asked - said[chosen[0]]
    written = [one for one in _FIGURES.findall(searchable(question)) if words & set(stems_of(one))]
    words = frozenset(word for word in words if not word.isdigit())
    if not words or _OF_ANY.search(question):
        return ()
    said_words = (*as_typed(words, without_command(question)), *written)
    every = (_saying(folder, words, said_words, terms, _with(written, read)) for folder in chosen)
    found = [one for one in every if one]
    if sum(one.count for one in found) >= _LEAST:
        return tuple(found)
    if not found and len(asked & said[chosen[0]]) >= _NAMED:
        return tuple(folders.whole(folder, terms) for folder in chosen)
    return ()


def _with(written: Sequence[str], read: Read) -> Read:
    """What reads the entries that hold these figures as they are written: "on 1-4"."""
    wanted = set(written)

    def holding(folder: str, beginnings: Collection[str]) -> list[tuple[str, Entry]]:
        return [
            (path, entry)
            for path, entry in read(folder, beginnings)
            if wanted.issubset(_FIGURES.findall(searchable(entry.quote)))
        ]

    return holding


def _saying(
    folder: str, words: frozenset[str], typed: tuple[str, ...], terms: Terms, read: Read
) -> Folder | None:
    """The folder's files that say the words, those called so first; None where none does."""
    best = saying.best(folder, words, read)
    if not best:
        return None
    order = sorted(best, key=lambda path: (best[path][0], reading_order(path)))
    sure = [path for path in order if best[path][0] == 0]
    kept = sure if len(sure) >= _LEAST and len(order) > _MENTIONED else order
    files = tuple(ListedFile(path, terms.titles[path], best[path][1]) for path in kept)
    return Folder(folder, files[: folders.MOST], len(files), typed, is_likely=True)
