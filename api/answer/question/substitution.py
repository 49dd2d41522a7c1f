"""A follow-up that names another thing: the question before it, asked of that one."""

import re

from api.answer.question import intent
from retrieval.index.terms import key, stems_of
from retrieval.models import Terms
from retrieval.text.words import STOP

_ANOTHER = re.compile(
    r"^\W*(?:(?:ok|and|or|then|so|but)\b\W*)*(?:(?:what|how) about|same for|for)?\s*"
    r"(?:(?:a|an|the|with|for|of)\b\s*)*",
    re.IGNORECASE,
)


def asked_of_another(typed: str, before: str, terms: Terms) -> str | None:
    """Return the question before with the thing of the same kind that `typed` names; else None.

    "What hit die does an elf roll", then "what about dwarves?": both are rows of one table. Only
    where `typed` says nothing besides.
    """
    rest = _ANOTHER.sub("", typed).strip(" ?!.,")
    if rest == typed.strip(" ?!.,") or key(rest) not in terms.names:
        return None
    if not STOP.isdisjoint(rest.lower().split()):  # "and its range" is asked of the same thing
        return None
    alike = {
        thing: _in_common(key(thing), key(rest), terms)
        for thing in intent.names_in(before, terms)
        if key(thing) in terms.names and key(thing) != key(rest)
    }
    best = max(alike, key=lambda thing: alike[thing], default="")
    if not alike.get(best):
        return None
    return re.sub(rf"\b{re.escape(best)}\b", lambda _: rest, before)


def _in_common(one: tuple[str, ...], other: tuple[str, ...], terms: Terms) -> int:
    """In how many files both are named; 1 at least where files of one folder are called so."""
    both = terms.names[one] & terms.names[other]
    return len(both) or int(bool(_folders(one, terms) & _folders(other, terms)))


def _folders(name: tuple[str, ...], terms: Terms) -> set[str]:
    return {
        path.rpartition("/")[0]
        for path in terms.names[name]
        if tuple(stems_of(terms.titles[path])) == name
    }
