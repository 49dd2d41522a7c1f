"""A text, or a line of a passage, as clauses, and what each of them says no to."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from api.checks.guard.occurrences import base, content
from api.checks.passage_lines import PassageLine
from retrieval.text import denials

# A limit, or no denial at all: "nothing but", "never above 5", "no gem is worth more than 9".
_LIMIT = re.compile(
    r"\b(?:nothing (?:but|more than)|not (?:only|until|all)|no matter|whether or not|or not|"
    r"(?:no|not|none|never|cannot|nobody|nothing)\b(?: [\w-]+){0,8}? "
    r"(?:(?:more|less|\w+er) than|until|before|above|below|beyond|past|exceed\w*)|"
    r"(?:no|not|never) (?:more|less|above|below|over|under|before|after|until|later|longer|"
    r"earlier|faster|further|fewer|higher|lower|larger|smaller|better|worse|nearer|exceed\w*))\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    rf"\b(?:{denials.SAID}|nowhere)\b|"
    r"(?:^\W*|\b(?:is|are|was|were) (?:\w+ )?)non\b",  # "are non-refundable", no "non-profits"
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"\b(?:ca|wo|sha|\w+?)n't\b", re.IGNORECASE)
_BRACKETS = re.compile(r"\s?\(([^()]*)\)")
_JOINING = r"and|or|but|while|whereas|although|though|because|unless|if|which|except"
_CUT = re.compile(
    rf"(?<![,;:.?!])[,;:.?!]++[*_\"']*+(?:\s+|$)(?:(?:{_JOINING})\s)?|"
    rf"\s[-|]\s|\s(?:{_JOINING})\s",
    re.IGNORECASE,
)
_OR = re.compile(r"\sor\s", re.IGNORECASE)
_LISTS = re.compile(r"\s|,[*_\"']*\s+(?:(?:and|or)\s)?|\s(?:and|or)\s", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|can|may|must|will|shall|should|does|do|has|have|gets?|"
    rf"{denials.SAID})\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(r"\W*not\b(?! even)", re.IGNORECASE)
_CONDITION = re.compile(r"\s*(?:if|when|while)\s+([^,.;:|]+)", re.IGNORECASE)
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)
_SHORT = 2  # words of a part of a list: "undead, constructs and oozes"
_SUBJECT = 3  # words of a clause that only names what the clause before is not said of
_EMPTY = frozenset(("even", "non"))


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause with its stems; `head` is the first one behind its negation, which it denies.

    Where nothing stands behind it the clause is `bare`, and its head is the last stem of the clause
    before it: "mules can be led underground, horses cannot".
    """

    text: str
    words: frozenset[str]
    head: str = ""
    beside: frozenset[str] = frozenset()  # right before the negation, and right behind the head
    numbers: frozenset[str] = frozenset()  # behind the negation
    negated: bool = False
    bare: bool = False
    limit: bool = False  # a negation that only limits: "never above 5"
    after: frozenset[str] = frozenset()  # of "locked, not erased" the words before the comma
    aside: bool = False  # only by "without": the rest of the clause is affirmed


