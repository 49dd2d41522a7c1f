"""The files of a folder that meet several conditions: "boats under 100 eur that need no licence".

Each is met by a field of its own, and all of them have to be understood: a condition that is left
out makes the list a wrong one.
"""

import re
from collections.abc import Mapping

from api.answer.cards.folders import by_field, field_amounts, folders
from api.answer.cards.folders.file_fields import Read
from api.answer.cards.folders.folders import Folder, ListedFile
from api.answer.question.limits import amount, without
from api.answer.question.plain_words import PLAIN
from retrieval.models import Entry, Terms
from retrieval.text.normalize import searchable
from retrieval.text.reading_order import reading_order
from retrieval.vocabulary.terms import stems_of

_JOINTS = re.compile(
    r",? (?:and|but)(?: (?:that|which|who|with))? |,? (?:that|which|who) |(?<!\w), |"
    r"(?= (?:with|without) )",
    re.IGNORECASE,
)
_ONE_OF = re.compile(r"\b(?:or|nor|neither|either|except|unless|besides)\b", re.IGNORECASE)


def chosen(question: str, terms: Terms, read: Read) -> tuple[Folder, ...]:
    """Return the files of the one folder that a question opens with that meet all it says of them.

    None where it has less than two conditions, or one that no field says.
    """
    question = searchable(question).rstrip(" ?!.")
    opening = folders.OPENING.match(question)
    if not opening or not opening["noun"] or _ONE_OF.search(question):
        return ()
    noun = question[opening.start("noun") : opening.end("noun")]
    before = question[: opening.start("noun")]
    clauses = [one.strip() for one in _JOINTS.split(question[opening.end("noun") :])]
    clauses = [one for one in clauses if one]
    opened = folders.opened_with(noun + " are", terms)
    if not clauses or len(opened) != 1 or frozenset(stems_of(before)) - PLAIN:
        return ()
    met = [one for clause in clauses for one in _all_met(opened[0], noun, clause, terms, read)]
    if len(met) < 2 or not all(met):
        return ()
    paths = set.intersection(*(set(one) for one in met))
    order = sorted(paths, key=reading_order)
    files = tuple(ListedFile(path, terms.titles[path], met[0][path]) for path in order)
    words = " and ".join(clauses).split()
    return (Folder(opened[0], files[: folders.MOST], len(files), tuple(words)),) if files else ()


def _all_met(
    folder: str, noun: str, clause: str, terms: Terms, read: Read
) -> list[Mapping[str, Entry]]:
    """What meets a clause, and where it says more than an amount what meets the rest of it."""
    limited = amount(clause)
    at = clause.find(limited.said) if limited else -1
    met = _met(folder, noun, clause, terms, read)
    if met or at <= 0:
        return [met]
    return [_met(folder, noun, one, terms, read) for one in (clause[:at], clause[at:])]


def _met(folder: str, noun: str, clause: str, terms: Terms, read: Read) -> Mapping[str, Entry]:
    """The files below a folder that meet one condition, with the line that says so."""
    limited = amount(clause)
    if limited is None:
        listed = by_field.chosen(f"{noun} {clause}", terms, read, is_exact=True)
        every = [found for found in listed if found.count == len(found.files)]  # none is cut
        return {one.path: one.entry for found in every for one in found.files if one.entry}
    rest = frozenset(stems_of(without(clause, limited))) - folders.SAID_WITH_IT
    words = frozenset(one for one in rest if not one.isdigit())
    found, more = field_amounts.fitting(folder, words, limited, terms, read)
    if not found or more - PLAIN:
        found = field_amounts.unnamed(folder, words, limited, terms, read)
    return {path: entries[0] for path, entries in found.items()}
