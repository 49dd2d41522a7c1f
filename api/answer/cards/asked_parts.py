"""Which part of a table or a stat block a question asks for: rows, columns and fields.

And the line that explains a table's abbreviations, without which its rows tell nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from api.answer.cards.blocks import Block, Part
from api.answer.cards.card import CardPlace, Piece, form_of, has_at_most, numbers
from api.answer.cards.table_signs import explained_signs
from api.answer.question.intent import asks_for_all
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords, RankedLine
from retrieval.text.legends import LONGEST
from retrieval.text.units import MEASURES
from retrieval.vocabulary.terms import column_names, raw_cells, stems_of, title

_BOLD_NAME = re.compile(r"\*\*([^*:|\n]{1,40}):(?:\*\*| )")
_UNIT = re.compile(r"(?<=\d)[^\W\d_]{2,}")
_SEVERAL = re.compile(r"[|/,;]")  # between cells, and between signs within one: "C/H"
_MARKED_CELL = re.compile(r"(?<=[\w)%]) ?\\?(?P<mark>[*†‡¹²³⁴⁵])(?!\*)(?=[ \t]*(?:\||$))")
_NOTE_MARK = re.compile(r"^ {0,3}(?:[-+] )?\\?(?P<mark>[*†‡¹²³⁴⁵])(?![*\w]) {0,3}\S")
_MARKS = " \t*`"  # around a sign
_SHORT = 3  # letters
_LEGEND_WORDS = 40  # of what explains abbreviations; a longer paragraph says more than that


def above(file: IndexedFile, block: Block, asked: QuestionWords) -> frozenset[str]:
    """Return the stems of a block's file, its headings, and its header or lead-in."""
    return asked.stems(" ".join([title(file.path), block.heading, *header(file, block)]))


def own_names(file: IndexedFile, block: Block, asked: QuestionWords) -> frozenset[str]:
    """Return the stems of a block's own heading, and of its header or lead-in."""
    own = block.heading.rsplit(" > ", 1)[-1]
    return asked.stems(" ".join([own, *header(file, block)]))


def header(file: IndexedFile, block: Block) -> list[str]:
    """Return the lines of a block's header or lead-in; none where it has none."""
    return [file.lines.get(n, "") for n in block.lead.numbers] if block.lead else []


def asked_rows(
    path: str, parts: Sequence[Part], found: Sequence[RankedLine], asked: QuestionWords
) -> list[Part]:
    """Return the rows without those that say less of what is asked than the best one does.

    `found` are the entries of the rows, the best one first. Only where that is asked for by its
    name or number: "level 4" wants one row and not its neighbours, "animals to ride" several.
    """
    best = found[0].entry
    if not _is_named(path, best, asked):
        return list(parts)
    least = said_by(path, best, asked)
    less = [line.entry for line in found if said_by(path, line.entry, asked) < least]
    return [part for part in parts if not any(part.holds(entry) for entry in less)]


def _is_named(path: str, row: Entry, asked: QuestionWords) -> bool:
    # Of a random table the first cell is what is rolled: "07–12".
    cells = (cell for cell in raw_cells(row.quote) if any(map(str.isalpha, cell)))
    name = asked.stems(next(cells, ""))
    own = asked.labels_of(path, row)
    return bool(own or (name and name <= asked.words))


def said_by(path: str, row: Entry, asked: QuestionWords) -> frozenset[str | float]:
    """The words of the question that a row says, and its numbers and codes that it is for."""
    words = asked.stems(row.quote) & asked.words
    if any(value.units & MEASURES for value in asked.values):  # "3" is no three weeks
        words = frozenset(one for one in words if not one.isdigit())
    return words | asked.labels_of(path, row)


def asked_columns(found: Sequence[RankedLine], asked: QuestionWords) -> frozenset[str]:
    """Return the names of the columns that the question speaks of, in the tables of these rows."""
    wanted = asked.words | asked.fields
    return frozenset(
        name
        for lead, width in {
            (line.entry.lead, len(raw_cells(line.entry.quote)))
            for line in found
            if line.entry.kind == "row"
        }
        for name in column_names(lead, width)
        if wanted & asked.stems(name)
    )


def field_asked(place: CardPlace, best: RankedLine, asked: QuestionWords) -> Piece | None:
    """Return the fields asked for, where the best entry is among them: nothing else is wanted.

    Where all of something is asked for a field has to be called so whole: of "first aid stuff, all
    the places" the "First-aid tin" is one of them.
    """
    is_of_all = asks_for_all(asked.question)
    for block in place.section:
        if block.kind == "fields" and block.holds(best.entry):
            named = _named_fields(place.file, block.parts, asked)
            if is_of_all:
                named = [one for one in named if _is_called(place.file, one, asked)]
            if any(part.holds(best.entry) for part in named):
                return Piece("fields", block.lead, tuple(named), len(block.parts) - len(named))
    return None


def _is_called(file: IndexedFile, field: Part, asked: QuestionWords) -> bool:
    name = asked.stems(re.split(r"[:|]", file.lines.get(field.first_line, "").lstrip("|"))[0])
    return bool(name) and name <= asked.words


def saying_most(file: IndexedFile, parts: Sequence[Part], asked: QuestionWords) -> tuple[Part, ...]:
    """Return those fields that say most of what the file's name does not; () where none does.

    "May I drink wine in the hall" is told by "Alcohol: wine with a permit".
    """
    rest = asked.words - asked.stems(title(file.path))
    said = {part: len(rest & asked.stems(file.lines.get(part.first_line, ""))) for part in parts}
    most = max(said.values(), default=0)
    return tuple(part for part in parts if said[part] == most) if most else ()


