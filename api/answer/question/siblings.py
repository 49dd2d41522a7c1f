"""A follow-up that names another file of the same folder: "and the wartime one"."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from retrieval.models import Name, Terms
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import key, stems_of

_LEAD = re.compile(
    r"^\W*(?:(?:ok|and|or|then|so|but|also)\b\W*){0,3}(?:(?:what|how) about\b|same for\b)?\s*"
    r"(?:(?:for|of|from|with|to|by|at|in|on|the|a|an|that|this|our|my)\b\s*){0,3}",
    re.IGNORECASE,
)
_ONE_BEHIND = re.compile(r" ones?$", re.IGNORECASE)
_MOST = 4  # words of a title


def sibling_of(before: str, typed: str, terms: Terms) -> tuple[str, str] | None:
    """Return how the question before names its file, and the one beside it that a follow-up names.

    The follow-up says words that are in the title of that file alone and of no other in its folder,
    or that the folder is called by, and nothing besides; None where a field or a part of the first
    file is called so.
    """
    rest = _LEAD.sub("", typed).strip(" ?!.,;")
    name = _ONE_BEHIND.sub("", rest)
    asked = frozenset(stems_of(name))
    if not 0 < len(WORD.findall(name)) <= _MOST or not asked or key(name) in terms.fields:
        return None
    words = list(WORD.finditer(before))
    said = frozenset(stems_of(before))
    for folder, titles in _of_folders(terms).items():
        told = Counter(word for title in titles.values() for word in set(title))
        kind = frozenset(stems_of(folder.rsplit("/", 1)[-1]))
        own = {path for path, title in titles.items() if _is_named(title, said, told)}
        other = {path for path, title in titles.items() if _is_named(title, asked, told)}
        if len(own) != 1 or len(other) != 1 or own == other:
            continue
        (subject,), (sibling,) = own, other
        if not asked <= {*titles[sibling], *kind} or subject in terms.names.get(key(name), ()):
            return None
        start, end = _place(words, titles[subject])
        name, called = before[start:end], terms.titles[sibling]
        return name, called.lower() if name.islower() else called
    return None


def _of_folders(terms: Terms) -> dict[str, dict[str, Name]]:
    """The stems of the files' titles by folder and path."""
    found: defaultdict[str, dict[str, Name]] = defaultdict(dict)
    for path, title in terms.titles.items():
        found[path.rpartition("/")[0]][path] = key(title)
    return found


def _is_named(title: Name, said: frozenset[str], told: Counter[str]) -> bool:
    """Whether words hold one that no other title of the folder has."""
    return any(word in said and told[word] == 1 for word in title)


def _place(words: Sequence[re.Match[str]], title: Name) -> tuple[int, int]:
    """Where the longest run of words of a title stands."""
    runs: list[list[re.Match[str]]] = [[]]
    for word in words:
        if set(stems_of(word[0])) & set(title):
            runs[-1].append(word)
        else:
            runs.append([])
    best = max(runs, key=len)
    return best[0].start(), best[-1].end()
