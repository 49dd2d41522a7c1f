"""Choose the rows of a table that a question asks for: by words, a number or a superlative."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from api.answer.cards import folders
from api.answer.cards.asked_parts import above, header
from api.answer.cards.blocks import Block, Part
from api.answer.cards.lists import heading_lists
from api.answer.cards.lists.rows_by_column import asked_column, extreme_rows
from api.answer.cards.lists.rows_by_mark import marked_rows
from api.answer.question.limits import Amount, amount, without
from retrieval.models import Entry, IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.legends import explained
from retrieval.vocabulary.terms import column_names, raw_cells, stems_of

_LEAST_ROWS = 2  # that say what is asked; one alone may say it by chance
_DENIED = (
    r"not|no|never|without|besides|except|but|over|under|above|below|between|up to|before|after|"
    r"more|less|than"
)
_NOT_BY_WORDS = re.compile(rf"\b(?:{_DENIED}|at)\b|n['’]t\b", re.IGNORECASE)
_COMPARES = re.compile(rf"\b(?:{_DENIED}|from|to|least|most)\b|n['’]t\b", re.IGNORECASE)
# "**G** goggles, **E** ear defenders": in the section of a table they name its columns.
_BOLD_SIGN = re.compile(
    r"\*\*([A-Z]\w{0,4})\*\*:? (?:[–—-] )?(\w{2,20}(?: \w{2,20}){0,2})(?=[,;.]|\s*$)", re.MULTILINE
)
_NAME_ENDS = re.compile(r":| (?:to|of|for|in|per) ")  # of "transferable to others"
_ANY = re.compile(r"(?:any(?:one|body)?|all|every(?:one|body)?)$", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\w)\d[\d.,]*\b")
# What a row need not say that is asked for: "which poisons are put on a blade".
_LIGHT = frozenset(
    stems_of("put use used go goes work works apply applies need needs get come one")
)


class Chosen(NamedTuple):
    """Some of a table's rows, with what of the question chose them, as it was typed."""

    parts: tuple[Part, ...]
    said: tuple[str, ...]


def chosen(
    file: IndexedFile,
    block: Block,
    asked: QuestionWords,
    *,
    is_likeliest: bool = True,
    is_whole: bool = False,
    nearest: Entry | None = None,
) -> Chosen | None:
    """Return the rows of a table, or the headings, that are asked for.

    None where that is all or none of them, and of a list of items. `is_whole`: its name, its
    columns among it, says all that is asked, so that marks alone choose. A number falls into ranges
    of many tables, so of one that is not the likeliest it chooses none. `nearest` is the row that
    search found nearest: words choose it alone, too.
    """
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    if block.kind == "headings":
        found, said = heading_lists.labelled(file, block, asked)
        if found and not _NOT_BY_WORDS.search(asked.question):
            return Chosen(found, _as_typed(said, asked))
        return _by_words(file, block, rows, asked)
    if block.kind != "table":
        return None
    if is_whole:
        return _by_mark(file, block, rows, asked)
    return (
        _by_amount(file, block, rows, asked)
        or _by_superlative(file, block, rows, asked)
        or _by_mark(file, block, rows, asked)
        or (_by_range(file, block, rows, asked) if is_likeliest else None)
        or _by_words(file, block, rows, asked, nearest)
    )


def _by_words(
    file: IndexedFile,
    block: Block,
    rows: Sequence[tuple[Part, str]],
    asked: QuestionWords,
    nearest: Entry | None = None,
) -> Chosen | None:
    """The rows alone that say what the table's name and columns do not.

    None where these words are none, deny or compare something, and where one row or all say so,
    but for the one that a number of the question is the name of, and the nearest one, where the
    section says these words nowhere else. A number has to be a whole cell.
    """
    said = asked.stems(" ".join(row for _, row in rows))
    words = asked.words - above(file, block, asked) - ((folders.SAID_WITH_IT | _LIGHT) - said)
    figures = set(_NUMBER.findall(asked.question))
    cells = [(part, row, [cell.strip("`* ") for cell in raw_cells(row)]) for part, row in rows]
    called = [part for part, _, own in cells if figures and own and {own[0]} == figures]
    is_its_name = words <= asked.stems(" ".join(figures))
    if len(called) == 1 and is_its_name and not _COMPARES.search(asked.question):
        return Chosen(tuple(called), tuple(sorted(figures)))  # "skills at level 5"
    if _NOT_BY_WORDS.search(asked.question):
        return None
    saying = tuple(
        part for part, row, own in cells if words <= asked.stems(row) and figures <= set(own)
    )
    is_nearest = nearest is not None and not figures and any(one.holds(nearest) for one in saying)
    is_alone = is_nearest and words.isdisjoint(_around(file, block, asked))
    if not words or not (1 if is_alone else _LEAST_ROWS) <= len(saying) < len(rows):
        return None
    anybody = _for_any(words, [(part, own) for part, _, own in cells], saying, asked)
    return Chosen(tuple(p for p, _ in rows if p in (*saying, *anybody)), _as_typed(words, asked))


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


