"""What a person is shown of a question's gold lines: in the first card, or anywhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from api.answer.card_reply import CardReply
from api.answer.cards.card import words
from evals.labels.dataset import Gold, Question
from retrieval.models import SearchResult
from retrieval.text.normalize import comparable

_SHORT = 12  # characters of a line that may be part of another one by chance
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Shown:
    """One answerable question, as its reply shows it. A refusal shows nothing.

    A gold counts where one of its lines is shown. `words` are those of the unfolded cards.
    """

    first: bool  # a gold line is in the first card
    anywhere: bool
    complete: bool  # all golds of one place are shown
    words: int


def shown(question: Question, reply: CardReply) -> Shown:
    """Return what a reply shows of a question's gold."""
    cards = reply.cards if reply.certainty != "refused" else ()
    listed = [
        (file.path, comparable(f"# {file.title}\n{file.entry.quote if file.entry else ''}"))
        for one in reply.folders
        for file in one.files
    ]
    of_cards = [(card.path, comparable(card.source)) for card in cards]
    texts = [*listed, *of_cards]
    golds = [gold for place in question.places for gold in place]
    held = [any(_holds(path, text, gold) for gold in golds) for path, text in of_cards]
    in_list = any(_holds(path, text, gold) for gold in golds for path, text in listed)
    complete = any(
        all(any(_holds(path, text, gold) for path, text in texts) for gold in place)
        for place in question.places
    )
    return Shown(
        first=in_list if listed else held[:1] == [True],  # a folder's files stand above the cards
        anywhere=in_list or any(held),
        complete=complete,
        words=sum(words(card.source) for card in cards if not card.folded),
    )


def reached(question: Question, found: SearchResult) -> tuple[bool, bool]:
    """Return whether the first passage, and whether any, holds a gold line of a question.

    That is what a reply could have shown.
    """
    golds = [gold for place in question.places for gold in place]
    held = [
        any(
            _holds(hit.chunk.path, comparable(f"{hit.chunk.context}\n{hit.chunk.text}"), gold)
            for gold in golds
        )
        for hit in found.hits
    ]
    return held[:1] == [True], any(held)


def _holds(path: str, text: str, gold: Gold) -> bool:
    """Whether a text (folded for comparison) of the file `path` has a line of the gold."""
    if path != gold.path:
        return False
    return any(_stands(line, text) for line in _lines(gold)) if gold.quote else True


def _stands(line: str, text: str) -> bool:
    """Whether a line is in a text; a short one only between words: "7" is not in "17"."""
    return line in text if len(line) >= _SHORT else f" {line} " in f" {text} "


def _lines(gold: Gold) -> Iterator[str]:
    """The gold's lines as they are compared; a heading among others is no answer."""
    lines = [line for line in gold.quote.split("\n") if line.strip()]
    said = [line for line in lines if _WORD.search(line) and not line.lstrip().startswith("#")]
    said = said or lines
    return (comparable(line) for line in said)
