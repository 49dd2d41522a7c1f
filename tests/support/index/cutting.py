"""Cut a text as ingest does, and check what must hold for every cut."""

from functools import cache
from itertools import pairwise

from ingest.chunking import document
from ingest.chunking.chunk import CHUNK_LIMIT
from ingest.chunking.document import IndexedChunk
from ingest.read import markdown
from ingest.read.markdown import Block, Document, block_text
from ingest.read.outline import Placed, outline
from ingest.read.vault import SourceFile
from retrieval.encoder import weights
from retrieval.encoder.tokens import TokenCounter
from retrieval.models import Chunk
from retrieval.ranking.reranking import passage_text
from retrieval.text.normalize import compact

ENTRY_LIMIT = 254  # what the encoder reads, without [CLS] and [SEP]
LEAST_TEXT = 176  # what headings and context must leave for the text and its overlap


@cache
def tokens() -> TokenCounter:
    """A counter of the bundled encoder's word pieces."""
    return TokenCounter(weights.bundled_encoder())


def index(source: str) -> list[IndexedChunk]:
    """Cut a file's text into chunks with their entries."""
    file = SourceFile("1. Rules/a.md", source, "", 0)
    return document.index(file, entry_limit=ENTRY_LIMIT, count=tokens().count)


def check(source: str) -> None:
    """Cut `source` and assert all that must hold whatever stands in it."""
    parsed, found = markdown.parse(source), index(source)
    chunks = [item.chunk for item in found]
    _every_line_is_in_a_chunk_that_is_exactly_its_lines(source, chunks)
    _chunks_stand_in_the_order_of_the_file(chunks)
    _chunks_are_over_the_limit_only_where_their_heads_are_too_long(parsed, chunks)
    _entries_fit_the_encoder_and_quote_their_chunk(source, found)
    _a_heading_is_alone_only_in_a_file_of_headings(parsed, chunks)
    _later_parts_know_the_header_of_their_table_or_fence(parsed, chunks)


def _every_line_is_in_a_chunk_that_is_exactly_its_lines(source: str, chunks: list[Chunk]) -> None:
    lines = source.split("\n")
    covered: set[int] = set()
    for parts in _whole_and_parted(chunks):
        text = "\n".join(lines[parts[0].first_line - 1 : parts[-1].last_line])
        assert "".join(part.text for part in parts) == text
        covered.update(range(parts[0].first_line - 1, parts[-1].last_line))
    body = _first_body_line(source)
    lost = [n for n, line in enumerate(lines) if n >= body and line.strip() and n not in covered]
    assert not lost
    assert all(number >= body for number in covered)


def _chunks_stand_in_the_order_of_the_file(chunks: list[Chunk]) -> None:
    places = [(chunk.first_line, chunk.piece) for chunk in chunks]
    assert places == sorted(set(places))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(before.last_line <= after.last_line for before, after in pairwise(chunks))


def _chunks_are_over_the_limit_only_where_their_heads_are_too_long(
    parsed: Document, chunks: list[Chunk]
) -> None:
    for chunk in chunks:
        if tokens().count(passage_text(chunk)) > CHUNK_LIMIT:
            lines = [block_text(parsed, block) for block in _headings(parsed, chunk)]
            head = compact("\n".join([chunk.heading, chunk.context, *lines]))
            assert CHUNK_LIMIT - tokens().count(head) < LEAST_TEXT


def _entries_fit_the_encoder_and_quote_their_chunk(source: str, found: list[IndexedChunk]) -> None:
    lines = source.split("\n")
    for item in found:
        for entry in item.entries:
            assert tokens().count(entry.text) <= ENTRY_LIMIT
            assert entry.quote in item.chunk.text
            assert item.chunk.first_line <= entry.first_line <= entry.last_line
            assert entry.last_line <= item.chunk.last_line
            assert entry.quote in "\n".join(lines[entry.first_line - 1 : entry.last_line])


def _a_heading_is_alone_only_in_a_file_of_headings(parsed: Document, chunks: list[Chunk]) -> None:
    headings = {n for b in parsed.blocks if b.kind == "heading" for n in range(b.first, b.last)}
    if all(block.kind == "heading" for block in parsed.blocks):
        return
    for chunk in chunks:
        numbers = range(chunk.first_line - 1, chunk.last_line)
        assert any(n not in headings and parsed.lines[n].strip() for n in numbers)


def _later_parts_know_the_header_of_their_table_or_fence(
    parsed: Document, chunks: list[Chunk]
) -> None:
    """A part shows its table's header and delimiter row, or its fence's opening line, above it."""
    cut = [p for p in outline(parsed) if p.block.kind in {"table", "fence"}]
    for chunk in chunks:
        for placed in cut:
            if placed.block.first < chunk.first_line - 1 < placed.block.last:
                assert chunk.context == _opening(parsed, placed)


def _opening(parsed: Document, placed: Placed) -> str:
    first = placed.block.first
    lines = placed.table.header_lines if placed.table else 1
    assert lines == 1 or "-" in parsed.lines[first + 1]
    return "\n".join(parsed.lines[first : first + lines])


def _whole_and_parted(chunks: list[Chunk]) -> list[list[Chunk]]:
    """Group the parts of one line; every other chunk is a group of its own."""
    groups: list[list[Chunk]] = []
    for chunk in chunks:
        if chunk.piece > 1:
            assert chunk.piece == groups[-1][-1].piece + 1
            groups[-1].append(chunk)
        else:
            groups.append([chunk])
    return groups


def _headings(parsed: Document, chunk: Chunk) -> list[Block]:
    inside = (b for b in parsed.blocks if chunk.first_line <= b.last and b.first < chunk.last_line)
    return [block for block in inside if block.kind == "heading"]


def _first_body_line(source: str) -> int:
    header = markdown.parse(source).header
    return header.count("\n") + 3 if header else 0
