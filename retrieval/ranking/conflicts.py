"""Which of two passages overrides the other in what was asked, and the order that follows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.models import ERRATA, EVERY_FILE, HOUSE_RULE, SourceNote
from retrieval.ranking import clauses, replaced_sections
from retrieval.ranking.replaced_sections import OF_CHANGES, file_title
from retrieval.ranking.statements import Statement
from retrieval.vocabulary.terms import stems_of

_SAME, _ALIKE, _MOSTLY = 2, 3, 0.4  # words of two statements, and of what the shorter one says
_MORE = 2  # words of a question, of which one may be the column's name: "level"
_IN_BRACKETS = re.compile(r"\([^()]{0,40}\)")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements, by their places in a list from 0, that rule the same thing."""

    upper: int
    lower: int
    binding: bool  # False: the upper one is optional, so it does not go first


def overrides(upper: SourceNote, lower: SourceNote) -> bool:
    """Tell whether `upper` says that it supersedes the file of `lower`.

    Where both supersede a common file, a house rule overrides an erratum.
    """
    if not upper.supersedes or upper.path == lower.path:
        return False
    if EVERY_FILE in upper.supersedes and lower.is_one_of(ERRATA | HOUSE_RULE):
        return False
    if upper.overrides(lower.path):
        return True
    shared = not {EVERY_FILE, *upper.supersedes}.isdisjoint(lower.supersedes)
    return shared and upper.is_one_of(HOUSE_RULE) and lower.is_one_of(ERRATA)


def conflicts(statements: Sequence[Statement], asked: frozenset[str]) -> list[Conflict]:
    """Return the conflicts among statements, by the places of their parts.

    Those of one file stand together, of its rows first: they say what holds instead.
    Two are in conflict where the file of one overrides the other's and it speaks of the other's
    subject by a word of the question: an erratum of crossbows is none to a question on lances,
    though both stand in files of which one supersedes the other. Prose under a heading that says
    nothing ("Hazards") is its own subject where it says most of what was asked and the other one
    says all that it does.
    """
    paths = [one.note.path for one in statements]
    rows_first = sorted(
        enumerate(statements), key=lambda one: (paths.index(one[1].note.path), not one[1].is_row)
    )
    return [
        Conflict(upper, lower, binding=not (first.note.is_optional or first.note.is_gone))
        for upper, first in rows_first
        for lower, second in enumerate(statements)
        if corrects(first, second, asked)
    ]


def standard_first(
    met: Sequence[Conflict], statements: Sequence[Statement], asked: frozenset[str]
) -> list[Conflict]:
    """Return what puts the rule that holds above an optional one that would replace it.

    Unless the optional one says more of what is asked, or is asked for by its name.
    """
    return [
        Conflict(one.lower, one.upper, binding=True)
        for one in met
        if statements[one.upper].note.is_optional
        and not statements[one.lower].note.is_gone
        and statements[one.upper].words & asked <= statements[one.lower].words
        and not _is_named(statements[one.upper].note.path, asked)
    ]


def _is_named(path: str, asked: frozenset[str]) -> bool:
    """Whether what is asked has the words of a file's name, "(Variant)" left out; not one alone."""
    name = frozenset(stems_of(_IN_BRACKETS.sub(" ", file_title(path))))
    return len(name) > 1 and name <= asked


def corrects(upper: Statement, lower: Statement, asked: frozenset[str]) -> bool:
    """Tell whether the file of one overrides the other's, and it rules what is asked of that."""
    path = lower.note.path
    if upper.only and path not in upper.only and upper.note.overrides(path):
        return False
    if not upper.corrects:
        return False
    if path != upper.note.path and not lower.note.supersedes and is_replacing(upper, lower):
        return True
    return overrides(upper.note, lower.note) and _meet(upper, lower, asked)


def replaces_section(upper: Statement, lower: Statement) -> bool:
    """Tell whether a correction names the section, or the row, that the lower statement is of.

    A detail that is changed is none of a row that the correction does not speak of.
    """
    if not _is_about(upper, lower):
        return False
    if lower.is_row and lower.subject in upper.sections:
        return True
    own = replaced_sections.headings(lower.place)
    if is_whole(upper, lower):
        return True
    subject = lower.subject.difference(*own) or lower.subject
    is_other = lower.is_row and subject.isdisjoint(upper.words)
    return not is_other and not upper.sections.isdisjoint(own)


def is_replacing(upper: Statement, lower: Statement) -> bool:
    """Tell whether a correction is of what a statement says, by name or by what both say."""
    by_name = replaces_section(upper, lower) or is_in_part(upper, lower)
    return by_name or says_otherwise(upper, lower)


