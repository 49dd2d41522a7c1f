"""Entries and terms made by hand, and what a search returns that is made of them."""

from typing import Any

from retrieval.models import Chunk, Entry, EntryKind, Evidence, Hit, Terms
from retrieval.text.normalize import fold
from retrieval.vocabulary import file_terms
from retrieval.vocabulary.terms import cells


def entry(
    quote: str, heading: str = "", *, kind: EntryKind = "sentences", lead: str = "", line: int = 1
) -> Entry:
    """An entry at `line`; what it says are its quote's words."""
    said = " ".join(cells(quote)) if kind == "row" else quote
    last = line + quote.count("\n")
    return Entry(kind, heading, line, last, quote, lead, f"{heading}: ", fold(said))


def row(quote: str, heading: str = "", *, header: str = "", line: int = 1) -> Entry:
    """A table's row, under a header where there is one."""
    lead = f"{header}\n|---|---|" if header else ""
    return entry(quote, heading, kind="row", lead=lead, line=line)


def learnt(*pairs: tuple[str, Entry]) -> Terms:
    """The terms of these entries, each with its file's path."""
    return file_terms.of_entries(pairs)


def hit(path: str, *scored: tuple[Entry, float], **values: Any) -> Hit:
    """A passage of these entries with their cosines, in that order."""
    text = "\n".join(one.quote for one, _ in scored)
    chunk = Chunk(path, scored[0][0].heading if scored else "", 1, 1 + text.count("\n"), text)
    return Hit(chunk, values.get("score", 1.0), tuple(Evidence(one, s) for one, s in scored))
