"""The rows whose cell in a named column says the rest: "goods that sell dear at mines"."""

import re
from collections.abc import Sequence

from api.answer.cards.blocks import Part
from api.answer.cards.lists.rows.table_rows import SEPARATORS, Table
from api.answer.question.plain_words import PLAIN
from retrieval.ranking.lines import QuestionWords
from retrieval.text import denials

_NOT = re.compile(
    r"(?:\bnot|n['’]t|\bdont|\bwithout|\bno) (?:(?:need|have|require|want) )?"
    r"(?:an? |any |of |on |in |at |the )?(?P<value>[\w-]{2,20}(?: [\w-]{2,20})?)\W*$",
    re.IGNORECASE,
)
# Of cells that say more than a value, of columns that turn it, of questions about the rows.
_MORE = re.compile(
    r"\b(?:any|all|every|daily|both|always|whole|except|not|only|but|from|until)\w{0,5}\b|"
    r"\d ?[-–] ?\d|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6} ?(?:[-–]|to\b)",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:closed|not|no|except|without|forbidden|banned|weak|against|instead|former|formerly|last|"
    r"previous|old|excluded|never|unsuitable|avoid)\b",
    re.IGNORECASE,
)
_ASKS_OF_ROWS = re.compile(
    r"\b(?:needs?|requires?|costs?|do|does|pays?|weighs?|takes?|gets?|how|when|who)\b",
    re.IGNORECASE,
)
_LEAST = 2  # rows of a value that tells kinds of rows apart


def said_in_column(
    names: Sequence[str], table: Table, rest: frozenset[str], asked: QuestionWords
) -> tuple[Part, ...]:
    """Return the rows with all of `rest` in one cell of a column whose name the question holds.

    None where no such column has it, or every row; of several columns the one whose name says most.
    `rest` are the stems of the question that the table's name and columns do not say.
    """
    best: tuple[int, tuple[Part, ...]] = (0, ())
    stems = [asked.stems(name) for name in names]
    for place, own in enumerate(stems):
        others = frozenset[str]().union(*(one for n, one in enumerate(stems) if n != place))
        # "The tool shed" alone is in one column: "Tool Shed counter".
        is_part = len(own & asked.words - others) > 1
        # The first column is what the rows are called.
        if not (place and rest and own and (own <= asked.words or is_part)):
            continue
        saying = tuple(
            part
            for part, cells in table
            # "Not allowed" says nothing of "allowed".
            if rest <= asked.stems(denials.stated("".join(cells[place : place + 1])))
        )
        if 0 < len(saying) < len(table) and len(own) > best[0]:
            best = (len(own), saying)
    return best[1]


def with_value_alone(
    names: Sequence[str], table: Table, rest: frozenset[str], asked: QuestionWords
) -> tuple[tuple[Part, ...], frozenset[str]]:
    """Return the rows with one value, where that is all that is asked: "list the red machines".

    And the stems of the value: a cell, or one thing of it, of several rows of one column. `rest`
    are those of the question that what stands above the table does not say; more than its columns'
    names and the value is not understood, and the things have to be named. None where a cell or
    the column's name says more than a value: "red in summer", "any", "closed to".
    """
    value = rest - asked.stems(" ".join(names)) - PLAIN
    none: tuple[tuple[Part, ...], frozenset[str]] = ((), value)
    if not value or asked.words - PLAIN <= value or _ASKS_OF_ROWS.search(asked.question):
        return none
    having: list[tuple[Part, ...]] = []
    for place, name in enumerate(names):
        cells = [(part, "".join(own[place : place + 1])) for part, own in table]
        saying = [(part, cell) for part, cell in cells if value <= asked.stems(cell)]
        if not place or not saying:
            continue
        is_plain = all(_is_one_of(value, cell, asked) for _, cell in saying)
        if not is_plain or _TURNS.search(name) or any(_MORE.search(cell) for _, cell in cells):
            return none
        having.append(tuple(part for part, _ in saying))
    is_one = len(having) == 1 and _LEAST <= len(having[0]) < len(table)
    return (having[0], value) if is_one else none


def _is_one_of(value: frozenset[str], cell: str, asked: QuestionWords) -> bool:
    """Whether a value is all of a cell, or of one thing in it: "guests, members"."""
    return any(asked.stems(one) == value for one in SEPARATORS.split(cell))


def without_value(
    table: Table, rest: frozenset[str], asked: QuestionWords
) -> tuple[tuple[Part, ...], str]:
    """Return the rows with another value than the one denied: "machines that are not red".

    And that value. None where it is no whole cell of one column, or more is asked than that.
    """
    denied = _NOT.search(asked.question)
    value = asked.stems(denied["value"]) if denied else frozenset()
    if not value or not value <= rest <= value | PLAIN:
        return (), ""
    width = min((len(cells) for _, cells in table), default=0)
    having = [
        place for place in range(1, width)
        if any(asked.stems(cells[place]) == value for _, cells in table)
    ]  # fmt: skip
    if len(having) != 1:
        return (), ""
    cells = [(part, own[having[0]]) for part, own in table]
    others = tuple(part for part, own in cells if own and value.isdisjoint(asked.stems(own)))
    said = denied["value"] if denied else ""
    return (others, said) if 0 < len(others) < len(table) else ((), "")
