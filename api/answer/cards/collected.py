"""Collect over the files of a folder what is asked of each: "which monsters drain levels".

Found by its words: a file is listed with the first of its entries that says all of them. Nobody
has checked that it says them of the thing, so the reply names the words.
"""

import re
from collections.abc import Callable, Collection, Sequence
from itertools import takewhile

from api.answer.cards import folders
from api.answer.cards.folders import Folder, ListedFile
from api.answer.question.intent import Reading
from api.answer.question.limits import Amount, amount, without
from retrieval.context import SearchContext
from retrieval.index import folder_entries
from retrieval.models import Entry, Name, Terms
from retrieval.text.quantities import Interval, intervals, values
from retrieval.text.question_phrases import without_command
from retrieval.text.reading_order import reading_order
from retrieval.vocabulary.terms import column_names, key, names_of, raw_cells, stems_of

Read = Callable[[str, Collection[str]], Sequence[tuple[str, Entry]]]
_LEAST = 2  # files of what is called a list
_PLURAL = re.compile(r"\b[a-z]{3,}s\b", re.IGNORECASE)
_NAMED = 3  # words of a folder's name and above it that make it the one that is asked for
_MENTIONED = 20  # files; of more only those are listed whose entry is called what is asked
# What is denied, to the end of its clause: "immune to fear, not to sleep".
_DENIED = re.compile(r"\b(?:not|no|never|without|cannot|\w+n['’]t)\b[^.,;:]*", re.IGNORECASE)
_INLINE_FIELD = re.compile(r"\*\*([^*:\n]{1,40}):?\*\*:? (?P<value>[^*|<\n]+)")  # "**ML** 12"
_MORE = re.compile(r"[+×]|\bper\b")  # "6 turns + 1 turn per level" is not 6 turns
_ALIKE = 5  # letters that words of one family begin with: "immune", "immunity"
_NEAREST = 2  # folders


def listed(
    context: SearchContext, generation: str, question: str, reading: Reading, terms: Terms
) -> tuple[Folder, ...]:
    """Return the folders that a question asks for, as a whole or what its files say of something.

    `reading` is that of a list. `generation` is the index's name, "ID.REVISION".
    """
    found = folders.asked_for(question, reading, terms)
    if found:
        return found
    number = int(generation.split(".")[0])

    def read(folder: str, beginnings: Collection[str]) -> list[tuple[str, Entry]]:
        entries = context.read(lambda conn: folder_entries.read(conn, number, folder, beginnings))
        return [one for one in entries if one[0] in terms.titles]

    return asked_for(question, reading, terms, read)


def asked_for(question: str, reading: Reading, terms: Terms, read: Read) -> tuple[Folder, ...]:
    """Return of the folders that a question names the files that say what it asks besides.

    None where no folder is named, or nothing besides. Where no file says it, and the name is told
    by three words or more ("level 2 spells of a cleric"), all of its files. `read` gives the
    entries of a folder that may hold words with these beginnings.
    """
    limited = amount(question)
    plain = without(question, limited) if limited else question
    asked = folders.asked_words(plain, reading, terms)
    chosen = _named(asked, plain, terms)
    if not chosen:
        return ()
    said = folders.said_by(terms)
    words = asked - said[chosen[0]]
    if limited:
        fitting = [_fitting(folder, words, limited, terms, read) for folder in chosen]
        return tuple(one for one in fitting if one.count >= _LEAST)
    if exact := _exact(words, question, terms):
        rest = terms.in_full(word for word in words if not word.isdigit())
        fitting = [_fitting(folder, rest, exact, terms, read) for folder in chosen]
        return tuple(one for one in fitting if one.count >= _LEAST)
    if not words or any(word.isdigit() for word in words):
        return ()
    found = [one for folder in chosen if (one := _saying(folder, words, question, terms, read))]
    if sum(one.count for one in found) >= _LEAST:
        return tuple(found)
    if not found and len(asked & said[chosen[0]]) >= _NAMED:
        return tuple(folders.whole(folder, terms) for folder in chosen)
    return ()


def _exact(words: frozenset[str], question: str, terms: Terms) -> Amount | None:
    """The number that a field is to have, where nothing else is asked: "with morale 12".

    With its unit, if it has one: "spells with duration 6 turns".
    """
    found = values(question)
    if len(found) != 1:
        return None
    number, units = found[0]
    rest = terms.in_full(word for word in words if not word.isdigit())
    fields = {terms.in_full(field) for field in terms.fields}
    unit = next((one for one in (frozenset[str](), units) if rest - one in fields), None)
    if unit is None:
        return None
    said = " ".join(_typed(words, question, terms))
    return Amount(Interval(number, number, unit, number), said)


def _typed(words: frozenset[str], question: str, terms: Terms) -> tuple[str, ...]:
    """The words of a question, as they are typed, that have these stems."""
    split = [one.strip("?!.,;:") for one in without_command(question).split()]
    return tuple(one for one in split if words & set(stems_of(one)))


