"""Faults of the cards that are made of what search found: what a person would see of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from api.answer.cards.card import Card, Piece
from evals.faults.replace import Fault, Replacement

_CHOOSE = "api.answer.cards.selection.choose"
_LEAST = 2  # lines of a paragraph, or cards of a reply, that can lose one

Cards = tuple[Card, ...]


def _changed(change: Callable[[Cards], Cards]) -> Replacement:
    """Change the cards of every reply, as a fault of the card builder would."""

    def wrap(choose: Any) -> Any:
        def wrong(*args: Any, **options: Any) -> Cards:
            return change(choose(*args, **options))

        return wrong

    return Replacement(_CHOOSE, wrap)


def _reversed(cards: Cards) -> Cards:
    return tuple(replace(card, folded=number > 0) for number, card in enumerate(reversed(cards)))


def _without_first(cards: Cards) -> Cards:
    rest = cards[1:] if len(cards) >= _LEAST else cards
    return (replace(rest[0], folded=False), *rest[1:]) if rest else ()


def _all_folded(cards: Cards) -> Cards:
    return tuple(replace(card, folded=True) for card in cards)


def _half_sentences(text: Any) -> Any:
    """Show the first half of the words of every card."""

    def cut(card: Card) -> str:
        words = str(text(card)).split(" ")
        return " ".join(words[: max(1, len(words) // 2)])

    return cut


def _headerless(table: Any) -> Any:
    """Show the rows of a table without the names of its columns."""

    def wrong(card: Card, piece: Piece) -> str:
        return "\n".join(card.lines[part.first_line] for part in piece.parts)

    return wrong


REPLY_FAULTS = (
    Fault("cards worst first", (_changed(_reversed),), ground="large"),
    Fault("first card dropped", (_changed(_without_first),), ground="large"),
    Fault("first card folded", (_changed(_all_folded),)),
    Fault(
        "sentences of cards cut", (Replacement("api.answer.cards.render.text", _half_sentences),)
    ),
    Fault(
        "tables of cards without their header",
        (Replacement("api.answer.cards.render.table", _headerless),),
    ),
    Fault("no cards at all", (_changed(lambda cards: ()),)),
)
