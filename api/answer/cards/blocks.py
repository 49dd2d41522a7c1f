"""The blocks of an indexed file: its paragraphs, lists, tables and fields, as cards show them.

Pure. The index knows each table row, list item and run of sentences by its lines; here they are
put together again, so that a card shows whole rows, whole items and whole paragraphs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.models import Entry, IndexedFile
from retrieval.text.line_marks import HEADING, ITEM_MARK
from retrieval.vocabulary.terms import raw_cells

BlockKind = Literal["paragraph", "list", "table", "fields", "headings"]

_FIELD = re.compile(  # "**Speed:** 4", and as Obsidian has it "Speed:: 4"
    r"^\s*(?:[-*+]\s+)?(?:(?:\*\*|__)[^*_]{1,60}?(?::(?:\*\*|__)|(?:\*\*|__)\s*:)|"
    r"[^\W\d_][\w '()/-]{0,40}::(?= ))\s*\S"
)
_TERM = re.compile(r"^\s*(?:\*\*|__)\w[^*_\n]{0,98}(?:[.?!:](?:\*\*|__)|(?:\*\*|__)\s{0,3}[:–—-])")
_TERMS = 3  # paragraphs of a section, from which on those that begin so are terms
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-+)[ \t]*$")  # of a heading that is written without #
_FENCE = re.compile(r"\s*(?:>\s*)?(`{3,}|~{3,})(.*)")
_FIELD_LENGTH = 200  # characters; what is longer is prose with a bold beginning


@dataclass(frozen=True, slots=True)
class Part:
    """What is shown whole: a row, a field, an item with what is nested in it, a paragraph."""

    first_line: int
    last_line: int  # inclusive

    @property
    def numbers(self) -> range:
        """Its lines in order."""
        return range(self.first_line, self.last_line + 1)

    def holds(self, entry: Entry) -> bool:
        """Tell whether the entry has a line of it."""
        return self.first_line <= entry.last_line and entry.first_line <= self.last_line


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring parts of one kind. `lead` is a table's header or a list's lead-in, or None."""

    kind: BlockKind
    heading: str
    lead: Part | None
    parts: tuple[Part, ...]

    @property
    def first_line(self) -> int:
        """The first line, the lead's where there is one."""
        return self.lead.first_line if self.lead else self.parts[0].first_line

    @property
    def last_line(self) -> int:
        """The last line, inclusive."""
        return self.parts[-1].last_line

    def holds(self, entry: Entry) -> bool:
        """Tell whether the entry is one of its parts."""
        return any(part.holds(entry) for part in self.parts)


def blocks(file: IndexedFile) -> tuple[Block, ...]:
    """Return the file's blocks in order; headings belong to none."""
    runs: list[list[Entry]] = []
    fences = _fences(file)
    for entry in file.entries:
        inside = fences.get(entry.first_line)
        same = inside and runs and fences.get(runs[-1][-1].first_line) == inside
        if runs and (same or _goes_on(file, runs[-1][-1], entry)):
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return tuple(_joined_fields([_block(file, run, fences) for run in runs]))


def heading_of(file: IndexedFile, block: Block) -> Part | None:
    """Return the line of the heading that a block stands under; None where none is written."""
    first = block.first_line
    others = [one for one in file.entries if one.heading != block.heading]
    before = max((one.last_line for one in others if one.last_line < first), default=0)
    for number in range(first - 1, before, -1):
        if HEADING.match(file.lines.get(number, "")):
            return Part(number, number)
        if number - 1 > before and _UNDERLINE.match(file.lines.get(number, "")):
            above = file.lines.get(number - 1, "")
            if above.strip():
                return Part(number - 1, number - 1)
    return None


def terms_of(file: IndexedFile, section: Sequence[Block]) -> list[Block]:
    """Return the paragraphs that are things of their own: "**Watch.** A week", "**May I?** No."

    What stands beside one in a glossary, or among questions and answers, is no part of it.
    """
    paragraphs = [block for block in section if block.kind == "paragraph"]
    terms = [one for one in paragraphs if _TERM.match(file.lines.get(one.first_line, ""))]
    return terms if len(terms) >= _TERMS else []


def introduces(line: str) -> bool:
    """Tell whether a line leads to what stands below it: "The hirer must", "You get:"."""
    last = line.rstrip("*_` \t\r")[-1:]
    return last == ":" or last.isalpha()


def _goes_on(file: IndexedFile, before: Entry, entry: Entry) -> bool:
    """Whether an entry is of the same block as the one before."""
    if (entry.kind, entry.heading) != (before.kind, before.heading):
        return False
    between = [file.lines.get(n, "") for n in range(before.last_line + 1, entry.first_line)]
    if any(HEADING.match(line) for line in between):
        return False
    if entry.kind == "row" and _is_row(file, before) != _is_row(file, entry):
        return False  # Markdown calls it a row, whoever reads it a sentence below the table
    if entry.kind == "item":  # one that only introduces others is no entry of its own
        return all(not line.strip() or line[:1] in " \t" or _MARK.match(line) for line in between)
    return all(line.strip() for line in between)


