"""The rows with the signs of a legend in one of their cells: "which items contain gluten".

"A, G" says two things in one cell. Where a question names one of them, nothing else chooses rows:
the name of "Alcohol-free beer" says alcohol, its sign does not.
"""

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import Block, Part
from api.answer.cards.lists.rows.by_mark import also_marked
from api.answer.cards.lists.rows.table_rows import Chosen, as_typed, beside, named_table
from api.answer.cards.table_signs import explained_signs
from api.answer.question.plain_words import PLAIN
from retrieval.models import IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.terms import stems_of

_SEPARATED = re.compile(r"[,/;+&\s]+")
_NOTHING = re.compile(r"(?:[-–—]|no|none)?$", re.IGNORECASE)
_TOGETHER = 4  # letters of signs without anything between them: "GMN"
_JOINS = frozenset({"and", "or", "nor", "no", "any"})  # between the things of one condition
_DENIALS = (
    r"(?:no|not|without|never|neither|cannot|free (?:of|from)|"
    r"(?:do|does|is|are|can|may|must)n['’]?t)"
)
_DENIED = re.compile(
    rf"\b(?:{_DENIALS}|(?:is|are) free)(?: (?:any|an?|the|contains?|have|has|includes?|need|in|of))"
    r"{0,2}$",
    re.IGNORECASE,
)
# Of these one cannot tell what they are said of.
_UNCLEAR = re.compile(
    rf"\b(?:{_DENIALS}|free|allerg\w*|intoleran\w*|lacks?|lacking|except|excluding|besides|unless|"
    r"only|but|avoid|safe|unsafe|more|less|most|least|than|if|both|either)\b|\bnon\b|n['’]t\b",
    re.IGNORECASE,
)
_SAID_OF_SIGNS = frozenset(stems_of("contain contains have has include includes need needs is yes"))
_LIGHT = PLAIN | _SAID_OF_SIGNS | frozenset(stems_of("made come got drink order buy"))


class _Asked(NamedTuple):
    """What is asked of a column's signs: which, and whether one, all or none."""

    column: int
    signs: frozenset[str]
    needs: Literal["one", "all", "none"]
    said: str  # what the question says of it


def by_code(
    file: IndexedFile,
    block: Block,
    rows: Sequence[tuple[Part, str]],
    asked: QuestionWords,
    text: str,
) -> Chosen | None:
    """Return the rows whose signs are asked for; None where a question names the meaning of none.

    No parts where it does and one cannot tell which rows are meant, or all or none are. `text` is
    the question without its amount.
    """
    names, table = named_table(file, block, rows)
    columns = list(zip(*(cells for _, cells in table), strict=False))
    parts = {part for cells in columns[1:] for cell in cells for part in _pieces(cell)}
    legend = explained_signs(beside(file, block), parts)
    coded = [
        n for n, cells in enumerate(columns)
        if n and legend and _is_coded([cell.strip("`* ") for cell in cells], legend)
    ]  # fmt: skip
    said = above(file, block, asked) | asked.stems(" ".join(names))
    rest = asked.words - said
    named = [(n, own) for n in coded if (own := _named(legend, columns[n], names[n], asked, rest))]
    if not named:
        return None
    nothing = Chosen((), ())
    if len(named) > 1:  # "required on a dinghy": of what the columns are called one is named
        named = [one for one in named if asked.stems(names[one[0]]) <= asked.words]
    if len(named) != 1:
        return nothing
    in_rows = asked.stems(" ".join(row for _, row in rows))
    wanted = _read(text, *named[0], said, in_rows, asked)
    if wanted is None:
        return nothing
    cells = [_signs(row[wanted.column].strip("`* "), legend) for _, row in table]
    if None in cells:
        return nothing
    found = tuple(
        part
        for (part, _), own in zip(table, cells, strict=True)
        if _fits(own or frozenset(), wanted)
    )
    kept = also_marked(names, table, found, asked) or ()
    if len(kept) == len(rows):
        return nothing
    denied = ("without",) if wanted.needs == "none" else ()
    column = as_typed(asked.stems(names[wanted.column]), asked) if len(coded) > 1 else ()
    return Chosen(kept, (*denied, *wanted.said.split(), *column), by_signs=True)


