"""The sections of a file that a field in each of them chooses: "which equipment needs no deposit".

Things often stand one below the other in a file, each below its heading with the same fields. They
are compared as the rows of a table are that has a column for each field.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from api.answer.cards.blocks import Block, Part
from api.answer.cards.card import Card, Piece
from api.answer.cards.lists import heading_lists
from api.answer.cards.lists.rows import chosen_rows
from retrieval.models import Entry, Hit, IndexedFile, SearchResult
from retrieval.ranking.lines import QuestionWords, ranked
from retrieval.text.line_marks import HEADING
from retrieval.vocabulary.terms import plain, title

Fields = Mapping[str, tuple[str, Part]]  # a section's values by their names, each with its line
_FIELD = re.compile(
    r" {0,3}(?:[-*+] )?(?:\*\*|__)?(?P<name>[^\W\d_][^:*_|\n]{1,40})(?:\*\*|__)?:(?:\*\*|__)? +"
    r"(?P<value>\S.{0,200})$|"
    r" {0,3}\| *(?P<row>[^|\n]{2,60}?) *\| *(?P<cell>[^|\n]{1,200}?) *\|\s*$"
)


@dataclass(frozen=True, slots=True)
class Records:
    """Sections as the rows of a table: `file` and `block` are made up, `lines` are the file's own.

    `lines` has the line of each value by its row and its column, from 1.
    """

    file: IndexedFile
    block: Block
    lines: Mapping[tuple[Part, int], Part]


_LEAST = 3  # sections with fields
_BOLD_LINE = re.compile(r" {0,3}(?:\*\*|__)(?P<name>[^*_|:]{2,80})(?:\*\*|__) *")
_FENCE = re.compile(r"\s*(?:`{3}|~{3})")
_DEEPEST = 9  # than any heading is a line in bold
_HALF = 0.5  # of the sections: what has to have a field before it is a column
_HEADER = Part(-1, 0)  # lines that no file has


def of_file(file: IndexedFile) -> Iterator[Records]:
    """Yield the sections of a file that have fields of the same names, as tables.

    They begin with a heading, or a line that is bold as a whole.
    """
    for block in _siblings(file):
        sections = {part: dict(_fields(file, part.last_line)) for part in block.parts}
        names = _columns(sections)
        if len([one for one in sections.values() if one]) < _LEAST or not names:
            continue
        lines = {
            (part, column): fields[name][1]
            for part, fields in sections.items()
            for column, name in enumerate(names, 1)
            if name in fields
        }
        yield Records(*_as_table(file, block, sections, names), lines)


def _siblings(file: IndexedFile) -> Iterator[Block]:
    """The beginnings of a file's sections, those of one depth below the same heading together."""
    groups: dict[tuple[tuple[str, ...], int], list[Part]] = {}
    above: list[tuple[int, str]] = []
    fenced = False
    for number in sorted(file.lines):
        line = file.lines[number]
        fenced ^= bool(_FENCE.match(line))
        if fenced:
            continue
        heading, bold = HEADING.match(line), _BOLD_LINE.fullmatch(line)
        if not (heading or bold):
            continue
        depth, name = (
            (len(heading[1]), heading[2]) if heading else (_DEEPEST, bold["name"] if bold else "")
        )
        above = [one for one in above if one[0] < depth]
        parents = tuple(parent for _, parent in above)
        groups.setdefault((parents, depth), []).append(Part(number, number))
        above.append((depth, name.rstrip("# ")))
    for (parents, _), parts in groups.items():
        if len(parts) >= _LEAST:
            yield Block("headings", " > ".join(parents), None, tuple(parts))


def _columns(sections: Mapping[Part, Fields]) -> list[str]:
    """The names of the fields that enough of the sections have."""
    counts = Counter(name for fields in sections.values() for name in fields)
    return [name for name, count in counts.items() if count >= _HALF * len(sections)]


