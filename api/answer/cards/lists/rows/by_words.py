"""The rows of a table that say in words what is asked besides its name and columns."""

import re
from collections.abc import Sequence

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import Block, Part
from api.answer.cards.folders import folders
from api.answer.cards.lists.rows.by_cell import said_in_column, with_value_alone, without_value
from api.answer.cards.lists.rows.by_mark import also_marked
from api.answer.cards.lists.rows.table_rows import Chosen, as_typed, beside, named_table
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.vocabulary.terms import raw_cells, stems_of

_LEAST_ROWS = 2  # that say what is asked; one alone may say it by chance
DENIED = (
    r"not|no|never|without|besides|except|but|over|under|above|below|between|up to|before|after|"
    r"more|less|than"
)
NOT_BY_WORDS = re.compile(rf"\b(?:{DENIED}|at|only|exclusively)\b|n['’]t\b", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:no|without) ([a-z]{3,})", re.IGNORECASE)
_COMPARED = re.compile(rf"\b(?:{DENIED}|only|just|both|exclusively)\b|n['’]?t\b", re.IGNORECASE)
_COMPARES = re.compile(rf"\b(?:{DENIED}|from|to|least|most)\b|n['’]t\b", re.IGNORECASE)
# Of these one cannot tell what they are said of: a word that is dropped may turn the sense.
_UNCLEAR = re.compile(
    r"\b(?:and|or|but|free|allerg\w*|lacks?|lacking|neither|nor|excluding|avoid|unsafe|safe|"
    r"unable|missing|intoleran\w*|only|against|closed|exempt|bad|immune|resist\w*|protect\w*)\b|\bnon-|\bun\w+",
    re.IGNORECASE,
)
_ANY = re.compile(r"(?:any(?:one|body)?|all|every(?:one|body)?)$", re.IGNORECASE)
NUMBER = re.compile(r"(?<!\w)\d[\d.,]*\b")
# What a row need not say that is asked for: "which poisons are put on a blade".
_LIGHT = frozenset(
    stems_of(
        "put use used go goes work works apply applies need needs get come one give gives have has "
        "offer offers include includes take takes show shows"
    )
)


def by_words(
    file: IndexedFile,
    block: Block,
    rows: Sequence[tuple[Part, str]],
    asked: QuestionWords,
    nearest: Entry | None = None,
) -> Chosen | None:
    """Return the rows alone that say what the table's name and columns do not.

    None where these words are none, deny or compare something, and where one row or all say so,
    but for the one that a number of the question is the name of, and the nearest one, where the
    section says these words nowhere else. A number has to be a whole cell.
    """
    said = asked.stems(" ".join(row for _, row in rows))
    over = above(file, block, asked)
    words = asked.words - over - ((folders.SAID_WITH_IT | _LIGHT) - said)
    if words & said and not _UNCLEAR.search(asked.question):  # "diseases you catch by breath"
        words -= words - said - asked.stems(" ".join(entry.words for entry in file.entries))
    figures = set(NUMBER.findall(asked.question)) - over  # "Dungeon Level 2"
    if str(len(rows)) in words - figures:  # "the twelve cursed items" are all of them
        return None
    cells = [(part, row, [cell.strip("`* ") for cell in raw_cells(row)]) for part, row in rows]
    called = [part for part, _, own in cells if figures and own and {own[0]} == figures]
    is_its_name = words <= asked.stems(" ".join(figures))
    if len(called) == 1 and is_its_name and not _COMPARES.search(asked.question):
        return Chosen(tuple(called), tuple(sorted(figures)))  # "skills at level 5"
    without = _WITHOUT.findall(asked.question.lower())  # "with no recoil"
    if NOT_BY_WORDS.search(_WITHOUT.sub(" ", asked.question)):
        return None
    saying = tuple(
        part
        for part, row, own in cells
        if words <= asked.stems(row) and figures <= set(own)
        and set(without).issubset(_WITHOUT.findall(searchable(row).lower()))
    )  # fmt: skip
    is_nearest = nearest is not None and not figures and any(one.holds(nearest) for one in saying)
    opening = folders.OPENING.match(asked.question)
    noun = asked.stems(opening["noun"] or opening["last"]) if opening else frozenset[str]()
    # "Which devices am I allowed to use": "Devices per member" says no more than the noun.
    is_alone = is_nearest and not words <= noun
    is_alone = is_alone and words.isdisjoint(asked.stems(beside(file, block)))
    if words <= _LIGHT or not (1 if is_alone else _LEAST_ROWS) <= len(saying) < len(rows):
        return None
    anybody = _for_any(words, [(part, own) for part, _, own in cells], saying, asked)
    typed = [word for word in as_typed(words, asked) if word.lower() not in without]
    denied = [word for one in without for word in ("no", one)]
    return Chosen(tuple(p for p, _ in rows if p in (*saying, *anybody)), (*typed, *denied))


def by_value_alone(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """Return the rows with the one value that is asked for; None where more is, or it is denied."""
    if _COMPARED.search(asked.question) or _UNCLEAR.search(asked.question):
        return None
    names, table = named_table(file, block, rows)
    parts, value = with_value_alone(names, table, asked.words - above(file, block, asked), asked)
    return Chosen(parts, as_typed(value, asked), by_value=True) if parts else None


def by_cell(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """Return the rows that say the rest in a column that is named, or another value."""
    names, table = named_table(file, block, rows)
    said = asked.stems(" ".join(row for _, row in rows))
    rest = asked.words - above(file, block, asked)
    others, value = without_value(table, rest - _LIGHT, asked)
    if others:
        return Chosen(others, ("not", value))
    if _COMPARED.search(asked.question):
        return None
    parts = said_in_column(names, table, rest & said, asked) if rest <= said | _LIGHT else ()
    parts = also_marked(names, table, parts, asked) or ()
    return Chosen(parts, as_typed(rest - _LIGHT, asked)) if parts else None


def _for_any(
    words: frozenset[str],
    rows: Sequence[tuple[Part, Sequence[str]]],
    saying: Sequence[Part],
    asked: QuestionWords,
) -> list[Part]:
    """The rows that say "any" or "all" in the first column where the others say these words."""
    cells = [own for part, own in rows if part in saying]
    columns = range(1, min(map(len, cells)))
    of_words = [n for n in columns if all(words <= asked.stems(own[n]) for own in cells)]
    if not of_words:
        return []
    column = of_words[0]
    return [part for part, own in rows if _ANY.match("".join(own[column : column + 1]))]
