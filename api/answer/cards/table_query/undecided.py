"""Whether a table's rows are compared by something that no column tells: "the best boat"."""

import re

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import blocks
from api.answer.question.superlatives import superlatives
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.vocabulary.terms import raw_cells

_BEST = re.compile(
    r"(?:^\W*|\b(?:which|what)\b(?: [\w'’-]{1,20}){0,4} )(?:best|worst)\b"
    r"(?! (?:way|time|place|price|day)\b)",
    re.IGNORECASE,
)


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
