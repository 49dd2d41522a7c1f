"""Find the list that a question asks for as a whole: a list, a table, or a file's sections."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from api.answer.cards.asked_parts import above, own_names, with_legends
from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.card import Card, Piece, form_of, numbers, place_of, whole
from api.answer.cards.from_passage import FIRST
from api.answer.cards.lead_ins import introducing
from api.answer.cards.lists import heading_lists, list_scores
from api.answer.cards.lists.other_tables import with_other_tables
from api.answer.cards.lists.rows import chosen_rows
from api.answer.cards.lists.rows.by_mark import by_role
from api.answer.question.superlatives import superlatives
from retrieval.models import Entry, Hit, IndexedFile, SearchResult
from retrieval.ranking.lines import QuestionWords, RankedLine, ranked

MOST = 40  # parts; a longer list is said and linked
_SHOWN = 10  # of a longer one
_LEAST = 3  # parts of what is called a list
_LEAST_CHOSEN = 2  # rows that a question chooses which asks for no list
_ONE = re.compile(
    r"\W*(?:does|do|did|is|are|was|can|could|may|must|should|will|has|have|how|when|why|if)\b",
    re.IGNORECASE,
)
_MODAL = 0.2  # of "must" and "may not": what the same one adds, and another one costs
_OF_KINDS = 0.3  # what a list adds whose heading says "categories", where kinds are asked for
_ROLES_NEAR = 0.2  # by so much less a table of who may do what
_STEPS_NEAR = 0.6  # by so much less a numbered list may be what was asked for, where steps are
_SAME_FILE = 0.45  # by so much less a second list may be what was asked for, in the same file …
_OTHER_FILE = 0.1  # … and in another one
_TITLED = 0.6  # of the question, that a file's title must say before its sections are the list


@dataclass(frozen=True, slots=True)
class _Found:
    """A block of a passage's file with how well it is what was asked for."""

    hit: Hit
    file: IndexedFile
    block: Block
    score: float
    best: Entry
    is_found: bool = False  # whether search found `best`; else it is the block's first


def cards(
    found: SearchResult,
    asked: QuestionWords,
    *,
    by_words: bool = False,
    headings: bool = False,
    steps: bool = False,
) -> list[Card]:
    """Return the lists that may be what is asked for, the likeliest first: at most two.

    None where no passage is near one. Of a list of more than MOST parts the first are shown.
    Of the likeliest, where it is a table, only the rows with the signs that are asked for;
    `by_words`: or those that say what is asked besides its name, or whose amount fits: "which
    weapons are two-handed", "weapons under 10 gp".
    `headings`: only lists of sections. `steps`: numbered lists before others.
    """
    choices = sorted(
        _choices(found, asked, headings=headings),
        key=lambda one: (-one.score, one.file.path, one.block.first_line),
    )
    if not choices:
        return []
    near = (one for one in choices if one.score >= choices[0].score - _ROLES_NEAR)
    of_roles = ((one, by_role(one.file, one.block, asked, found.question)) for one in near)
    if found_role := next(((one, rows) for one, rows in of_roles if rows), None):
        return [replace(_card(found_role[0], found_role[1].parts), said=found_role[1].said)]
    if steps:
        least = choices[0].score - _STEPS_NEAR
        numbered = [
            one for one in choices
            if one.score >= least and list_scores.is_numbered(one.file, one.block)
        ]  # fmt: skip
        choices = numbered or choices
    best = choices[0]
    same = [one for one in choices[1:] if one.file.path == best.file.path]
    other = [one for one in choices[1:] if one.file.path != best.file.path]
    further = [one for one in same if one.score >= best.score - _SAME_FILE]
    further = [one for one in further if one.block.kind != "headings"]
    further = further or [one for one in other if one.score >= best.score - _OTHER_FILE]
    likely = [best, *further[:1]]
    some = [one for one in likely if by_words or one.block.kind != "list"]
    over = above(best.file, best.block, asked)
    is_all = asked.words <= over
    if any(word.isdigit() for word in asked.words & over):  # "on dungeon level 2": no other's row
        some = [one for one in some if one is best]
    is_whole = headings or (is_all and not superlatives(asked.question))  # the list as it is

    def of_rows(*, by_value: bool) -> list[Card]:
        every = (
            _by_rows(one, asked, one is best, is_whole, only_codes=not by_words, by_value=by_value)
            for one in some
        )
        return [card for card in every if card]

    chosen = of_rows(by_value=True)
    if chosen and chosen[0].by_value and not _is_the_only_one(chosen[0], choices, found, asked):
        chosen = of_rows(by_value=False)
    shown = [
        one for one in likely if one.file.path != best.file.path or _says_as_much(one, best, asked)
    ]
    return chosen[:1] or [_card(one, one.block.parts) for one in shown]


def _is_the_only_one(
    card: Card, choices: Sequence[_Found], found: SearchResult, asked: QuestionWords
) -> bool:
    """Whether no other table has rows of the value, and no file overrides this one's.

    Else they are not all: a machine of the other hall, one that a correction makes red.
    """
    if any(note.overrides(card.path) for note in found.notes.values()):
        return False
    tables = [one for one in choices if one.block.kind == "table"]
    others = [
        one for one in tables if (one.file.path, one.block.heading) != (card.path, card.heading)
    ]
    every = (chosen_rows.of_value(one.file, one.block, asked) for one in others)
    return not any(every)


