"""Whether a question of a table's columns is understood as a whole, its denial included."""

import re
from collections.abc import Sequence

from api.answer.cards.folders import folders
from api.answer.cards.lists.rows.table_rows import Column, Table
from api.answer.question.modality import modality
from api.answer.question.plain_words import LIGHT, PLAIN
from retrieval.ranking.lines import QuestionWords
from retrieval.text import denials
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import stems_of

DENIAL = re.compile(
    rf"\b(?:{denials.ASKED}|none|nothing|cant|dont|doesnt|forbidden|banned|prohibited)\b|n['’]t\b",
    re.IGNORECASE,
)
# What says no in a word of its own, or of which one cannot tell what it is said of.
UNCLEAR = re.compile(
    r"\b(?:free|allerg\w*|lacks?|lacking|neither|nor|or|except|besides|excluding|avoid|unsafe|"
    r"unable|missing|intoleran\w*|only)\b|\bnon-|\b(?:and|or)(?: what)? (?:not|cannot|\w+n['’]t)\b",
    re.IGNORECASE,
)
_FREE = re.compile(r"\bfree\b", re.IGNORECASE)
_CALLED_FREE = frozenset(stems_of("free"))


def is_all_understood(
    columns: Sequence[tuple[str, ...]],
    table: Table,
    asked: QuestionWords,
    said: frozenset[str],
    about: frozenset[str],
    *,
    is_named: bool,
) -> bool:
    """Tell whether a question asks for the table's things, without a word that may turn its sense.

    "Which areas are closed to visitors" is no question for what they may enter.
    """
    things = (about | asked.stems(" ".join(name for name, *_ in columns))) - said
    if is_named and is_unknown(asked):
        things |= _noun(asked)
    rows = asked.stems(" ".join(cell for _, row in table for cell in row))
    is_of_table = (
        is_named or not asked.words.isdisjoint(things) or modality(asked.question) == "must not"
    )
    return is_of_table and asked.words <= things | said | rows | PLAIN


def is_unknown(asked: QuestionWords) -> bool:
    """Tell whether what a question opens with is part of no name: "guns" of a table of weapons."""
    noun = _noun(asked)
    is_folder = bool(folders.opening_nouns(asked.question, asked.terms))
    return bool(noun) and not is_folder and noun.isdisjoint(asked.terms.named_words)


def _noun(asked: QuestionWords) -> frozenset[str]:
    opening = folders.OPENING.match(asked.question)
    return asked.stems(opening["noun"] or opening["last"]) if opening else frozenset()


def denies(asked: QuestionWords, column: frozenset[str], about: frozenset[str]) -> bool:
    """Tell whether the question's one denial is of a column: nothing that says more is between.

    What stands above the table says no more: "systems that cannot be repaired under way".
    """
    found = DENIAL.search(asked.question)
    behind = WORD.findall(asked.question[found.end() :].lower()) if found else []
    until = next((n for n, word in enumerate(behind) if asked.stems(word) & column), None)
    return until is not None and all(
        word in LIGHT or asked.stems(word) <= about for word in behind[:until]
    )


def is_last(denied: Sequence[Column], marked: Sequence[Column], asked: QuestionWords) -> bool:
    """Tell whether one column is denied, and all others are asked for before that.

    "Underground and do not fight" is plain, "do not go underground and fight" is not.
    """
    found = DENIAL.search(asked.question)
    before = asked.stems(asked.question[: found.start()]) if found else frozenset[str]()
    return len(denied) == 1 and all(one in denied or one.said <= before for one in marked)


def without_names(question: str, named: Sequence[Column]) -> str:
    """Return a question without "free" where a column is called so: "Step-free"."""
    has_free = any(not one.name.isdisjoint(_CALLED_FREE) for one in named)
    return _FREE.sub(" ", question) if has_free else question
