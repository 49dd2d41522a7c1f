"""One file from text to chunks with their entries. Pure: no files, no database, no model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from ingest.chunking import chunk, entries
from ingest.chunking.entries import Subject
from ingest.chunking.limits import Count
from ingest.read import frontmatter, markdown
from ingest.read.frontmatter import FrontMatter
from ingest.read.markdown import Document
from ingest.read.outline import Placed, outline
from ingest.read.vault import SourceFile
from retrieval.models import Chunk, Entry, SourceNote
from retrieval.text.normalize import searchable, unnumbered


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with what is searched of it; at least one entry, unless it holds marks only."""

    chunk: Chunk
    entries: tuple[Entry, ...]


class Index(Protocol):
    """What makes the chunks of a file: `index`, or what an evaluation compares it with."""

    def __call__(self, file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
        """Return the chunks of a file in order."""


def index(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
    """Return the chunks of a file in order; none for a file without text.

    `entry_limit` is how many word pieces an entry may have, without [CLS] and [SEP]. Raises
    FileRejectedError for a front matter that cannot be read.
    """
    return cut(file, markdown.parse(file.text), entry_limit=entry_limit, count=count)


def cut(
    file: SourceFile, document: Document, *, entry_limit: int, count: Count
) -> list[IndexedChunk]:
    """Return what `index` does; `document` is what `markdown.parse` makes of the file's text."""
    count = lru_cache(maxsize=None)(count)  # headings and lead-ins are counted again and again
    placed = outline(document)
    subject = _subject(file.path, placed, frontmatter.parse(file.path, document.header))
    return [
        IndexedChunk(
            part.chunk,
            tuple(entries.write(subject, document, placed, part, entry_limit, count)),
        )
        for part in chunk.split(file.path, subject.title, document, placed, count)
    ]


def place(path: str) -> str:
    """Return the words of a file's folders and name, as full text search has them, or ""."""
    return searchable(" ".join(_names(path)))


def note(file: SourceFile) -> SourceNote:
    """Return what the front matter says of the file's standing. Raises FileRejectedError."""
    matter = frontmatter.parse(file.path, markdown.header(file.text))
    return SourceNote(file.path, matter.status, matter.edition, matter.supersedes)


def _subject(path: str, placed: Sequence[Placed], matter: FrontMatter) -> Subject:
    headings = [p.trail[-1] for p in placed if p.trail]
    title = matter.title or (headings[0] if headings else _names(path)[-1])
    about = SourceNote(path, matter.status, matter.edition).standing
    return Subject((title, *about), title, matter.aliases)


def _names(path: str) -> list[str]:
    """Folders and file name without what numbers them; "12. Combat.md" is "Combat"."""
    return [unnumbered(name) for name in path.rsplit(".", 1)[0].split("/")]