def card(found: SearchResult, asked: QuestionWords) -> Card | None:
    """Return a card of the sections whose field says what is asked, with that line of each.

    Of the first passage's file. None where it has no such sections, is not called as anything that
    is asked for, or no field chooses some of them.
    """
    if not found.hits:
        return None
    hit = found.hits[0]
    file, best = found.files[hit.chunk.path], ranked(hit, asked)[0].entry
    for block in heading_lists.of_file(file, best.heading):
        if asked.words.isdisjoint(asked.stems(f"{title(file.path)} {block.heading}")):
            continue
        sections = {part: dict(_fields(file, part.last_line)) for part in block.parts}
        names = _columns(sections)
        if len([one for one in sections.values() if one]) < _LEAST or not names:
            continue
        rows = chosen_rows.chosen(*_as_table(file, block, sections, names), asked)
        if rows is None:
            continue
        said = asked.stems(" ".join(rows.said))
        column = _column(sections, names, said, asked)
        # A section without the field says nothing of it.
        having = [part for part in rows.parts if column in sections[part]]
        lines = [(part, sections[part][column][1]) for part in having]
        if lines:
            every = sum(bool(fields) for fields in sections.values())
            made = card_of(hit, file, best, lines, every - len(lines))
            return replace(made, said=rows.said, heading=block.heading)
    return None


def _fields(file: IndexedFile, heading: int) -> Iterator[tuple[str, tuple[str, Part]]]:
    """The fields between a heading and the next, by name."""
    for number in range(heading + 1, max(file.lines) + 1):
        if number not in file.lines:
            continue
        if HEADING.match(file.lines[number]) or _BOLD_LINE.fullmatch(file.lines[number]):
            return
        if match := _FIELD.match(file.lines[number]):
            name, value = match["name"] or match["row"], match["value"] or match["cell"]
            if value.strip("-: "):
                yield plain(name).strip(), (plain(value), Part(number, number))


def _as_table(
    file: IndexedFile, block: Block, sections: Mapping[Part, Fields], names: list[str]
) -> tuple[IndexedFile, Block]:
    """The sections as rows: the heading, then the values."""
    lines = {-1: f"| | {' | '.join(names)} |", 0: "|---" * (len(names) + 1) + "|"}
    for part, fields in sections.items():
        called = file.lines[part.first_line].strip("#*_ ").replace("|", "/")
        cells = (fields[name][0].replace("|", "/") if name in fields else "" for name in names)
        lines[part.first_line] = f"| {called} | {' | '.join(cells)} |"
    table = Block("table", block.heading, _HEADER, block.parts)
    return IndexedFile(file.path, lines, ()), table


def _column(
    sections: Mapping[Part, Fields], names: list[str], said: frozenset[str], asked: QuestionWords
) -> str:
    """The field that says most of what chose the sections, by its name or its values."""

    def shared(name: str) -> tuple[int, int]:
        values = " ".join(fields[name][0] for fields in sections.values() if name in fields)
        return len(said & asked.stems(name)), len(said & asked.stems(values))

    return max(names, key=shared)


def card_of(
    hit: Hit, file: IndexedFile, best: Entry, lines: list[tuple[Part, Part]], left_out: int
) -> Card:
    """Return a card of lines, each below the heading of its section; `left_out` are not shown."""
    pieces = [Piece("fields", None, (line,), title=heading) for heading, line in lines]
    pieces[-1] = replace(pieces[-1], left_out=left_out)
    shown = sorted({number for pair in lines for part in pair for number in part.numbers})
    return Card(
        path=file.path,
        heading=best.heading,
        form="list",
        pieces=tuple(pieces),
        lines={number: file.lines[number] for number in shown},
        marked=tuple(line for _, line in lines),
        best=next((e for e in file.entries for _, line in lines if line.holds(e)), best),
        chunk=hit.chunk,
        score=hit.score,
        counted=len(lines),
        listed=Part(shown[0], shown[-1]),
    )
