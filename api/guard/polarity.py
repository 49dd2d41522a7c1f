"""Whether a statement says no where its line says yes, or the other way round."""

import re
from collections.abc import Iterator, Sequence

from api.guard.alignment import content
from api.passage_lines import Line
from api.words import STOP, stem

_LEADING = re.compile(r"^\W*(?:yes|no)\s*[,.:;!-]\s*", re.IGNORECASE)
_NO_NEGATION = re.compile(
    r"\b(?:nothing (?:but|more than)|not only|no (?:more|less|\w+er) than|"
    r"not (?:more|less|\w+er) than|no matter|whether or not|or not|"
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
    ("possible", "impossible"), ("includes", "excludes"),
    ("longer", "shorter"), ("faster", "slower"), ("everybody", "nobody"),
    ("everything", "nothing"), ("earlier", "later"),
)  # fmt: skip
_OPPOSITE = {one: other for pair in _OPPOSITES for one, other in (pair, pair[::-1])}
_CONTRACTED = re.compile(r"\b\w+n't\b")
_BARE = re.compile(r"\W*(?:and |but )?(?:yes|no|not)\W*", re.IGNORECASE)
_WORD = re.compile(r"[\w'-]+")
_CLAUSE = re.compile(
    r"[,;:.?!(]\s*|\s[-|]\s|\s(?:but|while|whereas|although|though|because|unless|if|which)\s",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:all|every\w*|any\w*|nothing|none) (?:\w+ )?(?:but|except)\b|"
    r"\b(?:except|exempt|excluded|only|instead of|rather than|apart from|other than|useless|"
    r"stop\w*|nor|free of|excepted)\b",
    re.IGNORECASE,
)
# What says no without a negation, wherever it stands in the statement.
_IMPLIED = re.compile(
    r"\b(?:rul\w+|is|are|was|were) (?:\w+ ){0,3}out\b|\b(?:unable|impossible|forb\w+|lacks?|immune|"
    r"refus\w+|ke(?:pt|eps?)|prevent\w*|spared|ends?|lost|loses?|fails?)\b",
    re.IGNORECASE,
)
_COVERED = 0.75  # of a clause's words must stand in or above the line
_SAID = 0.6  # of the words of the line's clause must be in the statement's
_LEFT_OUT = "the statement leaves out that its source says no"
_FEWEST = 2  # words that both clauses have


def negated(text: str) -> bool:
    """Tell whether folded `text` holds a negation; a "No," that answers the question is none."""
    return bool(_NEGATION.search(_NO_NEGATION.sub("", _LEADING.sub("", text))))


def contradiction(statement: str, lines: Sequence[Line]) -> tuple[str, Line] | None:
    """Return how a statement contradicts one of the lines, and which, or None.

    Clause by clause, each with the clause of the lines that is most like it; judged only where
    nearly all words agree: elsewhere a negation may belong to other words.
    """
    parts = [(part, line, _around(line)) for line in lines for part in _parts(line)]
    clauses = list(_clauses(_LEADING.sub("", statement)))
    whole = _stems(statement)
    for clause in clauses if parts else ():
        said = _stems(clause)
        part, line, around = max(parts, key=lambda item: _likeness(said, item[0]))
        own = _stems(part) - {"non"}
        swapped = _opposite(clause, part)
        same = said - _stems(" ".join(swapped or ()))
        if len(same & (own | set(content(line.key)))) < _FEWEST or not same & own:
            continue
        if len(whole & own) < _SAID * len(own) or len(same & (own | around)) < _COVERED * len(same):
            continue
        if message := _difference(clause, part, line, own, clauses):
            return message, line
        if swapped and negated(clause) == negated(part):
            return f'"{swapped[0]}" where its source says "{swapped[1]}"', line
    return None


def _stems(text: str) -> set[str]:
    return {word for word in content(text) if "#" not in word}


def _difference(clause: str, part: str, line: Line, own: set[str], clauses: Sequence[str]) -> str:
    said = _stems(clause)
    if negated(clause) and not negated(part):
        lead = line.near.rstrip("* ")
        title = line.heading.rpartition(" > ")[2]
        above = f"{lead if lead.endswith(':') else ''} {line.key} {title}"
        excepted = [found[0] for found in _EXCEPTION.finditer(part)]
        if any(word not in clause for word in excepted):
            return ""
        if negated(above) or not _denied(clause) & own:
            return ""
        if _elsewhere(said - own, line):
            return ""
        return "the statement says no where its source does not"
    if negated(part) and not negated(clause):
        denied = _denied(part)
        excepted = [found[0] for found in _EXCEPTION.finditer(clause)]
        if any(word not in part for word in excepted) or not denied & said:
            return ""
        if any(found[0] not in part for found in _IMPLIED.finditer(" ".join(clauses))):
            return ""
        if part not in _read(line):  # its lead says no, and so may an earlier clause for this one
            before = clauses[: clauses.index(clause)]
            return "" if any(map(negated, before)) else _LEFT_OUT
        if any(_denies(other, denied) for other in clauses if other != clause):
            return ""
        return _LEFT_OUT
    return ""


def _denied(text: str) -> set[str]:
    """The words that a negation stands before, or all where nothing follows it."""
    found = _NEGATION.search(_NO_NEGATION.sub("", _LEADING.sub("", text)))
    after = text[text.find(found[0]) + len(found[0]) :] if found else ""
    words = [word for word in content(after) if "#" not in word]
    return set(words[:2]) or _stems(text)


def _denies(clause: str, denied: set[str]) -> bool:
    """Whether another clause says no to these words, or to what stands before it: "bins don't"."""
    if not negated(clause) and not _BARE.fullmatch(clause):
        return False
    words = _stems(_CONTRACTED.sub("", clause))
    return not words or bool(denied & words)


def _elsewhere(missing: set[str], line: Line) -> bool:
    """Whether another clause of the line says no to a word that the compared one does not have."""
    return any(negated(part) and missing & set(content(part)) for part in _clauses(_read(line)))


def _parts(line: Line) -> Iterator[str]:
    """The clauses of a line; the first of a list's item is read with the lead that says no."""
    lead = line.near.rstrip("* ")
    governed = line.kind == "item" and not line.before and lead.endswith(":") and negated(lead)
    for at, part in enumerate(_clauses(_read(line))):
        yield f"{lead} {part}" if governed and at == 0 else part


def _opposite(clause: str, part: str) -> tuple[str, str] | None:
    """A word and its opposite in the other clause, beside the same word in both."""
    said, stands = _beside(clause), _beside(part)
    for word in sorted(said.keys() - stands.keys()):
        other = _OPPOSITE.get(word)
        if other and other not in said and said[word] & stands.get(other, set()):
            return word, other
    return None


def _beside(text: str) -> dict[str, set[str]]:
    """Every word in small letters with the stems of the words right before and after it."""
    words = [word.lower() for word in _WORD.findall(text)]
    says = [stem(word) if word not in STOP else "" for word in words]
    found: dict[str, set[str]] = {}
    for at, word in enumerate(words):
        near = [next((one for one in reversed(says[:at]) if one), ""),
                next((one for one in says[at + 1 :] if one), "")]  # fmt: skip
        found.setdefault(word, set()).update(one for one in near if one)
    return found


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
