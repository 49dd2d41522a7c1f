"""Find the list that a question asks for as a whole: a list, a table, or a file's sections."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from api.answer.cards.asked_parts import above, header, own_names, with_legends
from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.card import Card, Piece, form_of, numbers, place_of, whole
from api.answer.cards.from_passage import FIRST
from api.answer.cards.lead_ins import introducing
from api.answer.cards.lists import chosen_rows, heading_lists
from api.answer.question.limits import superlative
from api.answer.question.modality import modality
from retrieval.models import Entry, Hit, IndexedFile, SearchResult
from retrieval.ranking.lines import QuestionWords, RankedLine, ranked
from retrieval.vocabulary.terms import raw_cells, stems_of

MOST = 40  # parts; a longer list is said and linked
_SHOWN = 10  # of a longer one
_LEAST = 3  # parts of what is called a list
_NEAREST = 3  # of its lines, whose mean nearness counts
_NAMED = 0.3  # what a heading and lead-in add that say all that is asked
_LAST = 0.1  # what a block's own heading adds all of whose words are asked for
_COLUMN = 0.2  # what a table adds one of whose first columns is called as what is asked for
_ROLLED = 0.4  # what a random table adds whose die is named
_WHOLE = 0.2  # what a section adds whose heading and whose file are both asked for: their share
_FOLDERS = 0.5  # of it, where nothing but the path's folders say it
_MODAL = 0.2  # of "must" and "may not": what the same one adds, and another one costs
_LENGTH = 0.03  # what twice as many parts add
_OTHER_KIND = {
    "fields": 0.2,
    "headings": 0.15,
    "lines": 0.1,
}  # what these cost: seldom what a list is
_SAME_FILE = 0.45  # by so much less a second list may be what was asked for, in the same file …
_OTHER_FILE = 0.1  # … and in another one
_UNREAD = 0.15  # what a block of a passage's file costs no entry of which search has returned
_TITLED = 0.6  # of the question, that a file's title must say before its sections are the list
_WAYS = re.compile(
    r"\b(?P<head>ways|steps|reasons|requirements|conditions) (?:to|if|when)\b", re.IGNORECASE
)
_DIE = re.compile(r"\W*\d*d(?:\d+|%)\W*", re.IGNORECASE)  # of a random table, and no thing's name
_DIE_WORD = re.compile(r"d(?:\d+|%)")


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
    found: SearchResult, asked: QuestionWords, *, by_words: bool = False, headings: bool = False
) -> list[Card]:
    """Return the lists that may be what is asked for, the likeliest first: at most two.

    None where no passage is near one. Of a list of more than MOST parts the first are shown.
    `by_words`: of the likeliest, where it is a table, only the rows that say what is asked besides
    its name, or whose amount fits: "which weapons are two-handed", "weapons under 10 gp".
    `headings`: only lists of sections.
    """
    choices = sorted(
        _choices(found, asked, headings=headings),
        key=lambda one: (-one.score, one.file.path, one.block.first_line),
    )
    if not choices:
        return []
    best = choices[0]
    same = [one for one in choices[1:] if one.file.path == best.file.path]
    other = [one for one in choices[1:] if one.file.path != best.file.path]
    further = [one for one in same if one.score >= best.score - _SAME_FILE]
    further = [one for one in further if one.block.kind != "headings"]
    further = further or [one for one in other if one.score >= best.score - _OTHER_FILE]
    near = [best, *further[:1]]
    some = [one for one in near if by_words or one.block.kind == "headings"]
    is_all = asked.words <= above(best.file, best.block, asked)
    is_whole = headings or (is_all and not superlative(asked.question))  # the list as it is
    ways = ((one, one is best, is_whole) for one in some)
    chosen = [card for one, first, whole in ways if (card := _by_rows(one, asked, first, whole))]
    shown = [
        one for one in near if one.file.path != best.file.path or _says_as_much(one, best, asked)
    ]
    return chosen[:1] or [_card(one, one.block.parts) for one in shown]


def _says_as_much(one: _Found, best: _Found, asked: QuestionWords) -> bool:
    """Whether what stands above a list says as much of the question: its own heading, and all."""
    whole = [asked.share(above(it.file, it.block, asked)) for it in (one, best)]
    own = [asked.share(own_names(it.file, it.block, asked)) for it in (one, best)]
    return whole[0] >= whole[1] and own[0] >= own[1]


def _by_rows(
    found: _Found, asked: QuestionWords, is_likeliest: bool, is_whole: bool
) -> Card | None:
    """A table's card with those of its rows alone that are asked for; None where all or none is."""
    nearest = found.best if found.is_found else None
    rows = chosen_rows.chosen(
        found.file, found.block, asked, is_likeliest=is_likeliest, is_whole=is_whole,
        nearest=nearest,
    )  # fmt: skip
    return replace(_card(found, rows.parts), said=rows.said) if rows else None


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
            score = _score(file, block, held, lines, asked) + hit.score - top
            score += _MODAL * _same_modality(file, block, found.question)
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


