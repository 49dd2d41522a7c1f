"""Cut a document into chunks along its structure. Lines in, spans of lines out: no database.

A table, a fence, a list item, a rule with its exception stay whole while they fit; what does not
fit is cut between rows, lines or sentences, and every later part knows its header or lead-in.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, pairwise

from ingest.chunking import limits
from ingest.chunking.limits import Count
from ingest.read.markdown import Block, Document, block_text
from ingest.read.outline import Placed, overlapping
from retrieval.models import Chunk
from retrieval.text.normalize import compact

CHUNKER_VERSION = 14  # part of the index's fingerprint: raise it with every change of a result

# Word pieces of heading, context and text together. A cross-encoder reads 512 with the question
# and 3 marks, so a question of up to 109 is read whole beside any chunk.
CHUNK_LIMIT = 400
MERGE_LIMIT = 220  # neighbouring sections share a chunk up to here
OVERLAP = 48  # a cut inside a section repeats the last block before it, if it is not longer
_LEAST_TEXT = 128  # what long headings and table headers must leave for the text


@dataclass(frozen=True, slots=True)
class Cut:
    """A chunk and the lines that are new in it, for its entries: from `own_first`, 0-based."""

    chunk: Chunk
    own_first: int


@dataclass(frozen=True, slots=True)
class _Span:
    first: int  # 0-based
    last: int  # excluded
    own_first: int
    text: str = ""  # of a part of one line, below its headings; else the lines say it
    piece: int = 0


def split(
    path: str, title: str, document: Document, placed: Sequence[Placed], count_pieces: Count
) -> list[Cut]:
    """Return the chunks of a file in order; each non-blank line is in at least one.

    `title` heads the chunks that stand below no heading. A chunk has at most CHUNK_LIMIT word
    pieces, and four times as many characters of words that the tokenizer does not read, unless its
    headings and context alone leave less than 176 of the pieces (128 for the text, 48 for the
    overlap); such a chunk can be over, and ingest reports it.
    """

    @cache
    def count(text: str) -> int:
        return max(count_pieces(compact(text)), limits.unread(text))

    sizes = {p.block: count(block_text(document, p.block)) for p in placed}
    trails = {p.trail for p in placed}
    trail_sizes = {trail: count(" > ".join(trail or (title,))) for trail in trails}
    ends = {p.block.last: p.block for p in placed}
    cutter = _Cutter(document, count, sizes, trail_sizes, ends)
    spans = [span for group in _groups(placed, sizes) for span in cutter.spans(group)]
    return [_cut(path, title, document, placed, span) for span in spans]


def _units(placed: Sequence[Placed]) -> list[list[Placed]]:
    """Runs of blocks that no cut may part; a heading at the end goes with what is above it."""
    units: list[list[Placed]] = []
    for block in placed:
        if block.glued and units:
            units[-1].append(block)
        else:
            units.append([block])
    if len(units) > 1 and all(p.block.kind == "heading" for p in units[-1]):
        tail = units.pop()
        units[-1].extend(tail)
    return units


def _groups(placed: Sequence[Placed], sizes: dict[Block, int]) -> list[list[list[Placed]]]:
    """Units by section, small neighbours below the same first heading joined."""
    sections = [list(s) for _, s in groupby(_units(placed), key=lambda unit: unit[-1].section)]
    groups: list[list[list[Placed]]] = []
    for section in sections:
        together = _size(groups[-1], sizes) + _size(section, sizes) if groups else 0
        same = bool(groups) and groups[-1][0][0].trail[:1] == section[-1][-1].trail[:1]
        if groups and same and together <= MERGE_LIMIT:
            groups[-1].extend(section)
        else:
            groups.append(section)
    return groups


def _size(units: Sequence[Sequence[Placed]], sizes: dict[Block, int]) -> int:
    return sum(sizes[p.block] for unit in units for p in unit)


@dataclass(frozen=True, slots=True)
class _Cutter:
    document: Document
    count: Count
    sizes: dict[Block, int]
    trail_sizes: dict[tuple[str, ...], int]
    ends: dict[int, Block]  # by the line after it

    def spans(self, units: Sequence[Sequence[Placed]]) -> list[_Span]:
        """Cut one group of units: whole if it fits, else between units, else inside them."""
        limit = self._limit(units[0][-1])
        if _size(units, self.sizes) > limit:  # later parts can have a longer lead-in as context
            limit = min(self._limit(p) for unit in units for p in unit)
        parts: list[_Span] = []
        for chosen in limits.pack([_size([unit], self.sizes) for unit in units], limit):
            blocks = [p for index in chosen for p in units[index]]
            if _size([blocks], self.sizes) <= limit:
                parts.append(
                    _Span(blocks[0].block.first, blocks[-1].block.last, blocks[0].block.first)
                )
            else:
                parts.extend(self._blocks(blocks, limit))
        return self._overlapped(parts)

    def _blocks(self, blocks: Sequence[Placed], limit: int) -> list[_Span]:
        """Cut a unit that is over the limit between its blocks, and a block by its lines.

        `limit` is that of the whole group: a part can begin with the block before, and its lead-in.
        """
        headings = sum(self.sizes[p.block] for p in blocks if p.block.kind == "heading")
        limit = max(_LEAST_TEXT, limit - headings)
        spans: list[_Span] = []
        for chosen in limits.pack([self.sizes[p.block] for p in blocks], limit):
            first, last = blocks[chosen[0]].block, blocks[chosen[-1]].block
            if sum(self.sizes[blocks[i].block] for i in chosen) <= limit:
                spans.append(_Span(first.first, last.last, first.first))
            else:
                spans.extend(self._lines(blocks[chosen[0]], limit))
        return _without_lonely_headings(self.document, blocks, spans)

    def _lines(self, placed: Placed, limit: int) -> list[_Span]:
        """Cut one block by its lines, and a line that alone is over the limit by its sentences."""
        block = placed.block
        lines = self.document.lines[block.first : block.last]
        repeated = self.count(_part_context(self.document, placed))
        limit = max(_LEAST_TEXT, limit - repeated)
        sizes = [self.count(line) for line in lines]
        spans: list[_Span] = []
        for chosen in limits.pack(sizes, limit):
            first, last = block.first + chosen.start, block.first + chosen.stop
            if not "".join(lines[chosen.start : chosen.stop]).strip():
                continue  # a blank line between two long ones
            if sum(sizes[i] for i in chosen) <= limit:
                spans.append(_Span(first, last, first))
                continue
            texts = limits.split(self.document.lines[first], limit, self.count)
            spans += [_Span(first, last, first, text, n) for n, text in enumerate(texts, start=1)]
        return spans

    def _overlapped(self, spans: Sequence[_Span]) -> list[_Span]:
        """Let each span begin with the last block of the one before, if that is short."""
        result = list(spans[:1])
        for before, span in pairwise(spans):
            tail = self.ends.get(before.last)
            if tail and tail.first > before.first and not span.piece and self._is_short(tail):
                span = replace(span, first=tail.first)
            result.append(span)
        return result

    def _is_short(self, block: Block) -> bool:
        return block.kind in {"paragraph", "item"} and self.sizes[block] <= OVERLAP

    def _limit(self, placed: Placed) -> int:
        used = (
            self.trail_sizes[placed.trail]
            + OVERLAP
            + (self.count(placed.lead) if placed.lead else 0)
        )
        return max(_LEAST_TEXT, CHUNK_LIMIT - used)


def _without_lonely_headings(
    document: Document, blocks: Sequence[Placed], spans: Sequence[_Span]
) -> list[_Span]:
    """Give a span that holds headings only to the span after it, at the end to the one before."""
    kinds = {n: p.block.kind for p in blocks for n in range(p.block.first, p.block.last)}
    result: list[_Span] = []
    start: int | None = None
    for span in spans:
        if all(kinds.get(n, "heading") == "heading" for n in range(span.first, span.last)):
            start = span.first if start is None else start
            continue
        if start is not None:
            own_first = span.own_first if span.piece else start
            span = replace(_widened(document, span, start, span.last), own_first=own_first)
        result.append(span)
        start = None
    if start is not None and result:
        result[-1] = _widened(document, result[-1], result[-1].first, spans[-1].last)
    return result or list(spans)


def _widened(document: Document, span: _Span, first: int, last: int) -> _Span:
    if not span.piece:
        return replace(span, first=first, last=last)
    above, below = document.lines[first : span.first], document.lines[span.last : last]
    return replace(span, first=first, last=last, text="\n".join([*above, span.text, *below]))


def _part_context(document: Document, placed: Placed) -> str:
    """What every later part of a cut block repeats: a table's header, a fence's first line."""
    first = placed.block.first
    if placed.table:
        return "\n".join(document.lines[first : first + placed.table.header_lines])
    return document.lines[first] if placed.block.kind == "fence" else ""


def _cut(path: str, title: str, document: Document, placed: Sequence[Placed], span: _Span) -> Cut:
    inside = overlapping(placed, span.first, span.last)
    trail = inside[-1].trail
    for other in inside:
        same = [a == b for a, b in zip(trail, other.trail, strict=False)]
        trail = trail[: same.index(False) if False in same else len(same)]
    first = inside[0]
    context = first.lead if 0 <= first.lead_line < span.first else ""
    if first.block.first < span.first:
        context = _part_context(document, first) or context
    chunk = Chunk(
        path=path,
        heading=" > ".join(trail or inside[0].trail[:1] or (title,)),
        first_line=span.first + 1,
        last_line=span.last,
        text=span.text or "\n".join(document.lines[span.first : span.last]),
        context=context,
        piece=span.piece,
    )
    return Cut(chunk, span.own_first)
