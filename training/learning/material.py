"""What is learned from: lines of rules with their questions, some of them held out to measure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from retrieval.errors import DatasetError
from training import triples
from training.triples import Group

_HELD_OUT = 25  # one line in so many


@dataclass(frozen=True, slots=True)
class Line:
    """A line that answers questions: its groups share `collection` and `positives`."""

    groups: tuple[Group, ...]  # one a question, at least one

    @property
    def collection(self) -> str:
        """Where its rivals stand: "magic" of a group of the collection "magic/spells"."""
        return self.groups[0].collection.split("/")[0]

    @property
    def text(self) -> str:
        """The first of the texts that answer."""
        return self.groups[0].positives[0]


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that are read. `foreign` holds groups made of other people's texts."""

    groups: Path
    foreign: Path | None = None
    foreign_count: int = 0  # how many foreign groups are taken


@dataclass(frozen=True, slots=True)
class Material:
    """The lines that are trained on, `foreign` ones among them, and the held out ones."""

    lines: tuple[Line, ...]
    foreign: tuple[Line, ...]  # a line a group
    held_out: tuple[Line, ...]
    left_out: int  # groups without a positive or a negative; they teach nothing

    @property
    def units(self) -> list[Line]:
        """All that is trained on: our lines, then the foreign ones."""
        return [*self.lines, *self.foreign]

    def counts(self) -> dict[str, int]:
        """Return the sizes that a manifest states."""
        return {
            "lines": len(self.lines),
            "questions": sum(len(line.groups) for line in self.lines),
            "foreign_groups": len(self.foreign),
            "held_out_lines": len(self.held_out),
            "held_out_questions": sum(len(line.groups) for line in self.held_out),
            "left_out_groups": self.left_out,
        }


def load(sources: Sources, draw: Random) -> Material:
    """Read the files; `draw` orders the lines and chooses the foreign groups.

    About a 25th of our lines is held out, by the hash of the text alone, so a line that is added
    moves no other, and equal texts of two collections stay together. Raises DatasetError, also
    where no group can be used.
    """
    ours = triples.read(sources.groups)
    lines = _by_line(_useful(ours))
    if not lines:
        raise DatasetError(f"{sources.groups}: no group has a negative; make the file again")
    draw.shuffle(lines)
    foreign, left_out = _foreign(sources, draw)
    return Material(
        tuple(line for line in lines if not _is_held_out(line.text)),
        foreign,
        tuple(line for line in lines if _is_held_out(line.text)),
        left_out + len(ours) - len(_useful(ours)),
    )


def nearer(negatives: Sequence[str], count: int, draw: Random) -> list[str]:
    """Return `count` different ones (or all), the first of `negatives` more often than the last.

    They are sorted by how near they are; with u drawn from 0 to 1, number len * u ** 1.6 is taken.
    """
    found: dict[int, None] = {}
    while len(found) < min(count, len(negatives)):
        found[int(len(negatives) * draw.random() ** 1.6)] = None
    return [negatives[number] for number in found]


def _foreign(sources: Sources, draw: Random) -> tuple[tuple[Line, ...], int]:
    """Return a choice of the foreign groups, and how many could not be chosen."""
    if sources.foreign is None:
        return (), 0
    read = triples.read_foreign(sources.foreign)
    found = _useful(read.groups)
    draw.shuffle(found)
    lines = tuple(Line((group,)) for group in found[: sources.foreign_count])
    return lines, read.without_positive + len(read.groups) - len(found)


def _useful(found: Sequence[Group]) -> list[Group]:
    return [group for group in found if group.negatives]


def _by_line(found: Iterable[Group]) -> list[Line]:
    lines: dict[tuple[str, tuple[str, ...]], list[Group]] = {}
    for group in found:
        lines.setdefault((group.collection, tuple(group.positives)), []).append(group)
    return [Line(tuple(lines[key])) for key in sorted(lines)]


def _is_held_out(text: str) -> bool:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") % _HELD_OUT == 0
