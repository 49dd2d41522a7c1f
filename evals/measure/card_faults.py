"""What is wrong with a card whatever was asked: a cut sentence, a table without its header."""

import re
from collections.abc import Iterator, Mapping

from api.answer.card_reply import CardReply
from api.answer.cards import render
from api.answer.cards.card import Card, Piece
from api.checks.url_pattern import ADDRESS
from retrieval.text.line_marks import ITEM_MARK
from retrieval.text.normalize import comparable

_STRUCTURE = re.compile(rf"\s*(?:$|#{{1,6}}\s|\||{ITEM_MARK}\s|>|`{{3}}|~{{3}}|:\s|---|===|<!--)")
_WORD = re.compile(r"\w+")


def card_faults(reply: CardReply, files: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with a reply's cards, a line each; `files` are the vault's texts."""
    if reply.certainty != "refused" and reply.found and reply.found.hits and not reply.cards:
        yield "no card of what was found"
    for number, card in enumerate(reply.cards, start=1):
        where = f"card {number} ({card.path}:{card.first_line})"
        lines = files.get(card.path, "").split("\n")
        for fault in _faults(card, lines):
            yield f"{where}: {fault}"
    if reply.cards and reply.cards[0].folded:
        yield "the first card is folded"


def _faults(card: Card, lines: list[str]) -> Iterator[str]:
    for number, line in card.lines.items():
        whole = lines[number - 1] if number <= len(lines) else None
        part_of_it = bool(card.chunk.piece) and whole is not None and line in whole
        if line != whole and not part_of_it:
            yield f"line {number} is not that of the file"
            return
    if card.folded:
        return
    text = comparable(render.text(card))
    for piece in card.pieces:
        yield from _cut(piece, lines)
        if piece.form == "table" and not _has_header(piece, lines, text):
            yield "a table without its header"
    said = set(_WORD.findall(text.replace("<br>", " ")))
    shown = comparable(_shown_text(card).replace("<br>", " "))
    lost = [word for word in _WORD.findall(shown) if word not in said]
    if lost:
        yield f"lines without their words {lost[:3]}"


def _shown_text(card: Card) -> str:
    """The card's lines without addresses, which no answer shows."""
    return ADDRESS.sub("", render.plain("\n".join(card.lines[n] for n in sorted(card.lines))))


def _cut(piece: Piece, lines: list[str]) -> Iterator[str]:
    """A paragraph is shown whole: above and below it is structure, or nothing."""
    if piece.form != "section":
        return
    for part in piece.parts:
        above = lines[part.first_line - 2] if part.first_line > 1 else ""
        below = lines[part.last_line] if part.last_line < len(lines) else ""
        own = lines[part.first_line - 1 : part.last_line]
        if not _STRUCTURE.match(above) and own and not _STRUCTURE.match(own[0]):
            yield f"line {part.first_line} begins within a paragraph"
        if not _STRUCTURE.match(below) and own and not _STRUCTURE.match(own[-1]):
            yield f"line {part.last_line} ends within a paragraph"


def _has_header(piece: Piece, lines: list[str], text: str) -> bool:
    """Whether the rows stand under the names of their columns, where the file names them."""
    first = piece.parts[0].first_line
    while first > 1 and "|" in lines[first - 2]:
        first -= 1
    return comparable(render.plain(lines[first - 1])) in text