def _fitting(
    folder: str, words: frozenset[str], limited: Amount, terms: Terms, read: Read
) -> Folder:
    """The folder's files with a field that is asked for and whose amount is within the limit."""
    units = limited.limit.units
    fields = [f for f in terms.fields if words - units <= terms.in_full(frozenset(f)) <= words]
    found: dict[str, Entry] = {}
    for field in fields:
        own = terms.in_full(frozenset(field))  # "more than 10 hit dice" has no unit
        for path, entry in read(folder, [_beginning(word) for word in field]):
            if any(_is_within(cell, limited, own) for cell in _values(entry, field)):
                found.setdefault(path, entry)
    files = tuple(ListedFile(one, terms.titles[one], found[one]) for one in found)
    order = sorted(files, key=lambda file: reading_order(file.path))
    said = limited.words
    return Folder(folder, tuple(order[: folders.MOST]), len(files), said)


def _is_within(cell: str, limited: Amount, own: frozenset[str]) -> bool:
    """Whether a cell's first amount is within the limit; a range "2-12" is not 12."""
    one = next(intervals(cell), None)
    if one is None or not limited.holds(one, ignoring=own):
        return False
    return limited.limit.is_range or (one.low == limited.limit.low and not _MORE.search(cell))


def _values(entry: Entry, field: Name) -> list[str]:
    """What an entry says in a field: the cell of its row or column, or behind its bold name."""
    if entry.kind == "row":
        row = raw_cells(entry.quote)
        if key(row[0]) == field:
            return list(row[1:])
        names = column_names(entry.lead, len(row))
        return [cell for name, cell in zip(names, row, strict=True) if key(name) == field]
    lines = (line.lstrip("-*+ ").partition(":") for line in entry.quote.split("\n"))
    given = [value.strip("* ") for name, _, value in lines if key(name) == field]
    return given or [
        said["value"] for said in _INLINE_FIELD.finditer(entry.quote) if key(said[1]) == field
    ]


def _named(asked: frozenset[str], question: str, terms: Terms) -> list[str]:
    """The folders called as the first plural of a question, those that say most of it."""
    folder_words = folders.said_by(terms)
    of_others = {  # "6 turns" is of no folder "Level 6"
        f"{value.number:g}"
        for value in values(question)
        if value.units and all(value.units.isdisjoint(words) for words in folder_words.values())
    }
    said = {folder: (asked - of_others) & words for folder, words in folder_words.items()}
    of: set[str] = set()
    for noun in map(stems_of, _PLURAL.findall(without_command(question))):
        of = {one for one in said if set(noun) & folders.name_stems(one.rsplit("/", 1)[-1])}
        if of:
            break
    if not of or any(_says_all(title, asked) for title in terms.titles.values()):
        return []
    inside = {one for one in said if any(one == top or one.startswith(f"{top}/") for top in of)}
    most = max(len(said[one]) for one in inside)
    best = sorted(one for one in inside if len(said[one]) == most)
    above = [one for one in best if not any(one.startswith(f"{other}/") for other in best)]
    same = len({said[one] for one in above}) == 1
    return above if same and len(above) <= _NEAREST else []


def _says_all(title: str, asked: Collection[str]) -> bool:
    """Whether a file is about nothing else: its own list is better than one that is collected."""
    name = folders.name_stems(title)
    return all(_has(name, word) for word in asked)


def _saying(
    folder: str, words: frozenset[str], question: str, terms: Terms, read: Read
) -> Folder | None:
    """The folder's files that say the words, those called so first; None where none does."""
    best: dict[str, tuple[int, Entry]] = {}
    for path, entry in read(folder, [_beginning(word) for word in words]):
        doubt = _doubt(path, entry, words)
        if doubt is not None and (path not in best or doubt < best[path][0]):
            best[path] = (doubt, entry)
    if not best:
        return None
    order = sorted(best, key=lambda path: (best[path][0], reading_order(path)))
    sure = [path for path in order if best[path][0] == 0]
    kept = sure if len(sure) >= _LEAST and len(order) > _MENTIONED else order
    files = tuple(ListedFile(path, terms.titles[path], best[path][1]) for path in kept)
    return Folder(folder, files[: folders.MOST], len(files), _typed(words, question, terms))


def _doubt(path: str, entry: Entry, words: Collection[str]) -> int | None:
    """How far from sure it is that an entry says the words of its thing.

    0 where it or its file is called so, 1 where it only mentions them; None where it has not all of
    them, or denies one.
    """
    own = stems_of(entry.words)
    if not all(_has([*own, *stems_of(entry.heading)], word) for word in words):
        return None
    if not any(_has(own, word) for word in words):  # its heading alone: another entry may say more
        return 1
    stated = stems_of(f"{entry.heading} {_DENIED.sub(' ', entry.quote)}")
    if not all(_has(stated, word) for word in words):
        return None
    called = [stem for name in names_of(path, entry) for stem in key(name)]
    return 0 if any(_has(called, word) for word in words) else 1


def _beginning(word: str) -> str:
    """What every word of its family holds."""
    return word[:_ALIKE] if len(word) >= _ALIKE else word[:3]


def _has(stems: Collection[str], word: str) -> bool:
    """Whether a word of the same family is among the stems."""
    return word in stems or any(_is_alike(word, one) for one in stems)


def _is_alike(word: str, other: str) -> bool:
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))
    )
    return same >= _ALIKE and same >= min(len(word), len(other)) - 1
