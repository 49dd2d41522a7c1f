"""Which fields of a stat block a question asks for."""

from collections.abc import Sequence
from dataclasses import replace

from api.answer.cards.blocks import Part
from api.answer.cards.card import Piece
from api.answer.cards.place import CardPlace
from retrieval.index.terms import raw_cells, stems_of
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords, RankedLine


def field_asked(place: CardPlace, best: RankedLine, asked: QuestionWords) -> Piece | None:
    """Return the fields asked for, where the best entry is among them: nothing else is wanted."""
    for block in place.section:
        if block.kind == "fields" and block.holds(best.entry):
            named = _named_fields(place.file, block.parts, asked)
            if any(part.holds(best.entry) for part in named):
                return Piece("fields", block.lead, tuple(named), len(block.parts) - len(named))
    return None


def own_field(place: CardPlace, best: Entry, asked: QuestionWords) -> Entry:
    """Return the best entry; of one that holds several fields, a line each, the one asked for."""
    lines = best.quote.split("\n")
    block = next((one for one in place.section if one.kind == "fields" and one.holds(best)), None)
    if block is None or len(lines) != best.last_line - best.first_line + 1 or len(lines) == 1:
        return best
    own = [part for part in block.parts if part.holds(best)]
    field = (_named_fields(place.file, own, asked) or own)[0]
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
    """The fields that the question names; where it names none, those it asks for otherwise."""
    names = {part: _name_of(file, part, asked) for part in parts}
    named = [part for part in parts if names[part] and names[part] <= asked.words]
    named = named or [part for part in parts if names[part] & asked.words]
    return named or [part for part in parts if names[part] & asked.fields]


def _name_of(file: IndexedFile, field: Part, asked: QuestionWords) -> frozenset[str]:
    """The stems of a field's name: the first cell of its row, or what is before the colon."""
    line = file.lines.get(field.first_line, "")
    name = raw_cells(line)[0] if line.lstrip().startswith("|") else line.split(":")[0]
    return asked.terms.in_full(stems_of(name))
