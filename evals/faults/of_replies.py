"""Faults of what a person gets: the cards made of a search, answers, and what checks them."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from api.answer import prompt
from api.answer.cards.card import Card, Piece
from api.checks.claims import Claim
from api.schema.answer import Answer
from evals.faults.replace import Fault, Replacement, changed
from retrieval.context import SearchContext

_ASK = "evals.answers.collect.ask"
_REFUSING = ("do not hold the answer", prompt.REFUSAL)  # lines of the prompt that say how
_LEAST = 2  # cards of a reply that can lose one

Cards = tuple[Card, ...]


def _of_cards(change: Callable[[Cards], Cards]) -> Replacement:
    """Change the cards of every reply."""
    return changed("api.answer.cards.card_selection.choose", change)


def _reversed(cards: Cards) -> Cards:
    return tuple(replace(card, folded=number > 0) for number, card in enumerate(reversed(cards)))


def _without_first(cards: Cards) -> Cards:
    rest = cards[1:] if len(cards) >= _LEAST else cards
    return (replace(rest[0], folded=False), *rest[1:]) if rest else ()


def _all_folded(cards: Cards) -> Cards:
    return tuple(replace(card, folded=True) for card in cards)


def _half(text: str) -> str:
    words = text.split(" ")
    return " ".join(words[: max(1, len(words) // 2)])


def _headerless(card: Card, piece: Piece) -> str:
    """The rows of a table without the names of its columns."""
    return "\n".join(card.lines[part.first_line] for part in piece.parts)


def _always_answered(ask: Any) -> Any:
    """No threshold, and what would be refused is answered with the first passage."""

    def wrong(context: SearchContext, *args: Any, **options: Any) -> Answer:
        reply: Answer = ask(replace(context, threshold=-math.inf), *args, **options)
        if not reply.refused:
            return reply
        text = reply.passages[0].text if reply.passages else "Yes."
        return reply.model_copy(update={"refused": False, "refusal_reason": None, "answer": text})

    return wrong


def _always_refused(reply: Answer) -> Answer:
    refusal = {"refused": True, "refusal_reason": "no_passage", "answer": prompt.REFUSAL}
    return reply.model_copy(update={**refusal, "citations": []})


def _one_line_off(reply: Answer) -> Answer:
    moved = [
        cited.model_copy(
            update={"first_line": cited.first_line + 1, "last_line": cited.last_line + 1}
        )
        for cited in reply.citations
    ]
    return reply.model_copy(update={"citations": moved})


def _shifted(reply: Answer) -> Answer:
    """Every marker with the first line of another passage behind it."""
    passages = reply.passages or ()
    moved = [
        cited.model_copy(update={"path": other.path, "first_line": other.first_line,
                                 "last_line": other.first_line, "quote": other.text.split("\n")[0]})
        for n, cited in enumerate(reply.citations, start=1)
        for other in passages[n % len(passages) :][:1]
    ]  # fmt: skip
    return reply.model_copy(update={"citations": moved or reply.citations})


def _numbers_altered(reply: Answer) -> Answer:
    """Every digit of the text one higher, but those of its markers."""

    def altered(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith("[") else str((int(match[0]) + 1) % 10)

    return reply.model_copy(update={"answer": re.sub(r"\[[^][]*\]|[0-9]", altered, reply.answer)})


def _without_findings(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    return tuple(replace(claim, findings=()) for claim in claims)


def _without_refusal(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """The prompt without the lines that say when and how to refuse."""
    return [
        {**message, "content": "\n".join(
            line for line in message["content"].split("\n")
            if not any(part in line for part in _REFUSING)
        )}
        for message in messages
    ]  # fmt: skip


def _answer(name: str, gate: str, swap: Replacement, model: str = "quotes") -> Fault:
    return Fault(name, gate, (swap,), ground="answers", model=model)


REPLY_FAULTS = (
    Fault("cards worst first", "compare: first_card", (_of_cards(_reversed),), ground="rules"),
    Fault("first card dropped", "compare: first_card", (_of_cards(_without_first),),
          ground="rules"),
    Fault("first card folded", "integrity: cards", (_of_cards(_all_folded),)),
    Fault("no cards at all", "absolute: reply", (_of_cards(lambda _: ()),)),
    Fault("sentences of cards cut", "integrity: cards",
          (changed("api.answer.cards.render.text", _half),)),
    Fault("tables of cards without their header", "integrity: cards",
          (Replacement("api.answer.cards.render.table", lambda _: _headerless),)),
    _answer("always answer", "negative: refused", Replacement(_ASK, _always_answered)),
    _answer("refuse every answer", "negative: false refusal", changed(_ASK, _always_refused)),
    _answer("citations of answers one line off", "faithfulness: supported",
            changed(_ASK, _one_line_off)),
    _answer("citations shifted by one", "faithfulness: supported", changed(_ASK, _shifted),
            "right"),
    _answer("numbers altered in quotes", "accuracy: mean", changed(_ASK, _numbers_altered)),
    _answer("numbers altered in answers", "faithfulness: supported",
            changed(_ASK, _numbers_altered), "right"),
    _answer("guard off", "faithfulness: planted",
            changed("api.checks.claims.of_text", _without_findings), "welded"),
    _answer("prompt without refusal", "negative: refused",
            changed("api.answer.prompt.messages", _without_refusal), "right"),
)  # fmt: skip
