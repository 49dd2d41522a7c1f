"""Which folders a question names, and whether it names a file instead."""

import re
from collections.abc import Collection

from api.answer.cards.folders import folders
from api.answer.cards.folders.file_fields import has
from retrieval.models import Terms
from retrieval.text.normalize import unnumbered
from retrieval.text.quantities import values
from retrieval.text.question_phrases import without_command
from retrieval.vocabulary.terms import stems_of

_PLURAL = re.compile(r"\b[a-z]{3,}s\b", re.IGNORECASE)
_NEAREST = 2  # folders
_SHORT = 2  # words of a file's name that other questions say, too


def named(asked: frozenset[str], question: str, terms: Terms) -> list[str]:
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


def names_file(question: str, terms: Terms) -> bool:
    """Whether a question holds the whole name of a file in order, of more than two words."""
    said = " ".join(stems_of(question))
    names = (stems_of(unnumbered(title)) for title in terms.titles.values())
    return any(len(name) > _SHORT and f" {' '.join(name)} " in f" {said} " for name in names)


def _says_all(title: str, asked: Collection[str]) -> bool:
    """Whether a file is about nothing else: its own list is better than one that is collected."""
    name = folders.name_stems(title)
    return all(has(name, word) for word in asked)
