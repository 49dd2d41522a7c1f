"""The file of a folder that has the most or the least of a field: "which boat is the longest"."""

import re

from api.answer.cards.folders import folders
from api.answer.cards.folders.field_amounts import FOR_NOTHING, line_of, values_of
from api.answer.cards.folders.file_fields import Field, Read, as_typed, beginning, listed
from api.answer.cards.folders.folders import Folder
from api.answer.cards.lists.rows.by_column import size
from api.answer.question.limits import MONEY
from api.answer.question.plain_words import PLAIN
from api.answer.question.superlatives import Superlative, superlatives
from retrieval.models import Name, Terms
from retrieval.text.quantities import CURRENCIES, intervals
from retrieval.vocabulary.terms import stems_of

_LEAST = 3  # files with an amount: of two a comparison asks
_HALF = 0.5  # of a folder's files have it
_BELOW_NOTHING = re.compile(r"[-−–]\d")
_LIGHT = PLAIN | folders.SAID_WITH_IT | frozenset(stems_of("worth value"))


def chosen(question: str, terms: Terms, read: Read) -> tuple[Folder, ...]:
    """Return the files, of equal ones all, whose field a question's superlative compares.

    None without one, where no folder or several are called as what is compared, where another word
    is not understood, or where no field or several of them may be meant.
    """
    ways = superlatives(question)
    if not ways or ways[0].place:
        return ()
    wanted = ways[0]
    asked = frozenset(stems_of(question)) - frozenset(stems_of(wanted.said))
    said = folders.said_by(terms)
    called = {one: folders.name_stems(one.rsplit("/", 1)[-1]) for one in said}
    of = [one for one, name in called.items() if name and name <= asked | wanted.fields]
    if len(of) != 1:
        return ()
    typed = asked - said[of[0]] - _LIGHT
    rest = terms.in_full(typed)
    found = [
        (len(rest & own), fields)
        for name in terms.fields
        if rest <= (own := terms.in_full(name)) | terms.in_full(wanted.fields)
        if (fields := _fields(of[0], name, own, wanted, terms, read))
    ]
    most = max((count for count, _ in found), default=0)
    best = [fields for count, fields in found if count == most]
    if len(best) != 1:
        return ()
    words = [*wanted.said.split(), *as_typed(typed, question)]
    return (listed(of[0], best[0], list(dict.fromkeys(words)), terms),)


def _fields(
    folder: str, name: Name, own: frozenset[str], wanted: Superlative, terms: Terms, read: Read
) -> list[Field]:
    """The field of that name of the files with the most or the least; none of other amounts.

    Of a file with a table of several things each of its rows has one.
    """
    every = [
        Field(path, " ".join(name), cell, line_of(path, entry, name, terms))
        for path, entry in read(folder, [beginning(word) for word in name])
        for cell in values_of(entry, name)
    ]
    is_called = not own.isdisjoint(terms.in_full(wanted.fields - folders.said_by(terms)[folder]))
    is_paid = sum(map(_is_money, every)) >= _LEAST
    if not (is_called or (wanted.is_price and is_paid)):
        return []
    files = sum(path.startswith(f"{folder}/") for path in terms.titles)
    if any(_BELOW_NOTHING.match(one.value) for one in every):  # its sign is not read
        return []
    nothing = [(one, ("", 0.0)) for one in every if is_paid and FOR_NOTHING.match(one.value)]
    given = [one for one in every if not FOR_NOTHING.match(one.value)]
    sizes = [(one, amount) for one in given if (amount := size(one.value, frozenset(name)))]
    sizes += nothing
    kinds = {kind for _, (kind, most) in sizes if most}  # nothing is nothing in any unit
    if len(kinds) != 1 or len({one.path for one, _ in sizes}) < max(_LEAST, _HALF * files):
        return []
    choose = max if wanted.is_highest else min
    most = choose(amount for _, (_, amount) in sizes)
    best = [one for one, (_, amount) in sizes if amount == most]
    return best if len(best) < len(sizes) else []


def _is_money(field: Field) -> bool:
    found = next(intervals(field.value), None)
    return found is not None and not found.units.isdisjoint(MONEY | set(CURRENCIES.values()))
