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
from ingest.read.vault import SourceFile
from retrieval.index.terms import cells, raw_cells, title

_TERM = re.compile(r"^[ \t]*(?:[-*+] )?\*\*([^*:]{2,50})(?:\*\*[:.]|[:.]\*\*|\*\* [-–—])")
_MOST_ITEMS = 8  # of a list that is asked for as a whole
_STEP = re.compile(r"\s*\d+[.)]\s")
_OLD = {"superseded", "draft", "deprecated", "archived", "obsolete"}  # a file's own status
# What only makes sense beside its headings: "the move", "on day 3", "do I have to", "if nothing".
_NEEDS_CONTEXT = re.compile(
    r"\b(?:step|level|phase) \d|\bdo I have to\b|\b(?:is|are|does|do|can|may|must|if|when|once) "
    r"(?:the|a|each|an|you|your|we|our|nothing|nobody|someone)\b|^\S+ \S+ \S+ \S+\?$",
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
    names: frozenset[str]  # words of the vault that are written with a capital anywhere

    def made(self, kind: str, first: int, last: int, question: str) -> Iterator[Candidate]:
        """The candidate whose quote is these lines (0-based, `last` excluded); none for ""."""
        quote = "\n".join(self.document.lines[first:last])
        if question:
            yield Candidate(kind, self.path, first + 1, question, plain(quote), quote)


def of_vault(files: Sequence[SourceFile]) -> list[Candidate]:
    """Return every candidate of these files, by file and place; none of superseded files."""
    names = english.names_of(file.text for file in files)
    return [candidate for file in files for candidate in _of_file(file, names)]


def in_force(file: SourceFile, document: Document) -> bool:
    """Tell whether a file holds; of one that does not, another answers in nearly the same words.

    Raises FileRejectedError for a front matter that cannot be read.
    """
    return frontmatter.parse(file.path, document.header).status.lower() not in _OLD


def _of_file(file: SourceFile, names: frozenset[str]) -> Iterator[Candidate]:
    document = markdown.parse(file.text)
    if not in_force(file, document):
        return
    for _, group in groupby(outline(document), key=lambda placed: placed.section):
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
    first = blocks[0].block
    if first.kind == "paragraph" and not markdown.is_lead_in(
        section.document.lines[first.last - 1]
    ):
        asked = from_section.about_section(section.trail, section.names)
        yield from section.made("prose", first.first, first.last, asked)
    for is_item, run in groupby(blocks, key=lambda placed: placed.block.kind == "item"):
        items = list(run)
        if not is_item or not 2 <= len(items) <= _MOST_ITEMS:
            continue
        start, stop = items[0].block.first, items[-1].block.last
        if _STEP.match(section.document.lines[start]):
            asked = from_section.about_steps(section.trail, section.names)
        else:
            lead = plain(items[0].lead)
            asked = from_section.about_list(section.trail, lead, section.names)
        yield from section.made("list", start, stop, asked)


def _of_table(section: _Section, placed: Placed) -> Iterator[Candidate]:
    table, top, lines = placed.table, placed.block.first, section.document.shown
    if table is None or table.header_lines != 2:
        return
    heads = cells(lines[top])
    for row in table.rows:
        number = top + row.line
        given, raw = cells(lines[number]), raw_cells(lines[number])
        for asked in from_table.questions(
            heads, given, section.names, is_code=raw[0].startswith("`")
        ):
            question, quote = _in_context(asked.question, section), section.document.lines[number]
            yield Candidate("table", section.path, number + 1, question, asked.answer, quote)


def _of_text(section: _Section, placed: Placed) -> Iterator[Candidate]:
    first, last = placed.block.first, placed.block.last
    text = "\n".join(section.document.shown[first:last])
    whole = plain(text)
    is_item = placed.block.kind == "item"
    term = _TERM.match(text)
    if term and not placed.lead:
        yield from section.made("field", first, last, from_section.about_term(term[1]))
    exception = from_section.about_exception(whole, section.trail, section.names)
    yield from section.made("exception", first, last, exception)
    for start, end in sentences(text):
        quote, line = text[start:end], first + text.count("\n", 0, start) + 1
        said = plain(quote)
        field = from_section.about_field(said, section.trail, section.names)
        if field and not term:
            yield Candidate("field", section.path, line, field, said, quote)
        for one in from_sentence.questions(said, section.names):
            kind, question = "list" if is_item else "prose", _in_context(one.question, section)
            yield Candidate(kind, section.path, line, question, one.answer, quote)


def _in_context(question: str, section: _Section) -> str:
    question = english.everyday(question)
    if re.search(r"\bday \d", question):  # of what, its heading does not say
        return from_section.in_context(question, section.trail[:1])
    needed = _NEEDS_CONTEXT.search(question)
    return from_section.in_context(question, section.trail) if needed else question
