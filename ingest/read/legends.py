"""What a file's legends say of the letters in its tables: the nearest one counts.

Only the file's own: what another file explains would change this one's entries with every edit.
"""

from bisect import bisect_left, bisect_right
from collections import ChainMap, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ingest.read.markdown import Document
from retrieval.text.legends import explained

_LONGEST = 1_000  # characters of a line; what is longer is a text of its own
_NEAREST = 50  # explanations before a table, and behind it, of its section


@dataclass(frozen=True, slots=True)
class Legends:
    """Every explanation of a file, in the order of its lines."""

    headings: tuple[int, ...]  # their lines, 0-based, as are all here
    lines: tuple[int, ...]  # of each of `found`
    found: tuple[tuple[str, str], ...]  # abbreviation and meaning
    agreed: dict[str, str]  # what the file says without contradiction

    @classmethod
    def of(cls, document: Document) -> "Legends":
        """Return the legends of a file."""
        found = [
            (line, explanation)
            for block in document.blocks
            if block.kind not in {"heading", "fence", "html", "rule"}
            for line in range(block.first, block.last)
            if len(document.shown[line]) <= _LONGEST
            for explanation in explained(document.shown[line])
        ]
        meanings: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for _, (short, meaning) in found:
            meanings[short].setdefault(meaning.casefold(), meaning)
        return cls(
            tuple(block.first for block in document.blocks if block.kind == "heading"),
            tuple(line for line, _ in found),
            tuple(explanation for _, explanation in found),
            {
                short: next(iter(said.values()))
                for short, said in meanings.items()
                if len(said) == 1
            },
        )

    def around(self, first: int, last: int) -> Mapping[str, str]:
        """Return what abbreviations stand for in a table of the lines `first` to `last` (excluded).

        Of its section the nearest explanation counts, else what the whole file agrees on.
        """
        heading = bisect_right(self.headings, first)
        above = bisect_left(self.lines, self.headings[heading - 1] if heading else 0)
        below = len(self.lines)
        if heading < len(self.headings):
            below = bisect_left(self.lines, self.headings[heading])
        at = bisect_left(self.lines, first)
        near = range(max(above, at - _NEAREST), min(below, at + _NEAREST))
        farthest_first = sorted(near, key=lambda one: -self._distance(one, first, last))
        return ChainMap(dict(self.found[one] for one in farthest_first), self.agreed)

    def _distance(self, one: int, first: int, last: int) -> int:
        """In lines; of two equally far the one above is nearer."""
        return max(first - self.lines[one], self.lines[one] - last + 2, 0)
