"""Whether a statement says no where its line says yes, or the other way round.

Clause by clause: what one side denies (the word behind its negation) the other side affirms, of a
subject that both name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from api.checks.guard.clauses import Clause, LineClause, clauses, stems, told, uncontracted
from api.checks.passage_lines import PassageLine

_LEADING = re.compile(
    r"^\W*(?:(?:yes|no|(?:short )?answer|in short)\s*[,.:;!-]\s*)+", re.IGNORECASE
)
_EXCEPTION = re.compile(
    r"\b(?:all|every\w*|any\w*|nothing|none) (?:\w+ )?(?:but|except)\b|"
    r"\b(?:excepti\w+|excepted|exempt|excluded|only|unless|until|instead of|rather than|"
    r"apart from|other than|useless|free of)\b",
    re.IGNORECASE,
)
# What says no without a negation.
_IMPLIED = re.compile(
    r"\b(?:rul\w+|is|are|was|were) (?:\w+ ){0,3}out\b|\b(?:unable|impossible|forb\w+|lacks?|immune|"
    r"refus\w+|ke(?:pt|eps?)|lift(?:s|ed)|waiv\w+|closed|un\w{3,}ed|cancel\w*|exempt\w*|spares?|excus\w+|prevent\w*|stop\w*|spared|ends?|lost|loses?|fails?|ignor\w+)\b",
    re.IGNORECASE,
)
_BESIDES = re.compile(r"\b(?:other than|apart from|all but)\b", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:others?|rest|else|remaining)\b", re.IGNORECASE)
_ELLIPTIC = re.compile(r"\W*not\b", re.IGNORECASE)  # "but not the one to armour class"
_CONDITION = re.compile(
    r"\W*(?:if|when|whenever|where|once|should|had|unless|whether)\b", re.IGNORECASE
)
_IF = re.compile(r"\b(?:if|when|where|while)\s+$", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:.]\s")
_WORKS = frozenset(stems("affect apply effect help work"))
_COVERED = 0.6  # of a statement's clause must stand in or above the line
_MOST_COVERED = 1.0  # where the statement is the one that says no
_DENIED = 0.75  # of a line's clause whose no the statement repeats
_SAID = 0.5  # of a line's clause must stand in the statement or the question
_FEWEST = 2  # words that both have
_LEFT_OUT = "the statement leaves out that its source says no"
_SAYS_NO = "the statement says no where its source does not"


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement's clauses, and its stems with those of the question."""

    text: str
    clauses: tuple[Clause, ...]
    words: frozenset[str]
    own: frozenset[str]  # the stems of the statement alone


def contradiction(
    statement: str, question: str, lines: Sequence[PassageLine]
) -> tuple[str, PassageLine] | None:
    """Return how a folded statement contradicts one of the lines, and which, or None."""
    text = uncontracted(_LEADING.sub("", statement))
    own = frozenset(stems(text))
    said = _Said(text, clauses(text), own | frozenset(stems(question)), own)
    parts = [part for line in lines for part in told(line)]
    for clause in said.clauses:
        near = [part for part in parts if _about(clause, part, said)]
        if line := _left_out(clause, said, near, parts):
            return _LEFT_OUT, line
        if line := _added(clause, said, near, parts):
            return _SAYS_NO, line
    return None


def _about(clause: Clause, part: LineClause, said: _Said) -> bool:
    """Whether a line's clause and a statement's say something of one subject."""
    own = part.clause.words
    there = own | part.about
    most = said.words if len(clause.words) < _FEWEST else clause.words
    if not own or len(most & there) < _FEWEST or not part.named(said.words):
        return False
    if len(own) >= _FEWEST and own <= clause.words:
        return True
    covered = len(clause.words & there) >= _COVERED * len(clause.words)
    return covered and len(own & said.words) >= _SAID * len(own)


def _left_out(
    clause: Clause, said: _Said, near: Sequence[LineClause], parts: Sequence[LineClause]
) -> PassageLine | None:
    """The line that denies what the clause affirms."""
    if _CONDITION.match(clause.text) or _BESIDES.search(_stretch(clause, said)):
        return None
    if (clause.negated and not clause.aside) or clause.limit:
        return None
    if _EXCEPTION.search(clause.text):
        return None
    both = sum(word.isdigit() for word in clause.words) > 1  # "3 with help and 6 without it"
    against = [
        part for part in near
        if _said_of(clause, part.clause) and part.clause.head != clause.head
        and (not part.clause.after or part.clause.after & clause.words)
        and not (part.clause.aside and (both or _behind_unless(part)))
    ]  # fmt: skip
    affirmed = [part for part in parts if not part.clause.negated]
    for part in sorted(against, key=lambda part: -_likeness(clause, part)):
        other = _OTHERS.search(part.clause.text) and not _OTHERS.search(clause.text)
        if (
            other
            or not part.condition <= said.words  # it says no on a condition that is not named
            or _implied(_stretch(clause, said), part.line.quote)
            or _admitted(clause, part, said)
        ):
            continue
        if not any(_rather(clause, one, part) for one in affirmed):
            return part.line
    return None


