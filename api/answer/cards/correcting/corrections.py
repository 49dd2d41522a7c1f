"""Where corrections stand: above what they correct, where that is asked for."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from api.answer.cards.card import CORRECTED, CORRECTING, STEP, Card, badges_of
from api.answer.cards.correcting import corrected_rows, replacing
from api.answer.cards.lead_ins import LEAST_STEPS
from retrieval.models import HOUSE_RULE, Entry, IndexedFile, SourceNote
from retrieval.ranking import conflicts, precedence
from retrieval.ranking.conflicts import Conflict
from retrieval.ranking.lines import QuestionWords
from retrieval.ranking.replaced_sections import OF_CHANGES
from retrieval.ranking.statements import Statement, numbers_in, sentences_of
from retrieval.refusal.asked_kind import lacks_amount, lacks_person
from retrieval.text.quantities import intervals
from retrieval.vocabulary.terms import column_names, raw_cells, title

_LINK = re.compile(r"\[[^\[\]\n]{1,100}\]\([^()\n]{1,200}\)|\[\[[^\[\]\n]{1,200}\]\]")
_NTH = re.compile(r"\b(?:first|second|third|\d(?:st|nd|rd|th))\b", re.IGNORECASE)  # printing
_ASKS_FOR_CHANGES = re.compile(
    r"\b(?:chang|correct|errat|error|misprint|replac|printing|printed|edition|still|new|old)",
    re.IGNORECASE,
)
_OF_AMOUNT = re.compile(
    r"\bhow (?:much|many|long|far|often|old|big|high|large|heavy|fast)\b|\b(?:costs?|price|fee)\b",
    re.IGNORECASE,
)
_LITTLE, _LESS = 0.35, 0.15  # shares of a question's words
_LACKING = 2  # words, of which one may be a verb


def arranged(
    found: Sequence[Card],
    asked: QuestionWords,
    notes: Mapping[str, SourceNote],
    files: Mapping[str, IndexedFile],
    *,
    is_list: bool,
) -> tuple[Card, ...]:
    """Return the cards with badges, errata above what they correct, superseded files last.

    Where nothing but a section's name is asked, or all of a list, they stand below it: they correct
    a detail.
    """
    of_card = [notes.get(card.path, SourceNote(card.path)) for card in found]
    said = [replacing.statements(card, notes, files) for card in found]
    statements = [own[0] for own in said]
    # Of a paragraph that is marked another line than the best one may be what is corrected.
    pairs = _replacing_pairs(said)

    def pair(one: Conflict) -> tuple[Statement, Statement]:
        best = (statements[one.upper], statements[one.lower])
        return pairs.get((one.upper, one.lower), best)

    def is_of_all(one: Conflict) -> bool:
        return conflicts.is_whole(*pair(one))

    def is_beside(one: Conflict) -> bool:
        upper, lower, note = found[one.upper], found[one.lower], of_card[one.upper]
        section = [e for e in files[upper.path].entries if e.heading == upper.best.heading]
        is_part = not is_of_all(one)
        if is_part and (
            _says_less(section, lower, asked) or _is_of_another(pair(one)[0], lower, asked)
        ):
            return True
        is_detail = is_list and not is_of_all(one)
        rules = [replace(upper.best, heading="")]
        if conflicts.replaces_section(*pair(one)):
            # It may begin with what it changes, and say what holds behind that.
            rules = section
        return _is_beside_asked(upper, lower, note, asked, rules, is_list=is_detail)

    met = conflicts.conflicts(statements, asked.words)
    known = {(one.upper, one.lower) for one in met}
    met += [Conflict(*places, binding=True) for places in pairs if places not in known]
    met = [one for one in met if not one.binding or not is_beside(one)]
    # Of two that correct one place the one that says more of what is asked goes first.
    said_by = [asked.share(asked.stems(f"{one.heading} {one.best.words}")) for one in found]
    met.sort(key=lambda one: -said_by[one.upper])
    kept = [_changes_nothing(one, asked.question) for one in statements]
    gone = [
        precedence.is_superseded(note, asked.question) or is_kept
        for note, is_kept in zip(of_card, kept, strict=True)
    ]
    whole = [_is_all_of(card) or _is_all_that_is_asked(card, asked) for card in found]
    of_step = {
        one.lower for one in met
        if _is_of_it(*pair(one)) or not of_card[one.upper].is_one_of(HOUSE_RULE)
    }  # fmt: skip
    for number, card in enumerate(found):  # a round of combat, beside how a potion is drunk in it
        whole[number] |= number not in of_step and _are_all_steps(card)
    met += conflicts.standard_first(met, statements, asked.words)
    rows = []
    if any(note.supersedes for note in of_card):
        rows = list(corrected_rows.of_rows(found, of_card, files, asked.question))
        met += rows
    for one in met:  # what is called so itself, or replaces it all, corrects no detail
        whole[one.lower] &= not (one.binding and (whole[one.upper] or is_of_all(one)))
    order = precedence.arranged(len(found), met, gone, whole)
    above = {one.upper for one in met if one.binding and not found[one.lower].folded}
    replaced = [
        one for one in met
        if one.binding and order.index(one.upper) < order.index(one.lower)
        and not _is_note(of_card[one.lower])
        and (one in rows or is_of_all(one) or _is_of_it(*pair(one)))
    ]  # fmt: skip
    corrected = {one.lower for one in replaced}
    void = {one.lower for one in met if one.binding and is_of_all(one)}
    # What errata or a house rule changes in part stands beside it, on the page in two columns.
    void |= {one.lower for one in replaced if not _is_note(of_card[one.upper])}
    void |= {number for number, is_kept in enumerate(kept) if is_kept}
    return tuple(
        replace(
            found[place],
            badges=_badges(of_card[place], is_corrected=place in corrected),
            folded=number > 0 and (place in void or found[place].folded) and place not in above,
        )
        for number, place in enumerate(order)
    )


def _is_of_it(upper: Statement, lower: Statement) -> bool:
    """Whether a correction is of that line, and not only of words that both have."""
    return conflicts.is_replacing(upper, lower) or conflicts.is_of_same_line(upper, lower)


def _is_note(note: SourceNote) -> bool:
    return not CORRECTING.isdisjoint(badges_of(note))


def _badges(note: SourceNote, *, is_corrected: bool) -> tuple[str, ...]:
    """A card's badges; of what another card corrects this one, too, unless its file is void."""
    own = badges_of(note)
    return (*own, CORRECTED) if is_corrected and "superseded" not in own else own


