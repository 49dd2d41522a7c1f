"""The files of a folder with a field whose amount fits: "monsters with more than 5 hit dice"."""

import math
import re

from api.answer.cards.folders.file_fields import Read, beginning, fields_in, of_folder
from api.answer.question.limits import MONEY, Amount
from api.answer.question.plain_words import PLAIN
from retrieval.models import Entry, Name, Terms
from retrieval.text.normalize import searchable
from retrieval.text.quantities import Interval, intervals, values
from retrieval.vocabulary.terms import column_names, key, raw_cells, stems_of

_INLINE_FIELD = re.compile(r"\*\*([^*:\n]{1,40}):?\*\*:? (?P<value>[^*|<\n]+)")  # "**ML** 12"
_PLAIN_FIELD = re.compile(r"(?:^|[,;] )([A-Za-z][A-Za-z ]{0,30}?):? (?P<value>\d[^,;|]*)")
_MORE = re.compile(r"(?<=\S) ?[+×]|\bper\b")  # "6 turns + 1 turn per level" is not 6 turns
_VERBS = {  # of what a field is asked for
    "last": "duration", "cost": "price", "weigh": "weight", "reach": "range", "move": "movement",
}  # fmt: skip


FOR_NOTHING = re.compile(r"free\b(?! [a-z])|(?:none|nothing)\W*$", re.IGNORECASE)
# Of how many of these there is room, a field says that is called so.
_PEOPLE = frozenset(stems_of("people persons person guests ppl adults players visitors seats"))
_FOR_PEOPLE = re.compile(
    r"\b(?:for|holds?|fits?|seats?|takes?) (?P<number>\d{1,4}) (?P<unit>[a-z]{3,12})\b",
    re.IGNORECASE,
)
_ROOM = frozenset(stems_of("capacity places seats beds sleeps crew berths passengers persons"))


def exact(words: frozenset[str], question: str, said: str, terms: Terms) -> Amount | None:
    """Return the number that a field is to have, where nothing else is asked: "with morale 12".

    With its unit, if it has one: "spells with duration 6 turns". `said` is how it is typed.
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
    return Amount(Interval(number, number, unit, number), said)


def room_for(question: str) -> Amount | None:
    """Return the number of people that there has to be room for: "for 25 people"; else None."""
    found = _FOR_PEOPLE.search(searchable(question))
    units = frozenset(stems_of(found["unit"])) if found else frozenset[str]()
    if found is None or not units <= _PEOPLE:
        return None
    limit = Interval(float(found["number"]), math.inf, units, math.inf)
    return Amount(limit, f"at least {found['number']} {found['unit']}")


def fitting(
    folder: str, words: frozenset[str], limited: Amount, terms: Terms, read: Read
) -> tuple[dict[str, list[Entry]], frozenset[str]]:
    """Return the folder's files with a field that `words` name and whose amount is within a limit.

    By their paths, with the entries of the field, of a table of several things each of their rows;
    and those of the words that name no part of it.
    """
    units = terms.in_full(limited.limit.units)
    said_as = {word: key(_VERBS[word]) for word in words if word in _VERBS}
    given = terms.in_full(words.union(*said_as.values()))
    named = {field: terms.in_full(field) for field in terms.fields}
    named = {field: name for field, name in named.items() if name <= given}
    most = max(map(len, named.values()), default=0)
    fields = {field: name for field, name in named.items() if len(name) == most}
    besides = units.union(said_as, *said_as.values())
    rest = min((given - name - besides for name in fields.values()), key=len, default=given)
    found: dict[str, list[Entry]] = {}
    for field, own in fields.items():
        if given - own - besides != rest:
            continue
        for path, entry in read(folder, [beginning(word) for word in field]):
            # "more than 10 hit dice" has no unit
            if any(_is_payable(cell, limited, own) for cell in values_of(entry, field)):
                known = found.setdefault(path, [])
                if not known or is_of_several(entry, terms):
                    known.append(line_of(path, entry, field, terms))
    return found, rest


def unnamed(
    folder: str, words: frozenset[str], limited: Amount, terms: Terms, read: Read
) -> dict[str, list[Entry]]:
    """Return what `fitting` does of the one field whose name holds the rest that is asked.

    "Under 15 euros for outsiders" is a "Rate outsiders", "for more than 40 people" a capacity,
    "longer than 5 m" a length. None where two fields are called so.
    """
    units = terms.in_full(limited.limit.units)
    rest = terms.in_full(words) - units - PLAIN - frozenset(_VERBS)
    people = units & _PEOPLE
    compared = limited.fields if not rest else frozenset[str]()
    if bool(rest) + bool(people) + bool(compared) != 1:
        return {}
    called = _ROOM if people else compared
    names = [one for one in terms.fields if (called & set(one) if called else rest <= {*one})]
    chosen: list[dict[str, list[Entry]]] = []
    for name in names:
        fields = of_folder(folder, name, terms, read)
        amounts = [one for one in fields.values() if (of := next(intervals(one.value), None))
                   and (not compared or of.units & limited.limit.units)]  # fmt: skip
        own = terms.in_full(name) | people
        if amounts:
            fitting = [one for one in fields.values() if _is_payable(one.value, limited, own)]
            chosen.append({one.path: [one.entry] for one in fitting})
    return chosen[0] if len(chosen) == 1 else {}


def _is_payable(cell: str, limited: Amount, own: frozenset[str]) -> bool:
    """Whether an amount is within the limit; what is free costs nothing."""
    if limited.limit.units <= MONEY and FOR_NOTHING.match(cell):
        return limited.limit.low <= 0
    return _is_within(cell, limited, own)


def line_of(path: str, entry: Entry, field: Name, terms: Terms) -> Entry:
    """Return an entry's line with a field, of what has several one below the other."""
    return next(
        (one.entry for one in fields_in(path, entry, terms) if key(one.name) == field), entry
    )


def is_of_several(entry: Entry, terms: Terms) -> bool:
    """Tell whether an entry is the row of one thing among others, and no field of its file's."""
    return entry.kind == "row" and key("".join(raw_cells(entry.quote)[:1])) not in terms.fields


def _is_within(cell: str, limited: Amount, own: frozenset[str]) -> bool:
    """Whether a cell's first amount is within the limit; a range "2-12" is not 12."""
    one = next(intervals(cell), None)
    if one is None or not limited.holds(one, ignoring=own):
        return False
    return limited.limit.is_range or (one.low == limited.limit.low and not _MORE.search(cell))


def _is_range(cell: str) -> bool:
    """Whether a cell holds a range; as its row's name that is looked up, and of no thing."""
    one = next(intervals(cell), None)
    return one is not None and one.is_range


def values_of(entry: Entry, field: Name) -> list[str]:
    """Return what an entry says in a field: the cell of its row or column, or behind its name."""
    if entry.kind == "row":
        row = raw_cells(entry.quote)
        if key(row[0]) == field:
            return list(row[1:])
        names = column_names(entry.lead, len(row))
        cells = [cell for name, cell in zip(names, row, strict=True) if key(name) == field]
        return [cell for cell in cells if not (cell == row[0] and _is_range(cell))]
    lines = (line.lstrip("-*+ ").partition(":") for line in entry.quote.split("\n"))
    given = [value.strip("* ") for name, _, value in lines if key(name) == field]
    inline = (*_INLINE_FIELD.finditer(entry.quote), *_PLAIN_FIELD.finditer(entry.quote))
    return given or [said["value"] for said in inline if key(said[1]) == field]
