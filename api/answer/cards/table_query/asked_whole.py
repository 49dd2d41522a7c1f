"""Rows and items of which a question asks for all, for a group, or for none that can be told.

And a stat block's field that stands where a table has its header.
"""

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from api.answer.cards.asked_parts import above, header
from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.card import CardPlace
from api.answer.cards.card_content import is_open
from api.answer.question.superlatives import superlatives
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords, RankedLine
from retrieval.text.denials import DENIES
from retrieval.vocabulary.terms import key, raw_cells, stems_of, title

_BEST = re.compile(
    r"(?:^\W*|\b(?:which|what)\b(?: [\w'’-]{1,20}){0,4} )(?:best|worst)\b"
    r"(?! (?:way|time|place|price|day)\b)",
    re.IGNORECASE,
)
EACH = re.compile(
    r"\b(?:each|every) (?:of (?:the|our|your) )?(?P<thing>[\w-]{2,30})", re.IGNORECASE
)
_NEARER = 0.06  # by so much a row may be that is the nearest by chance (docs/experiments.md, E178)
_BOLD = ("**", "__")
# "Fumble table", and no question about a piece of furniture.
_TABLE = re.compile(
    r"^(?!\W*(?:who|where|when|how|why|which|is|are|do|does|can|may|must|could|should|will)\b)"
    r".{2,60}\b(?:table|chart)\b",
    re.IGNORECASE,
)
_TABLES = frozenset(stems_of("table chart"))
# What a question has that asks for rows without naming one.
ASKING = frozenset(
    stems_of(
        "max maximum min minimum most least highest lowest many much number amount total each "
        "every table chart"
    )
)
_FIELD = re.compile(r"\W{0,4}[^\W\d]{1,30}(?:[ -][^\W\d]{1,30}){0,2}\W{0,4}")  # three words
_VALUE = re.compile(r"\d|^\W*[a-z]")  # no column's name
_INTRO_WORDS = 14
# "This page says when …", "What we changed": what only says of what the table below is.
_ANNOUNCES = re.compile(
    r"^\W*(?:this (?:page|section|chapter|table|list|file)|what (?:we|they|has|is|was))\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"^\W*(?:so |and )?when\b|\bwhen\W*$", re.IGNORECASE)
_CASES = re.compile(r"\b(?:when(?:ever)?|if|as soon as)\W*$", re.IGNORECASE)  # ends a lead-in


def is_undecided(file: IndexedFile, best: Entry, asked: QuestionWords) -> bool:
    """Tell whether the best row is one of several of which a question wants the one with most.

    What can be told of them is told before (`query.answer`). One that is named is not compared.
    """
    if best.kind != "row" or not (_BEST.search(asked.question) or superlatives(asked.question)):
        return False
    block = next((one for one in blocks(file) if one.holds(best)), None)
    if block is None or block.kind != "table":
        return False
    other = asked.words - above(file, block, asked)
    names = ("".join(raw_cells(file.lines.get(p.first_line, ""))[:1]) for p in block.parts)
    said = [len(asked.stems(name) & other) for name in names]
    return not max(said) or said.count(max(said)) > 1


def asked_whole(
    place: CardPlace, block: Block, found: Sequence[RankedLine], asked: QuestionWords
) -> tuple[Part, ...]:
    """Return what of a section is asked for as a whole; () where it is no table, list or group.

    `block` is the best line's, `found` are the section's entries, the best one first.
    """
    best = found[0].entry
    return (
        _of_each(place, block, asked)
        or _whole_table(place, best, asked)
        or _field_in_header(place, block, asked)
        or _open_rows(place, block, found, asked)
    )


def _open_rows(
    place: CardPlace, block: Block, found: Sequence[RankedLine], asked: QuestionWords
) -> tuple[Part, ...]:
    """The rows of a table of which none is asked for more than the others: all, or a group.

    Of "**Meals per day**", a row of nothing but a name, it and the rows below it, up to the next
    name in bold. Of others all, where the question has no word but those above the table, and the
    nearest is hardly nearer than the next. () for others.
    """
    best = found[0]
    if block.kind != "table" or best.entry.kind != "row":
        return ()
    if group := _group(place.file, block, best.entry):
        return group
    rows = [one for one in found if block.holds(one.entry)]
    is_near = len(rows) > 1 and rows[0].nearness - rows[1].nearness < _NEARER
    is_called_so = asked.words <= above(place.file, block, asked) | ASKING
    is_any = is_near and is_called_so and is_open(place, block, best.entry, asked)
    return block.parts if is_any else ()


def _group(file: IndexedFile, block: Block, best: Entry) -> tuple[Part, ...]:
    """The best row with those below it, where it is a name in bold and has no cell besides."""
    name, *cells = raw_cells(best.quote) or [""]
    if not cells or any(cell.strip() for cell in cells) or not name.startswith(_BOLD):
        return ()
    own = [part for part in block.parts if part.holds(best)]
    below = [part for part in block.parts if part.first_line > best.last_line]

    def is_inside(part: Part) -> bool:
        return not "".join(raw_cells(file.lines.get(part.first_line, ""))[:1]).startswith(_BOLD)

    return (*own, *takewhile(is_inside, below))


def are_cases(entry: Entry, asked: QuestionWords) -> bool:
    """Tell whether an item is a case of what is asked: "when do I roll", below "Roll when:".

    The lead-in says nothing else, and denies what the question denies.
    """
    if not _WHEN.search(asked.question) or not _CASES.search(entry.lead):
        return False
    lead, called = asked.stems(entry.lead), asked.stems(entry.heading)
    is_denied = bool(DENIES.search(entry.lead)) == bool(DENIES.search(asked.question))
    return (
        is_denied
        and bool(lead & asked.words)
        and lead <= asked.words | called
        and (asked.words <= lead | called)
    )


def _of_each(place: CardPlace, block: Block, asked: QuestionWords) -> tuple[Part, ...]:
    """All rows of a table of things, where each of them is asked for; () for others.

    "How many people fit in each room", below "Room", unless a row says more of the question.
    """
    each = EACH.search(asked.question)
    if block.kind != "table" or block.lead is None or each is None:
        return ()
    names = raw_cells(place.file.lines.get(block.lead.first_line, ""))
    thing = asked.stems(each["thing"])
    rows = asked.stems(" ".join(place.file.lines.get(p.first_line, "") for p in block.parts))
    is_told = asked.words & rows <= above(place.file, block, asked) | thing
    return block.parts if names and asked.stems(names[0]) == thing and is_told else ()


def _whole_table(place: CardPlace, best: Entry, asked: QuestionWords) -> tuple[Part, ...]:
    """All of a section's table that is asked for as one, or by the section's name alone.

    "Fumble table", below "Fumbles"; "refunds", where the best line only announces a table or list:
    "This page says when money is given back." () for others.
    """
    named = asked.stems(f"{title(place.file.path)} {best.heading}")
    tables = [block for block in place.section if block.kind == "table"]
    if len(tables) == 1 and _TABLE.match(asked.question) and asked.words <= named | _TABLES:
        is_thing = _TABLES & (named | asked.stems(best.quote))
        return () if is_thing else tables[0].parts
    is_intro = best.kind == "sentences" and len(best.quote.split()) <= _INTRO_WORDS
    if not is_intro or not asked.words <= named or not _ANNOUNCES.match(best.quote):
        return ()
    for intro, below in pairwise(place.section):
        if intro.holds(best) and len(intro.parts) == 1 and below.kind in {"table", "list"}:
            return below.parts
    return ()


def _field_in_header(place: CardPlace, block: Block, asked: QuestionWords) -> tuple[Part, ...]:
    """The header of a stat block that is written as a table, where its field alone is asked.

    "| Duration | 6 turns |" stands there above "| Range | 40 feet |". () for others.
    """
    names = [raw_cells(line) for line in header(place.file, block)[:1]]
    rows = [raw_cells(place.file.lines.get(part.first_line, "")) for part in block.parts]
    known = asked.terms.fields
    if block.kind != "table" or block.lead is None or not names:
        return ()
    for cells in [*names, *rows]:
        is_field = len(cells) == 2 and key(cells[0]) in known and _FIELD.fullmatch(cells[0])
        if not is_field:
            return ()
    if not _VALUE.search(names[0][1]):
        return ()
    field = asked.stems(names[0][0])
    thing = asked.stems(f"{place.file.path} {block.heading}")
    is_asked = field <= asked.words | asked.fields and asked.words <= field | thing | asked.fields
    return (Part(block.lead.first_line, block.lead.first_line),) if is_asked else ()
