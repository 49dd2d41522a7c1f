"""What leads to a list or a table, and the numbered steps that say how something is done."""

import re
from collections.abc import Sequence

from api.answer.cards.asked_parts import above as words_above
from api.answer.cards.blocks import Block, Part, introduces
from api.answer.cards.card import (
    BELOW,
    CardPlace,
    Piece,
    form_of,
    has_at_most,
    is_step,
    numbers,
    whole,
)
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords

_OF_STEPS = re.compile(r"\bsteps?\b|\bin (?:this |that |the )?(?:order|turn)\b", re.IGNORECASE)
STEPS_WORDS = 150  # of numbered steps one of which answers: of a procedure none is left out
LEAST_STEPS = 3  # of what is one by its numbers alone
_LEAST = 2  # of a procedure that is asked for
_MOSTLY = 0.5  # of a question


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


def procedure(place: CardPlace, best: Entry, asked: QuestionWords) -> Block | None:
    """Return the numbered steps that say how something is done.

    The best entry is one of them, or what leads to them. None where what is nested in a step
    answers, or one of the steps alone.
    """
    for above, block in zip([None, *place.section], place.section, strict=False):
        firsts = [_first_entry(place.file, part) for part in block.parts]
        is_nested = block.holds(best) and best not in firsts
        said = asked.words & asked.stems(best.quote)
        is_told = is_nested and not said <= words_above(place.file, block, asked)
        is_step_of_it = block.holds(best) and not is_told
        leads = above is not None and above.kind == "paragraph" and above.holds(best)
        if not is_step_of_it and not (leads and _leads(best.quote)):
            continue
        are_steps = block.kind == "list" and len(block.parts) >= _LEAST
        if are_steps and all(is_step(place.file, part) for part in block.parts):
            return None if _says_one(place, block, asked) else block
    return None


def _leads(prose: str) -> bool:
    return introduces(prose) or any(one.search(prose) for one in (BELOW, _OF_STEPS))


def _first_entry(file: IndexedFile, part: Part) -> Entry | None:
    return next((one for one in file.entries if part.holds(one)), None)


def _says_one(place: CardPlace, block: Block, asked: QuestionWords) -> bool:
    """Whether one item says most of a question, and more than what stands above the list.

    "How do I report damage" is told by one house rule of nine.
    """
    lines = place.file.lines
    said = (asked.stems(" ".join(lines.get(n, "") for n in p.numbers)) for p in block.parts)
    most = max(map(asked.share, said))
    return most >= _MOSTLY and most > asked.share(words_above(place.file, block, asked))


def outlined(file: IndexedFile, steps: Block) -> Piece:
    """Return steps without what is nested in them, where they are too long to be shown whole."""
    if has_at_most(STEPS_WORDS, file, numbers(whole(steps))):
        return whole(steps)
    first = ((part, _first_entry(file, part)) for part in steps.parts)
    shown = tuple(Part(part.first_line, one.last_line) for part, one in first if one)
    return Piece(form_of(steps), steps.lead, shown, 0)
