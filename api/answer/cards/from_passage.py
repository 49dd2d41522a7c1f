"""Make a card of a passage: the rows, items, fields or paragraphs that answer, whole.

Pure. Which entries answer is told by `retrieval.ranking.lines`; here is what of the file around
them a reader needs to understand them.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from api.answer.cards.asked_parts import asked_columns, own_field
from api.answer.cards.blocks import terms_of
from api.answer.cards.card import Card, CardPlace, Form, Size, is_short, numbers, place_of, words
from api.answer.cards.card_content import goes_on, pieces_of, skipped_after
from api.answer.cards.marked_lines import answering_first, marked
from retrieval.models import Entry, Hit, IndexedFile
from retrieval.ranking.lines import QuestionWords, RankedLine, field_words, ranked, words_of
from retrieval.refusal.asked_kind import lacks_amount, lacks_person
from retrieval.vocabulary.terms import fields_of, raw_cells, title

# Measured on calibration: docs/experiments.md, E58.
FIRST = Size(section=80, entries=5, words=64)
FURTHER = Size(section=60, entries=2, words=40)
KEYWORD = Size(section=130, entries=5, words=64, named=True)
_NAMED_ROWS = 12  # of the table of a section that is asked for by its name
_TWO = re.compile(r" (?:and|or|&) (?!other )")  # things in the name of a section
_FOLDED = 50  # words of a folded card's entries, beyond which it shows the best one alone
_NEARLY = 0.15  # by so much further from the question than the best one they may be
_AMOUNT = 0.25  # by so much further a line may be that alone has an amount of what is asked
_TIED, _TIED_ROOM = 0.05, 1.6  # entries as near as the best one may take so much more room


def card(hit: Hit, file: IndexedFile, asked: QuestionWords, *, size: Size = FIRST) -> Card:
    """Return a passage's card, unfolded; `size` says how much of the passage it shows.

    Raises ValueError for a passage without entries.
    """
    found: Sequence[RankedLine] = ranked(hit, asked)
    if not found:
        raise ValueError(f"the passage {hit.chunk.id} has no entry")
    found = _amount_first(hit.chunk.path, found, asked)
    if size.named:
        named = _named_section(file, asked, found[0])
        size = replace(size, rows=_NAMED_ROWS) if named else size
        found = named or _that_name_it(found, asked)
    found = answering_first(found, asked)
    return _of_section(hit, file, asked, size, _of_one_section(found))


def _amount_first(
    path: str, found: Sequence[RankedLine], asked: QuestionWords
) -> Sequence[RankedLine]:
    """The lines, first one of the best one's section that has an amount of what is asked for.

    "How often may it be cast" wants "once every 7 days", though another line has more of its words.
    Of "who may" it is one that is no row of what is named. Only where the best one has none, and
    the other is nearly as near.
    """

    def lacks(entry: Entry) -> bool:
        return lacks_amount(path, entry, asked) or lacks_person(entry, asked)

    best = found[0]
    if not lacks(best.entry):
        return found
    for line in _of_one_section(found):
        near = line.nearness >= best.nearness - _AMOUNT
        is_row = line.entry.kind == "row" and lacks_person(best.entry, asked)
        if near and not lacks(line.entry) and not is_row:
            return [line, *(one for one in found if one is not line)]
    return found


def of_other_sections(hit: Hit, file: IndexedFile, asked: QuestionWords) -> list[Card]:
    """Return a folded card of the passage's next section, where it is nearly as near as the first.

    A card shows nothing of another section than its own and those in it.
    """
    found = ranked(hit, asked)
    own = _of_one_section(found)
    other = [one for one in found if one not in own]
    if not other or other[0].nearness < found[0].nearness - _NEARLY:
        return []
    made = _of_section(hit, file, asked, FURTHER, _of_one_section(other))
    return [replace(made, folded=True)]


def _of_one_section(found: Sequence[RankedLine]) -> list[RankedLine]:
    """Of a passage's lines those of the best one's section, with the sections in it."""
    own = found[0].entry.heading
    return [one for one in found if f"{one.entry.heading} > ".startswith(f"{own} > ")]


def _named_section(file: IndexedFile, asked: QuestionWords, best: RankedLine) -> list[RankedLine]:
    """The lines of the section that is asked for by name, all as near as the best line.

    They are in order, but for those that say what else is asked: "fireball radius".
    It is the one whose name says all that is asked, of several the shortest. Where the best line is
    no row or field that is asked for by name: the one whose name is asked for and that says the
    rest itself; or the file's first, where the file is called so.
    """
    sections: dict[str, list[Entry]] = {}
    for entry in file.entries:
        if entry.kind != "whole":
            sections.setdefault(entry.heading, []).append(entry)
    called = {one: asked.stems(one.rsplit(" > ", 1)[-1]) for one in sections}
    whole = asked.stems(f"{title(file.path)} {next(iter(sections), '')}")
    named = sorted(
        (one for one in sections if asked.words <= called[one]), key=lambda one: len(called[one])
    )
    if not named and _is_asked_for(best.entry, asked):
        return []
    named += [
        one
        for one, entries in sections.items()
        if called[one] and called[one] <= asked.words <= whole.union(
            called[one], *(_said(entry, asked) for entry in entries)
        )
    ]  # fmt: skip
    named += list(sections)[:1] if asked.words <= whole else []
    if not named or not asked.words:
        return []
    own = called[named[0]]
    rest = asked.words - own - whole
    begins = _said(sections[named[0]][0], asked)
    if not rest and _TWO.search(named[0].rsplit(" > ", 1)[-1]) and begins & (own - asked.words):
        rest = asked.words - begins  # "drowning", of "Swimming and drowning"
    is_coded = any(f" {sign} " in f" {named[0]} ".upper() for _, sign in asked.codes)

    def is_behind(entry: Entry) -> tuple[bool, bool, bool]:
        fields = asked.terms.in_full(field_words(file.path, entry))
        is_other = is_coded or not asked.labels_of(file.path, entry)  # "treasure type A" is one row
        return is_other, rest.isdisjoint(fields), not (rest and rest <= _said(entry, asked))

    saying = sorted(sections[named[0]], key=is_behind)
    return [RankedLine(entry, best.nearness) for entry in saying]


def _said(entry: Entry, asked: QuestionWords) -> frozenset[str]:
    return asked.terms.in_full(words_of(entry))


def _is_asked_for(row: Entry, asked: QuestionWords) -> bool:
    """Whether a row or a field is called as something that is asked for."""
    own = raw_cells(row.quote)[:1] if row.kind == "row" else fields_of(row)
    return any(not asked.words.isdisjoint(asked.stems(name)) for name in own)


def _that_name_it(found: Sequence[RankedLine], asked: QuestionWords) -> Sequence[RankedLine]:
    """Those of the lines that say all that is asked, where the best one does."""
    saying = [one for one in found if asked.words <= _said(one.entry, asked)]
    return saying if found[0] in saying else found


def _of_section(
    hit: Hit, file: IndexedFile, asked: QuestionWords, size: Size, found: Sequence[RankedLine]
) -> Card:
    best = found[0]
    place = place_of(file, best.entry, size)
    pieces = tuple(pieces_of(place, _chosen(found, place), asked))
    of_best = [p for p in pieces if any(part.holds(best.entry) for part in p.parts)]
    several = len(pieces) > 1 and is_short(place)
    form: Form = "section" if several or not of_best else of_best[0].form
    shown = sorted({number for piece in pieces for number in numbers(piece)})
    return Card(
        path=hit.chunk.path,
        heading=best.entry.heading,
        form=form,
        pieces=pieces,
        lines={number: file.lines.get(number, "") for number in shown},
        marked=marked(place, found, asked, frozenset(shown)),
        best=own_field(place, best.entry, asked),
        next_best=_next_best(place, found),
        chunk=hit.chunk,
        score=hit.score,
        nearness=best.nearness,
        rest=skipped_after(place, pieces),
        columns=asked_columns(found, asked),
    )


def _next_best(place: CardPlace, found: Sequence[RankedLine]) -> Entry | None:
    """The entry that a folded card shows besides the best one, where it is nearly as near.

    Of an item that goes on with what introduces its list it is that sentence.
    """
    best = found[0].entry
    if goes_on(best) and (introduces := _introducing(place, best)):
        return introduces
    for line in found[1:]:
        entry = line.entry
        if line.nearness < found[0].nearness - _NEARLY:
            return None
        if not (goes_on(entry) or entry.quote in best.quote or best.quote in entry.quote):
            return entry if words(f"{best.quote} {entry.quote}") <= _FOLDED else None
    return None


def _introducing(place: CardPlace, item: Entry) -> Entry | None:
    """The nearest entry above an item, in its section, that ends with what introduces its list.

    None for a list that nothing introduces.
    """
    if not item.lead.strip():
        return None
    above = [
        entry
        for entry in place.file.entries
        if entry.heading == item.heading and entry.last_line < item.first_line
    ]
    lead = item.lead.strip()
    return next((entry for entry in reversed(above) if entry.quote.endswith(lead)), None)


def without(card: Card, shown: Collection[int]) -> Card:
    """Return a card without the parts all of whose lines are among `shown`."""
    pieces = []
    for piece in card.pieces:
        parts = tuple(part for part in piece.parts if not all(n in shown for n in part.numbers))
        if parts:
            pieces.append(replace(piece, parts=parts))
    left = sorted({number for piece in pieces for number in numbers(piece)})
    return replace(
        card, pieces=tuple(pieces), lines={number: card.lines[number] for number in left}
    )


def _chosen(found: Sequence[RankedLine], place: CardPlace) -> list[RankedLine]:
    """The entries that a card is made of, the best one first.

    Rows of one table are often equally near; so the best entry of another block is one of them.
    """
    if place.size.named:  # a stat block is shown whole besides
        fields = [block for block in place.blocks if block.kind == "fields"]
        text = [one for one in found[1:] if not any(b.holds(one.entry) for b in fields)]
        found = [found[0], *text]
    own = next((block for block in place.blocks if block.holds(found[0].entry)), None)
    if own in terms_of(place.file, place.section):  # what is beside it is shown if it answers, too
        least = found[0].nearness - _TIED
        found = [one for one in found if one.nearness >= least or (own and own.holds(one.entry))]
    near_enough = [one for one in found if one.nearness >= found[0].nearness - _NEARLY]
    other = [one for one in near_enough if own and not own.holds(one.entry)][:1]
    chosen = [found[0]]
    size = words(found[0].entry.quote)
    for one in [*near_enough[1:2], *other, *near_enough[2:], *found[1 : place.size.entries]]:
        if len(chosen) == place.size.entries:
            break
        more = words(one.entry.quote)
        tied = one.nearness >= found[0].nearness - _TIED
        room = place.size.words * (_TIED_ROOM if tied else 1.0)
        if size + more <= room and one not in chosen:
            chosen.append(one)
            size += more
    return chosen
