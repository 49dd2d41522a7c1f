"""Of which folder's files a question asks: "first level spells", "undead with more than 4 HD"."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from typing import NamedTuple

from api.answer.cards.folders import folders
from api.answer.cards.folders.file_fields import Stated, tagged
from retrieval.models import Terms

_WORD = re.compile(r"[^\W_][\w'’-]*")
_CLAUSE = re.compile(
    r"\b(?:has|have|had|with|without|is|are|was|were|do|does|did|can|cannot|may|that|who)\b",
    re.IGNORECASE,
)
_LEAST = 3  # files that a label is of
_NEAREST = 2  # folders that are called alike


class Scope(NamedTuple):
    """The folders whose files are asked for, and the question without the words for them."""

    folders: tuple[str, ...]
    question: str


def of(question: str, terms: Terms, stated: Stated) -> Scope | None:
    """Return the folders called as the first thing of a question, those that it says most of.

    Else the one in which some files have an entry or a tag of that name: "undead". None where there
    is none, or more than two are called so.
    """
    words = [(one.span(), folders.meant(one[0], terms)) for one in _WORD.finditer(question)]
    words = [(span, stems) for span, stems in words if stems]
    called = folders.said_by(terms)
    known = frozenset[str]().union(*called.values())
    # Of "which undead has the lowest armour class" nothing behind the verb.
    begins = words[0][0][0] if words else 0
    ends = [one.start() for one in _CLAUSE.finditer(question) if one.start() > begins]
    thing = [stems for (at, _), stems in words if at < min(ends, default=len(question))]
    run = list(takewhile(known.issuperset, dropwhile(lambda one: not _is_of(one, known), thing)))
    if not run:
        return _labelled(question, thing, terms, stated)
    head = [one for one in run if _is_of(one, known)][-1]
    every = frozenset[str]().union(*(stems for _, stems in words))
    tops = [one for one in called if head <= folders.name_stems(one.rsplit("/", 1)[-1])]
    inside = [one for one in called if any(one == top or one.startswith(f"{top}/") for top in tops)]
    most = max((len(called[one] & every) for one in inside), default=0)
    best = [one for one in inside if len(called[one] & every) == most]
    above = [one for one in best if not any(one.startswith(f"{other}/") for other in best)]
    if not 0 < len(above) <= _NEAREST:
        return None
    said = frozenset.intersection(*(called[one] for one in above))
    for (first, last), stems in reversed(words):
        if stems <= said:
            question = f"{question[:first]} {question[last:]}"
    return Scope(tuple(sorted(above)), question)


def _is_of(stems: frozenset[str], known: frozenset[str]) -> bool:
    """Whether a word is of a folder's name, and no number alone."""
    return stems <= known and not all(map(str.isdigit, stems))


def _labelled(
    question: str, words: Sequence[frozenset[str]], terms: Terms, stated: Stated
) -> Scope | None:
    name = words[0] if words else frozenset[str]()
    files = (terms.names.get(tuple(name), frozenset()) | tagged(name, stated)) & terms.titles.keys()
    inside = Counter(path.rpartition("/")[0] for path in files)
    folder, count = max(inside.items(), key=lambda one: one[1], default=("", 0))
    return Scope((folder,), question) if folder and count >= _LEAST else None
