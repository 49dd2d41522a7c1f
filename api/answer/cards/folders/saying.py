"""The files of a folder that say certain words in an entry, the surest first."""

from collections.abc import Collection

from api.answer.cards.folders.file_fields import (
    Read,
    beginning,
    fields_in,
    has,
    said_together,
)
from retrieval.models import NO_TERMS, Entry
from retrieval.text import denials
from retrieval.vocabulary.terms import key, names_of, stems_of


def best(folder: str, words: Collection[str], read: Read) -> dict[str, tuple[int, Entry]]:
    """Return the folder's files that say the words, by path: the first of their surest entries.

    Each with its doubt: 0 where the entry or its file is called so, 1 where it mentions them.
    """
    found: dict[str, tuple[int, Entry]] = {}
    for path, entry in read(folder, [beginning(word) for word in words]):
        doubt = _doubt(path, entry, words)
        if doubt is not None and (path not in found or doubt < found[path][0]):
            found[path] = (doubt, entry)
    return found


def _doubt(path: str, entry: Entry, words: Collection[str]) -> int | None:
    """How far from sure it is that an entry says the words of its thing.

    0 where it or its file is called so, 1 where it only mentions them; None where it has not all of
    them, or denies one.
    """
    own = stems_of(entry.words)
    fields = list(fields_in(path, entry, NO_TERMS)) if entry.kind != "row" else []
    above = stems_of(entry.heading)
    if len(fields) > 1 and not said_together(fields, [one for one in words if not has(above, one)]):
        return None
    if not all(has([*own, *above], word) for word in words):
        return None
    if not any(has(own, word) for word in words):  # its heading alone: another entry may say more
        return 1
    # What one field denies is its own: "**Guests:** not let" above another.
    quote = entry.quote.replace("\n", ". ") if len(fields) > 1 else entry.quote
    stated = stems_of(f"{entry.heading} {denials.stated(quote)}")
    if not all(has(stated, word) for word in words):
        return None
    called = [stem for name in names_of(path, entry) for stem in key(name)]
    return 0 if any(has(called, word) for word in words) else 1
