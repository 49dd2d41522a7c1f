"""What leads to a list or a table, and the numbered steps that say how something is done."""

import re
from collections.abc import Sequence

from api.answer.cards.blocks import Block, Part, introduces
from api.answer.cards.card import CardPlace, Piece, form_of, has_at_most, numbers, whole
from api.answer.question.list_phrases import HOW_TO
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords

_BELOW = re.compile(
    r"\b(?:(?:named|listed|given|shown|set out|described|tables?|lists?|steps) below|as follows|"
    r"the following)\b",
    re.IGNORECASE,
)
STEP = re.compile(r"^ {0,8}\d{1,3}[.)]\s")
STEPS_WORDS = 150  # of numbered steps one of which answers: of a procedure none is left out
LEAST_STEPS = 3  # of a procedure


def introducing(file: IndexedFile, block: Block, found: Sequence[Block]) -> Block | None:
    """Return the sentence's beginning directly above a list, of the file's blocks; else None.

    "The hirer may not" has no colon, so the index knows it as a paragraph; without it the items
    below say the opposite.
    """
    if block.kind != "list" or block.lead or block not in found[1:]:
        return None
    above = found[found.index(block) - 1]
    same = above.kind == "paragraph" and above.heading == block.heading
    return above if same and introduces(file.lines.get(above.last_line, "")) else None


def introduced(place: CardPlace, last: int) -> Block | None:
    """Return the block directly below a line that leads to it, after nothing but blank lines."""
    lines = place.file.lines
    above = lines.get(last, "")
    if not introduces(above) and not _BELOW.search(above):
        return None
    following = next((n for n in range(last + 1, max(lines) + 1) if lines.get(n, "").strip()), None)
    starts = {block.parts[0].first_line: block for block in place.blocks}
    starts |= {block.first_line: block for block in place.blocks if block.kind == "table"}
    return starts.get(following) if following else None


def procedure(place: CardPlace, best: Entry, asked: QuestionWords) -> Block | None:
    """Return the numbered steps that say how something is done, where that is asked.

    The best entry is one of them, or the prose directly above. None for other questions.
    """
    if not HOW_TO.match(asked.question):
        return None
    for above, block in zip([None, *place.section], place.section, strict=False):
        are_steps = block.kind == "list" and len(block.parts) >= LEAST_STEPS
        is_asked = block.holds(best) or (
            above is not None and above.kind == "paragraph" and above.holds(best)
        )
        if are_steps and is_asked and all(is_step(place.file, part) for part in block.parts):
            return block
    return None


def outlined(file: IndexedFile, steps: Block) -> Piece:
    """Return steps without what is nested in them, where they are too long to be shown whole."""
    if has_at_most(STEPS_WORDS, file, numbers(whole(steps))):
        return whole(steps)
    first = {
        part: next((one for one in file.entries if part.holds(one)), None) for part in steps.parts
    }
    shown = tuple(Part(part.first_line, one.last_line) for part, one in first.items() if one)
    return Piece(form_of(steps), steps.lead, shown, 0)


def is_step(file: IndexedFile, part: Part) -> bool:
    """Tell whether a part of a list begins with a number: "3. Pay the deposit"."""
    return STEP.match(file.lines.get(part.first_line, "")) is not None
