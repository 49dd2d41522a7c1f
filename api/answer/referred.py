"""What a card only refers to: an embed, or a rule that is said to stand elsewhere."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from api.answer.cards.card import Card
from retrieval.metadata.filters import Given
from retrieval.models import Entry, Terms
from retrieval.ranking import clauses
from retrieval.ranking.lines import QuestionWords
from retrieval.ranking.statements import sentences_of
from retrieval.refusal.asked_kind import is_unsaid, lacks_amount
from retrieval.text import embeds
from retrieval.text.dialects import WIKI, link_words
from retrieval.text.normalize import searchable
from retrieval.text.numbers_in_words import PATTERN
from retrieval.vocabulary.terms import key

_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?P<name>[^*_|\n]{3,60})\1")
_LINK = re.compile(r"\[(?P<name>[^\]\n]{1,80})\]\((?P<file>[^)#\n]{1,200}\.md)[^)\n]{0,100}\)")
_HOW_MUCH = re.compile(
    r"\bhow (?:many|much|long|far|fast|old|often|heavy|high|big)\b|"
    r"\b(?:max(?:imum)? \w|(?:number|amount) of\b)",
    re.IGNORECASE,
)
_ASKS_AMOUNT = re.compile(rf"{_HOW_MUCH.pattern}|\b(?:costs?|prices?|fees?|rates?)\b", re.I)
_TITLED = re.compile(r"[^.:\n]{5,80}:[\s*_]*(?:\.(?: .*)?)?")
_NUMBER = re.compile(rf"\d|\b(?:{PATTERN})\b", re.IGNORECASE)
_NOTE = re.compile(r"\[\^[^\]\s]{1,30}\]")
_POINTS = re.compile(
    r"\b(?:see|(?:told|given|found|listed|described|explained|set) (?:in|by))\b", re.IGNORECASE
)


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
        if found := _of_annex(card, line, asked, terms, filters):
            return found
        named = dict(_named(line.quote))
        rest = line.quote
        for written in named:
            rest = rest.replace(written, " ")
        if not named or not _is_unanswered(card.path, replace(line, quote=rest), asked):
            continue
        files = (_file_called(name, terms) for name in named.values())
        path = next((one for one in files if one and one != card.path), None)
        if path:
            given = [filters] if filters else []
            return [(asked.question, {"and": [*given, {"path": path}]})]
    return []


def _of_annex(
    card: Card, line: Entry, asked: QuestionWords, terms: Terms, filters: Given | None
) -> list[tuple[str, dict[str, Any]]]:
    """The question in the file of an annex whose lines a line names in place of an amount."""
    named = clauses.lines_in(line.quote)
    if not named or not _ASKS_AMOUNT.search(asked.question):
        return []
    if _NUMBER.search(searchable(clauses.without_lines(line.quote))):
        return []
    annex = key(named[0].partition(",")[0])
    names = [one for one in terms.named_from.get(annex[0], ()) if one[: len(annex)] == annex]
    paths = set().union(*(terms.names[one] for one in names)) - {card.path}
    if len(paths) != 1:
        return []
    given = [filters] if filters else []
    question = f"{asked.question} ({', '.join(named)})"
    return [(question, {"and": [*given, {"path": paths.pop()}]})]


def _lines(card: Card, asked: QuestionWords) -> Iterator[Entry]:
    """The best line, and those shown that say something of the question that the best one lacks."""
    yield card.best
    said = asked.stems(f"{card.best.quote} {card.heading} {card.path}")
    for number, line in card.lines.items():
        if asked.words & asked.stems(line) - said:
            yield replace(card.best, quote=line, first_line=number, last_line=number)


def _is_unanswered(path: str, line: Entry, asked: QuestionWords) -> bool:
    """Whether a line has nothing of the kind that is asked for, or no number where one is.

    So is one that is nothing but a title: "What sold goods bring:", and the file's name.
    """
    if _TITLED.fullmatch(line.quote.strip()) and line.kind != "row":
        return True
    if _HOW_MUCH.search(asked.question):
        if not _has_number(line.quote):
            return True
        # "It lasts 8 hours. The distance follows from the rate, as told in Movement."
        bare = replace(line, heading="", lead="")
        said = [
            (one, _has_number(one))
            for one in sentences_of(_NOTE.sub("", line.quote))
            if not lacks_amount("", replace(bare, quote=one), asked)
        ]
        is_told = any(has_number for _, has_number in said)
        if not is_told and any(_POINTS.search(one) for one, _ in said):
            return True
    return is_unsaid(path, line, asked)


def _has_number(text: str) -> bool:
    return _NUMBER.search(searchable(text)) is not None


def _named(line: str) -> Iterator[tuple[str, str]]:
    """What a line may refer to, as it is written there and by its name."""
    for found in WIKI.finditer(line):
        yield found[0], found[1].partition("#")[0].strip() or link_words(found)
    for found in _LINK.finditer(line):
        yield found[0], found["file"].rsplit("/", 1)[-1].removesuffix(".md")
    for found in _EMPHASIS.finditer(line):
        yield found[0], found["name"]


def _file_called(name: str, terms: Terms) -> str | None:
    """The one file that is called so, else the one that has something of that name."""
    wanted = key(name.rsplit("/", 1)[-1])
    called = [path for path, name in terms.titles.items() if wanted and key(name) == wanted]
    paths = called or [path for path in terms.names.get(wanted, ()) if path in terms.titles]
    return paths[0] if len(paths) == 1 else None
