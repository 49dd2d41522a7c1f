"""The files of a folder that have a label of their own, or a field: "what undead are there"."""

import re
from collections import defaultdict

from api.answer.cards.folders import folders
from api.answer.cards.folders.file_fields import (
    Read,
    Stated,
    as_typed,
    beginning,
    listed,
    of_folder,
    tagged,
)
from api.answer.cards.folders.folders import MOST, Folder, ListedFile
from retrieval.models import Name, Terms
from retrieval.text import denials
from retrieval.text.question_phrases import without_command
from retrieval.text.reading_order import reading_order
from retrieval.vocabulary.terms import key, names_of, stems_of

THERE = re.compile(
    r"^\W{0,3}(?:(?:what|which)(?: (?:kinds|types|sorts) of)? (?:[\w'-]{1,30} ){1,3}are there|"
    r"(?:please )?(?:list|show|name)(?: me)? (?:(?:all|every)(?: the)?|the) "
    r"(?:[\w'-]{1,30} ?){1,3})\W{0,3}$",
    re.IGNORECASE,
)
_LEAST = 3  # files
_MOST_OF = 0.5  # of a folder's files: what more of them have is a field of each


def labelled(question: str, terms: Terms, read: Read, stated: Stated) -> tuple[Folder, ...]:
    """Return the files of one folder of which some have an entry that is called as what is asked.

    Or a tag, or another value of their front matter. None where the question asks for more than a
    name, a file's title begins so, or more than half of the folder's files have it. `read` gives
    the entries of a folder that may hold words with these beginnings.
    """
    name = key(without_command(question)) if THERE.match(question) else ()
    if not name or _is_title(name, terms):
        return ()
    also = tagged(frozenset(name), stated)
    files = (terms.names.get(name, frozenset()) | also) & terms.titles.keys()
    inside: defaultdict[str, set[str]] = defaultdict(set)
    for path in files:
        inside[path.rpartition("/")[0]].add(path)
    folder, own = max(inside.items(), key=lambda one: len(one[1]), default=("", set()))
    every = sum(1 for path in terms.titles if path.rpartition("/")[0] == folder)
    if not folder or len(own) < _LEAST or len(own) > _MOST_OF * every:
        return ()
    entries = {
        path: entry
        for path, entry in reversed(read(folder, [beginning(word) for word in name]))
        if path in own
        and key(names_of(path, entry)[0]) == name
        and set(name) <= set(stems_of(denials.stated(entry.quote)))  # "**Not undead:** …"
    }
    order = sorted(entries.keys() | (also & own), key=reading_order)
    listed = tuple(ListedFile(path, terms.titles[path], entries.get(path)) for path in order[:MOST])
    return (Folder(folder, listed, len(order), name),) if len(order) >= _LEAST else ()


def of_every_file(question: str, terms: Terms, read: Read) -> tuple[Folder, ...]:
    """Return the files of the folder that has most of a field, each with it: "list all keepers".

    None where the question asks for more than several of the field, a file's title begins so, or
    fewer than three files have it: "armour" and "languages" may be what there is a list of.
    """
    name = key(without_command(question)) if THERE.match(question) else ()
    if name not in terms.fields or _is_title(name, terms):
        return ()
    every = {one: of_folder(one, name, terms, read) for one in folders.said_by(terms)}
    # Of a folder and one within it that have as many the inner one.
    best = max(every, key=lambda one: (len(every[one]), one.count("/")), default="")
    fields = list(every[best].values()) if best else []
    typed = as_typed(frozenset(name), question)
    is_several = fields and " ".join(typed).lower() == f"{fields[0].name.lower()}s"
    return (listed(best, fields, typed, terms),) if is_several and len(fields) >= _LEAST else ()


def _is_title(name: Name, terms: Terms) -> bool:
    return any(key(title)[: len(name)] == name for title in terms.titles.values())