def _by_range(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """The rows whose range holds the question's number: "charisma 9" is one of "9-12".

    Of them those alone that say what else is asked and stands in the table: "fighters at level 4".
    """
    if len(asked.values) != 1 or _COMPARES.search(asked.question):
        return None
    ranges = [entry for entry in file.entries if asked.in_range(entry)]
    figures = set(_NUMBER.findall(asked.question))
    words = asked.words - above(file, block, asked) - asked.stems(" ".join(figures))
    words &= asked.stems(" ".join(row for _, row in rows))
    saying = tuple(
        part
        for part, row in rows
        if any(part.holds(entry) for entry in ranges) and words <= asked.stems(row)
    )
    if not saying or len(saying) == len(rows):
        return None
    return Chosen(saying, (*_as_typed(words, asked), *sorted(figures)))


def _by_superlative(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """The row that has the most or the least of a field: "the cheapest armour"."""
    names, table = _table(file, block, rows)
    own = asked.stems(" ".join([block.heading.rsplit(" > ", 1)[-1], *header(file, block)]))
    found = extreme_rows(names, table, own, asked)
    return Chosen(found[0], tuple(found[1].split())) if found else None


def _by_mark(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """The rows marked in a column that the question names: "which devices have 4K".

    Of them those alone that say what else is asked and stands in the table.
    """
    meant, table = _table(file, block, rows)
    written = column_names("\n".join(header(file, block)), len(meant))
    about = above(file, block, asked)
    found = marked_rows(list(zip(written, meant, strict=True)), table, asked, about)
    if found is None:
        return None
    words = asked.words - about - found.said
    words &= asked.stems(" ".join(row for _, row in rows))
    both = tuple(p for p, row in rows if p in found.parts and words <= asked.stems(row))
    typed = _as_typed(words | found.said, asked) or ("forbidden",)
    return Chosen(both, (*(("not",) if found.denied else ()), *typed)) if both else None


def _by_amount(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]], asked: QuestionWords
) -> Chosen | None:
    """The rows whose cell fits an amount: "under 20 gp", "for 10 gp", "from 3 to 5".

    Of them those alone that say what else is asked, where some do: "blunt weapons under 10 gp".
    """
    wanted = amount(asked.question)
    if wanted is None:
        return None
    limit = wanted.limit
    names, table = _table(file, block, rows)
    amounts = asked_column(names, [cells for _, cells in table], limit, asked)
    fitting = [
        one is not None and one.low <= limit.high and one.high >= limit.low for one in amounts
    ]
    if not any(fitting) or all(one for one, found in zip(fitting, amounts, strict=True) if found):
        return None
    left = [row for row, fits in zip(rows, fitting, strict=True) if fits]
    also = _besides(file, block, wanted, asked)
    both = [(part, row) for part, row in left if also and also <= asked.stems(row)]
    said = _as_typed(also, asked) if both else ()
    return Chosen(tuple(part for part, _ in both or left), (*said, *wanted.words))


def _besides(
    file: IndexedFile, block: Block, wanted: Amount, asked: QuestionWords
) -> frozenset[str]:
    """What a question asks of the rows beside the amount; none where it denies or compares."""
    rest = without(asked.question, wanted)
    if wanted.denied or _NOT_BY_WORDS.search(rest):
        return frozenset()
    amounts = asked.stems(wanted.said)
    words = (asked.words & asked.stems(rest)) - amounts - folders.SAID_WITH_IT
    return words - above(file, block, asked)


def _as_typed(words: frozenset[str], asked: QuestionWords) -> tuple[str, ...]:
    """Those words of a question that say `words`."""
    split = [one.strip("?!.,;:") for one in asked.question.split()]
    return tuple(one for one in split if words & asked.stems(one))


def _around(file: IndexedFile, block: Block, asked: QuestionWords) -> frozenset[str]:
    """The stems of what a block's section says besides: what all of its rows are about."""
    section = (one for one in file.entries if one.heading == block.heading and one.kind != "whole")
    return asked.stems(" ".join(one.quote for one in section if not block.holds(one)))


def _table(
    file: IndexedFile, block: Block, rows: Sequence[tuple[Part, str]]
) -> tuple[list[str], list[tuple[Part, tuple[str, ...]]]]:
    """The names of a table's columns, signs as the file explains them, and its rows' cells."""
    table = [(part, raw_cells(row)) for part, row in rows]
    width = max(len(cells) for _, cells in table)
    names = column_names("\n".join(header(file, block)), width)
    texts = [entry.quote for entry in file.entries if entry.kind != "row"]
    told = [one for text in texts if "=" in text for one in explained(text)]
    own = [entry.quote for entry in file.entries if entry.heading == block.heading]
    told += [(sign, means) for text in own for sign, means in _BOLD_SIGN.findall(text)]
    meant = {sign: _NAME_ENDS.split(means)[0] for sign, means in told}
    return [meant.get(name, name) for name in names], table
