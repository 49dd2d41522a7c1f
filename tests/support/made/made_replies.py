"""Replies made by hand: their cards are of the vault of `made.py`, one file of six lines."""

from dataclasses import replace
from typing import Any

from api.answer.card_reply import CardReply
from api.answer.cards.card import Card, Piece
from evals.labels.dataset import Question
from evals.measure.outcome import Outcome
from evals.measure.shown import Shown, shown
from retrieval.models import Certainty, Chunk, Entry
from tests.support.made.made import CHUNKS, found, searched

PATH = "a/light.md"


def card(*numbers: int, path: str = PATH, texts: dict[int, str] | None = None, **more: Any) -> Card:
    """A card of these lines of the file; the first of them is the best entry."""
    lines = texts or {number: CHUNKS[number].text for number in numbers}
    best = min(lines)
    entry = Entry("sentences", "Light", best, best, lines[best], "", "Light: ", lines[best])
    chunk = Chunk(path, "Light", best, best, lines[best])
    pieces: tuple[Piece, ...] = ()
    return Card(path, "Light", "section", pieces, lines, (), entry, chunk, 1.0, **more)


def reply(
    *cards: Card, certainty: Certainty = "answered", confidence: float | None = None
) -> CardReply:
    return CardReply("?", certainty, confidence, cards=cards)


def outcome(
    asked: Question,
    order: tuple[int, ...],
    said: CardReply | None = None,
    *,
    shows: Shown | None = None,
) -> Outcome:
    """What search ranked so, judged, with a reply; `shows` in place of what the reply shows."""
    (made,) = searched((asked, found(*order)))
    seen = shows or (shown(asked, said) if said and made.judgement else None)
    return replace(made, reply=said, shown=seen)
