"""The files of a folder as the rows of a table, with a column for each field that they have.

A file with a table of several things of the same fields is a row for each of them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from api.answer.cards.blocks import Part
from api.answer.cards.folders.file_fields import Field, Read, fields_in
from api.answer.cards.lists.rows.by_column import ENDLESS
from api.answer.cards.lists.rows.table_rows import Table
from api.answer.cards.table_query.columns import is_money
from retrieval.models import Entry, Name, Terms
from retrieval.ranking.lines import QuestionWords
from retrieval.vocabulary.terms import column_names, key, plain, raw_cells

_LEAST = 3  # files with a field: of two a comparison asks
_MOSTLY = 0.6  # of a field's values begin with an amount: others say nothing of it
_HALF = 0.5  # of a table's columns are called as fields of files: its rows are things
_PLAIN_FIELD = re.compile(
    r"^ {0,3}(?:[-*+] )?(?P<name>[^\W\d_][^:*_|\n]{1,40}): (?P<value>[^\n]+)|"
    r"\*\*(?P<bold>[^*:\n]{1,40})\*\* (?P<said>\d[^*|<\n]{0,60})(?=[,;.*<]|$)|"
    r"(?:^|[,;] )(?P<short>[A-Za-z][A-Za-z ]{0,30}?):? "
    r"(?P<amount>\d(?:,\d{3}){0,2}[^,;|\n]{0,24})(?=[,;.]|$)",
    re.MULTILINE,
)
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST_WORDS = 3
_AMOUNT = re.compile(
    r"(?:up to |at (?:least|most) |about |around |from |max\.? |min\.? )?[~<>≤≥+]? ?"
    r"(?:[£$€]? ?[\d½¼¾]|d\d)",
    re.IGNORECASE,
)
_FOR_NOTHING = re.compile(r"free\b(?! [a-z])|(?:none|nothing)\W*$", re.IGNORECASE)
_BELOW_NOTHING = re.compile(r"[-−–]\d")


class _Thing(NamedTuple):
    """A file, or one of several things in it."""

    path: str
    title: str
    fields: Mapping[Name, Field]


@dataclass(frozen=True, slots=True)
class FileTable:
    """The things of some folders; the first column has their titles."""

    called: str  # the folders
    names: tuple[str, ...]
    table: Table
    fields: Mapping[tuple[int, int], Field]  # by row and column, where a file has it
    paths: tuple[str, ...]  # of the rows
    worded: tuple[int, ...]  # of each column how many say something else than an amount: "touch"
    left_out: tuple[str, ...]  # fields that cannot be compared

    def cells(self, column: int) -> list[str]:
        """Return the cells of a column, a row each; "" where a file has no such field."""
        return [row[column] for _, row in self.table]

    def above(self, asked: QuestionWords) -> frozenset[str]:
        """Return the stems of the folders' names."""
        return asked.stems(self.called)


def of(folders: Sequence[str], terms: Terms, read: Read) -> FileTable | None:
    """Return the files below these folders as a table; None where no field is of three of them.

    Where most values of a field begin with an amount, what does not is left out, unless it is
    nothing or without an end; so are files that say most of such fields in words: they explain
    them. So is a field with an amount below nothing: its sign is not read.
    """
    every, common = _every(folders, terms, read)
    columns = {name: _kept(name, every) for name in common}
    things = [one for n, one in enumerate(every) if not _explains(n, one, columns)]
    columns = {name: kept for name in common if (kept := _kept(name, things))}
    numbers = sorted(set().union(*columns.values()))
    if not numbers:
        return None
    fields = {
        (row, column): kept[n]
        for row, n in enumerate(numbers)
        for column, kept in enumerate(columns.values(), 1)
        if n in kept
    }
    names = ["", *(next(iter(kept.values())).name for kept in columns.values())]
    said = {place: field.value for place, field in fields.items()}
    table = [
        (Part(row, row), (things[n].title, *(said.get((row, c), "") for c in range(1, len(names)))))
        for row, n in enumerate(numbers)
    ]
    worded = (sum(name in one.fields for one in things) - len(columns[name]) for name in columns)
    paths = tuple(things[n].path for n in numbers)
    left_out = tuple(" ".join(name) for name in common if name not in columns)
    called = " ".join(folders)
    return FileTable(called, tuple(names), table, fields, paths, (0, *worded), left_out)


