"""Find the folder of the vault that a question asks for as a whole: "list all monsters"."""

import re
from collections import defaultdict
from dataclasses import dataclass

from api.answer.question.intent import Reading
from retrieval.index.terms import stems_of
from retrieval.models import Terms
from retrieval.reading_order import reading_order
from retrieval.text.normalize import unnumbered
from retrieval.text.words import without_command

MOST = 40  # files; of more the first are shown, and the folder is linked
_LEAST = 3  # files of what is called a list
_NEAREST = 2  # folders that fit equally well: the spells of two classes
# What is said besides leaves some of them out, and no folder's name says which.
_LIMITED = re.compile(
    r"\b(?:not|no|never|cannot|without|except|but|other than|neither|nor|over|under|above|below|"
    r"between|up to|at (?:least|most)|before|after|only|more|less|than|besides)\b|n't\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
# What people add to the name of what they want to see. Stems.
_SAID_WITH_IT = frozenset(stems_of("exist get know play choose pick use buy learn cast available"))


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that is asked for: its files by path and title, `count` of them in all."""

    path: str
    files: tuple[tuple[str, str], ...]
    count: int


def asked_for(question: str, reading: Reading, terms: Terms) -> tuple[Folder, ...]:
    """Return the folders whose names say all that is asked, none where a list is not asked for.

    Of several those that say the least besides; more than two of these are too vague.
    """
    if reading.form not in {"list", "which"} or _LIMITED.search(question):
        return ()
    plain = _ORDINAL.sub(r"\1", without_command(question))
    asked = frozenset(stems_of(plain)) - _SAID_WITH_IT
    fitting = {
        folder: len(said - asked)
        for folder, said in _said(terms).items()
        if asked and asked <= said and asked & _stems(folder.rsplit("/", 1)[-1])
    }
    nearest = [one for one in fitting if fitting[one] == min(fitting.values())]
    found = [_folder(one, terms) for one in sorted(nearest)]
    large = tuple(one for one in found if one.count >= _LEAST)
    return large if len(large) <= _NEAREST else ()


def _said(terms: Terms) -> dict[str, frozenset[str]]:
    """The words in the names of each folder and of those above it, by its path."""
    folders: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for path in terms.titles:
        parts = path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            if folder not in folders:
                folders[folder] = frozenset().union(*map(_stems, parts[:depth]))
    return dict(folders)


def _stems(name: str) -> frozenset[str]:
    return frozenset(stems_of(unnumbered(name)))


def _folder(path: str, terms: Terms) -> Folder:
    inside = sorted((one for one in terms.titles if one.startswith(f"{path}/")), key=reading_order)
    files = [(one, terms.titles[one]) for one in inside]
    return Folder(path, tuple(files[:MOST]), len(files))
