"""Proper names of a text: capitalised words inside a sentence, neighbours taken together."""

import re
from collections.abc import Iterator

from retrieval.text.words import STOP

_TOKEN = re.compile(r"(?<!\w)[^\W\d_][\w']*(?:-[\w']+)*|[^\w\s]+|\n")
_ENDS = re.compile(r"[.!?:;\n(\"|#]|^\*+$|^-+$")
_CALENDAR_WORDS = (
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday i ok"
)
_EMPHASIS = "*"
_CALENDAR = frozenset(_CALENDAR_WORDS.split())


def names(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of folded `text`, each as its words.

    The first word of a sentence counts only where a capitalised word follows it: its own capital
    says nothing.
    """
    return tuple(tuple(run) for run in _runs(text) if run)


def parts(name: tuple[str, ...]) -> list[str]:
    """Return a name's words in small letters, hyphened words apart: Magic-User is magic, user."""
    pieces = [piece for word in name for piece in re.split(r"-", word)]
    return [piece.lower() for piece in pieces if piece and piece.lower() not in STOP]


def _runs(text: str) -> Iterator[list[str]]:
    run: list[str] = []
    opens, first = True, False  # a sentence begins here; the run began with its first word
    before, starred = "", False  # the run stands behind a "*"
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0].isupper() and token.lower() not in _CALENDAR:
            first, starred = (first, starred) if run else (opens, before == _EMPHASIS)
            run.append(token)
            opens = False
            continue
        yield _counted(run, first=first and not (starred and token == _EMPHASIS))
        run, before = [], token
        opens = not token[0].isalpha() and (opens or bool(_ENDS.search(token)))
    yield _counted(run, first=first)


def _counted(run: list[str], *, first: bool) -> list[str]:
    """The run without ordinary words that only begin the sentence ("The Elf", "No Elf")."""
    words = list(run)
    if first and len(words) == 2 and words[1].isupper() and not words[0].isupper():
        del words[0]  # "Extra XP"
    if first and len(words) == 1 and not words[0].isupper():
        return []
    while words and words[0].lower() in STOP:
        del words[0]
    return words if any(len(word) > 1 for word in words) else []
