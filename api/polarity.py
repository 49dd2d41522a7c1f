"""Whether a statement says no where its line says yes, or the other way round."""

import re
from collections.abc import Iterator, Sequence

from api.alignment import content
from api.passage_lines import Line

_LEADING = re.compile(r"^\W*(?:yes|no)\s*[,.:;!-]\s*", re.IGNORECASE)
_NO_NEGATION = re.compile(
    r"\b(?:nothing (?:but|more than)|not only|no (?:more|less|fewer|longer|later|earlier) than|"
    r"not (?:more|less|fewer|longer|later|earlier) than|no matter|whether or not|or not|"
    r"at no (?:extra |additional )?(?:cost|charge))\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|none|neither|nor|nobody|nothing|without|nowhere|non)\b|n't\b",
    re.IGNORECASE,
)
_OPPOSITES = (
    ("always", "never"), ("more", "less"), ("more", "fewer"), ("above", "below"),
    ("before", "after"), ("increase", "decrease"), ("increases", "decreases"), ("gain", "lose"),
    ("gains", "loses"), ("bonus", "penalty"), ("minimum", "maximum"), ("least", "most"),
    ("double", "half"), ("doubled", "halved"), ("allowed", "forbidden"), ("higher", "lower"),
    ("inside", "outside"), ("all", "none"), ("increased", "decreased"), ("required", "optional"),
    ("possible", "impossible"), ("includes", "excludes"), ("with", "without"),
    ("longer", "shorter"), ("faster", "slower"), ("everybody", "nobody"),
    ("everything", "nothing"), ("earlier", "later"),
)  # fmt: skip
_OPPOSITE = {one: other for pair in _OPPOSITES for one, other in (pair, pair[::-1])}
_WORD = re.compile(r"[\w'-]+")
_CLAUSE = re.compile(
    r"[,;:.?!(]\s*|\s-\s|\s(?:but|while|whereas|although|though|because|unless|if|which)\s",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:all|every\w*|any\w*|nothing|none) (?:\w+ )?(?:but|except)\b|"
    r"\b(?:except|exempt|excluded|only|instead of|rather than|apart from|other than|useless|"
    r"fails?)\b",
    re.IGNORECASE,
)
_COVERED = 0.75  # of a clause's words must stand in or above the line
_SAID = 0.6  # of the words of the line's clause must be in the statement's
_FEWEST = 2  # words that both clauses have


def negated(text: str) -> bool:
    """Tell whether folded `text` holds a negation; a "No," that answers the question is none."""
    return bool(_NEGATION.search(_NO_NEGATION.sub("", _LEADING.sub("", text))))


def contradiction(statement: str, lines: Sequence[Line]) -> tuple[str, Line] | None:
    """Return how a statement contradicts one of the lines, and which, or None.

    Clause by clause, each with the clause of the lines that is most like it; judged only where
    nearly all words agree: elsewhere a negation may belong to other words.
    """
    parts = [(part, line, _around(line)) for line in lines for part in _clauses(_read(line))]
    for clause in _clauses(_LEADING.sub("", statement)):
        said = _stems(clause)
        if len(said) < _FEWEST or not parts:
            continue
        part, line, around = max(parts, key=lambda item: _likeness(said, item[0]))
        own = _stems(part) - {"non"}
        common = said & own
        if len(said & (own | set(content(line.key)))) < _FEWEST:
            continue
        if not common or len(common) < _SAID * len(own):
            continue
        if len(said & (own | around)) < _COVERED * len(said):
            continue
        message = _difference(clause, part, line, said, own)
        said_elsewhere = _elsewhere(said - own, line) if negated(clause) else negated(statement)
        if message and not said_elsewhere:
            return message, line
    return None


def _stems(text: str) -> set[str]:
    return {word for word in content(text) if "#" not in word}


def _difference(clause: str, part: str, line: Line, said: set[str], own: set[str]) -> str:
    if negated(clause) and not negated(part):
        lead = line.near.rstrip("* ")
        above = f"{lead if lead.endswith(':') else ''} {line.key}"
        excepted = _EXCEPTION.search(part)
        if (excepted and excepted[0] not in clause) or negated(above) or not _denied(clause) & own:
            return ""
        return "the statement says no where its source does not"
    if negated(part) and not negated(clause):
        if _EXCEPTION.search(clause) or not _denied(part) & said:
            return ""
        return "the statement leaves out that its source says no"
    if pair := _opposite(clause, part):
        return f'"{pair[0]}" where its source says "{pair[1]}"'
    return ""


def _denied(text: str) -> set[str]:
    """The words that a negation stands before, or all where nothing follows it."""
    found = _NEGATION.search(_NO_NEGATION.sub("", _LEADING.sub("", text)))
    after = text[text.find(found[0]) + len(found[0]) :] if found else ""
    words = [word for word in content(after) if "#" not in word]
    return set(words[:2]) or _stems(text)


def _elsewhere(missing: set[str], line: Line) -> bool:
    """Whether another clause of the line says no to a word that the compared one does not have."""
    return any(negated(part) and missing & set(content(part)) for part in _clauses(_read(line)))


def _opposite(clause: str, part: str) -> tuple[str, str] | None:
    said = {word.lower() for word in _WORD.findall(clause)}
    stands = {word.lower() for word in _WORD.findall(part)}
    for word in sorted(said - stands):
        other = _OPPOSITE.get(word)
        if other and other in stands and other not in said:
            return word, other
    return None


def _clauses(text: str) -> Iterator[str]:
    return (part for part in _CLAUSE.split(text) if part.strip())


def _likeness(said: set[str], part: str) -> float:
    own = set(content(part))
    return len(said & own) / len(said | own) if own else 0.0


def _read(line: Line) -> str:
    return " | ".join(cell.text for cell in line.cells)


def _around(line: Line) -> set[str]:
    """What a clause of the line is read with: the rest of it, its lead-in, its headings."""
    return set(content(" ".join([_read(line), line.key, line.near, line.before, line.heading])))