def _stretch(clause: Clause, said: _Said) -> str:
    """The clause with what stands before it up to a comma: "all but constructs and undead rest"."""
    return f"{_CLAUSE_END.split(_before(clause, said))[-1]}{clause.text}"


def _behind_unless(part: LineClause) -> bool:
    """Whether a line says its clause behind "unless", which turns its no round."""
    return f"unless {' '.join(part.clause.text.split()[:_FEWEST])}" in part.line.quote


def _before(clause: Clause, said: _Said) -> str:
    """What stands before a clause in its statement."""
    before, found, _ = said.text.partition(clause.text)
    return before if found else ""


def _said_of(clause: Clause, denied: Clause) -> bool:
    """Whether the clause affirms what the other one denies: its head, or that it works."""
    works = denied.head in _WORKS and _WORKS & clause.words
    return denied.head in clause.words or bool(works and clause.words & denied.words - _WORKS)


def _rather(clause: Clause, affirmed: LineClause, denied: LineClause) -> bool:
    """Whether a clause has its words from a line that affirms them, not from the one denying."""
    own = denied.clause
    shared = clause.words & (own.words | denied.key)
    if own.head in affirmed.clause.words and shared <= affirmed.clause.words | affirmed.key:
        return True
    more = len(clause.words & affirmed.clause.words) > len(clause.words & own.words)
    return more and not own.beside <= clause.words


def _admitted(clause: Clause, part: LineClause, said: _Said) -> bool:
    """Whether another clause of the statement says the no of `part`: "but a tattoo will not"."""
    at = said.clauses.index(clause)
    for number, other in enumerate(said.clauses):
        if other is clause:
            continue
        if other.bare and abs(number - at) == 1:
            return True
        if other.negated and other.head in part.clause.words:
            return True
    return False


def _added(
    clause: Clause, said: _Said, near: Sequence[LineClause], parts: Sequence[LineClause]
) -> PassageLine | None:
    """The line that affirms what the clause denies."""
    if not clause.negated or _ELLIPTIC.match(clause.text):
        return None
    denied = {clause.head, *(() if clause.aside else clause.numbers)} - {""}
    affirmed = [
        part for part in near
        if denied & part.clause.words and not (part.clause.negated or part.clause.limit)
    ]  # fmt: skip
    best = max(affirmed, key=lambda part: _likeness(clause, part), default=None)
    if best is None or any(_denies(part, best, clause, said) for part in parts):
        return None
    if _EXCEPTION.search(best.clause.text) or _implied(best.clause.text, clause.text):
        return None
    if any(one.negated for one in clauses(best.line.heading.rstrip("> ").rpartition(" > ")[2])):
        return None  # an item below "Do not"
    if _IF.search(_before(clause, said)) and _EXCEPTION.search(best.line.quote):
        return None  # "if it is not" for "unless it is"
    there = clause.words & (best.clause.words | best.about)
    return best.line if len(there) >= _MOST_COVERED * len(clause.words) else None


def _denies(part: LineClause, best: LineClause, clause: Clause, said: _Said) -> bool:
    """Whether a line's clause says the no of `clause`, which `best` does not."""
    own = part.clause
    if not own.negated:
        return bool(_IMPLIED.search(own.text)) and len(own.words & clause.words) >= _FEWEST
    if part.line is best.line:
        subject = own.words - {own.head} if own.bare else {own.head}
        if not subject or subject & clause.words:
            return True
        if clause.bare and clause.beside & own.words:
            return True
    if clause.head == own.head and len(own.words & said.own) >= _DENIED * len(own.words):
        return True
    return clause.head in own.words and _likeness(clause, part) >= _likeness(clause, best) / 2


def _implied(text: str, other: str) -> bool:
    """Whether a text says no in other words than a negation, that `other` does not have."""
    there = set(stems(other))
    return any(
        not set(stems(found[0])) or not set(stems(found[0])) <= there
        for found in _IMPLIED.finditer(text)
    )


def _likeness(clause: Clause, part: LineClause) -> float:
    both = clause.words | part.clause.words
    return len(clause.words & part.clause.words) / len(both) if both else 0.0