def _says_less(section: Sequence[Entry], lower: Card, asked: QuestionWords) -> bool:
    """Whether a correction's section says little of what is asked, and what it corrects says more.

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


def _is_of_another(upper: Statement, lower: Card, asked: QuestionWords) -> bool:
    """Whether the sentence or cell whose number a correction gives up is not what is asked."""
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
    if _OF_AMOUNT.search(asked.question) and not _units(given_up) <= _units(rest):
        return False  # "how much is a protest", of "A protest is heard soon. The fee is 60 EUR."
    said, other = (max(asked.share(asked.stems(s)) for s in group) for group in (given_up, rest))
    return other - said >= _LESS


def _is_row(card: Card) -> bool:
    return card.best.kind == "row"


def _units(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(unit for text in texts for one in intervals(text) for unit in one.units)


def _changes_nothing(one: Statement, question: str) -> bool:
    """Whether a correction only says that something stays, and no change is asked for."""
    is_of_changes = bool(one.note.supersedes or OF_CHANGES.search(one.note.path))
    return is_of_changes and not one.corrects and not _ASKS_FOR_CHANGES.search(question)


def _replacing_pairs(
    said: Sequence[Sequence[Statement]],
) -> dict[tuple[int, int], tuple[Statement, Statement]]:
    """Of cards, by their places, a statement of each of which one replaces the other."""
    return {
        (upper, lower): (first, second)
        for upper, own in enumerate(said)
        for lower, others in enumerate(said)
        for first in own
        for second in others
        if not (first.note.is_optional or first.note.is_gone)
        and not second.note.supersedes
        and first.corrects
        and first.note.path != second.note.path
        and conflicts.is_replacing(first, second)
    }


def _is_all_that_is_asked(card: Card, asked: QuestionWords) -> bool:
    """Whether nothing is asked but what a card is called: "protests", not "how much is one"."""
    if _OF_AMOUNT.search(asked.question):
        return False
    names = (card.heading.rsplit(" > ", 1)[-1], title(card.path))
    return bool(asked.words) and any(asked.words <= asked.stems(name) for name in names)


def _is_all_of(listed: Card) -> bool:
    """Whether a card is a list that nothing of the question chose from."""
    return listed.counted is not None and not listed.said


def _are_all_steps(card: Card) -> bool:
    """Whether a card has nothing marked but numbered steps, all of which are done."""
    firsts = [card.lines.get(part.first_line, "") for part in card.marked]
    return len(firsts) >= LEAST_STEPS and all(map(STEP.match, firsts))


def _is_beside_asked(
    upper: Card,
    lower: Card,
    note: SourceNote,
    asked: QuestionWords,
    rules: Sequence[Entry],
    *,
    is_list: bool,
) -> bool:
    """Whether a correction is of something else than what is asked of the same thing.

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
