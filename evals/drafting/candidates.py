"""Find in a vault's structure what can be asked: rows, fields, items, sentences and sections."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from evals.drafting import english, from_section, from_sentence, from_table
from ingest.read import markdown
from ingest.read.markdown import Document
from ingest.read.outline import Placed, outline
from ingest.read.plain import plain, sentences
from ingest.read.vault import SourceFile
from retrieval.index.terms import cells, title

_TERM = re.compile(r"^[ \t]*(?:[-*+] )?\*\*([^*:]{2,50}?)(?:\*\*[:.]|[:.]\*\*)? ?[-–—:]* ?(?=\S)")
_MOST_ITEMS = 8  # of a list that is asked for as a whole
_STEP = re.compile(r"\s*\d+[.)]\s")


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
class _Page:
    path: str
    document: Document
    known: frozenset[str]  # words that the vault writes without a capital

    def quote(self, first: int, last: int) -> str:
        return "\n".join(self.document.lines[first:last])


def of_vault(files: Sequence[SourceFile]) -> list[Candidate]:
    """Return every candidate of these files, by file and place."""
    known = frozenset(
        word for file in files for word in english.WORD.findall(file.text) if word.islower()
    )
    return [candidate for file in files for candidate in _of_file(file, known)]


def _of_file(file: SourceFile, known: frozenset[str]) -> Iterator[Candidate]:
    page = _Page(file.path, markdown.parse(file.text), known)
    for _, group in groupby(outline(page.document), key=lambda placed: placed.section):
        section = list(group)
        trail = section[0].trail or (title(file.path),)
        blocks = [placed for placed in section if placed.block.kind != "heading"]
        if not blocks:
            continue
        yield from _of_section(page, trail, blocks)
        for placed in blocks:
            if placed.table:
                yield from _of_table(page, placed)
            elif placed.block.kind in ("paragraph", "item"):
                yield from _of_text(page, trail, placed)


def _of_section(page: _Page, trail: tuple[str, ...], blocks: list[Placed]) -> Iterator[Candidate]:
    first = blocks[0].block
    if first.kind == "paragraph" and not blocks[0].glued or len(blocks) == 1 or True:
        asked = from_section.about_section(trail, page.known)
        if asked and first.kind == "paragraph":
            yield from _made("prose", page, first.first, first.last, asked)
    for is_item, run in groupby(blocks, key=lambda placed: placed.block.kind == "item"):
        items = list(run)
        start, stop = items[0].block.first, items[-1].block.last
        if not is_item or not 2 <= len(items) <= _MOST_ITEMS:
            continue
        if _STEP.match(page.document.lines[start]):
            asked = from_section.about_steps(trail, page.known)
        else:
            asked = ""
        lead = plain(items[0].lead)
        asked = asked or from_section.about_list(trail, lead, page.known)
        if asked:
            yield from _made("list", page, start, stop, asked)


def _of_table(page: _Page, placed: Placed) -> Iterator[Candidate]:
    table, top = placed.table, placed.block.first
    if table is None or table.header_lines != 2:
        return
    names = cells(page.document.shown[top])
    for row in table.rows:
        number = top + row.line
        given = cells(page.document.shown[number])
        for asked in from_table.questions(names, given, row.label, page.known):
            quote = page.document.lines[number]
            yield Candidate("table", page.path, number + 1, asked.question, asked.answer, quote)


def _of_text(page: _Page, trail: tuple[str, ...], placed: Placed) -> Iterator[Candidate]:
    first, last = placed.block.first, placed.block.last
    text = "\n".join(page.document.shown[first:last])
    whole = plain(text)
    if (term := _TERM.match(text)) and placed.block.kind == "item":
        yield from _made("field", page, first, last, from_section.about_term(term[1]))
    elif placed.block.kind == "item":
        for label, _ in from_section.sentences_with_label(whole):
            asked = from_section.about_field(label, trail, page.known)
            yield from _made("field", page, first, last, asked)
    asked = from_section.about_exception(whole, trail, page.known)
    if asked:
        yield from _made("exception", page, first, last, asked)
    for start, end in sentences(text):
        quote = text[start:end]
        line = first + text.count("\n", 0, start)
        for one in from_sentence.questions(plain(quote), page.known):
            kind = "list" if placed.block.kind == "item" else "prose"
            yield Candidate(kind, page.path, line + 1, one.question, one.answer, quote)


def _made(kind: str, page: _Page, first: int, last: int, question: str) -> Iterator[Candidate]:
    quote = page.quote(first, last)
    if question and quote.strip():
        yield Candidate(kind, page.path, first + 1, question, plain(quote), quote)