def _pieces(cell: str) -> set[str]:
    """The signs that a cell may hold, also those of letters without anything between them."""
    found = {part for part in _SEPARATED.split(cell.strip("`* ")) if part}
    runs = (part for part in found if len(part) <= _TOGETHER and part.isupper())
    return found.union(*runs)


def _signs(cell: str, legend: Collection[str]) -> frozenset[str] | None:
    """The signs in a cell, none of a dash or a blank; None where it holds anything else."""
    found: set[str] = set()
    for part in filter(None, [] if _NOTHING.match(cell) else _SEPARATED.split(cell)):
        if part in legend:
            found.add(part)
        elif all(letter in legend for letter in part):
            found.update(part)
        else:
            return None
    return frozenset(found)


def _is_coded(cells: Sequence[str], legend: Collection[str]) -> bool:
    """Whether at least half of the cells that say something hold signs alone."""
    own = [_signs(cell, legend) for cell in cells if not _NOTHING.match(cell)]
    return bool(own) and 2 * sum(one is not None for one in own) >= len(own)


def _named(
    legend: dict[str, str],
    cells: Sequence[str],
    name: str,
    asked: QuestionWords,
    rest: frozenset[str],
) -> dict[str, frozenset[str]]:
    """The signs of a column whose meaning the question says, each with the stems of that."""
    held = frozenset().union(*(_signs(cell.strip("`* "), legend) or () for cell in cells))
    meant = {
        sign: asked.stems(legend[sign].split(",")[0]) - asked.stems(name) - _SAID_OF_SIGNS
        for sign in held
    }
    return {
        sign: own for sign, own in meant.items()
        if own and (own <= asked.words or own >= rest - (_LIGHT - own) > set())
    }  # fmt: skip


def _read(
    text: str,
    column: int,
    meant: dict[str, frozenset[str]],
    said: frozenset[str],
    in_rows: frozenset[str],
    asked: QuestionWords,
) -> _Asked | None:
    """What a question asks of signs; None where a word of it may say more than that.

    One word that the table does not have may be what its rows are called: "snacks without nuts".
    """
    words = WORD.findall(text.lower())
    own = frozenset().union(*meant.values())
    places = [n for n, word in enumerate(words) if asked.stems(word) & own]
    if not places:
        return None
    first, last = places[0], places[-1]
    before, after = " ".join(words[:first]), " ".join(words[last + 1 :])
    joins = {word for n, word in enumerate(words[first:last], first) if n not in places}
    denied = _DENIED.search(before)
    is_free = after.startswith("free") and not after.startswith(("free of", "free from"))
    rest = " ".join([before[: denied.start()] if denied else before, after.removeprefix("free")])
    if not joins <= _JOINS or _UNCLEAR.search(rest) or (denied and is_free):
        return None
    more = [w for w in WORD.findall(rest) if w not in STOP and not asked.stems(w) <= said | _LIGHT]
    if len(more) > 1 or (more and asked.stems(more[0]) & in_rows):
        return None
    if more and not denied and words[first - 1] == more[0]:
        return None
    typed, signs = " ".join(words[first : last + 1]), frozenset(meant)
    if denied or is_free:
        return _Asked(column, signs, "none", typed)
    return _Asked(column, signs, "one" if joins & {"or", "nor"} else "all", typed)


def _fits(signs: frozenset[str], wanted: _Asked) -> bool:
    if wanted.needs == "none":
        return signs.isdisjoint(wanted.signs)
    return wanted.signs <= signs if wanted.needs == "all" else not signs.isdisjoint(wanted.signs)