def of_first_table(found: SearchResult, asked: QuestionWords) -> list[Card]:
    """Return a card of the nearest section's table, with the rows that signs or marks choose.

    None of other tables. Of a question that need not want a list ("food without nuts", "days when
    it is shut"): two rows at least, and none where it asks for yes or no.
    """
    if not found.hits or _ONE.match(asked.question):
        return []
    hit = found.hits[0]
    file, best = found.files[hit.chunk.path], ranked(hit, asked)[0].entry
    tables = [one for one in blocks(file) if one.kind == "table" and one.heading == best.heading]
    block = next((one for one in tables if one.holds(best)), next(iter(tables), None))
    rows = chosen_rows.by_sign_or_mark(file, block, asked) if block else None
    if block is None or rows is None or len(rows.parts) < _LEAST_CHOSEN:
        return []
    made = _card(_Found(hit, file, block, 0.0, best, is_found=True), rows.parts)
    return [replace(made, said=rows.said, by_signs=rows.by_signs)]


def _says_as_much(one: _Found, best: _Found, asked: QuestionWords) -> bool:
    """Whether what stands above a list says as much of the question: its own heading, and all."""
    whole = [asked.share(above(it.file, it.block, asked)) for it in (one, best)]
    own = [asked.share(own_names(it.file, it.block, asked)) for it in (one, best)]
    return whole[0] >= whole[1] and own[0] >= own[1]


def _by_rows(
    found: _Found,
    asked: QuestionWords,
    is_likeliest: bool,
    is_whole: bool,
    *,
    only_codes: bool,
    by_value: bool,
) -> Card | None:
    """A table's card with those of its rows alone that are asked for; None where all or none is."""
    nearest = found.best if found.is_found else None
    rows = chosen_rows.chosen(
        found.file, found.block, asked, is_likeliest=is_likeliest, is_whole=is_whole,
        nearest=nearest, only_codes=only_codes, by_value=by_value,
    )  # fmt: skip
    if rows is None:
        return None
    made = replace(
        _card(found, rows.parts), said=rows.said, by_signs=rows.by_signs, by_value=rows.by_value
    )
    if found.block.kind != "table":
        return made
    return with_other_tables(made, found.file, found.block, asked, MOST)


def _card(chosen: _Found, wanted: tuple[Part, ...]) -> Card:
    block = chosen.block
    parts = wanted if len(wanted) <= MOST else wanted[:_SHOWN]
    first = _first_entry(chosen.file, replace(block, parts=parts)) or chosen.best
    piece = Piece(form_of(block), block.lead, parts, len(block.parts) - len(parts))
    above = introducing(chosen.file, block, blocks(chosen.file))
    shown = [whole(above), piece] if above else [piece]
    pieces = tuple(with_legends(place_of(chosen.file, first, FIRST), shown))
    return Card(
        path=chosen.file.path,
        heading=block.heading,
        form=form_of(block),
        pieces=pieces,
        lines={n: chosen.file.lines.get(n, "") for one in pieces for n in numbers(one)},
        marked=parts,
        best=chosen.best if any(part.holds(chosen.best) for part in parts) else first,
        listed=Part(block.first_line, block.last_line),
        chunk=chosen.hit.chunk,
        score=chosen.hit.score,
        counted=len(wanted),
    )


def _choices(found: SearchResult, asked: QuestionWords, *, headings: bool) -> Iterator[_Found]:
    top = found.hits[0].score if found.hits else 0.0
    found_at: dict[tuple[str, int], _Found] = {}
    nearest: dict[tuple[str, int], RankedLine] = {}
    for hit in found.passages:
        file = found.files[hit.chunk.path]
        lines = ranked(hit, asked)
        for block in [*blocks(file), *heading_lists.of_file(file, lines[0].entry.heading)]:
            held = [line for line in lines if block.holds(line.entry)]
            if headings and block.kind != "headings":
                continue
            if block.kind == "headings":
                held = lines[:1] if _is_asked_for(file, block, asked) else []
            if len(block.parts) < _LEAST or (block.kind == "headings" and not held):
                continue
            score = list_scores.score(file, block, held, lines, asked) + hit.score - top
            score += _MODAL * list_scores.same_modality(file, block, found.question)
            score += _OF_KINDS * list_scores.names_kinds(block, found.question)
            place = (file.path, block.first_line)
            known = [*held[:1], *filter(None, [nearest.get(place)])]
            if known:
                nearest[place] = max(known, key=lambda line: line.nearness)
            if place not in found_at or score > found_at[place].score:
                best = held[0].entry if held else _first_entry(file, block) or lines[0].entry
                found_at[place] = _Found(hit, file, block, score, best)
    for place, one in found_at.items():  # another passage of the file may hold a nearer line
        line = nearest.get(place)
        yield replace(one, best=line.entry, is_found=True) if line else one


def _is_asked_for(file: IndexedFile, block: Block, asked: QuestionWords) -> bool:
    """Whether the title above headings says what is asked for, or labels below them do."""
    titled = asked.share(asked.stems(f"{file.path} {block.heading}")) >= _TITLED
    return titled or bool(heading_lists.labelled(file, block, asked)[0])


def _first_entry(file: IndexedFile, block: Block) -> Entry | None:
    return next((entry for entry in file.entries if block.holds(entry)), None)
