"""The rows whose cell in a named column says the rest: "goods that sell dear at mines"."""

from collections.abc import Mapping, Sequence

from api.answer.cards.blocks import Part
from retrieval.ranking.lines import QuestionWords

Table = Sequence[tuple[Part, Sequence[str]]]  # the rows of a table with their cells


def said_in_column(
    names: Sequence[str], table: Table, rest: frozenset[str], asked: QuestionWords
) -> tuple[Part, ...]:
    """Return the rows with all of `rest` in one cell of a column whose name the question holds.

    None where no such column has it, or every row; of several columns the one whose name says most.
    `rest` are the stems of the question that the table's name and columns do not say.
    """
    best: tuple[int, tuple[Part, ...]] = (0, ())
    for place, name in enumerate(names):
        own = asked.stems(name)
        # The first column is what the rows are called.
        if not (place and rest and own and own <= asked.words):
            continue
        saying = tuple(
            part for part, cells in table if rest <= asked.stems("".join(cells[place : place + 1]))
        )
        if 0 < len(saying) < len(table) and len(own) > best[0]:
            best = (len(own), saying)
    return best[1]


def of_sign(
    signs: Mapping[str, str], table: Table, rest: frozenset[str], asked: QuestionWords
) -> tuple[Part, ...]:
    """Return the rows with the sign that stands for what is asked: "skills that need a handbook".

    `signs` is what the text beside the table says of them. None where no meaning or several say all
    of `rest`, or where the sign is in two columns.
    """
    meant = [sign for sign, means in signs.items() if rest and rest <= asked.stems(means)]
    if len(meant) != 1:
        return ()
    found = [
        (part, column)
        for part, cells in table
        for column, cell in enumerate(cells)
        if cell.strip("`* ") == meant[0]
    ]
    is_one_column = len({column for _, column in found}) == 1
    return tuple(part for part, _ in found) if is_one_column and len(found) < len(table) else ()
