"""Of which rows or items nothing tells one from the others: none of them, or each, is asked for."""

import re

from api.answer.cards.asked_parts import above, header
from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.card import CardPlace
from api.answer.question.superlatives import superlatives
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.vocabulary.terms import raw_cells

_BEST = re.compile(
    r"(?:^\W*|\b(?:which|what)\b(?: [\w'’-]{1,20}){0,4} )(?:best|worst)\b"
    r"(?! (?:way|time|place|price|day)\b)",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\b(?:each|every) (?:of (?:the|our|your) )?(?P<thing>[\w-]{2,30})", re.IGNORECASE
)
_BEGINS_WITH_NUMBER = re.compile(r"\W*\d")
WHEN = re.compile(r"\bwhen\b", re.IGNORECASE)
CASES = re.compile(r"\b(?:when(?:ever)?|if|as soon as)\W*$", re.IGNORECASE)  # ends a lead-in


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


def is_of_numbers(place: CardPlace, block: Block, asked: QuestionWords) -> bool:
    """Whether a table's rows are for numbers of which the question has none, nor a word of one."""
    if block.kind != "table" or asked.values or asked.codes:
        return False
    rows = [place.file.lines.get(part.first_line, "") for part in block.parts]
    names = [next(iter(raw_cells(row)), "") for row in rows]
    said = asked.words & asked.stems(" ".join(rows))
    return all(map(_BEGINS_WITH_NUMBER.match, names)) and said <= above(place.file, block, asked)


def of_each(place: CardPlace, block: Block, asked: QuestionWords) -> tuple[Part, ...]:
    """All rows of a table of things, where each is asked for, or all cases where that is "when".

    "How many people fit in each room", below "Room"; "when do I roll", below "Roll when:".
    """
    if block.kind == "list" and WHEN.search(asked.question):
        lead = "".join(header(place.file, block))
        is_of_cases = CASES.search(lead) and not asked.words.isdisjoint(asked.stems(lead))
        return block.parts if is_of_cases else ()
    each = _EACH.search(asked.question) if block.kind == "table" and block.lead else None
    names = (
        raw_cells(place.file.lines.get(block.lead.first_line, "")) if each and block.lead else []
    )
    is_called_so = each and names and asked.stems(names[0]) == asked.stems(each["thing"])
    return block.parts if is_called_so else ()
