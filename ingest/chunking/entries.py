"""Say what of a chunk is searched: one entry a table row, list item or few sentences, and a whole.

An entry's text stands alone: it begins with the file's title and the headings, and a row names its
columns. All of it fits the encoder; what is longer becomes several entries.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.chunking import limits
from ingest.chunking.chunk import Cut
from ingest.chunking.limits import Count
from ingest.read.markdown import Document, block_text, shown_text
from ingest.read.outline import Placed, overlapping
from ingest.read.plain import limits_what_precedes, plain, sentences
from ingest.read.tables import Table, TableRow
from retrieval.models import Entry, EntryKind
from retrieval.text.dialects import plain_markdown
from retrieval.text.hidden import visible
from retrieval.text.normalize import searchable

_SENTENCES = 3  # in one entry at most …
_SENTENCES_SIZE = 48  # … while they have no more word pieces than this together
_TRAIL_LIMIT = 96  # word pieces of title and headings in front of an entry
_LEAD_LIMIT = 64  # word pieces of a lead-in in front of an entry


@dataclass(frozen=True, slots=True)
class Subject:
    """What a file is about: the words that all its entries share, outermost first."""

    words: tuple[str, ...]  # title, status and edition
    title: str
    aliases: tuple[str, ...]  # other names of the whole file: only in entries of whole chunks


@dataclass(frozen=True, slots=True)
class _Writer:
    subject: Subject
    document: Document
    count: Count
    limit: int  # word pieces of an entry's text


def write(
    subject: Subject,
    document: Document,
    placed: Sequence[Placed],
    cut: Cut,
    limit: int,
    count: Count,
) -> list[Entry]:
    """Return the entries of one chunk, in the order of its lines, the whole chunk's last.

    `limit` is what the encoder reads without [CLS] and [SEP].
    """
    writer = _Writer(subject, document, count, limit)
    first, last = cut.own_first, cut.chunk.last_line
    inside = overlapping(placed, first, last)
    if cut.chunk.piece:
        text = "\n".join(cut.chunk.text.split("\n")[first + 1 - cut.chunk.first_line :])
        entries = list(_prose(writer, inside[0], visible(text), first))
    else:
        leads = {p.lead_line for p in inside}
        entries = [
            entry
            for p in inside
            # A lead-in is in front of each entry that it introduces; alone it says nothing.
            if not (p.block.first in leads and _says_nothing_alone(document, p))
            for entry in _block(writer, p, first, last)
        ]
    return entries + list(_whole(writer, cut))


def _says_nothing_alone(document: Document, placed: Placed) -> bool:
    block = placed.block
    if block.first in document.titles and block.last == block.first + 1:
        return True
    text = block_text(document, block).rstrip()
    return text.endswith(":") and len(list(sentences(text))) == 1


def _block(writer: _Writer, placed: Placed, first: int, last: int) -> Iterator[Entry]:
    block = placed.block
    start, stop = max(first, block.first), min(last, block.last)
    if block.kind in {"heading", "rule"}:
        return
    if placed.table:
        yield from _rows(writer, placed, placed.table, start, stop)
        return
    yield from _prose(writer, placed, shown_text(writer.document, start, stop), start)


def _rows(writer: _Writer, placed: Placed, table: Table, start: int, stop: int) -> Iterator[Entry]:
    lines, top = writer.document.lines, placed.block.first
    lead = "\n".join(lines[top : top + table.header_lines])
    from_row = bisect_left(table.rows, start - top, key=lambda row: row.line)
    to_row = bisect_left(table.rows, stop - top, key=lambda row: row.line)
    for row in table.rows[from_row:to_row]:
        number = top + row.line
        header = lead if row.line >= table.header_lines else ""
        for text in _row_texts(writer, placed, row):
            yield from _entries(writer, placed, "row", number, lines[number], header, text)


def _row_texts(writer: _Writer, placed: Placed, row: TableRow) -> Iterator[str]:
    """A row as one text, or where it is longer than an entry as several, each with its label."""
    room = writer.limit - writer.count(_whole_trail(writer, placed)) - 1
    if writer.count(searchable(row.text)) <= room or not row.label:
        yield row.text
        return
    sizes = [writer.count(searchable(f"; {value}")) for value in row.values]
    for part in limits.pack(sizes, max(1, room - writer.count(searchable(row.label)) - 1)):
        yield replace(row, values=tuple(row.values[at] for at in part)).text


def _prose(writer: _Writer, placed: Placed, text: str, start: int) -> Iterator[Entry]:
    """Entries of one to three sentences; a sentence that limits the one before stays with it."""
    kind: EntryKind = "item" if placed.block.kind == "item" else "sentences"
    group: list[tuple[int, int]] = []
    for span in [*sentences(text), (len(text), len(text))]:
        part = text[span[0] : span[1]]
        size = writer.count(text[group[0][0] : span[1]]) if group else 0
        room = len(group) < _SENTENCES and size <= _SENTENCES_SIZE
        if group and (not part or not (room or limits_what_precedes(part))):
            words = text[group[0][0] : group[-1][1]]
            line = start + text.count("\n", 0, group[0][0])
            quote = _source(writer.document, line, words)
            yield from _entries(writer, placed, kind, line, quote, placed.lead, plain(words))
            group = []
        group.append(span)


def _source(document: Document, first: int, shown: str) -> str:
    """The quote of what is shown from a line on: the words, or its lines where they hide some."""
    last = first + shown.count("\n") + 1
    source = "\n".join(document.lines[first:last])
    return shown if shown in source else source


def _whole(writer: _Writer, cut: Cut) -> Iterator[Entry]:
    """The chunk itself, in as many windows of lines as the encoder needs."""
    chunk = cut.chunk
    trail = _trail(writer, (*chunk.heading.split(" > "), *writer.subject.aliases))
    room = writer.limit - writer.count(trail)
    lines = chunk.text.split("\n")
    shown = writer.document.shown[chunk.first_line - 1 : chunk.last_line]
    if chunk.piece:
        shown = tuple(visible(chunk.text).split("\n"))
    words = [searchable(plain(line)) for line in shown]
    for window in limits.pack([writer.count(line) for line in words], room):
        text = " ".join(words[i] for i in window if words[i])
        quote = "\n".join(lines[i] for i in window)
        number = chunk.first_line - 1 + window.start
        if text:
            yield from _fitted(writer, "whole", chunk.heading, number, quote, "", trail, text)


def _entries(
    writer: _Writer, placed: Placed, kind: EntryKind, line: int, quote: str, lead: str, text: str
) -> Iterator[Entry]:
    words = searchable(text)
    if not words:
        return
    trail = _whole_trail(writer, placed)
    heading = " > ".join(placed.trail or (writer.subject.title,))
    yield from _fitted(writer, kind, heading, line, quote, lead, trail, words)


def _whole_trail(writer: _Writer, placed: Placed) -> str:
    """Title, headings and the line that introduces the block."""
    trail = _trail(writer, placed.trail)
    if placed.lead:
        lead = searchable(plain(visible(plain_markdown(placed.lead).text)))
        trail += limits.split(lead, _LEAD_LIMIT, writer.count)[0] + " "
    return trail


def _fitted(
    writer: _Writer, kind: EntryKind, heading: str, line: int, quote: str, lead: str, trail: str,
    words: str,
) -> Iterator[Entry]:  # fmt: skip
    room = writer.limit - writer.count(trail) - 1  # a cut inside a word can cost one piece more
    last = line + quote.count("\n")
    for part in limits.split(words, room, writer.count):
        yield Entry(kind, heading, line + 1, last + 1, quote, lead, trail, part)


def _trail(writer: _Writer, headings: tuple[str, ...]) -> str:
    """Title and headings, each once; the outermost go first where they are too long."""
    words: list[str] = []
    for word in (*writer.subject.words, *headings):
        folded = searchable(word)
        if folded and folded.casefold() not in (known.casefold() for known in words):
            words.append(folded)
    while len(words) > 1 and writer.count(" > ".join(words)) > _TRAIL_LIMIT:
        words.pop(0)
    text = " > ".join(words)
    return limits.split(text, _TRAIL_LIMIT, writer.count)[0] + ": " if text else ""
