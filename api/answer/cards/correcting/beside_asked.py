"""Whether a correction is of something else than what is asked of the same thing."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from api.answer.cards.card import Card
from api.answer.cards.correcting import corrected_rows
from retrieval.models import HOUSE_RULE, Entry, SourceNote
from retrieval.ranking.lines import QuestionWords
from retrieval.ranking.statements import Statement, numbers_in, sentences_of
from retrieval.refusal.asked_kind import lacks_amount, lacks_person
from retrieval.text.quantities import intervals
from retrieval.vocabulary.terms import column_names, raw_cells

_LINK = re.compile(r"\[[^\[\]\n]{1,100}\]\([^()\n]{1,200}\)|\[\[[^\[\]\n]{1,200}\]\]")
_NTH = re.compile(r"\b(?:first|second|third|\d(?:st|nd|rd|th))\b", re.IGNORECASE)  # printing
OF_AMOUNT = re.compile(
    r"\bhow (?:much|many|long|far|often|old|big|high|large|heavy|fast)\b|\b(?:costs?|price|fee)\b",
    re.IGNORECASE,
)
_LITTLE, _LESS = 0.35, 0.15  # shares of a question's words
_LACKING = 2  # words, of which one may be a verb


def is_beside_asked(
    upper: Card,
    lower: Card,
    note: SourceNote,
    asked: QuestionWords,
    rules: Sequence[Entry],
    *,
    is_list: bool,
) -> bool:
    """Tell whether a correction is of something else than what is asked of the same thing.

    A new price of war dogs says nothing of how long they are trained, nor of who may do so. What is
    asked must stand in the lower card. So is a house rule that lacks several words of a question
    that the lower one has ("a second potion while the first one works"), and any correction of one
    detail of what a list is asked of. `rules` are what the correction says.
    """
    if lacks_person(upper.best, asked):
        return True
    above, below = (
        len(asked.words - asked.stems(f"{card.best.heading} {card.best.quote}"))
        for card in (upper, lower)
    )
    may_lack = is_list or (note.is_one_of(HOUSE_RULE) and below <= 1)
    if may_lack and above - below >= _LACKING:
        return True
    # What a link is called is no rule: "in [young players](young.md)" says nothing of an age.
    own = (
        replace(one, lead=_NTH.sub(" ", one.lead), quote=_LINK.sub(" ", one.quote)) for one in rules
    )
    is_without = all(lacks_amount("", one, asked) for one in own)
    return is_without and not lacks_amount(lower.path, lower.best, asked)


def says_less(section: Sequence[Entry], lower: Card, asked: QuestionWords) -> bool:
    """Tell whether a correction's section says little of what is asked, and the corrected one more.

    It is of another sentence, unless both have an amount of one unit, or it says what the row is
    called. The limits tell 12 of 28 such questions over five vaults, and none of 110 that the
    correction answers (docs/experiments.md, E174).
    """
    said = frozenset[str]().union(
        *(asked.stems(f"{e.heading} {e.lead} {e.words}") for e in section)
    )
    if any(
        not name.isdisjoint(said)
        for name in corrected_rows.names([lower.best.quote])
        if _is_row(lower)
    ):
        return False
    own = asked.stems(f"{lower.best.heading} {lower.best.lead} {lower.best.words}")
    if asked.share(said) > _LITTLE or asked.share(own) - asked.share(said) < _LESS:
        return False
    return _units(one.quote for one in section).isdisjoint(_units([lower.best.quote]))


def is_of_another(upper: Statement, lower: Card, asked: QuestionWords) -> bool:
    """Tell whether the sentence or cell whose number a correction gives up is not what is asked."""
    if _is_row(lower):
        cells = raw_cells(lower.best.quote)
        names = map(asked.stems, column_names(lower.best.lead, len(cells)))
        wanted = {n for n, name in enumerate(names) if n and name & (asked.words | asked.fields)}
        own = {n for n, cell in enumerate(cells) if not upper.replaced.isdisjoint(numbers_in(cell))}
        return bool(wanted and own) and wanted.isdisjoint(own)
    sentences = sentences_of(lower.best.quote)
    given_up = [one for one in sentences if not upper.replaced.isdisjoint(numbers_in(one))]
    rest = [one for one in sentences if one not in given_up]
    if not given_up or not rest:
        return False
    if OF_AMOUNT.search(asked.question) and not _units(given_up) <= _units(rest):
        return False  # "how much is a protest", of "A protest is heard soon. The fee is 60 EUR."
    said, other = (max(asked.share(asked.stems(s)) for s in group) for group in (given_up, rest))
    return other - said >= _LESS


def _is_row(card: Card) -> bool:
    return card.best.kind == "row"


def _units(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(unit for text in texts for one in intervals(text) for unit in one.units)
