"""The tables that a question may be asked of: those of the files found, and sections with fields.

Things that stand one below the other in a file, each with the same fields below its heading, are a
table as well: a row for each of them, a column for each field.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.lists import section_records
from api.answer.cards.lists.rows.table_rows import Table, named_table
from retrieval.models import Entry, Hit, IndexedFile, SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.vocabulary.terms import title

_LEAST = 2  # rows
_NEAR = 3  # entries of a passage that say where in its file it was found


class Comparable(Protocol):
    """What a question is compared with: named columns, the first of which names the rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...

    @property
    def table(self) -> Table:
        """The rows with their cells."""
        ...

    def cells(self, column: int) -> list[str]:
        """Return the cells of a column, a row each; "" where a row is shorter."""
        ...

    def above(self, asked: QuestionWords) -> frozenset[str]:
        """Return the stems of what stands above the rows."""
        ...


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with what a question is compared with; `names` are those of its columns.

    `lines` has the lines of values where the rows are sections, by row and column; None for a
    table.
    """

    hit: Hit  # the best passage of its file
    is_first: bool  # whether that is the first one
    is_near: bool  # whether one of the passages found is of its rows
    file: IndexedFile
    block: Block
    names: tuple[str, ...]
    table: Table
    lines: Mapping[tuple[Part, int], Part] | None = None

    def cells(self, column: int) -> list[str]:
        """Return the cells of a column, a row each; "" where a row is shorter."""
        return ["".join(row[column : column + 1]) for _, row in self.table]

    def above(self, asked: QuestionWords) -> frozenset[str]:
        """Return the stems of its file's title and its headings."""
        return asked.stems(f"{title(self.file.path)} {self.block.heading}")

    def labels(self, asked: QuestionWords) -> frozenset[str]:
        """Return the stems of what its rows are called."""
        return asked.stems(" ".join(self.cells(0)))


def grids(found: SearchResult) -> Iterator[Grid]:
    """Yield the tables of all files that hold a passage, and their sections with fields."""
    best: dict[str, Hit] = {}
    for hit in found.passages:
        best.setdefault(hit.chunk.path, hit)
    near: dict[str, list[Entry]] = {}
    for hit in found.passages:
        near.setdefault(hit.chunk.path, []).extend(one.entry for one in hit.evidence[:_NEAR])
    for number, (path, hit) in enumerate(best.items()):
        file = found.files[path]
        for block in blocks(file):
            if block.kind != "table" or len(block.parts) < _LEAST:
                continue
            rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
            names, table = named_table(file, block, rows)
            is_near = any(block.holds(entry) for entry in near.get(path, ()))
            yield Grid(hit, number == 0, is_near, file, block, tuple(names), table)
        for records in section_records.of_file(file):
            rows = [(p, records.file.lines.get(p.first_line, "")) for p in records.block.parts]
            names, table = named_table(records.file, records.block, rows)
            yield Grid(
                hit, number == 0, False, file, records.block, tuple(names), table, records.lines
            )
