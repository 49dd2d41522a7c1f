"""Which sections of a vault a search can still find, by the questions or by their own words."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from evals.measure.outcome import Subject
from ingest.chunking import limits
from ingest.chunking.embedding import Progress
from ingest.pipeline import silent
from ingest.read import markdown
from ingest.read.markdown import Document, shown_text
from ingest.read.outline import Placed, outline
from ingest.read.plain import plain, sentences
from retrieval.context import SearchContext
from retrieval.models import Chunk
from retrieval.search import QUESTION_LIMIT, search

_QUERY_LIMIT = 200  # word pieces; a question has at most 254, and folding can add some
_TABLE_LINES = 3  # a table's first sentence: its header and its first row


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with text below it; a file's lines above the first heading are one as well."""

    path: str
    heading: str  # "Combat > Initiative"; "" for none
    number: int  # counts the sections of this name in the file, from 1
    first_line: int  # of the text, from 1
    last_line: int
    query: str  # the heading and the first sentence

    @property
    def name(self) -> tuple[str, str, int]:
        """What stays the same when lines are put in above."""
        return self.path, self.heading, self.number


@dataclass(frozen=True, slots=True)
class Lost:
    """A section that neither a question nor its self-query finds, and what that finds instead."""

    section: Section
    instead: tuple[Chunk, ...]


def sections(files: Mapping[str, str]) -> list[Section]:
    """Return the sections with text of all files, in the order of paths and lines."""
    found: list[Section] = []
    for path in sorted(files):
        document = markdown.parse(files[path])
        seen: dict[str, int] = {}
        for _, blocks in groupby(outline(document), key=lambda placed: placed.section):
            text = [placed for placed in blocks if placed.block.kind not in {"heading", "rule"}]
            if text:
                heading = " > ".join(text[0].trail)
                seen[heading] = seen.get(heading, 0) + 1
                first, last = text[0].block.first + 1, text[-1].block.last
                query = _query(document, text[0])
                found.append(Section(path, heading, seen[heading], first, last, query))
    return found


def unreachable(
    context: SearchContext,
    measured: Subject,
    wanted: Iterable[Section],
    passages: Iterable[Chunk],
    *,
    top_k: int,
    progress: Progress = silent,
) -> list[Lost]:
    """Return those of the `wanted` sections that a search for `top_k` passages does not find.

    `passages` are what the questions found: the sections in them are not asked for.
    """
    found: dict[str, list[Chunk]] = {}
    for chunk in passages:
        found.setdefault(chunk.path, []).append(chunk)
    lost = []
    asked = [s for s in wanted if not _shown(s, found.get(s.path, ()))]
    for done, section in enumerate(asked, start=1):
        query = _cut(context, section.query)
        generation_id = measured.generation_id
        result = search(context, query, top_k=top_k, generation_id=generation_id) if query else None
        chunks = tuple(hit.chunk for hit in result.hits) if result else ()
        if query and not _shown(section, chunks):
            lost.append(Lost(section, chunks))
        progress("self-queries", done, len(asked))
    return lost


def _shown(section: Section, passages: Iterable[Chunk]) -> bool:
    return any(
        chunk.path == section.path
        and chunk.first_line <= section.last_line
        and section.first_line <= chunk.last_line
        for chunk in passages
    )


def _query(document: Document, first: Placed) -> str:
    block = first.block
    last = block.first + _TABLE_LINES if block.kind == "table" else block.last
    text = plain(shown_text(document, block.first, min(last, block.last)))
    said: Iterator[str] = (text[start:end] for start, end in sentences(text))
    return " ".join([*first.trail[-1:], next(said, "")]).strip()


def _cut(context: SearchContext, query: str) -> str:
    """The beginning of a query that can be searched whole; "" where it holds no word."""
    if not any(character.isalnum() for character in query):
        return ""
    count = context.embedder.tokens.count
    return limits.split(query[:QUESTION_LIMIT], _QUERY_LIMIT, count)[0]
