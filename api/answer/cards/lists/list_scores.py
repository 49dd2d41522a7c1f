"""How likely a list, a table or a file's sections are what a question asks for as a whole."""

import math
import re
from collections.abc import Sequence

from api.answer.cards.asked_parts import above, header
from api.answer.cards.blocks import Block, blocks
from api.answer.cards.card import is_step
from api.answer.cards.lead_ins import introducing
from api.answer.question.modality import modality
from retrieval.models import IndexedFile
from retrieval.ranking.lines import QuestionWords, RankedLine
from retrieval.vocabulary.terms import raw_cells, stems_of

_NEAREST = 3  # of its lines, whose mean nearness counts
_NAMED = 0.3  # what a heading and lead-in add that say all that is asked
_LAST = 0.1  # what a block's own heading adds all of whose words are asked for
_COLUMN = 0.2  # what a table adds one of whose first columns is called as what is asked for
_ROLLED = 0.4  # what a random table adds whose die is named
_WHOLE = 0.2  # what a section adds whose heading and whose file are both asked for: their share
_FOLDERS = 0.5  # of it, where nothing but the path's folders say it
_LENGTH = 0.03  # what twice as many parts add
_OTHER_KIND = {
    "fields": 0.2,
    "headings": 0.15,
    "lines": 0.1,
}  # what these cost: seldom what a list is
_NUMBERED = 0.2  # what steps cost where things are asked for: "list all traps"
_UNREAD = 0.15  # what a block of a passage's file costs no entry of which search has returned
_WAYS = re.compile(
    r"\b(?P<head>ways|steps|reasons|requirements|conditions) (?:to|if|when)\b", re.IGNORECASE
)
_KINDS = re.compile(r"\b(?:types?|kinds?|sorts?|categor(?:y|ies)|classes)\b", re.IGNORECASE)
_OF_STEPS = re.compile(
    r"\b(?:steps?|order|sequence|procedure|process|how|do|done|happens?|way|ways|phases?|stages?|rules|"
    r"when|after|before|first)\b",
    re.IGNORECASE,
)
_DIE = re.compile(r"\W*\d*d(?:\d+|%)\W*", re.IGNORECASE)  # of a random table, and no thing's name
_DIE_WORD = re.compile(r"d(?:\d+|%)")


def score(
    file: IndexedFile,
    block: Block,
    held: Sequence[RankedLine],
    lines: Sequence[RankedLine],
    asked: QuestionWords,
) -> float:
    """Return how likely a block is what is asked for; `held` are the passage's lines in it."""
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
            -_NUMBERED * _are_steps(file, block, asked),
            _NAMED * _share_named(file, block, asked),
        )
    )


def _are_steps(file: IndexedFile, block: Block, asked: QuestionWords) -> bool:
    """Whether a block may be steps where things are asked for; below "Officers" are officers."""
    if not is_numbered(file, block) or _OF_STEPS.search(asked.question):
        return False
    own = asked.stems(block.heading.rsplit(" > ", 1)[-1])
    return not own <= asked.words


def is_numbered(file: IndexedFile, block: Block) -> bool:
    """Tell whether a block's first part has a number."""
    return is_step(file, block.parts[0])


def same_modality(file: IndexedFile, block: Block, question: str) -> int:
    """Return 1 for a list of what must, may or must not be, as is asked; -1 for another of these.

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


def names_kinds(block: Block, question: str) -> bool:
    """Tell whether a question for kinds ("types of saves") meets a heading that says as much."""
    own = block.heading.rsplit(" > ", 1)[-1]
    return bool(_KINDS.search(question) and _KINDS.search(own))


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
