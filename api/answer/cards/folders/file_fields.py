"""The fields of a folder's files: "**Piano:** none" of each room, with the line that says it."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest

from api.answer.cards.folders.folders import MOST, Folder, ListedFile
from api.answer.cards.lists.rows.cell_marks import is_said
from retrieval.metadata.schema import Metadata
from retrieval.models import Entry, Name, Terms
from retrieval.text.normalize import unnumbered
from retrieval.text.reading_order import reading_order
from retrieval.vocabulary.terms import column_names, key, plain, raw_cells, stemmed, stems_of

Read = Callable[[str, Collection[str]], Sequence[tuple[str, Entry]]]
Stated = Callable[[], Mapping[str, Metadata]]  # of the vault's files what their front matter says
_NAMED = re.compile(r"(?:\*\*|__)([^*_:|\n]{1,40})(?::(?:\*\*|__)|(?:\*\*|__):)")
FREE_APART = re.compile(r"\b([a-z]{2,30}) free\b", re.IGNORECASE)
_FREE_JOINED = re.compile(r"\b([^\W_]{2,30})-free\b", re.IGNORECASE)
_NOT_LET = re.compile(r"(?:not|never) (?:[a-z]{2,20} ){0,2}[a-z]{2,20}\W*$", re.IGNORECASE)
_IS_A = re.compile(r"\b(?:is|are) an? ((?:[\w-]{1,20} ?){1,4})", re.IGNORECASE)
_SHARED = 4  # fields, by which things of one kind are known
ALIKE = 5  # letters that words of one family begin with: "immune", "immunity"
# Of verbs whose forms have no stem in common.
_BASE = {
    "kept": "keep", "lent": "lend", "held": "hold", "sold": "sell", "paid": "pay", "worn": "wear",
    "given": "giv", "taken": "tak", "built": "build", "taught": "teach", "led": "lead",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """What a file says in one field, and the entry of the line that says it."""

    path: str
    name: str  # as it is written
    value: str
    entry: Entry

    @property
    def says_no(self) -> bool:
        """Whether the value is a no: blank, a dash, "no", "none", "not let"."""
        return is_said([self.value], 0, denied=True) and (
            not is_said([self.value], 0, denied=False) or bool(_NOT_LET.match(self.value))
        )


def fields_in(path: str, entry: Entry, terms: Terms) -> Iterator[Field]:
    """Yield the fields in an entry: bold beginnings with a colon, or a row of name and value."""
    if entry.kind == "row":
        given = raw_cells(entry.quote)
        if len(given) == 2 and key(given[0]) in terms.fields:
            yield Field(path, plain(given[0]), plain(given[1]), entry)
        return
    for at, line in enumerate(entry.quote.split("\n")):
        number = entry.first_line + at
        found = list(_NAMED.finditer(line))
        for one, following in zip_longest(found, found[1:]):
            value = line[one.end() : following.start() if following else None].strip()
            own = replace(entry, first_line=number, last_line=number, quote=line.strip())
            yield Field(path, one[1].strip(), plain(value), own)


def of_folder(folder: str, name: Name, terms: Terms, read: Read) -> dict[str, Field]:
    """Return the field of that name of each file below a folder, by path."""
    entries = read(folder, [beginning(word) for word in name])
    fields = (one for path, entry in entries for one in fields_in(path, entry, terms))
    return {one.path: one for one in fields if key(one.name) == name}


def of_one_kind(folder: Folder, terms: Terms, read: Read) -> Folder:
    """Return a folder without the files that are none of its things: "what classes are there".

    Its things are those with a quarter of the fields that most of its files have, and those that
    say so themselves ("a bard is a class"). All files where fewer than _SHARED fields are, or the
    folder is too large to be listed whole.
    """
    if folder.count > MOST:
        return folder
    called = frozenset(stems_of(unnumbered(folder.path.rsplit("/", 1)[-1])))
    having: defaultdict[Name, set[str]] = defaultdict(set)
    named: set[str] = set()
    for path, entry in read(folder.path, ()):
        for one in fields_in(path, entry, terms):
            having[key(one.name)].add(path)
        for name in column_names(entry.lead, len(raw_cells(entry.quote))) if entry.lead else ():
            having[key(name)].add(path)
        named |= {path for one in _IS_A.finditer(entry.quote) if called & set(stems_of(one[1]))}
    shared = [paths for paths in having.values() if 2 * len(paths) > folder.count]
    if len(shared) < _SHARED:
        return folder
    files = tuple(
        one for one in folder.files
        if one.path in named or 4 * sum(one.path in paths for paths in shared) >= len(shared)
    )  # fmt: skip
    return replace(folder, files=files, count=len(files))


def tagged(word: frozenset[str], stated: Stated) -> frozenset[str]:
    """Return the files whose front matter has a value, of its tags or another field, of this word.

    Aliases are names of the thing itself.
    """
    return frozenset(
        path for path, metadata in stated().items()
        for name, given in metadata.items() if name != "aliases"
        for value in ((given,) if isinstance(given, str) else given)
        if frozenset(stems_of(value)) == word
    )  # fmt: skip


def listed(folder: str, fields: Sequence[Field], words: Sequence[str], terms: Terms) -> Folder:
    """Return the files of these fields as a list: each with its line, found by these words."""
    order = sorted(fields, key=lambda one: reading_order(one.path))
    files = tuple(ListedFile(one.path, terms.titles[one.path], one.entry) for one in order)
    return Folder(folder, files[:MOST], len(files), tuple(words))


def as_typed(words: frozenset[str], text: str) -> tuple[str, ...]:
    """Return the words of a text, as they are typed, that have one of these stems."""
    split = [one.strip("?!.,;:") for one in text.split()]
    return tuple(one for one in split if words & set(stems_of(one)))


def words_of(text: str) -> frozenset[str]:
    """Return the stems of a field's name or value; "step-free" is one word, and not "free"."""
    joined = (f"{stemmed(one.lower())}-fre" for one in _FREE_JOINED.findall(text))
    apart = (_BASE.get(one, one) for one in stems_of(_FREE_JOINED.sub(" ", text)))
    return frozenset((*joined, *apart))


def said_together(fields: Sequence[Field], words: Collection[str]) -> bool:
    """Tell whether words are said of one thing: by one field, or by those that they name.

    "Free for guests" is not said by a "Fee members: free" above a "Fee guests: 9 euros".
    """
    pairs = [(words_of(one.name), words_of(one.value)) for one in fields]
    free = [word for name, value in pairs for word in name | value if "-" in word]
    for word in free:
        if (apart := set(word.split("-"))) <= set(words):
            words = {*words, word} - apart
    if any(all(has(name | value, word) for word in words) for name, value in pairs):
        return True
    named = [(name, value) for name, value in pairs if any(has(name, word) for word in words)]
    return all(any(has(name | value, word) for name, value in named) for word in words)


def has(stems: Collection[str], word: str) -> bool:
    """Whether a word of the same family is among the stems."""
    return word in stems or any(_is_alike(word, one) for one in stems)


def beginning(word: str) -> str:
    """Return what every word of its family holds."""
    first = word.split("-")[0]  # "smok-fre"
    return first[:ALIKE] if len(first) >= ALIKE else first[:3]


def _is_alike(word: str, other: str) -> bool:
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))
    )
    return same >= ALIKE and same >= min(len(word), len(other)) - 1
