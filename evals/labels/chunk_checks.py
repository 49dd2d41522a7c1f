"""Check how a vault is cut into chunks, with the tokenizer alone: what a search cannot find at all.

Each finding names the line of the file. The files are cut by the very function of ingest; what is
demanded of the result is written down here once more, so that a fault of the chunker is seen.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.labels import entry_checks
from evals.labels.quote_locations import shortened
from ingest.chunking import document
from ingest.chunking.document import IndexedChunk
from ingest.read import markdown, vault
from ingest.read.markdown import Block, Document
from ingest.read.plain import limits_what_precedes, plain
from ingest.read.vault import SourceFile
from retrieval.encoder import weights
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.encoder.tokens import TokenCounter
from retrieval.errors import FileRejectedError, VaultError
from retrieval.models import Chunk
from retrieval.ranking.reranking import passage_text
from retrieval.text.normalize import compact

PAIR_LIMIT = 512  # word pieces that a cross-encoder reads of question, passage and 3 marks
PASSAGE_LIMIT = PAIR_LIMIT - 109 - 3  # of them for a passage beside a question of up to 109
_FRONT_MATTER = re.compile(r"-{3,}\s*\n(?:.*\n)*?-{3,}\s*(?:\n|$)")

Fault = tuple[int, str]  # the line, from 1, and what is wrong there


@dataclass(frozen=True, slots=True)
class Limits:
    """What models read at once; `encoder` counts [CLS] and [SEP]."""

    encoder: int
    tokens: TokenCounter


@dataclass(frozen=True, slots=True)
class ChunkReport:
    """How many chunks a vault has, and the findings as "file:line: what", by file and line."""

    chunks: int
    findings: tuple[str, ...]


def lint(root: Path, encoder: str = "bundled") -> ChunkReport:
    """Cut the vault at `root` as ingest does and return what is wrong with the chunks.

    `encoder` is a folder, a hub id that is on this machine, or "bundled". Raises VaultError where
    there is nothing to check, ModelUnavailableError where the encoder has no tokenizer.
    """
    found = vault.read(root)
    if not (found.files or found.rejected):
        raise VaultError(f"no Markdown file in {str(root)!r}")
    bundled = encoder == "bundled"
    files = weights.bundled_encoder() if bundled else weights.find(encoder, offline=True)
    embedder = Embedder(files, ModelThread())  # its weights are loaded at the first text: never
    limits = Limits(embedder.limit, embedder.tokens)
    faults = [(error.path, 1, f"not indexed: {error.reason}") for error in found.rejected]
    indexed: list[IndexedChunk] = []
    for file in found.files:
        try:
            chunks = document.index(file, entry_limit=limits.encoder - 2, count=limits.tokens.count)
        except FileRejectedError as error:
            faults.append((file.path, 1, f"not indexed: {error.reason}"))
            continue
        indexed += chunks
        faults += [(file.path, *fault) for fault in file_faults(file, chunks, limits)]
    faults += twin_faults(indexed)
    lines = [f"{root}/{path}:{line}: {what}" for path, line, what in sorted(faults)]
    return ChunkReport(len(indexed), tuple(lines))


def file_faults(
    file: SourceFile, indexed: Sequence[IndexedChunk], limits: Limits
) -> Iterator[Fault]:
    """Yield what is wrong with the chunks of one file."""
    source = markdown.parse(file.text)
    front = _FRONT_MATTER.match(file.text)
    chunks = [item.chunk for item in indexed]
    yield from _line_faults(source, front[0].count("\n") if front else 0, chunks)
    yield from _heading_faults(source, chunks)
    yield from _exception_faults(source, chunks, limits)
    yield from _table_faults(source, indexed)
    yield from entry_checks.word_faults(source.shown, source.blocks, indexed)
    for item in indexed:
        yield from _size_faults(item, limits)


def twin_faults(indexed: Sequence[IndexedChunk]) -> Iterator[tuple[str, int, str]]:
    """Yield (path, line, what) of each chunk whose searched texts are those of an earlier one.

    No question can tell the two apart: only their ids order them. The text of the chunk as a whole
    does not count, which may begin with the file's title in one of them; the words of folders and
    file do.
    """
    seen: dict[tuple[str, frozenset[str]], Chunk] = {}
    for item in indexed:
        texts = frozenset(entry.text for entry in item.entries if entry.kind != "whole")
        twin = seen.setdefault((document.place(item.chunk.path), texts), item.chunk)
        if texts and twin is not item.chunk:
            what = f"says word for word what {twin.id} says, below the same headings: drop one"
            yield item.chunk.path, item.chunk.first_line, f"ambiguous: {what}"


def _line_faults(source: Document, head: int, chunks: Sequence[Chunk]) -> Iterator[Fault]:
    """Yield the lines that no chunk holds, or that it holds in other words than the file.

    The `head` first ones are front matter, which is no text.
    """
    held: dict[int, list[str]] = defaultdict(list)
    for chunk in chunks:
        for number, text in enumerate(chunk.text.split("\n"), start=chunk.first_line):
            held[number].append(text)
        last = chunk.first_line + chunk.text.count("\n")
        if last != chunk.last_line:
            yield chunk.first_line, f"the chunk ends at line {last}, not at {chunk.last_line}"
    for number, line in enumerate(source.lines, start=1):
        if not line.strip() or number <= head:
            continue
        if number not in held:
            yield number, f'no chunk holds the line "{shortened(line.strip())}"'
        elif line not in held[number] and line != "".join(held[number]):
            wrong = shortened(held[number][0].strip())
            yield number, f'its chunk holds "{wrong}" for "{shortened(line.strip())}"'


def _heading_faults(source: Document, chunks: Sequence[Chunk]) -> Iterator[Fault]:
    """Yield headings that stand alone in a chunk, and those cut from what stands below them."""
    titles = {n for b in source.blocks if b.kind == "heading" for n in range(b.first, b.last)}
    if all(block.kind == "heading" for block in source.blocks):
        return  # a file without text: there is nothing that they could stand with
    for chunk in chunks:
        numbers = range(chunk.first_line - 1, chunk.last_line)
        if all(n in titles or not source.lines[n].strip() for n in numbers):
            yield chunk.first_line, "a chunk of nothing but headings"
    for block, below in zip(source.blocks, source.blocks[1:], strict=False):
        empty = below.kind == "heading" and below.level <= block.level
        if block.kind == "heading" and not empty and not _together(block.last, below, chunks):
            yield block.first + 1, f"the heading is cut from its text in line {below.first + 1}"


def _exception_faults(source: Document, chunks: Sequence[Chunk], limits: Limits) -> Iterator[Fault]:
    """Yield sentences that limit the rule above them and that no chunk holds together with it."""
    starts = {chunk.first_line - 1 for chunk in chunks}
    for before, block in zip((None, *source.blocks), source.blocks, strict=False):
        if block.kind not in {"paragraph", "item", "quote"}:
            continue
        cuts = [(n, n) for n in range(block.first + 1, block.last) if n in starts]
        if before and before.kind != "heading" and not _long_table(source, before, block, limits):
            cuts.append((before.last, block.first))
        for end, start in cuts:
            text = plain("\n".join(source.lines[start : block.last]))
            held = any(c.first_line <= end and start + 1 <= c.last_line for c in chunks)
            if limits_what_precedes(text) and not held:
                yield start + 1, f"the exception is cut from its rule in line {end}: shorten both"


def _long_table(source: Document, before: Block, block: Block, limits: Limits) -> bool:
    """Whether this is a table that with its note fills more than half a passage.

    Such a note may stand in a passage of its own: no writer can shorten a table of prices.
    """
    text = compact("\n".join(source.lines[before.first : block.last]))
    return before.kind == "table" and limits.tokens.count(text) > PASSAGE_LIMIT // 2


def _together(line: int, below: Block, chunks: Sequence[Chunk]) -> bool:
    """Whether some chunk holds the line (from 1) and the first one of the block."""
    return any(c.first_line <= line and below.first + 1 <= c.last_line for c in chunks)


def _table_faults(source: Document, indexed: Sequence[IndexedChunk]) -> Iterator[Fault]:
    """Yield chunks and entries that hold rows of a table and not its header."""
    for table in (block for block in source.blocks if block.kind == "table"):
        header = source.lines[table.first]
        for item in indexed:
            chunk = item.chunk
            part = table.first + 1 < chunk.first_line <= table.last
            if part and header not in chunk.context.split("\n"):
                where = f"the table of line {table.first + 1} goes on without its header"
                yield chunk.first_line, f'{where} "{shortened(header)}"'
            for entry in item.entries:
                row = entry.kind == "row" and table.first + 2 < entry.first_line <= table.last
                if row and header not in entry.lead.split("\n"):
                    yield entry.first_line, f'the row knows no header "{shortened(header)}"'


def _size_faults(item: IndexedChunk, limits: Limits) -> Iterator[Fault]:
    """Yield texts that a model would cut off, or in which it would find nothing to read."""
    for entry in item.entries:
        pieces = _pieces(entry.text, limits.encoder - 2, limits.tokens)
        if not 0 < pieces <= limits.encoder - 2:
            shown = f'"{shortened(entry.words)}" has {pieces + 2} word pieces'
            yield entry.first_line, f"{shown}; the encoder reads 3 to {limits.encoder}"
    pieces = _pieces(passage_text(item.chunk), PASSAGE_LIMIT, limits.tokens)
    if pieces > PASSAGE_LIMIT:
        what = f"the passage has {pieces} word pieces, over {PASSAGE_LIMIT}: a cross-encoder reads"
        yield item.chunk.first_line, f"{what} {PAIR_LIMIT} with the question, and not its end"


def _pieces(text: str, limit: int, tokens: TokenCounter) -> int:
    """The number of word pieces; what has fewer bytes than `limit` (each piece has one) is 1."""
    return 1 if text.strip() and len(text.encode()) <= limit else tokens.count(text)
