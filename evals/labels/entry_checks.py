"""Check that the words of every line are embedded, each in an entry that stands for its place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals.labels.quote_locations import shortened
from ingest.chunking.document import IndexedChunk
from ingest.read.markdown import Block
from ingest.read.plain import plain
from retrieval.models import Entry
from retrieval.text.hidden import visible
from retrieval.text.normalize import searchable

_WORD = re.compile(r"\w+")


def word_faults(
    shown: Sequence[str], blocks: Sequence[Block], indexed: Sequence[IndexedChunk]
) -> Iterator[tuple[int, str]]:
    """Yield the lines with words that are in none of the embedded texts of a chunk that holds them.

    What stands below headings must be in an entry of its own: a row, an item, some sentences, or
    the lead-in in front of one. That of the whole chunk has every word, so it shows nothing.
    `shown` are the file's lines without what a browser hides, `blocks` its blocks.
    """
    shared = {n for b in blocks for n in range(b.first, b.last) if b.kind == "heading"}
    shared |= {block.first for block in blocks if block.kind == "table"}
    lost: dict[int, list[str]] = {}
    held: set[int] = set()
    for item in indexed:
        own = _Said.of([entry for entry in item.entries if entry.kind != "whole"])
        whole = _Said.of(item.entries)
        for number, line in enumerate(item.chunk.text.split("\n"), start=item.chunk.first_line):
            text = visible(line) if item.chunk.piece else shown[number - 1]
            words = (whole if number - 1 in shared else own).lost(text)
            if words:
                lost.setdefault(number, words)
            else:
                held.add(number)
    for number in sorted(lost.keys() - held):
        words = lost[number]
        yield number, f"{len(words)} words are not embedded: {shortened(', '.join(words))}"


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of some entries; `joined` has them without spaces, as words may be cut."""

    words: frozenset[str]
    joined: str

    @staticmethod
    def of(entries: Sequence[Entry]) -> "_Said":
        words = {word for entry in entries for word in _words(entry.text)}
        joined = "".join(entry.words for entry in entries).casefold()
        return _Said(frozenset(words), joined)

    def lost(self, line: str) -> list[str]:
        """Return the words of a line that are not said, as a sorted list."""
        if _words(line) <= self.words:  # in half of the time, and true of most lines
            return []
        lost = _words(searchable(plain(line))) - self.words
        return sorted(word for word in lost if word not in self.joined)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