def own_field(place: CardPlace, best: Entry, asked: QuestionWords) -> Entry:
    """Return the best entry; of one that holds several fields, a line each, the one asked for."""
    lines = best.quote.split("\n")
    block = next((one for one in place.section if one.kind == "fields" and one.holds(best)), None)
    if block is None or len(lines) != best.last_line - best.first_line + 1 or len(lines) == 1:
        return best
    own = [part for part in block.parts if part.holds(best)]
    named = _named_fields(place.file, own, asked)
    field = (named or saying_most(place.file, own, asked) or own)[0]
    quote = "\n".join(
        lines[field.first_line - best.first_line : field.last_line - best.first_line + 1]
    )
    return replace(best, first_line=field.first_line, last_line=field.last_line, quote=quote)


def asked_fields(
    file: IndexedFile, parts: Sequence[Part], asked: QuestionWords, *, beside: bool
) -> list[Part]:
    """Return those fields that the question names, or asks for in other words.

    Else all; none where they stand `beside` what answers best.
    """
    return _named_fields(file, parts, asked) or ([] if beside else list(parts))


def _named_fields(file: IndexedFile, parts: Sequence[Part], asked: QuestionWords) -> list[Part]:
    """The fields that the question names; where it names none, those it asks for otherwise.

    One is named by its unit, too: "hp" is asked of "HD: 4+1 (19hp)".
    """
    names = {part: _names_of(file, part, asked) for part in parts}
    by_unit = [part for part in parts if _units_of(file, part) & asked.said]
    named = [p for p in parts if any(n <= asked.words for n in names[p]) or p in by_unit]
    named = named or [part for part in parts if any(n & asked.words for n in names[part])]
    return named or [part for part in parts if any(n & asked.fields for n in names[part])]


def _units_of(file: IndexedFile, field: Part) -> frozenset[str]:
    """The stems of what stands right behind a number of a field's line, dice left out."""
    line = file.lines.get(field.first_line, "")
    return frozenset(stems_of(" ".join(_UNIT.findall(line.lower()))))


def _names_of(file: IndexedFile, field: Part, asked: QuestionWords) -> list[frozenset[str]]:
    """The stems of a field's name: the first cell of its row, or what is before the colon.

    Of a line with several ("**Hull:** 24 **Speed:** 8") those of each.
    """
    line = file.lines.get(field.first_line, "")
    if line.lstrip().startswith("|"):
        written = [raw_cells(line)[0]]
    else:
        written = _BOLD_NAME.findall(line) or [line.split(":")[0]]
    return [stems for name in written if (stems := asked.stems(name))]


def with_legends(place: CardPlace, pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a card and what its file says of abbreviations in their tables.

    In the order of the file, and of another section only where the own one says nothing. Whoever
    reads "Power bank | ✓ | ✗" below "Thing | C | H" needs the line "C = cabin, H = hold".
    """
    tables = [piece for piece in pieces if piece.form == "table"]
    short = {
        cell
        for piece in tables
        for number in numbers(piece)
        for written in _SEVERAL.split(place.file.lines.get(number, ""))
        if 0 < len(cell := written.strip(_MARKS)) <= LONGEST
        and not cell.isdigit()
        and not _is_word(cell)
    }
    made = list(pieces)
    shown = {number for piece in pieces for number in numbers(piece)}
    own = list(_explaining(place, place.section, short)) if short else []
    elsewhere = [] if own or not short else list(_explaining(place, place.blocks, short))[:1]
    for block, part in [*own, *elsewhere, *_footnotes(place, tables)]:
        if shown.isdisjoint(part.numbers):
            made = _added(made, block, part)
    return sorted(made, key=lambda piece: piece.parts[0].first_line)


def _footnotes(place: CardPlace, tables: Sequence[Piece]) -> Iterator[tuple[Block, Part]]:
    """The short parts of the section that begin with a mark behind a shown cell: "12*"."""
    lines = [place.file.lines.get(n, "") for piece in tables for n in numbers(piece)]
    marks = {found["mark"] for line in lines for found in _MARKED_CELL.finditer(line)}
    for block in place.section if marks else ():
        for part in block.parts if block.kind in {"paragraph", "list"} else ():
            noted = _NOTE_MARK.match(place.file.lines.get(part.first_line, ""))
            if (
                noted
                and noted["mark"] in marks
                and has_at_most(_LEGEND_WORDS, place.file, part.numbers)
            ):
                yield block, part


def _is_word(cell: str) -> bool:
    """Whether a cell is a word and abbreviates nothing: "Cost"."""
    return len(cell) > _SHORT and cell[1:].islower()


def _explaining(
    place: CardPlace, blocks: Sequence[Block], short: set[str]
) -> Iterator[tuple[Block, Part]]:
    """The short parts of these blocks that explain one of the abbreviations."""
    for block in blocks:
        if block.kind not in {"paragraph", "list"}:
            continue
        for part in block.parts:
            text = "\n".join(place.file.lines.get(number, "") for number in part.numbers)
            if not has_at_most(_LEGEND_WORDS, place.file, part.numbers):
                continue
            if explained_signs(text, short):
                yield block, part


def _added(pieces: Sequence[Piece], block: Block, part: Part) -> list[Piece]:
    """The pieces with a further part; one of a block that is shown becomes part of its piece."""
    for at, piece in enumerate(pieces):
        if any(one in block.parts for one in piece.parts):
            parts = tuple(sorted((*piece.parts, part), key=lambda one: one.first_line))
            more = replace(piece, parts=parts, left_out=max(0, piece.left_out - 1))
            return [*pieces[:at], more, *pieces[at + 1 :]]
    return [*pieces, Piece(form_of(block), None, (part,), len(block.parts) - 1)]
