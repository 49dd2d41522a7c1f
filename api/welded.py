"""The welded-facts check: a subject and its number must come from one line.

Every number of a statement is compared with the other numbers of its kind in the passages: where
the words of the statement fit another number clearly better than the one that it gives, the
statement joins the subject of one line to the number of another.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

from api.alignment import Evidence, Occurrence, agreement, content, score, segment, weighted
from api.arithmetic import sums
from api.facts import Fact, facts
from api.named_cell import names_column, names_row
from api.numbers_in_words import SMALL
from api.statements import Statement
from api.words import abbreviates

_OWN, _STATEMENT, _LEAD, _QUESTION = 1.0, 0.5, 0.3, 0.4  # weights of words by where they stand
_MARGIN = 0.6  # by which a rival must fit better; under one word of the same clause
_ALONE = 0.9  # of the question's words where the answer is the bare number
_SUBJECT = 0.9  # weight of the sentence's subject in a part that has none of its own
_FIRST = re.compile(r"\W*(?:(?:and|but|or)\s)?([A-Za-z][\w'-]*)")
_OPENERS_WORDS = "a an the each every for in at on with from to by while whereas only"
_OPENERS = frozenset(_OPENERS_WORDS.split())
_MULTIPLES = frozenset((Fraction(2), Fraction(3), Fraction(1, 2), Fraction(1, 4)))
_AGAINST = 0.25  # of what speaks for a rival may speak against it


@dataclass(frozen=True, slots=True)
class Rival:
    """A number that fits a statement better than `taken`, the one it has."""

    taken: Occurrence
    fits: Occurrence


def rival(
    fact: Fact,
    found: Sequence[Fact],
    statement: Statement,
    question: str,
    supports: Sequence[Occurrence],
    known: Evidence,
) -> Rival | None:
    """Return the number that the statement's words rather belong to, or None.

    `found` are the statement's facts, `fact` one of them, `supports` where the cited passages
    hold it (at least one).
    """
    said = _said(fact, found, statement, question)
    near = {word: weight for word, weight in said.items() if weight == _OWN}
    taken = max(supports, key=lambda item: score(said, item, known.rarity))
    named = _abbreviated(taken, statement.text)
    part = segment(statement.text, found, fact)
    summed = any(fact in total.inputs for total in sums(statement.text))
    best: tuple[float, Rival] | None = None
    for other in known.occurrences:
        if not _comparable(fact, taken, other, known):
            continue
        if named and other.line.key != taken.line.key:
            continue
        if names_column(part, taken, other, found, known) or names_row(fact, taken, other, found):
            return Rival(taken, other)
        own_label = other.fact.label
        told = any(agreement(own, other, known.counted) == "same" for own in found)
        if told and (other.line is taken.line or summed):  # both numbers of one sentence or sum
            continue
        if _case_number(fact, taken) and (other.line is taken.line or own_label != fact.label):
            continue
        if other.line is taken.line and taken.column:  # only `names_column` compares within a row
            continue
        over = _over(near if told else said, taken, other, known)
        if over > 0 and (best is None or over > best[0]):
            best = over, Rival(taken, other)
    return best[1] if best else None


def _abbreviated(taken: Occurrence, text: str) -> bool:
    """Whether the row of a number is named by words that its key shortens: HD, for Hit Dice."""
    return taken.line.kind == "row" and any(
        abbreviates(short, content(text)) for short in content(taken.line.key)
    )


def _said(
    fact: Fact, found: Sequence[Fact], statement: Statement, question: str
) -> dict[str, float]:
    part = segment(statement.text, found, fact)
    alone = len(set(content(statement.text)) - set(content(fact.text))) < 2
    said = weighted(
        [
            (question, _ALONE if alone else _QUESTION),
            (statement.lead, _LEAD),
            (statement.text, _STATEMENT),
            (part, _OWN),
        ]
    )
    if _carried(statement.text, part):
        subject = statement.text[: min(own.start for own in found)]
        said |= {word: _SUBJECT for word in content(subject) if said.get(word, 0.0) < _SUBJECT}
    values = {word for own in facts(statement.text) for word in content(own.text)}
    own = (values - set(content(question))) | set(content(fact.text)) | set(fact.nouns[:1])
    if fact.counted:
        own.add(fact.counted)
    digits = {word for word in own if word.isdigit()}
    return {
        word: weight for word, weight in said.items()
        if word not in own and word.rpartition("#")[2] not in digits
    }  # fmt: skip


def _carried(text: str, part: str) -> bool:
    """Whether a part has the subject of the sentence: "and weighs 500", not "and a lantern 24"."""
    first = _FIRST.match(part)
    return part != text and first is not None and first[1].lower() not in _OPENERS


def _over(
    said: Mapping[str, float], taken: Occurrence, other: Occurrence, known: Evidence
) -> float:
    """By how much more than the margin `other` fits, 0 or less where words speak for both."""
    gain = loss = 0.0
    for word, weight in said.items():
        apart = other.around.get(word, 0.0) - taken.around.get(word, 0.0)
        part = weight * apart * (1.0 if "#" in word else known.rarity.get(word, 1.0))
        gain, loss = (gain + part, loss) if part > 0 else (gain, loss - part)
    return gain - loss - _MARGIN if loss <= _AGAINST * gain else 0.0


def _comparable(fact: Fact, taken: Occurrence, other: Occurrence, known: Evidence) -> bool:
    """Whether `other` could have stood in the place of `fact`: same kind, other value."""
    own = other.fact
    if _multiple(own) or _multiple(fact) or _header(other):
        return False
    verdict = agreement(fact, other, known.counted)
    if verdict == "same" or (own.weak and not (own.base and own.text.lower().startswith("one"))):
        return False
    if verdict == "unit":
        return True
    ours, theirs = _labels(fact, taken), _labels(own, other)
    if ours != theirs and (ours,) != other.column:
        return False
    if bool(fact.die) != bool(own.die) or (fact.kind == "odds") != (own.kind == "odds"):
        return False
    if taken.column and taken.column == other.column:
        return True
    if fact.base or own.base or other.column_base:
        ours = taken.fact.base or taken.column_base or fact.base
        return ours == (own.base or other.column_base)
    if taken.column and other.column:
        return taken.line.passage != other.line.passage or taken.line is other.line
    ours, theirs = fact.counted or taken.fact.counted, own.counted
    return ours == theirs or not ours or not theirs


def _case_number(fact: Fact, taken: Occurrence) -> bool:
    """Whether it names a case as its source does: the 2 of "Tier 2 city"."""
    plain = not (fact.base or fact.counted or fact.die or fact.sign)
    return plain and bool(fact.label) and fact.label == taken.fact.label


def _multiple(fact: Fact) -> bool:
    """Whether it is "half" or "double" of something else."""
    return (
        fact.low in _MULTIPLES
        and not fact.base
        and fact.text.lower() not in SMALL
        and fact.text.isalpha()
    )


def _header(found: Occurrence) -> bool:
    """Whether it stands in the names of columns; two cells may be a row of a table without."""
    cells = found.line.cells
    return len(cells) > 2 and not any(cell.column for cell in cells)


def _labels(fact: Fact, found: Occurrence) -> str:
    """What a number is the number of, where it only names a case: tier in "Tier 2"; else ""."""
    plain = not (fact.base or fact.nouns or fact.die or fact.sign) and fact.low == fact.high
    return fact.label if plain and not found.column else ""


def other_section(
    statement: Statement, question: str, supports: Sequence[Occurrence], known: Evidence
) -> Rival | None:
    """Return the section that a statement names while its number stands in another one, or None.

    Judged between sections with one title ("Hold Person" of two classes), by what is different
    above them, and between neighbours ("Speed" and "Invulnerability" of one file).
    """
    stated = set(content(f"{statement.text} {statement.lead}"))
    said = stated | set(content(question))
    found: Rival | None = None
    for taken in supports:
        rivals = (
            Rival(taken, other) for other in known.occurrences
            if other.line.heading != taken.line.heading and _names(stated, said, taken, other)
        )  # fmt: skip
        found = next(rivals, None)
        if found is None:
            return None
    return found


def _names(stated: Set[str], said: Set[str], taken: Occurrence, other: Occurrence) -> bool:
    """Whether the words name the section of `other`, and that of `taken` by none of its own."""
    here, there = taken.line.heading.split(" > "), other.line.heading.split(" > ")
    own, rival_words = _plain(taken.line.heading), _plain(other.line.heading)
    ours, theirs = own - rival_words, rival_words - own
    line = taken.line
    text = _plain(" ".join([*(cell.text for cell in line.cells), line.key, line.near, line.before]))
    if not ours or not theirs or ours & said or theirs & text:
        return False
    if here[-1] == there[-1] and here[-1].strip():
        return bool(theirs & said)
    title = _plain(there[-1] or there[-2]) & theirs
    return _folder(here[0]) == _folder(there[0]) and bool(title) and title <= stated


def _folder(path: str) -> str:
    return path.partition("/")[0]


def _plain(text: str) -> set[str]:
    return {word for word in content(text) if word.isalpha()}