def _every(folders: Sequence[str], terms: Terms, read: Read) -> tuple[list[_Thing], list[Name]]:
    """The things of the folders, and the names of the fields of at least three of their files."""
    own: defaultdict[str, dict[Name, Field]] = defaultdict(dict)
    rows: list[tuple[str, Entry]] = []
    for path, entry in (pair for folder in folders for pair in read(folder, ())):
        if entry.kind == "row":
            rows.append((path, entry))
        for field in _fields(path, entry, terms):
            own[path].setdefault(key(field.name), field)
    labels = {(path, key(raw_cells(entry.quote)[0])) for path, entry in rows}
    labels = {(path, name) for path, name in labels if name in terms.fields}
    labels |= {(path, name) for path, fields in own.items() for name in fields}
    counts = Counter(name for _, name in labels if not "".join(name).isdigit())
    common = sorted(name for name, count in counts.items() if count >= _LEAST)
    return list(_things(own, rows, set(common), terms)), common


def _explains(n: int, thing: _Thing, columns: Mapping[Name, Mapping[int, Field]]) -> bool:
    """Whether a file says most of the fields in words that others say in amounts: a legend."""
    given = [kept for name, kept in columns.items() if kept and name in thing.fields]
    return sum(n not in kept for kept in given) > _HALF * len(given)


def _fields(path: str, entry: Entry, terms: Terms) -> Iterator[Field]:
    """The fields of a file that an entry says, those without bold letters as well."""
    yield from fields_in(path, entry, terms)
    if entry.kind == "row":
        return
    for at, line in enumerate(entry.quote.split("\n")):
        for one in _PLAIN_FIELD.finditer(line):
            name = one["name"] or one["bold"] or one["short"]
            if key(name) in terms.fields:
                number = entry.first_line + at
                own = replace(entry, first_line=number, last_line=number, quote=line.strip())
                value = one["value"] or one["said"] or one["amount"]
                if one["said"] and len(_LONG_WORD.findall(value)) > _MOST_WORDS:  # a sentence
                    continue
                yield Field(path, name.strip(), plain(value), own)


def _things(
    own: defaultdict[str, dict[Name, Field]],
    rows: Sequence[tuple[str, Entry]],
    common: set[Name],
    terms: Terms,
) -> Iterator[_Thing]:
    """Yield the files, of one with a table of several things each of its rows in its place.

    Or each of its columns, where its rows are called as fields. What a legend of the file explains
    ("**D:** death") is a table of one thing.
    """
    several: defaultdict[str, dict[str, dict[Name, Field]]] = defaultdict(dict)
    for path, entry in rows:
        first, *cells = raw_cells(entry.quote)
        _, *names = column_names(entry.lead, 1 + len(cells))
        pairs = zip(names, cells, strict=True)
        said = {key(name): Field(path, name, plain(cell), entry) for name, cell in pairs}
        if key(first) in common and len(cells) > 1:
            for name, cell in zip(names, cells, strict=True):
                fields = several[path].setdefault(name, {})
                fields[key(first)] = Field(path, plain(first), plain(cell), entry)
        elif len(common & said.keys() - own[path].keys()) > _HALF * len(said):
            several[path][plain(first)] = said
    for path in {**own, **several}:
        given, title = own.get(path, {}), terms.titles[path]
        for name, said in several[path].items():
            yield _Thing(path, f"{title}: {plain(name)}", {**given, **said})
        if not several[path]:
            yield _Thing(path, title, given)


def _kept(name: Name, things: Sequence[_Thing]) -> dict[int, Field]:
    """The field of that name of each thing, by its number; none of one that cannot be compared."""
    given = {n: one.fields[name] for n, one in enumerate(things) if name in one.fields}
    if any(_BELOW_NOTHING.match(field.value) for field in given.values()):
        return {}
    values = [field.value for field in given.values()]
    if sum(bool(_AMOUNT.match(value)) for value in values) < _MOSTLY * len(values):
        return given
    is_paid = is_money(" ".join(name), [one for one in values if not _FOR_NOTHING.match(one)])
    kept: dict[int, Field] = {}
    for n, field in given.items():
        if _FOR_NOTHING.match(field.value):
            kept[n] = replace(field, value="free") if is_paid else field
        elif _AMOUNT.match(field.value) or ENDLESS.match(field.value) or not field.value:
            kept[n] = field
    return kept
