"""Whether a number comes from another section than the one that a statement names."""

from collections.abc import Sequence, Set

from api.checks.guard.alignment import Evidence, Occurrence, content
from api.checks.guard.attribution.subject_and_number import Rival
from api.checks.guard.statements import Statement
from api.checks.guard.text import units
from retrieval.text.words import stem

_UNITS = frozenset(stem(word) for word in units.WORDS)


def other_section(
    statement: Statement, question: str, supports: Sequence[Occurrence], known: Evidence
) -> Rival | None:
    """Return the section that a statement names while its number stands in another one, or None.

    Judged between sections with one title ("Hold Person" of two classes), by what is different
    above them, and between neighbours ("Speed" and "Invulnerability" of one file).
    """
    stated = set(content(statement.text))
    said = set(content(f"{statement.text} {statement.lead} {question}"))
    found: Rival | None = None
    for taken in supports:
        rivals = (
            Rival(taken, other) for other in known.occurrences
            if other.line.heading != taken.line.heading and _heads(stated, said, taken, other)
        )  # fmt: skip
        found = next(rivals, None)
        if found is None:
            return None
    return found


def _heads(stated: Set[str], said: Set[str], taken: Occurrence, other: Occurrence) -> bool:
    """Whether the words name the section of `other`, and that of `taken` by none of its own."""
    here, there = taken.line.heading.split(" > "), other.line.heading.split(" > ")
    own, rival_words = _plain(taken.line.heading), _plain(other.line.heading)
    ours, theirs = own - rival_words, rival_words - own
    line = taken.line
    cells = (f"{cell.column} {cell.text}" for cell in line.cells)
    text = _plain(" ".join([*cells, line.key, line.near, line.before]))
    if not ours or not theirs or ours & said or theirs & text:
        return False
    if here[-1] == there[-1] and here[-1].strip():
        return bool(theirs & said)
    title = (_plain(there[-1] or there[-2]) & theirs) - _UNITS
    return _folder(here[0]) == _folder(there[0]) and bool(title) and title <= stated


def _folder(path: str) -> str:
    """The topmost folder of a path; "" for a file in none."""
    head, found, _ = path.partition("/")
    return head if found else ""


def _plain(text: str) -> set[str]:
    return {word for word in content(text) if word.isalpha()}
