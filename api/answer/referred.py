"""What a card only refers to: an embed, or a rule that is said to stand elsewhere."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from api.answer.cards.card import Card
from retrieval.metadata.filters import Given
from retrieval.models import Entry, Terms
from retrieval.ranking.lines import QuestionWords
from retrieval.refusal.asked_kind import is_unsaid
from retrieval.text import embeds
from retrieval.text.dialects import WIKI, link_words
from retrieval.text.normalize import searchable
from retrieval.vocabulary.terms import key, title

_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?P<name>[^*_|\n]{3,60})\1")
_LINK = re.compile(r"\[(?P<name>[^\]\n]{1,80})\]\((?P<file>[^)#\n]{1,200}\.md)[^)\n]{0,100}\)")
_HOW_MUCH = re.compile(
    r"\bhow (?:many|much|long|far|fast|old|often|heavy|high|big)\b", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.;!?]) ")
_REFERS = re.compile(
    r"(?:\bsee(?: also)?|:|\b(?:is|are|stands?|told|found|listed|given) (?:in|under|on))\W*$",
    re.IGNORECASE,
)
_MOSTLY = 0.5  # of the question
_SEE = re.compile(r"\b[Ss]ee (?:also |the )?(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,4})")


def places(
    card: Card, asked: QuestionWords, terms: Terms, filters: Given | None
) -> list[tuple[str, dict[str, Any]]]:
    """Return questions whose answers the card refers to, each with its filters.

    Of a best line that only embeds what is embedded. Of one that says nothing of the kind that is
    asked for ("how long": "Putting it on: see Time and Movement") the question, in the file that
    it names; so of a line that is shown and says more of the question. None of others.
    """
    if "![[" in card.best.quote:
        return list(embeds.alone(card.best.quote, terms.titles, filters))
    for line in _lines(card, asked):
        named = dict(_named(line.quote))
        rest = line.quote
        for written in named:
            rest = rest.replace(written, " ")
        of_all = line is card.best and _refers_for_all(card, named, asked)
        if not named or not (of_all or _is_unanswered(card.path, replace(line, quote=rest), asked)):
            continue
        files = (_file_called(name, terms) for name in named.values())
        path = next((one for one in files if one and one != card.path), None)
        if path:
            given = [filters] if filters else []
            return [(asked.question, {"and": [*given, {"path": path}]})]
    return []


def answering_first(cards: Sequence[Card], asked: QuestionWords, terms: Terms) -> tuple[Card, ...]:
    """Return the cards, first the one that the first card's best line refers to.

    Only where that says more of the question ("Flying carpet | by riders, see Miscellaneous
    Items"), and no card corrects another.
    """
    first, *others = cards
    if any(card.badges for card in cards):  # a correction stands above what it corrects
        return tuple(cards)
    quote = first.best.quote
    named = [
        name
        for written, name in _named(quote)
        if _REFERS.search(quote.partition(written)[0]) or _SEE.match(written)
    ]
    paths = {_file_called(name, terms) for name in named} - {first.path, None}
    said = asked.words & asked.stems(first.best.quote)
    for card in others:
        if card.path in paths and said < asked.words & asked.stems(card.best.quote):
            left = (one for one in others if one is not card)
            return (replace(card, folded=False), replace(first, folded=True), *left)
    return tuple(cards)


def _lines(card: Card, asked: QuestionWords) -> Iterator[Entry]:
    """The best line, and those shown that say something of the question that the best one lacks."""
    yield card.best
    said = asked.stems(f"{card.best.quote} {card.heading} {card.path}")
    for number, line in card.lines.items():
        if asked.words & asked.stems(line) - said:
            yield replace(card.best, quote=line, first_line=number, last_line=number)


def _refers_for_all(card: Card, named: Collection[str], asked: QuestionWords) -> bool:
    """Whether a sentence says only where most of what is asked stands: "Who may build, see Halls".

    One with a number says something itself.
    """
    above = asked.stems(f"{card.heading} {title(card.path)}")
    for sentence in _SENTENCE_END.split(card.best.quote):
        written = next((one for one in named if one in sentence), "")
        before = sentence.partition(written)[0] if written else ""
        if _REFERS.search(before) and not any(map(str.isdigit, searchable(before))):
            said = asked.stems(before)
            return bool(said & asked.words - above) and asked.share(said | above) > _MOSTLY
    return False


def _is_unanswered(path: str, line: Entry, asked: QuestionWords) -> bool:
    """Whether a line has nothing of the kind that is asked for, or no number where one is."""
    if _HOW_MUCH.search(asked.question) and not any(map(str.isdigit, searchable(line.quote))):
        return True
    return is_unsaid(path, line, asked)


def _named(line: str) -> Iterator[tuple[str, str]]:
    """What a line may refer to, as it is written there and by its name."""
    for found in WIKI.finditer(line):
        yield found[0], found[1].partition("#")[0].strip() or link_words(found)
    for found in _LINK.finditer(line):
        yield found[0], found["file"].rsplit("/", 1)[-1].removesuffix(".md")
    for kind in (_EMPHASIS, _SEE):
        for found in kind.finditer(line):
            yield found[0], found["name"]


def _file_called(name: str, terms: Terms) -> str | None:
    """The one file that is called so, else the one that has something of that name."""
    wanted = key(name.rsplit("/", 1)[-1])
    called = [path for path, name in terms.titles.items() if wanted and key(name) == wanted]
    paths = called or [path for path in terms.names.get(wanted, ()) if path in terms.titles]
    return paths[0] if len(paths) == 1 else None
