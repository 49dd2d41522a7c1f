"""Where corrections stand: above what they correct, where that is asked for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from api.answer.cards.card import CORRECTED, CORRECTING, STEP, Card, badges_of
from api.answer.cards.correcting import corrected_rows, replacing
from api.answer.cards.correcting.beside_asked import (
    OF_AMOUNT,
    is_beside_asked,
    is_of_another,
    says_less,
)
from api.answer.cards.lead_ins import LEAST_STEPS
from retrieval.models import HOUSE_RULE, IndexedFile, SourceNote
from retrieval.ranking import conflicts, precedence
from retrieval.ranking.conflicts import Conflict
from retrieval.ranking.lines import QuestionWords
from retrieval.ranking.replaced_sections import OF_CHANGES
from retrieval.ranking.statements import Statement
from retrieval.vocabulary.terms import title

_ASKS_FOR_CHANGES = re.compile(
    r"\b(?:chang|correct|errat|error|misprint|replac|printing|printed|edition|still|new|old)",
    re.IGNORECASE,
)


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
        if conflicts.is_in_part(*pair(one)):
            return False  # the line that is marked is read otherwise, whatever is asked of it
        upper, lower, note = found[one.upper], found[one.lower], of_card[one.upper]
        section = [e for e in files[upper.path].entries if e.heading == upper.best.heading]
        is_part = not is_of_all(one)
        if is_part and (
            says_less(section, lower, asked) or is_of_another(pair(one)[0], lower, asked)
        ):
            return True
        is_detail = is_list and not is_of_all(one)
        rules = [replace(upper.best, heading="")]
        if conflicts.replaces_section(*pair(one)):
            # It may begin with what it changes, and say what holds behind that.
            rules = section
        return is_beside_asked(upper, lower, note, asked, rules, is_list=is_detail)

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
    standard = conflicts.standard_first(met, statements, asked.words)
    met += standard
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
    # What holds stands above an optional rule, and corrects nothing of it.
    corrected = {one.lower for one in replaced if one not in standard}
    void = {one.lower for one in met if one.binding and is_of_all(one)}
    # What errata or a house rule changes in part stands beside it, on the page in two columns.
    void |= {
        one.lower for one in replaced
        if not (_is_note(of_card[one.upper]) or conflicts.is_in_part(*pair(one)))
    }  # fmt: skip
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
    if OF_AMOUNT.search(asked.question):
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