def _score(
    file: IndexedFile,
    block: Block,
    held: Sequence[RankedLine],
    lines: Sequence[RankedLine],
    asked: QuestionWords,
) -> float:
    """How likely a block is what is asked for; `held` are those of the passage's lines in it."""
    near = [line.nearness for line in (held or lines[:1])[:_NEAREST]]
    return math.fsum(
        (
            math.fsum(near) / len(near),
            0.0 if held else -_UNREAD,
            _called(block, asked),
            _COLUMN if _names_column(file, block, asked) else 0.0,
            _ROLLED if _is_rolled(file, block, asked) else 0.0,
            _LENGTH * math.log2(len(block.parts)),
            -_OTHER_KIND.get(block.kind, 0.0),
            _NAMED * _share_named(file, block, asked),
        )
    )


def _same_modality(file: IndexedFile, block: Block, question: str) -> int:
    """Whether a list is of what must, may or must not be, as is asked: 1; -1 of another of these.

    0 where either says nothing of it.
    """
    if block.kind != "list" or (wanted := modality(question)) is None:
        return 0
    above = introducing(file, block, blocks(file))
    lines = [file.lines.get(above.last_line, "")] if above else header(file, block)
    told = modality(" ".join([block.heading.rsplit(" > ", 1)[-1], *lines]))
    if told is None:
        return 0
    return 1 if wanted == told else -1


def _first_entry(file: IndexedFile, block: Block) -> Entry | None:
    return next((entry for entry in file.entries if block.holds(entry)), None)


def _called(block: Block, asked: QuestionWords) -> float:
    """What a block's own heading adds that is asked for; more, where its file is asked for too."""
    *above, last = block.heading.split(" > ")
    own = asked.stems(last)
    called = len(own & asked.words) / len(own) if own else 0.0
    both = called == 1.0 and above and not asked.words.isdisjoint(asked.stems(above[0]) - own)
    return _LAST * called + (_WHOLE if both else 0.0)


def _share_named(file: IndexedFile, block: Block, asked: QuestionWords) -> float:
    """How much of the question a block's headings and lead-in say; what its folders say, half."""
    own = above(file, block, asked)
    near = asked.share(own)
    return near + _FOLDERS * (asked.share(own | asked.stems(file.path)) - near)


def _names_column(file: IndexedFile, block: Block, asked: QuestionWords) -> bool:
    """Whether one of a table's first two columns is called as what is asked for."""
    if block.kind != "table" or block.lead is None:
        return False
    header = raw_cells(file.lines.get(block.lead.first_line, ""))
    names = [frozenset(stems_of(name)) for name in header[:2] if not _DIE.fullmatch(name)]
    wanted = asked.words
    if ways := _WAYS.search(asked.question):  # "ways to get spells back if the book is gone"
        wanted &= asked.stems(ways["head"])
    return any(name and name <= wanted for name in names)


def _is_rolled(file: IndexedFile, block: Block, asked: QuestionWords) -> bool:
    """Whether a table is rolled on with the die that is asked for: "the d12 list"."""
    if block.kind != "table" or block.lead is None:
        return False
    first = next(iter(raw_cells(file.lines.get(block.lead.first_line, ""))), "").lower()
    return any(die[0] in first for die in _DIE_WORD.finditer(asked.question.lower()))
