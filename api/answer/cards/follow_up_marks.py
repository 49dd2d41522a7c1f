"""Which lines of a card answer a question that goes on from an earlier one."""

import re
from collections.abc import Sequence
from dataclasses import replace

from api.answer.cards.blocks import Part
from api.answer.cards.card import Card
from api.answer.question import follow_up
from retrieval.models import Terms
from retrieval.ranking.lines import QuestionWords
from retrieval.text.denials import DENIES

_COMPARES = re.compile(r"\d|\b(?:most|least|worst|[a-z]{1,20}est)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\d.,£$€])\d{1,9}(?![.,]?\d)")


def of_follow_up(card: Card, typed: str, history: Sequence[str], terms: Terms) -> Card:
    """Return a card with those of its parts marked that say most of what only a follow-up says.

    After "how many requests does a search cost", "and an export?" marks the line on exports. Of
    several such parts those beside what was marked. The card stays as it is where no part says one,
    it is folded or lists all of something, or `typed` is a question of its own, or denies or
    compares something.
    """
    is_linked = follow_up.is_linked(typed) and follow_up.is_follow_up(typed)
    if not is_linked or DENIES.search(typed) or _COMPARES.search(typed):
        return card
    if card.folded or card.counted is not None:
        return card
    asked = QuestionWords.of(follow_up.without_link(typed), terms)
    new = asked.words - asked.stems(" ".join(history))
    numbers = {word for word in new if word.isdigit()}

    def said_by_part(part: Part) -> int:
        text = " ".join(card.lines.get(n, "") for n in part.numbers)
        # "And for ten?" is told by no price of 10.50.
        return len((new - numbers) & asked.stems(text)) + len(numbers & set(_NUMBER.findall(text)))

    said = {part: said_by_part(part) for piece in card.pieces for part in piece.parts}
    most = max(said.values(), default=0)
    saying = [part for part in said if most and said[part] == most]
    of_best = [piece.parts for piece in card.pieces if set(piece.parts) & set(card.marked)]
    beside = [part for part in saying if any(part in parts for parts in of_best)]
    return replace(card, marked=tuple(beside or saying)) if saying else card