def _is_row(file: IndexedFile, entry: Entry) -> bool:
    return "|" in file.lines.get(entry.first_line, "")


def _fences(file: IndexedFile) -> dict[int, Part]:
    """The fence that a line is in, by the line; a fence ends with the mark it began with."""
    found: dict[int, Part] = {}
    opened: tuple[int, str] | None = None
    for number in sorted(file.lines):
        match = _FENCE.match(file.lines[number])
        if match is None:
            continue
        if opened is None:
            opened = (number, match[1]) if "`" not in match[2] else None
        elif match[1].startswith(opened[1]) and not match[2].strip():
            fence = Part(opened[0], number)
            found |= dict.fromkeys(fence.numbers, fence)
            opened = None
    return found


def _block(file: IndexedFile, run: Sequence[Entry], fences: Mapping[int, Part]) -> Block:
    first = run[0]
    if fence := fences.get(first.first_line):
        return Block("paragraph", first.heading, None, (fence,))
    if first.kind == "row" and _is_row(file, first):
        parts = tuple(Part(one.first_line, one.last_line) for one in run)
        header = _header(file, first)
        if _are_fields(file, parts, header):
            return Block("fields", first.heading, None, parts)
        return Block("table", first.heading, header, parts)
    if first.kind == "item":
        return Block("list", first.heading, _lead_in(file, first), _items(file, run))
    whole = Part(first.first_line, max(one.last_line for one in run))
    if all(_is_field(file.lines.get(n, "")) for n in whole.numbers):
        fields = tuple(Part(n, n) for n in whole.numbers)
        return Block("fields", first.heading, None, fields)
    return Block("paragraph", first.heading, None, (whole,))


def _is_field(line: str) -> bool:
    return len(line) <= _FIELD_LENGTH and bool(_FIELD.match(line))


def _joined_fields(found: Sequence[Block]) -> list[Block]:
    """Fields that stand in a paragraph each are the fields of one thing."""
    joined: list[Block] = []
    for block in found:
        last = joined[-1] if joined else None
        both = last and last.kind == block.kind == "fields" and not (last.lead or block.lead)
        if last and both and last.heading == block.heading:
            joined[-1] = Block("fields", block.heading, None, (*last.parts, *block.parts))
        else:
            joined.append(block)
    return [_alone(block) for block in joined]


def _alone(block: Block) -> Block:
    """One bold beginning makes no list of fields."""
    if block.kind == "fields" and len(block.parts) == 1:
        return Block("paragraph", block.heading, block.lead, block.parts)
    return block


def _are_fields(file: IndexedFile, rows: Sequence[Part], header: Part | None) -> bool:
    """Whether a table names a thing's fields: two columns without names, or one row of names."""
    if any(len(raw_cells(file.lines.get(row.first_line, ""))) != 2 for row in rows):
        return False
    names = [] if header is None else raw_cells(file.lines.get(header.first_line, ""))
    return not any(names)


def _header(file: IndexedFile, row: Entry) -> Part | None:
    """The header lines directly above a table's first row, as the index has found them."""
    if not row.lead:
        return None
    first = row.first_line - 1 - row.lead.count("\n")
    shown = "\n".join(file.lines.get(n, "") for n in range(first, row.first_line))
    return Part(first, row.first_line - 1) if shown == row.lead else None


def _lead_in(file: IndexedFile, item: Entry) -> Part | None:
    """The lines that introduce a list, where the index has found some."""
    if not item.lead:
        return None
    last = item.first_line - 1
    while last > 0 and not file.lines.get(last, "").strip():
        last -= 1
    first = last - item.lead.count("\n")
    shown = "\n".join(file.lines.get(n, "") for n in range(first, last + 1))
    return Part(first, last) if shown.strip() == item.lead.strip() else None


def _items(file: IndexedFile, run: Sequence[Entry]) -> tuple[Part, ...]:
    """The items of a list, each with the items that are nested in it."""
    parts: list[Part] = []
    indent = _indent(file.lines.get(run[0].first_line, ""))
    for entry in run:
        first = _introducing(file, parts, entry, indent) or entry.first_line
        line = file.lines.get(first, "")
        same = parts and first <= parts[-1].last_line
        if parts and (same or _indent(line) > indent or not _MARK.match(line)):
            parts[-1] = Part(parts[-1].first_line, max(parts[-1].last_line, entry.last_line))
        else:
            parts.append(Part(first, entry.last_line))
            indent = min(indent, _indent(line))
    return tuple(parts)


def _introducing(file: IndexedFile, parts: Sequence[Part], entry: Entry, indent: int) -> int | None:
    """The line of the item above an entry that only introduces those nested in it; else None."""
    between = range(parts[-1].last_line + 1, entry.first_line) if parts else ()
    lines = ((number, file.lines.get(number, "")) for number in between)
    return next((n for n, line in lines if _MARK.match(line) and _indent(line) <= indent), None)


_MARK = re.compile(rf"^\s*(?:>\s*)?{ITEM_MARK}\s")


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())
