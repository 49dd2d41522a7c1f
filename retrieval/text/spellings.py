"""The words of a vault by their first letter, for whoever looks for what was meant by a slip."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Spellings:
    """The `words` that are of letters alone.

    Those of a letter are collected when they are first asked for: a large vault has hundreds of
    thousands of words, and few questions hold a slip.
    """

    words: Mapping[str, int]
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def of(self, first: str) -> tuple[str, ...]:
        """Return the words that begin with a letter, sorted; none where there are none."""
        found = self._known.get(first)
        if found is None:
            found = tuple(sorted(w for w in self.words if w.startswith(first) and w.isalpha()))
            self._known[first] = found
        return found
