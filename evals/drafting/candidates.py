"""Find in a vault's structure what can be asked: rows, fields, items, sentences and sections."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from evals.drafting import english, from_section, from_sentence, from_table
from ingest.read import frontmatter, markdown
from ingest.read.markdown import Document
from ingest.read.outline import Placed, outline
from ingest.read.plain import plain, sentences
from ingest.read.tables import plain_cells
from ingest.read.vault import SourceFile
from retrieval.vocabulary.terms import raw_cells, title

_TERM = re.compile(r"[ \t]*(?:[-*+] )?\*\*([^*:]{2,50})(?:\*\*[:.]|[:.]\*\*|\*\* [-–—])")
_MOST_ITEMS = 8  # of a list that is asked for as a whole
_STEP = re.compile(r"\s*\d+[.)]\s")
_OLD = {"superseded", "draft", "deprecated", "archived", "obsolete"}  # a file's own status
_DAY = re.compile(r"\bday \d")  # of what, its heading does not say: only the title does
# What makes sense only beside its headings: "the move", "do I have to", "if nothing".
_NEEDS_CONTEXT = re.compile(
    r"^What happens|\b(?:step|level|phase) \d|\bdo I have to\b|"
    r"\b(?:is|are|does|do|can|may|must|if|when|once) (?:the|a|each|an|you|your|we|our)\b|"
    r"^(?:\S+ ){3,5}\S+\?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that lines of a file answer; `kind` is one of the datasets'."""

    kind: str
    path: str
    line: int  # where the quote begins, 1-based
    question: str
    answer: str
    quote: str


@dataclass(frozen=True, slots=True)
class _Section:
    """A run of blocks under one heading, with what is known of its file."""

    path: str
    document: Document
    trail: tuple[str, ...]
    names: frozenset[str]  # words that the vault writes with a capital anywhere

    def made(
        self, kind: str, first: int, quote: str, question: str, answer: str = ""
    ) -> Iterator[Candidate]:
        """The candidate whose quote begins in this line, from 0; none for the question ""."""
        if question:
            answer = answer or plain(quote)
            yield Candidate(kind, self.path, first + 1, question, answer, quote)

    def in_context(self, question: str) -> str:
        question = english.everyday(question)
        if _DAY.search(question):
            return from_section.in_context(question, self.trail[:1])
        needed = _NEEDS_CONTEXT.search(question)
        return from_section.in_context(question, self.trail) if needed else question


def of_vault(files: Sequence[SourceFile]) -> list[Candidate]:
    """Return every candidate of the files that hold, by file and place.

    Raises FileRejectedError for a front matter that cannot be read.
    """
    names = english.names_of(file.text for file in files)
    return [candidate for file in files for candidate in _of_file(file, names)]


def in_force(file: SourceFile, document: Document) -> bool:
    """Tell whether a file holds; of one that does not, another answers in nearly the same words.

    Raises FileRejectedError for a front matter that cannot be read.
    """
    return frontmatter.parse(file.path, document.header).status.lower() not in _OLD


def _of_file(file: SourceFile, names: frozenset[str]) -> Iterator[Candidate]:
    document = markdown.parse(file.text)
    sections = groupby(outline(document), key=lambda placed: placed.section)
    for _, group in sections if in_force(file, document) else ():
        placed = list(group)
        blocks = [one for one in placed if one.block.kind != "heading"]
        section = _Section(file.path, document, placed[0].trail or (title(file.path),), names)
        if blocks:
            yield from _of_section(section, blocks)
        for block in blocks:
            if block.table:
                yield from _of_table(section, block)
            elif block.block.kind in ("paragraph", "item"):
                yield from _of_text(section, block)


def _of_section(section: _Section, blocks: Sequence[Placed]) -> Iterator[Candidate]:
    first = markdown.block_text(section.document, blocks[0].block)
    if blocks[0].block.kind == "paragraph" and not markdown.is_lead_in(first):
        asked = from_section.about_section(section.trail)
        yield from section.made("prose", blocks[0].block.first, first, asked)
    for is_item, run in groupby(blocks, key=lambda placed: placed.block.kind == "item"):
        items = list(run)
        if not is_item or not 2 <= len(items) <= _MOST_ITEMS:
            continue
        start = items[0].block.first
        quote = "\n".join(section.document.lines[start : items[-1].block.last])
        lead = plain(items[0].lead)
        asked = from_section.about_steps(section.trail) if _STEP.match(quote) else ""
        ends = [section.document.lines[one.block.last - 1].rstrip()[-1:] for one in items]
        asked = asked or from_section.about_list(
            section.trail, lead, section.names, of_sentences=2 * ends.count(".") >= len(ends)
        )
        yield from section.made("list", start, quote, asked)


def _of_table(section: _Section, placed: Placed) -> Iterator[Candidate]:
    table, top, lines = placed.table, placed.block.first, section.document.shown
    if table is None or table.header_lines != 2:
        return
    heads = plain_cells(lines[top])
    for number in (top + row.line for row in table.rows):
        is_code = raw_cells(lines[number])[0].startswith("`")
        given = plain_cells(lines[number])
        for asked in from_table.questions(heads, given, section.names, is_code=is_code):
            quote, question = section.document.lines[number], section.in_context(asked.question)
            yield from section.made("table", number, quote, question, asked.answer)


def _of_text(section: _Section, placed: Placed) -> Iterator[Candidate]:
    first, is_item = placed.block.first, placed.block.kind == "item"
    text = markdown.shown_text(section.document, first, placed.block.last)
    if term := _TERM.match(text):
        yield from section.made(
            "field", first, text, from_section.about_term(term[1], section.trail)
        )
    asked = from_section.about_exception(plain(text), section.trail, section.names)
    yield from section.made("exception", first, text, asked)
    for start, end in sentences(text):
        quote, line = text[start:end], first + text.count("\n", 0, start)
        said = plain(quote)
        field = from_section.about_field(said, section.trail, section.names)
        yield from section.made("field", line, quote, field)
        for one in from_sentence.questions(said, section.names):
            question = section.in_context(one.question)
            yield from section.made(
                "list" if is_item else "prose", line, quote, question, one.answer
            )