@dataclass(frozen=True, slots=True)
class LineClause:
    """A clause of a line; `about` are the stems of the line, its key and what is above it."""

    clause: Clause
    line: PassageLine
    about: frozenset[str]
    key: frozenset[str]

    @property
    def condition(self) -> frozenset[str]:
        """The stems of what stands behind "if" or "when" right behind the clause."""
        read = uncontracted(" | ".join(cell.text for cell in self.line.cells))
        _, _, behind = read.partition(self.clause.text)
        found = _CONDITION.match(behind)
        return frozenset(stems(found[1])) if found else frozenset()

    def named(self, words: Set[str]) -> bool:
        """Tell whether `words` name the line's key: most of a row's, a word of another's."""
        both = len(self.key & words)
        return not self.key or (2 * both > len(self.key) if self.line.kind == "row" else both > 0)


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of folded `text` in order, none empty; what is in brackets comes last."""
    plain = uncontracted(text)
    inner = [found[1] for found in _BRACKETS.finditer(plain)]
    found: list[Clause] = []
    for whole in (_BRACKETS.sub("", plain), *inner):
        for part in _parts(whole):
            clause, last = _read(part), found[-1] if found else None
            if clause.bare and 0 < len(clause.words) <= _SUBJECT and last and not last.negated:
                head = next((word for word in reversed(stems(last.text)) if word.isalpha()), "")
                clause = replace(clause, head=head, beside=clause.words,
                                 words=clause.words | {head} - {""})  # fmt: skip
            if last and _CORRECTS.match(part):
                clause = replace(clause, after=last.words)
            found.append(clause)
    return tuple(found)


def uncontracted(text: str) -> str:
    """Return `text` with "do not" for "can't" and its like."""
    return _CONTRACTED.sub("do not", text)


@lru_cache(maxsize=8192)
def about(line: PassageLine) -> frozenset[str]:
    """Return the stems of a line, its key and what is above it."""
    parts = (line.heading, line.key, line.near, line.before, line.text)
    return frozenset(stems(" ".join(parts)))


@lru_cache(maxsize=8192)
def told(line: PassageLine) -> tuple[LineClause, ...]:
    """Return the clauses of a line; none of a table's header, nor of a row's key."""
    whole, key = about(line), frozenset(stems(line.key))
    if line.kind != "row":
        return tuple(LineClause(clause, line, whole, key) for clause in _prose(line, line.text))
    return () if line.is_header else tuple(_row(line, whole, key))


def stems(text: str) -> list[str]:
    """Return the stems of `text` in order, verbs by their base, without labelled numbers."""
    return [base(word) for word in content(text) if "#" not in word]


def _parts(text: str) -> Iterator[str]:
    """The parts of a text, a list in one of them."""
    held, lists = "", False
    for sign, part in _pieces(text):
        if stems(held) and _LISTS.fullmatch(sign) and (_short(part) or lists):
            held = f"{held} {part}"
            lists = lists and _short(part)
            continue
        if _OR.fullmatch(sign) and _NEGATION.search(_LIMIT.sub(" ", held)):
            held, lists = f"{held}{sign}{part}", False  # "nobody in chain or plate can"
            continue
        if held:
            yield held
        held, lists = part, _short(part)
    if held:
        yield held


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """What stands between two cuts, each with the cut before it."""
    start, sign = 0, ""
    for at, end, after in ((cut.start(), cut.end(), cut[0]) for cut in _CUT.finditer(text)):
        if text[start:at].strip():
            yield sign, text[start:at]
            sign = ""
        start, sign = end, sign + after
    if text[start:].strip():
        yield sign, text[start:]


def _short(part: str) -> bool:
    return len(stems(part)) <= _SHORT and not _VERB.search(part)


def _read(part: str) -> Clause:
    limit = _LIMIT.search(part) is not None
    plain = _LIMIT.sub(" ", part)
    found = _NEGATION.search(plain)
    words = frozenset(stems(part)) - _EMPTY
    if not found:
        return Clause(part, words, limit=limit)
    behind = [
        word for word in stems(plain[found.end() :])
        if word not in _EMPTY and (len(word) > 1 or word.isdigit())
    ]  # fmt: skip
    beside = frozenset([*stems(plain[: found.start()])[-1:], *behind[1:2]])
    numbers = frozenset(word for word in behind if word.isdigit())
    head = behind[0] if behind else ""
    aside = all(one[0].lower() == "without" for one in _NEGATION.finditer(plain))
    return Clause(part, words, head, beside, numbers, True, not head, limit, aside=aside)


def _prose(line: PassageLine, read: str) -> Iterator[Clause]:
    """The clauses of an item or sentence; an item's lead-in says no for it."""
    lead = line.near.rstrip("* ")
    if line.kind == "item" and not line.before and lead.endswith(":"):
        last = clauses(lead)[-1:]  # "never does both:" denies nothing of the items
        governed = any(part.negated and not part.bare for part in last)
        read = f"{lead[:-1]} {read}" if governed else read
    yield from clauses(read)


def _row(line: PassageLine, about: frozenset[str], key: frozenset[str]) -> Iterator[LineClause]:
    """The clauses of a row's cells; a cell that only says no denies its column of the key."""
    for at, cell in enumerate(line.cells):
        if not at and cell.column:
            continue
        with_column = about.union(stems(cell.column))
        for clause in clauses(cell.text):
            plain = not clause.words or _YES.match(clause.text)
            if plain and cell.column and any(word.isalpha() for word in key):
                whole = f"{cell.column} {line.key} {clause.text}".replace(",", "")
                clause = clauses(f"not {whole}" if clause.negated else whole)[0]
            yield LineClause(clause, line, with_column, key)
