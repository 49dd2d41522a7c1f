"""The rows of a table that a column's marks, signs or ages choose: "which devices do 4K".

A wrong choice says the opposite of the rules. So a column chooses only where the question names it
whole, some of its cells say yes or have a value and others say no, and at most one denial stands
directly before its name.
"""

import re
from collections.abc import Iterator, Sequence

from api.answer.cards.asked_parts import above, header
from api.answer.cards.blocks import Block, Part
from api.answer.cards.lists.rows.by_age import asked_age, of_age
from api.answer.cards.lists.rows.by_value import with_value
from api.answer.cards.lists.rows.cell_marks import YES, bare, is_filled, is_marked, is_said
from api.answer.cards.lists.rows.table_rows import (
    Chosen,
    Column,
    Marked,
    Table,
    as_typed,
    named_table,
    some,
)
from api.answer.cards.lists.rows.understood import (
    DENIAL,
    UNCLEAR,
    denies,
    is_all_understood,
    is_last,
    is_unknown,
    without_names,
)
from api.answer.question.limits import AGED
from api.answer.question.modality import modality
from api.answer.question.plain_words import PLAIN
from retrieval.models import IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.vocabulary.terms import column_names

_COMPARING = re.compile(
    r"\b(?:more|less|fewer|most|least|than|before|after|from|until|[a-z]{3,}er)\b", re.IGNORECASE
)
# What asks for a column's value, of which others have none: "gear that has a deposit".
HAS = re.compile(
    r"\b(?:ha(?:s|ve)|having|needs?|needing|requires?|requiring|with|gets?|pays?|offers?|includes?)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"\bbut\b", re.IGNORECASE)
_FORBIDDEN = re.compile(r"(?:forbidden|not allowed|prohibited|banned)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|cannot|cant|forbidden|banned|prohibited)\b|n['’]t\b", re.IGNORECASE)
_MAY_DO = re.compile(
    r"\b(?:what|everything|anything|things|all)\b.{0,60}\b(?:can|may|could|allowed to|permitted to|"
    r"able to|power to|right to) (?:[\w-]+ ){0,3}?do\b|"
    r"\b(?:powers?|rights) (?:of|does|do|has|have)\b",
    re.IGNORECASE,
)
_LACKS = re.compile(r"\b(?:never|no longer|lacks?|without)\b(?! asking)", re.IGNORECASE)
_LEAST_ROLES = 2  # columns of yes and no
_NUMBERED = re.compile(r"\b([^\W\d_]{3,}) (\d{1,3})\b(?!(?: ?,| or| and) \d)")  # "severity 1"


def marked_rows(
    columns: Sequence[tuple[str, ...]],
    table: Table,
    asked: QuestionWords,
    about: frozenset[str] = frozenset(),
    *,
    is_near: bool = False,
) -> Marked | None:
    """Return the rows with a yes in the columns that the question names, or a no where it denies.

    Or with the sign that it names ("severity 1"), for somebody of an age ("a 16 year old"), or that
    forbid something, where that is asked for. None where it is not plain, or all rows or none.
    `columns` has of each what it is called and what that stands for, `about` the stems of what
    stands above the table. `is_near`: search found the table nearest, so that a question of two of
    its columns need not name it.
    """
    named = list(_named(columns, table, asked))
    if AGED.search(searchable(asked.question)):
        return _for_age(columns, table, named, asked, about)
    valued = {n: found for n, one in enumerate(named) if (found := with_value(one, table, asked))}
    if valued:  # "online yes and by phone no" is of two columns
        is_more = len(named) > len(valued) or bool(_BUT.search(asked.question))
        return None if is_more or len(valued) > 1 else next(iter(valued.values()))
    denials = DENIAL.findall(asked.question)
    if len(denials) > 1 or UNCLEAR.search(without_names(asked.question, named)):
        return None
    if not denials and (signed := [one for one in named if one.signed]):
        first, *others = signed
        by_sign = None if others else some(table, first.signed, first.said)
        return by_sign and by_sign._replace(is_sign=True)
    marked = [one for one in named if is_marked(one.cells)]
    is_limited = bool(denials or HAS.search(asked.question))
    if not _COMPARING.search(asked.question) and (is_limited or (not marked and len(named) == 1)):
        marked = [
            one for one in named
            if one in marked or is_filled(one.cells, in_words=is_limited)
        ]  # fmt: skip
    denied = [one for one in marked if denials and denies(asked, one.said, about)]
    if denials and marked and not is_last(denied, marked, asked):
        return None
    if not marked:
        said = asked.stems("forbidden")
        if not is_all_understood(columns, table, asked, said, about, is_named=True):
            return None  # "which materials are forbidden" is asked of no table of buildings
        return some(table, _forbidding(table, asked), said)
    said = frozenset().union(*(one.said for one in marked))
    is_named = is_near and (len(marked) > 1 or is_unknown(asked))
    if not is_all_understood(columns, table, asked, said, about, is_named=is_named):
        return None
    parts = [
        part
        for n, (part, _) in enumerate(table)
        if all(is_said(one.cells, n, denied=one in denied) for one in marked)
    ]
    found = some(table, parts, said)
    no = frozenset[str]().union(*(one.said for one in denied))
    return found._replace(denied=no) if found else None


def _for_age(
    columns: Sequence[tuple[str, ...]],
    table: Table,
    named: Sequence[Column],
    asked: QuestionWords,
    about: frozenset[str],
) -> Marked | None:
    """The rows for somebody of an age, where nothing else is asked of them."""
    names = [name for name, *_ in columns]
    aged = asked_age(searchable(asked.question))
    things = about | asked.stems(f"{' '.join(names)} {aged.said if aged else ''} suitable")
    more = asked.words - things - PLAIN
    is_marked_too = any(is_marked(one.cells) for one in named)  # "paid jobs for a 14 year old"
    if aged is None or is_marked_too or len(more) > 1 or UNCLEAR.search(asked.question):
        return None
    young = of_age(names, table, aged.years, denied=aged.is_denied)
    return some(table, young, asked.stems(aged.said))


def also_marked(
    names: Sequence[str], table: Table, parts: Sequence[Part], asked: QuestionWords
) -> tuple[Part, ...] | None:
    """Return those of the rows with a yes in each other column of yes and no that is asked for.

    None where one is denied, too.
    """
    kept = list(parts)
    for column, name in enumerate(names):
        own = asked.stems(name)
        cells = [bare("".join(row[column : column + 1])) for _, row in table]
        if not (column and own and own <= asked.words and is_marked(cells)):
            continue
        if DENIAL.search(asked.question):
            return None
        said = {p for n, (p, _) in enumerate(table) if is_said(cells, n, denied=False)}
        kept = [part for part in kept if part in said]
    return tuple(kept)


def _named(
    columns: Sequence[tuple[str, ...]], table: Table, asked: QuestionWords
) -> Iterator[Column]:
    """The columns that the question names."""
    for column, called in enumerate(columns):
        names = [own for name in called if (own := asked.stems(name)) and own <= asked.words]
        if not column or not names or DENIAL.search(" ".join(called)):
            continue
        own = names[0]
        cells = [bare("".join(row[column : column + 1])) for _, row in table]
        signs = {sign for kind, sign in asked.codes if kind in own}
        signs |= {n for kind, n in _NUMBERED.findall(asked.question) if own & asked.stems(kind)}
        pairs = zip(table, cells, strict=True)
        signed = [part for (part, _), cell in pairs if cell.upper() in signs]
        said = own | asked.stems(" ".join(signs)) if signed else own
        yield Column(tuple(cells), tuple(signed), said, own)


def _forbidding(table: Table, asked: QuestionWords) -> list[Part]:
    """The rows whose only column of that kind forbids something: "what may I not store"."""
    if not (_NOT.search(asked.question) or modality(asked.question) == "must not"):
        return []
    found = [
        (part, column)
        for part, row in table
        for column, cell in enumerate(row)
        if column and _FORBIDDEN.match(cell.strip("`* "))
    ]
    one_column = len({column for _, column in found}) == 1
    return [part for part, _ in found] if one_column else []


def by_role(file: IndexedFile, block: Block, asked: QuestionWords, question: str) -> Chosen | None:
    """Return the rows with a plain yes for whom a question names, where it asks what they may do.

    `question` is that of `asked` with the words of asking, "can" among them.
    "Everything a referee may do" is asked of a matrix with a column for each role.
    """
    is_asked = _MAY_DO.search(question) and not (_NOT.search(question) or _LACKS.search(question))
    if block.kind != "table" or not is_asked:
        return None
    rows = [(part, file.lines.get(part.first_line, "")) for part in block.parts]
    meant, table = named_table(file, block, rows)
    columns = list(zip(meant, meant, strict=True))
    every = [[bare("".join(row[n : n + 1])) for _, row in table] for n in range(1, len(meant))]
    known = list(_named(columns, table, asked))
    # "A night warden" names the column "Warden" as well.
    named = [one for one in known if not any(one.name < other.name for other in known)]
    if (
        len(named) != 1
        or sum(map(is_marked, every)) < _LEAST_ROLES
        or not is_marked(named[0].cells)
    ):
        return None
    if not (asked.words - named[0].said).isdisjoint(asked.stems(" ".join(row for _, row in rows))):
        return None  # "what can a warden do with the safe"
    parts = [p for (p, _), cell in zip(table, named[0].cells, strict=True) if YES.match(cell)]
    found = some(table, parts, named[0].said)
    return Chosen(found.parts, as_typed(found.said, asked)) if found else None


def by_mark(
    file: IndexedFile,
    block: Block,
    rows: Sequence[tuple[Part, str]],
    asked: QuestionWords,
    *,
    is_near: bool = False,
) -> Chosen | None:
    """Return the rows marked in a column that the question names: "which devices have 4K".

    Of them those alone that say what else is asked and stands in the table. `is_near`: search found
    the table nearest.
    """
    meant, table = named_table(file, block, rows)
    written = column_names("\n".join(header(file, block)), len(meant))
    about = above(file, block, asked)
    names = list(zip(written, meant, strict=True))
    found = marked_rows(names, table, asked, about, is_near=is_near)
    if found is None:
        return None
    words = asked.words - about - found.said
    words &= asked.stems(" ".join(row for _, row in rows))
    kept = also_marked(meant, table, found.parts, asked) if found.is_sign else found.parts
    both = tuple(p for p, row in rows if p in (kept or ()) and words <= asked.stems(row))
    typed = list(as_typed(words | found.said, asked) or ("forbidden",))
    if found.denied:  # "step free no projector"
        at = (n for n, word in enumerate(typed) if asked.stems(word) & found.denied)
        typed.insert(next(at, 0), "no")
    return Chosen(both, tuple(typed)) if both else None