def is_in_part(upper: Statement, lower: Statement) -> bool:
    """Tell whether a correction changes words of a clause, which is to be read beside it."""
    return _is_about(upper, lower) and not upper.parted_clauses.isdisjoint(lower.clauses)


def is_of_same_line(upper: Statement, lower: Statement) -> bool:
    """Tell whether a correction says all that a row is called, or all of a line's label."""
    name = lower.subject if lower.is_row else lower.label
    return bool(name) and name <= upper.words


def says_otherwise(upper: Statement, lower: Statement) -> bool:
    """Tell whether a correction of a file says anew what a line of it says.

    It gives the number that held before, in a row of another file too that is called so. Or, where
    it names no section or row, it says what is so "now" in an amount of the same unit, both of the
    same things, or it is mostly in the same words.
    """
    if upper.is_row:
        return False
    if not _is_about(upper, lower):
        return _gives_up_its_number(upper, lower)
    units = upper.amounts | lower.amounts
    both = frozenset(one for one in upper.own & lower.own - units if not one.isdigit())
    if upper.replaced:
        return not upper.replaced.isdisjoint(lower.numbers) and len(both) >= _SAME
    if upper.sections:  # of another one
        return False
    if upper.is_new and upper.amounts & lower.amounts:
        return len(both) >= _SAME
    titles = frozenset(stems_of(f"{upper.place} {lower.place.split(' > ')[0]}"))
    least = min(len(upper.own), len(lower.own))
    return lower.note.path in upper.only and len(both - titles) >= max(_ALIKE, _MOSTLY * least)


def _gives_up_its_number(upper: Statement, lower: Statement) -> bool:
    """Whether a file of changes gives another number for a row, all of whose name it says.

    "Guest flat: the deposit is raised from 50 to 80" is of "Guest flat, deposit | 50" as well, and
    "the U12 play 2 × 30 minutes, not 2 × 25" of "U12 | 2 × 25 minutes", of whatever file, where it
    names no other one.
    """
    is_telling = len(lower.subject) >= _SAME or any(map(_is_code, lower.subject))
    if not (lower.is_row and is_telling and lower.subject <= upper.words) or upper.only:
        return False
    if not OF_CHANGES.search(upper.note.path):
        is_of_unit = bool(upper.amounts & lower.amounts)
        if not (upper.note.supersedes and is_of_unit):
            return False
    is_change = lower.note.supersedes or OF_CHANGES.search(lower.note.path)
    return not is_change and not upper.replaced.isdisjoint(lower.numbers)


def _is_code(word: str) -> bool:
    """Whether a word is of letters and digits: "u12"."""
    return not word.isdigit() and any(map(str.isdigit, word))


def is_whole(upper: Statement, lower: Statement) -> bool:
    """Tell whether a correction replaces as a whole the section that the lower statement is of."""
    if not _is_about(upper, lower):
        return False
    if not (upper.replaced_clauses - upper.parted_clauses).isdisjoint(lower.clauses):
        return True
    return not upper.replaced_whole.isdisjoint(replaced_sections.headings(lower.place))


def _is_about(upper: Statement, lower: Statement) -> bool:
    """Whether a correction is about a file: it names it, or it names none that its own corrects.

    Or it names the clause, by a number that no other one has.
    """
    path = lower.note.path
    is_clause = any(map(clauses.is_unique, upper.replaced_clauses & lower.clauses))
    return path in upper.only or (not upper.only and (is_clause or upper.note.overrides(path)))


def _meet(upper: Statement, lower: Statement, asked: frozenset[str]) -> bool:
    """Whether both rule what is asked. A number alone does not say so.

    "10 % at levels 10-11, 5 % from 12" corrects no row of level 5, unless it says more of what is
    asked than the file's name.
    """
    is_said = lower.label & asked and lower.label <= upper.words
    if is_said and upper.heading & lower.heading:
        return True  # "Parking: free for 2 hours", "parking rises to €2" of the small charges
    own = lower.label - lower.heading
    if own and own.isdisjoint(upper.words):
        return False  # a new price of a bath is none of an extra walk, though both are extras
    both = upper.words & lower.subject & asked
    if both and (not all(map(str.isdigit, both)) or _says_more(upper, lower, asked)):
        return True
    if lower.is_row:
        return False
    shared = lower.words & asked
    if shared <= upper.words and len(shared) > max(1, len(asked) / 2):
        return True
    # "Within three weeks (before: five)": it says the number that it takes the place of.
    return not upper.replaced.isdisjoint(lower.words) and len(shared & upper.words) >= _MORE


def _says_more(upper: Statement, lower: Statement, asked: frozenset[str]) -> bool:
    own = frozenset(stems_of(file_title(lower.note.path)))
    return sum(not word.isdigit() for word in upper.words & asked - own) >= _MORE
